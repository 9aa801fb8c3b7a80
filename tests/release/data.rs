//! A small release: agreement of two validators, runs against golden queries, and gates.

use serde_json::{Value, json};

use crate::support::Place;
pub use crate::support::report;

/// The steps of a release that passes, but for what a test changes.
pub const AGREE: &str = "name = \"agreement\"\nrun = \"agree pairs --pairs pairs.jsonl --tsv out/d.tsv --resamples 50\"";
pub const GOLDEN: &str = "name = \"golden\"\nrun = \"gate golden --golden golden.json --outputs runs\"\nreport = \"kept/golden.json\"";

/// A config with these steps.
pub fn config(steps: &[&str]) -> String {
    let steps = steps.iter().map(|step| format!("\n[[step]]\n{step}\n"));
    format!(
        "version = 1\nname = \"assistant 2.3\"\n{}",
        steps.collect::<String>()
    )
}

/// A place with everything the steps read: ten pairs of labels of which `same` agree, a
/// golden query with its run, and gates that ask for what both have.
pub fn place(same: usize, steps: &[&str]) -> Place {
    let place = Place::new();
    let labels = |at: usize| ["VALID", "REJECT"][at % 2];
    let pairs: Vec<String> = (0..10)
        .map(|at| {
            let auditor = labels(if at < same { at } else { at + 1 });
            json!({"qid": format!("q{at}"), "scholar": {"label": labels(at)}, "auditor": {"label": auditor}}).to_string()
        })
        .collect();
    place.write_lines("pairs.jsonl", &pairs);
    place.write(
        "golden.json",
        json!([{"objective": "known", "required_evidence_ids": ["e1"], "evidence_sufficient": true}]).to_string(),
    );
    place.write(
        "runs/a.json",
        json!({
            "objective": "known", "stop_reason": "DONE",
            "claims": [{"id": "c", "status": "verified", "evidence_ids": ["e1"]}],
            "evidence": [{"id": "e1", "quote": "q", "provenance": "p"}],
            "steps": [{"id": "s", "manifest": {"k": 1}}],
        })
        .to_string(),
    );
    place.write("gates/agreement.toml", gates("/n", "==", "10"));
    place.write("release.toml", config(steps));
    place
}

/// A gates file with one gate, called `own`.
pub fn gates(metric: &str, op: &str, threshold: &str) -> String {
    format!(
        "version = 1\n[[gate]]\nname = \"own\"\nmetric = \"{metric}\"\nop = \"{op}\"\nthreshold = {threshold}\n"
    )
}

/// The step on agreement with a gates file of its own.
pub fn agree_with_gates() -> String {
    format!("{AGREE}\ngates = \"gates/agreement.toml\"")
}

/// Runs the release; its report, after insisting on the exit code.
#[track_caller]
pub fn released(place: &Place, code: i32) -> Value {
    report(&place.judica("release --json").exits(code))
}

/// Name and result of each step.
#[track_caller]
pub fn results(report: &Value) -> Vec<String> {
    let steps = report["steps"].as_array().expect("steps").iter();
    steps
        .map(|step| {
            let text = |key: &str| step[key].as_str().expect("text").to_owned();
            format!("{} {}", text("name"), text("status"))
        })
        .collect()
}

/// Names of the gates, of those that fail with `!` before.
#[track_caller]
pub fn gate_names(report: &Value) -> Vec<String> {
    let gates = report["gates"].as_array().expect("gates").iter();
    gates
        .map(|gate| {
            let mark = if gate["pass"] == true { "" } else { "!" };
            format!("{mark}{}", gate["name"].as_str().expect("a name"))
        })
        .collect()
}
