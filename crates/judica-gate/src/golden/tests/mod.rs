//! Whole folders, from files to reports.

mod edges;
mod malformed;
mod random;
mod worked;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use super::*;

/// Golden queries and a folder of runs.
struct Dir(tempfile::TempDir);

impl Dir {
    fn new(golden: &Value) -> Self {
        let dir = Dir(tempfile::tempdir().unwrap());
        fs::create_dir(dir.path("runs")).unwrap();
        fs::write(dir.path("golden.json"), golden.to_string()).unwrap();
        dir
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file of a run.
    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path("runs").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a run in a folder of its own.
    fn run(&self, name: &str, output: &Value) {
        self.write(&format!("{name}/output.json"), output.to_string());
    }

    fn request(&self) -> GoldenRequest {
        GoldenRequest {
            golden: self.path("golden.json"),
            outputs: self.path("runs"),
            thresholds: GoldenThresholds::default(),
            gates: None,
            baseline: None,
            allow_undefined: false,
            run: None,
            strict: false,
            names: None,
            threads: 2,
        }
    }

    fn evaluate(&self) -> GoldenReport {
        super::evaluate(&self.request(), &AtomicBool::new(false)).unwrap()
    }

    /// The report as it is written.
    fn report(&self) -> Value {
        serde_json::to_value(self.evaluate()).unwrap()
    }
}

/// A query.
fn query(objective: &str, required: &[&str], sufficient: bool) -> Value {
    json!({
        "objective": objective,
        "required_evidence_ids": required,
        "evidence_sufficient": sufficient,
    })
}

/// A run that asks, and neither claims nor finds anything.
fn output(objective: &str) -> Value {
    json!({
        "run_id": format!("run of {objective}"),
        "objective": objective,
        "stop_reason": "NO_EVIDENCE",
        "claims": [],
        "evidence": [],
        "steps": [],
    })
}

/// How many of how many.
fn ratio(report: &Value, metric: &str) -> (u64, u64) {
    let metric = &report["metrics"][metric];
    let number = |key: &str| metric[key].as_u64().unwrap();
    (number("numerator"), number("denominator"))
}

/// The names of the gates that fail.
fn failing(report: &Value) -> Vec<&str> {
    let gates = report["gates"].as_array().unwrap().iter();
    let failing = gates.filter(|gate| gate["pass"] == false);
    failing.map(|gate| gate["name"].as_str().unwrap()).collect()
}
