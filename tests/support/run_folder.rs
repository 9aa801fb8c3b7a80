//! What tests look at in a run folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use judica_run::open::Run;
use judica_run::values::values;
use judica_stats::clusters::Intervals;
use judica_stats::resampled::Resampling;
use serde_json::{Value, json};

use crate::support::Place;

/// The files of a run that has rejects.
pub const WITH_REJECTS: [&str; 5] = [
    "manifest.json",
    "records.parquet",
    "rejects.jsonl",
    "report.json",
    "tables.json",
];

/// The records of the folder `run`, as they are exported.
#[track_caller]
pub fn records(place: &Place) -> Vec<Value> {
    let out = place.judica("export run --format jsonl").exits(0).stdout;
    let lines = out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

/// Every coefficient among a run's metrics, recomputed from its records by the estimator
/// alone, with the intervals that its report has.
pub fn recomputed(folder: &Path) -> BTreeMap<String, Value> {
    let run = Run::open(folder).expect("a run");
    let report = std::fs::read_to_string(folder.join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let how = &report["bootstrap"];
    let intervals = Intervals {
        confidence: how["confidence"].as_f64().expect("a confidence"),
        resampling: Resampling {
            resamples: how["resamples"].as_u64().expect("a number") as u32,
            seed: how["seed"].as_u64().expect("a seed"),
            threads: 1,
        },
    };
    let specs = run.manifest.metrics.iter();
    let coefficients: BTreeSet<&str> = specs
        .filter(|spec| spec.estimator.is_some())
        .map(|spec| spec.name.as_str())
        .collect();
    let values = values(&run, &intervals).expect("values");
    let whole = values
        .iter()
        .filter(|of| of.subject.is_none() && of.dataset.is_none());
    whole
        .filter(|of| coefficients.contains(of.metric.as_str()))
        .map(|of| (of.metric.clone(), json!(of.value)))
        .collect()
}

/// Insists that a recomputed coefficient and its interval are what the report says of it.
#[track_caller]
pub fn as_reported(name: &str, recomputed: &Value, reported: &Value) {
    let numbers = |of: &Value| [&of["value"], &of["ci"][0], &of["ci"][1]].map(Value::as_f64);
    for (ours, theirs) in numbers(recomputed).into_iter().zip(numbers(reported)) {
        match (ours, theirs) {
            (Some(ours), Some(theirs)) if (ours - theirs).abs() <= 1e-12 => {}
            (None, None) => {}
            _ => panic!("{name}: {recomputed} or {reported}"),
        }
    }
    for key in ["n", "ci_undefined", "undefined"] {
        assert_eq!(recomputed[key], reported[key], "{name}");
    }
}

/// Runs a command with one thread and with three, without a clock, and has the run made
/// again: all must be the same to the byte.
#[track_caller]
pub fn same_run(place: &Place, arguments: &str, code: i32) {
    let run = |threads: usize| {
        let mut command = place.command(&format!("{arguments} --threads {threads}"));
        command.env("SOURCE_DATE_EPOCH", "1700000000");
        crate::support::ran(command).exits(code);
        place.files("run")
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        three.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &one {
        assert!(*bytes == three[name], "{name} differs with three threads");
    }
    place.judica("reproduce run").exits(0).says(&["identical"]);
}
