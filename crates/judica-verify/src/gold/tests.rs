//! Gold by hand.

use serde_json::{Value, json};

use super::*;
use crate::samples::SampleLoader;
use crate::test_support::{FLIGHT, FLIGHT_CHECKS, flight_with, good, key, protocol};

fn audit_on(protocol: &Protocol, task: &str, lines: &[Value]) -> (GoldReport, Vec<Tally>) {
    let checks = Checks::new(protocol).expect("few enough");
    let mut audit = GoldAudit::tallying(protocol, &checks);
    let mut loader = SampleLoader::new(protocol, Some(task));
    for (number, line) in (1..).zip(lines) {
        loader
            .add(line.to_string().as_bytes(), number)
            .expect("a sample");
        audit.look(&loader.last_gold().expect("a sample"));
    }
    audit.finish()
}

fn audit(lines: &[Value]) -> GoldReport {
    audit_on(&FLIGHT, "S1", lines).0
}

fn with(changes: &[(&str, Value)]) -> Value {
    let mut state = good("S1");
    for (alias, value) in changes {
        state.insert(key(alias).to_owned(), value.clone());
    }
    json!({"next_second": state})
}

#[test]
fn every_value_is_counted_under_its_field_and_reason() {
    let report = audit(&[
        with(&[("ias", json!("")), ("pitch", json!([1, 2, 3]))]),
        with(&[("ias", json!("n/a")), ("pitch", json!(" 2. "))]),
        json!({"next_second": {key("lat"): null}}),
        json!({"next_second": {key("lat"): [1]}}),
        json!({"next_secnd": {}}),
        json!({}),
    ]);
    assert_eq!((report.given, report.usable), (5, 2));
    let unusable: Vec<(&str, u64)> = report
        .unusable
        .iter()
        .map(|(reason, count)| (reason.as_str(), *count))
        .collect();
    assert_eq!(
        unusable,
        [("invalid_value", 1), ("unknown_key", 1), ("wrong_shape", 1)]
    );
    let told: Vec<(Option<&str>, &str, u64, &str, &str)> = report
        .problems
        .iter()
        .map(|p| {
            (
                p.field.as_deref(),
                p.reason.as_str(),
                p.count,
                p.first_sample.as_str(),
                p.found.as_str(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (None, "unknown_key", 1, "S1_004", "next_secnd"),
            (Some(key("lat")), "invalid_value", 1, "S1_002", "null"),
            (Some(key("lat")), "wrong_shape", 1, "S1_003", "[1]"),
            (Some(key("pitch")), "wrong_shape", 1, "S1_000", "[1,2,3]"),
            (Some(key("ias")), "invalid_value", 2, "S1_000", "\"\""),
        ]
    );
    // The four that hold fields were held against the protocol; all of them fail.
    assert_eq!((report.verified, report.ineligible), (4, 4));
}

#[test]
fn a_field_that_is_left_out_is_not_held_against_the_truth() {
    let report = audit(&[json!({"next_second": {key("lat"): 45}}), with(&[])]);
    assert_eq!((report.verified, report.ineligible), (2, 0));
    assert_eq!(report.notes(2, "calibrate", true), Vec::<String>::new());
    // What is there is: a latitude that does not exist.
    let report = audit(&[json!({"next_second": {key("lat"): 900}})]);
    assert_eq!((report.verified, report.ineligible), (1, 1));
}

#[test]
fn jumps_are_measured_from_the_gold_before_of_the_same_task() {
    let high = || with(&[("gps_alt", json!(4000)), ("baro_alt", json!(4000))]);
    let report = audit(&[with(&[]), high(), high(), with(&[])]);
    assert_eq!((report.verified, report.ineligible), (4, 2));
    let notes = report.notes(4, "calibrate", true);
    assert!(
        notes.is_empty(),
        "exactly half is not more than half: {notes:?}"
    );
    let report = audit(&[high(), with(&[]), high()]);
    let notes = report.notes(3, "judica calibrate --protocol flight", true);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains(
        "on 2 of 3 samples; see `judica calibrate`: `judica calibrate --protocol flight`"
    ));
}

#[test]
fn gating_is_the_protocols_own() {
    let strict = flight_with("severity = \"critical\"", "severity = \"warning\"");
    // 2500 fpm down is a warning, and 19 fields less 18 are missing.
    let line = json!({"next_second": {key("vs"): -2500}});
    assert_eq!(audit(std::slice::from_ref(&line)).ineligible, 0);
    assert_eq!(audit_on(&strict, "S1", &[line]).0.ineligible, 1);
}

#[test]
fn the_shape_of_a_field_is_looked_at_whenever_it_is_there() {
    let (_, tallies) = audit_on(
        &FLIGHT,
        "S1",
        &[
            with(&[("ias", json!([1, 2]))]),
            with(&[]),
            json!({"next_second": {key("lat"): ""}}),
        ],
    );
    let of = |rule: &str, field: &str| {
        let found = tallies
            .iter()
            .find(|tally| tally.rule == rule && tally.field.as_deref() == Some(key(field)));
        found.map(|tally| (tally.checks, tally.violations, tally.critical))
    };
    assert_eq!(of("numeric_validity.wrong_shape", "ias"), Some((2, 1, 1)));
    assert_eq!(of("numeric_validity.wrong_shape", "lat"), None);
    assert_eq!(of("numeric_validity.invalid_value", "lat"), Some((3, 1, 1)));
    assert_eq!(of("numeric_validity.invalid_value", "ias"), Some((1, 0, 0)));
    assert!(
        tallies
            .iter()
            .all(|tally| !tally.rule.ends_with("missing_field"))
    );
}

#[test]
fn notes_say_that_there_are_no_totals() {
    let nothing = audit(&[json!({}), json!({})]);
    let notes = nothing.notes(2, "", true);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("no sample has gold"), "{notes:?}");
    assert!(nothing.notes(0, "", true).is_empty());
    let of_no_use = audit(&[json!({"gold": 5}), json!({}), json!({"next_second": {}})]);
    let notes = of_no_use.notes(3, "", true);
    assert!(
        notes[0].contains("given for 2 of 3 samples")
            && notes[0].contains("1 × no_known_field, 1 × not_an_object"),
        "{notes:?}"
    );
    assert!(notes[1].contains("first in sample S1_000: 5"), "{notes:?}");
}

