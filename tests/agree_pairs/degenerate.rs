//! Too little to measure: numbers that are undefined say so and are not made up, but for
//! the keys of the reference scorer, which keep its zeros.

use serde_json::{Value, json};

use crate::agree_pairs::data::{GATED, HEADER, PAIRS, gate, merged, pair, report};
use crate::support::Place;

/// The report on a file with this content, which must fail its gates, and give this exit
/// code if undefined numbers are allowed.
#[track_caller]
fn measured(content: &str, allowed: i32) -> Value {
    let place = Place::new();
    place.write("p.jsonl", content);
    place.judica(PAIRS).exits(allowed);
    // What old CI files say is the rule now.
    place.judica(&format!("{GATED} --strict-gates")).exits(1);
    let ran = place.judica(&format!("{GATED} --json")).exits(1);
    let report = report(&ran);
    // The same in the tables for people.
    place
        .judica(GATED)
        .exits(1)
        .says(&["n/a", "FAIL (undefined)"]);
    assert_eq!(report["gates_pass"], false);
    report
}

#[track_caller]
fn undefined(metric: &Value) {
    assert_eq!(metric["value"], Value::Null, "{metric}");
    assert!(
        metric["undefined"]
            .as_str()
            .is_some_and(|why| !why.is_empty()),
        "{metric}"
    );
    assert_eq!(metric.get("ci"), None, "{metric}");
}

#[track_caller]
fn vacuous(report: &Value, name: &str) {
    let gate = gate(report, name);
    assert_eq!(
        (&gate["vacuous"], &gate["pass"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(gate["value"], Value::Null);
    assert!(gate["note"].is_string(), "{gate}");
}

#[test]
fn an_empty_file_is_no_input() {
    for content in ["", "\n \r\n", "\u{feff}", "[]"] {
        let place = Place::new();
        place.write("p.json", content);
        let pairs = PAIRS.replace("p.jsonl", "p.json");
        place
            .judica(&format!(
                "{pairs} --json --out out/r.json --arbitrated out/a.jsonl"
            ))
            .exits(2)
            .complains(&["p.json: there is no row in it"]);
        place.nothing_in("out");
    }
}

#[test]
fn the_table_has_its_header_even_without_rows() {
    let place = merged(&[pair("a", "VALID", "VALID")]);
    place
        .judica(PAIRS)
        .exits(0)
        .says(&["0 disagreements: out/d.tsv"]);
    assert_eq!(place.text("out/d.tsv"), HEADER);
}

#[test]
fn where_both_always_say_the_same_one_thing_kappa_is_undefined() {
    for label in ["VALID", "REJECT"] {
        for count in [1, 7] {
            let lines = (0..count).map(|i| pair(&format!("q{i}"), label, label));
            let report = measured(&lines.collect::<Vec<_>>().join("\n"), 0);
            assert_eq!(report["n"], count);
            assert_eq!(report["percent_agreement"], 1.0);
            assert_eq!(report["kappa"], 0.0);
            assert_eq!(report["kappa_undefined"], true);
            // 0.0 is below the reference scorer's threshold.
            assert_eq!(report["pass"], false);
            undefined(&report["metrics"]["kappa"]);
            undefined(&report["metrics"]["kappa_standard_error"]);
            vacuous(&report, "kappa");
            assert_eq!(gate(&report, "pa")["vacuous"], false);
        }
    }
}

#[test]
fn both_always_abstaining_fails_whatever_is_allowed() {
    let report = measured(&pair("a", "ABSTAIN", "ABSTAIN"), 1);
    assert_eq!(report["abstain_rate"], 1.0);
    assert_eq!(gate(&report, "abstain")["pass"], false);
    vacuous(&report, "kappa");
}

#[test]
fn a_single_pair_that_differs_has_a_kappa_of_nothing() {
    let place = merged(&[pair("a", "VALID", "REJECT")]);
    let ran = place.judica(&format!("{PAIRS} --json")).exits(1);
    let report = report(&ran);
    // Each always says one thing, never the other's: agreement 0, by chance 0.
    assert_eq!(
        (&report["percent_agreement"], &report["kappa"]),
        (&json!(0.0), &json!(0.0))
    );
    assert_eq!(report["kappa_undefined"], false);
    assert_eq!(report["disagreements"], 1);
}

#[test]
fn nothing_but_refused_lines_is_nothing_measured() {
    let place = merged(&["oops".to_owned(), pair("a", "no", "label")]);
    let ran = place
        .judica(&format!("{PAIRS} --json"))
        .exits(2)
        .complains(&[
            "p.jsonl: not one of its 2 rows can be used",
            "line 1: malformed_json",
            "out/rejects.jsonl",
        ]);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    assert_eq!(place.names("out"), ["rejects.jsonl"]);
}

#[test]
fn worse_than_chance_is_below_zero() {
    let place = merged(&[pair("a", "VALID", "REJECT"), pair("b", "REJECT", "VALID")]);
    let ran = place.judica(&format!("{PAIRS} --json")).exits(1);
    // Agreement 0, by chance 1/2: κ is −1.
    assert_eq!(report(&ran)["kappa"], -1.0);
}
