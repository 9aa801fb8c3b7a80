//! Whole folders, from files to reports.

mod input;
mod notes;
mod people;
mod results;

use std::fs;
use std::path::PathBuf;

use judica_stats::effective_raters::MIN_COMMON;

use super::*;
use crate::panel::BootstrapOptions;

impl JudgesRequest {
    /// The folder with nothing out of the ordinary.
    fn new(eval_dir: impl Into<PathBuf>) -> Self {
        Self {
            eval_dir: eval_dir.into(),
            human: Vec::new(),
            human_reference: HumanReference::default(),
            include_deterministic: false,
            drop_invalid: false,
            columns: Vec::new(),
            disagreements: 0,
            min_common: MIN_COMMON,
            prior: 1.0,
            prices: None,
            aggregate: None,
            aggregate_items: false,
            strict: false,
            bootstrap: BootstrapOptions::default(),
            run: None,
        }
    }
}

/// The report of a measurement without a run.
fn measure(request: &JudgesRequest) -> Result<JudgesReport, WorkError> {
    super::measure(request, &|_, _| ()).map(|(report, _)| report)
}

/// A folder of judged data sets.
struct Dir(tempfile::TempDir);

impl Dir {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = Dir(tempfile::tempdir().unwrap());
        for (name, text) in files {
            dir.write(name, text.as_bytes());
        }
        dir
    }

    /// Everything lies in a folder of its own, so that its name is the same every time.
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path("evaluated").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn request(&self) -> JudgesRequest {
        JudgesRequest {
            disagreements: 10,
            bootstrap: BootstrapOptions {
                resamples: 20,
                ..BootstrapOptions::default()
            },
            ..JudgesRequest::new(self.path("evaluated"))
        }
    }

    fn human(&self, text: &str) -> JudgesRequest {
        fs::write(self.path("human.json"), text).unwrap();
        JudgesRequest {
            human: vec![run::input(PEOPLE, &self.path("human.json"))],
            ..self.request()
        }
    }

    fn report(&self) -> JudgesReport {
        measure(&self.request()).unwrap()
    }
}

/// A row about item `i` with what else is given.
fn row(i: usize, correct: &str, more: &str) -> String {
    format!(r#"{{"input":"in {i}","gold":"g","prediction":"p","correct":"{correct}"{more}}}"#)
}

/// A judged data set with one row per letter: `y`, `n`, and `-` for none.
fn judged(judge: &str, source: &str, verdicts: &str) -> String {
    let rows: Vec<String> = rows(verdicts);
    format!(
        r#"{{"run_name":"r","judge_model":"{judge}","source_file":"{source}","detailed_results":[{}]}}"#,
        rows.join(",\n")
    )
}

fn rows(verdicts: &str) -> Vec<String> {
    let said = verdicts
        .bytes()
        .enumerate()
        .filter(|(_, verdict)| *verdict != b'-');
    said.map(|(i, verdict)| row(i, if verdict == b'y' { "yes" } else { "no" }, ""))
        .collect()
}

fn list(verdicts: &str) -> String {
    format!("[{}]", rows(verdicts).join(","))
}

/// Reasons with how often each came up.
fn reasons(report: &JudgesReport) -> Vec<(&str, u64)> {
    let kinds = report.refused.kinds().iter();
    kinds.map(|kind| (&*kind.reason, kind.count)).collect()
}

fn noted(report: &JudgesReport, words: &str) -> bool {
    report.notes.iter().any(|note| note.contains(words))
}

fn message(request: &JudgesRequest) -> String {
    measure(request).unwrap_err().to_string()
}

fn json(report: &JudgesReport) -> String {
    serde_json::to_string_pretty(report).unwrap()
}
