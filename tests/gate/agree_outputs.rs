//! The gates of `agree pairs` in the formats that CI systems show.

use crate::gate::check_reports::pairs;
use crate::gate::data::junit_cases;
use crate::support::Place;

const PAIRS: &str = "agree pairs --pairs p.jsonl --tsv d.tsv --resamples 20";
const OUTPUTS: &str = "--junit o/g.xml --markdown o/g.md --github";

#[test]
fn failing_gates_are_shown_everywhere() {
    let place = Place::new();
    place.write_lines("p.jsonl", &pairs());
    let ran = place.judica(&format!("{PAIRS} {OUTPUTS}")).exits(1);
    let cases = junit_cases(&place.text("o/g.xml"));
    assert_eq!(cases.len(), 3);
    assert!(
        cases.iter().all(|(_, outcome)| *outcome == "failure"),
        "{cases:?}"
    );
    let page = place.text("o/g.md");
    assert!(page.contains("**FAIL**: 3 of 3 gates failed."), "{page}");
    assert!(page.contains("| kappa |"), "{page}");
    let errors = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("::error "));
    assert_eq!(errors.count(), 3, "{}", ran.stdout);
}

#[test]
fn passing_gates_are_no_annotations() {
    let place = Place::new();
    place.write_lines("p.jsonl", &pairs());
    let gates = "--pa-gate 0.7 --kappa-gate 0.5 --abstain-gate 0.1";
    let ran = place.judica(&format!("{PAIRS} {gates} {OUTPUTS}")).exits(0);
    assert!(
        !ran.stdout.lines().any(|line| line.starts_with("::")),
        "{}",
        ran.stdout
    );
    let cases = junit_cases(&place.text("o/g.xml"));
    assert!(
        cases.iter().all(|(_, outcome)| *outcome == "passed"),
        "{cases:?}"
    );
    assert!(place.text("o/g.md").contains("**PASS**: 3 gates passed."));
}

#[test]
fn with_json_the_report_stays_alone_on_standard_output() {
    let place = Place::new();
    place.write_lines("p.jsonl", &pairs());
    let ran = place.judica(&format!("{PAIRS} --github --json")).exits(1);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(report["pass"], false);
    assert_eq!(ran.stderr.matches("::error ").count(), 3, "{}", ran.stderr);
}

#[test]
fn outputs_do_not_overwrite_inputs_or_each_other() {
    let place = Place::new();
    place.write_lines("p.jsonl", &pairs());
    for bad in [
        "--junit p.jsonl",
        "--markdown d.tsv",
        "--junit x --markdown x",
    ] {
        place
            .judica(&format!("{PAIRS} {bad}"))
            .exits(2)
            .complains(&["overwrite"]);
    }
}