#[test]
fn a_line_names_a_few_fields_and_counts_the_rest() {
    let all = FLIGHT
        .fields
        .iter()
        .map(|field| (field.alias.as_str(), json!("")));
    let all: Vec<(&str, Value)> = all.collect();
    let report = audit(&[with(&all)]);
    assert_eq!(report.problems.len(), 19);
    let line = report.named_problems().expect("problems");
    assert!(
        line.ends_with("; and 16 more under `gold.problems`"),
        "{line}"
    );
    assert_eq!(FLIGHT_CHECKS.layouts.len(), 2);
}

#[test]
fn text_that_could_not_be_compared_is_gold_that_cannot_be_used() {
    let protocol = protocol(
        r#"
[[field]]
name = "n"
kind = "text"
compare = "number"
[[field]]
name = "j"
kind = "list"
of = "text"
compare = "json"
"#,
    );
    let (report, tallies) = audit_on(
        &protocol,
        "t",
        &[
            json!({"gold": {"n": "12 kg", "j": ["{}", "{"]}}),
            json!({"gold": {"n": "12", "j": ["{}"]}}),
            json!({"gold": {"n": "1,000"}}),
        ],
    );
    let told: Vec<(&str, u64, &str)> = report
        .problems
        .iter()
        .map(|p| (p.field.as_deref().unwrap_or_default(), p.count, &*p.found))
        .collect();
    assert_eq!(told, [("n", 2, "\"12 kg\""), ("j", 1, "[1]: \"{\"")]);
    assert_eq!((report.given, report.usable), (3, 2));
    let of = |field: &str| {
        let of_field = |tally: &&Tally| tally.field.as_deref() == Some(field);
        let tally = tallies.iter().find(of_field).expect("a check");
        (tally.rule.as_str(), tally.checks, tally.violations)
    };
    assert_eq!(of("n"), ("type_validity.invalid_value", 3, 2));
    assert_eq!(of("j"), ("type_validity.invalid_value", 2, 1));
}
