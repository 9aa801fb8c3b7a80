//! Golden queries, runs, reports and gates files to try the gates on.

use roxmltree::Document;
use serde_json::{Value, json};

use crate::support::Place;
pub use crate::support::report;

/// Evaluates the runs in `runs` against `golden.json`.
pub const GOLDEN: &str = "gate golden --golden golden.json --outputs runs";
/// Holds `r.json` against `g.toml`.
pub const CHECK: &str = "gate check --report r.json --gates g.toml";

/// A golden query.
pub fn query(objective: &str, required: &[&str], sufficient: bool) -> Value {
    json!({"objective": objective, "required_evidence_ids": required, "evidence_sufficient": sufficient})
}

/// A record of evidence that is as it should be.
pub fn evidence(id: &str) -> Value {
    json!({"id": id, "quote": "as it says", "provenance": {"url": "file:doc"}})
}

/// A claim.
pub fn claim(id: &str, status: &str, cites: &[&str]) -> Value {
    json!({"id": id, "status": status, "evidence_ids": cites})
}

/// A step with its manifest beside it.
pub fn step(id: &str) -> Value {
    json!({"id": id, "manifest": {"sources": ["doc"]}})
}

/// A step without a manifest.
pub fn bare_step(id: &str) -> Value {
    json!({"id": id})
}

/// The output of a run that passes every gate: one claim, its evidence, one step.
pub fn output(run_id: &str, objective: &str) -> Value {
    json!({
        "run_id": run_id,
        "objective": objective,
        "stop_reason": "DONE",
        "claims": [claim("c1", "verified", &["e1"])],
        "evidence": [evidence("e1")],
        "steps": [step("s1")],
    })
}

/// The output of a run that abstains as it should.
pub fn abstained(run_id: &str, objective: &str) -> Value {
    json!({
        "run_id": run_id, "objective": objective, "stop_reason": "NO_EVIDENCE",
        "claims": [claim("c1", "open", &[])], "evidence": [], "steps": [step("s1")],
    })
}

/// The same value with one key changed.
pub fn with(mut value: Value, key: &str, changed: Value) -> Value {
    value[key] = changed;
    value
}

/// A place with queries and outputs, each run in a folder of its own.
pub fn golden(queries: &[Value], outputs: &[(&str, Value)]) -> Place {
    let place = Place::new();
    place.write("golden.json", json!(queries).to_string());
    for (run, output) in outputs {
        place.write(&format!("runs/{run}/output.json"), output.to_string());
    }
    place
}

/// A place with a query that is answered and one that cannot be: every gate passes.
pub fn passing() -> Place {
    golden(
        &[query("known", &["e1"], true), query("unknown", &[], false)],
        &[
            ("a", output("a", "known")),
            ("b", abstained("b", "unknown")),
        ],
    )
}

/// Evaluates the runs of a place; the report, after insisting on the exit code.
#[track_caller]
pub fn evaluated(place: &Place, code: i32) -> Value {
    report(&place.judica(&format!("{GOLDEN} --json")).exits(code))
}

/// A metric as `numerator/denominator`.
#[track_caller]
pub fn fraction(report: &Value, metric: &str) -> String {
    let metric = &report["metrics"][metric];
    format!("{}/{}", metric["numerator"], metric["denominator"])
}

/// The four metrics as fractions: coverage, recall, abstention, manifests.
#[track_caller]
pub fn fractions(report: &Value) -> [String; 4] {
    [
        "evidence_coverage_rate",
        "golden_recall",
        "abstention_accuracy",
        "manifest_integrity",
    ]
    .map(|metric| fraction(report, metric))
}

/// The gate with this name.
#[track_caller]
pub fn gate<'r>(report: &'r Value, name: &str) -> &'r Value {
    let gates = report["gates"].as_array().expect("gates");
    let found = gates.iter().find(|gate| gate["name"] == name);
    found.unwrap_or_else(|| panic!("no gate {name} in {gates:?}"))
}

/// Names of the gates that fail.
#[track_caller]
pub fn failing(report: &Value) -> Vec<&str> {
    let gates = report["gates"].as_array().expect("gates");
    let failing = gates.iter().filter(|gate| gate["pass"] == false);
    failing
        .map(|gate| gate["name"].as_str().expect("a name"))
        .collect()
}

/// One key of every entry of a list.
#[track_caller]
pub fn each<'r>(list: &'r Value, key: &str) -> Vec<&'r str> {
    let entries = list.as_array().expect("a list").iter();
    entries
        .map(|entry| entry[key].as_str().unwrap_or("null"))
        .collect()
}

/// A gates file: each entry is the body of a `[[gate]]`.
pub fn gates_file(gates: &[&str]) -> String {
    let gates = gates.iter().map(|gate| format!("\n[[gate]]\n{gate}\n"));
    format!("version = 1\n{}", gates.collect::<String>())
}

/// One gate named `g` over `/m`.
pub fn gate_over_m(op: &str, more: &str) -> String {
    gates_file(&[&format!(
        "name = \"g\"\nmetric = \"/m\"\nop = \"{op}\"\n{more}"
    )])
}

/// A place with a report and a gates file.
pub fn check(report: &Value, gates: &str) -> Place {
    let place = Place::new();
    place.write("r.json", report.to_string());
    place.write("g.toml", gates);
    place
}

/// Name and outcome of each case of a JUnit file, read by a standard parser, after
/// insisting that the counts at its top are right.
#[track_caller]
pub fn junit_cases(xml: &str) -> Vec<(String, &'static str)> {
    let document = Document::parse(xml).expect("well-formed XML");
    let nodes = document.descendants();
    let cases: Vec<_> = nodes
        .filter(|node| node.has_tag_name("testcase"))
        .map(|case| {
            let has = |tag: &str| case.children().any(|child| child.has_tag_name(tag));
            let outcome = match (has("failure"), has("skipped")) {
                (true, false) => "failure",
                (false, true) => "skipped",
                (false, false) => "passed",
                (true, true) => panic!("both failed and skipped"),
            };
            (case.attribute("name").expect("a name").to_owned(), outcome)
        })
        .collect();
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites"));
    let suite = root.first_element_child().expect("a suite");
    let count = |wanted: &str| cases.iter().filter(|(_, is)| *is == wanted).count();
    for (attribute, expected) in [
        ("tests", cases.len()),
        ("failures", count("failure")),
        ("skipped", count("skipped")),
        ("errors", 0),
    ] {
        let told = suite.attribute(attribute);
        assert_eq!(told, Some(&*expected.to_string()), "{attribute}: {xml}");
    }
    cases
}
