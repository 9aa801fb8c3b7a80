//! Rows that were decided without a judge would inflate agreement.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, is, judge, measured, notes, panel, row_with, rows};
use crate::support::Place;

const METHODS: [&str; 4] = ["exact", "structural", "no_llm", "unmatched"];

/// Four items that judges judge, and four that are decided in another way each.
///
/// Of the four ana says yynn and ben yyyn: observed 3/4, by chance 1/2, κ = 1/2. Of all
/// eight, with four times yes by both: observed 7/8, by chance (6·7 + 2·1)/64 = 44/64, so
/// that κ is (56 − 44)/(64 − 44) = 0.6.
fn place() -> Place {
    let place = Place::new();
    for (name, said) in [("ana", "yynn"), ("ben", "yyyn")] {
        let mut all = rows(said);
        let decided = METHODS.iter().enumerate();
        all.extend(
            decided.map(|(at, method)| row_with(4 + at, "yes", json!({"decision_method": method}))),
        );
        judge(&place, name, "one", &all);
    }
    place
}

#[test]
fn they_are_left_out() {
    let report = measured(&place(), "");
    assert_eq!(report["items"], 4);
    is(&report["pairwise"][0]["cohen_kappa"], 0.5);
    for judge in report["judges"].as_array().expect("judges") {
        assert_eq!([&judge["rows"], &judge["used"]], [8, 4]);
        for method in METHODS {
            assert_eq!(judge["left_out"][method], 1, "{method}");
        }
    }
    assert!(
        notes(&report, "8 rows that were decided without a judge"),
        "{}",
        report["notes"]
    );
    // Left out is not refused.
    assert_eq!(report["refused"], json!([]));
}

#[test]
fn nothing_else_is_no_success() {
    let place = Place::new();
    for name in ["ana", "ben"] {
        let exact = row_with(0, "yes", json!({"decision_method": "exact"}));
        let declined = row_with(1, "no", json!({"status": "declined"}));
        judge(
            &place,
            name,
            "one",
            &[exact, declined, json!({"correct": 1})],
        );
    }
    place.judica(JUDGES).exits(2).complains(&[
        "eval: not one verdict of a judge counts; of the rows \
         2 decided without a judge (--include-deterministic counts them), \
         2 declined by the model",
        "refused rows: out/rejects.jsonl",
    ]);
    assert_eq!(place.names("out"), ["rejects.jsonl"]);
    let report = measured(&place, "--include-deterministic");
    assert_eq!(report["items"], 1);
}

#[test]
fn unless_they_are_asked_for() {
    let report = measured(&place(), "--include-deterministic");
    assert_eq!(report["items"], 8);
    is(&report["pairwise"][0]["cohen_kappa"], 0.6);
    is(&report["pairwise"][0]["percent_agreement"], 7.0 / 8.0);
    for judge in report["judges"].as_array().expect("judges") {
        assert_eq!([&judge["rows"], &judge["used"]], [8, 8]);
        let left_out = judge["left_out"].as_object().expect("counts");
        assert!(left_out.values().all(|count| count == 0), "{judge}");
    }
    assert!(!notes(&report, "left out"), "{}", report["notes"]);
}

#[test]
fn a_method_is_known_in_any_case_and_never_by_a_part() {
    let place = Place::new();
    for name in ["ana", "ben"] {
        let methods = ["EXACT", " exact ", "exactly", "llm", "not exact", ""];
        let said: Vec<Value> = methods
            .iter()
            .enumerate()
            .map(|(at, method)| row_with(at, "yes", json!({"decision_method": method})))
            .chain([row_with(9, "no", json!({"decision_method": null}))])
            .collect();
        judge(&place, name, "one", &said);
    }
    let report = measured(&place, "");
    assert_eq!(report["judges"][0]["left_out"]["exact"], 2);
    assert_eq!(report["judges"][0]["used"], 5);
}

/// An item that one judge was asked about and another was not is an item of the first.
#[test]
fn left_out_for_one_judge_only() {
    let place = panel(&[("ana", "yny"), ("ben", "yny")]);
    let mut said = rows("yny");
    said[0]["decision_method"] = "exact".into();
    judge(&place, "cal", "one", &said);
    let report = measured(&place, "");
    assert_eq!(report["items"], 3);
    assert_eq!(report["overall"]["gwet_ac1"]["n"], 3);
    let pairs = report["pairwise"].as_array().expect("pairs").iter();
    let sizes: Vec<&Value> = pairs.map(|pair| &pair["n"]).collect();
    assert_eq!(sizes, [3, 2, 2]);
}

#[test]
fn a_judge_who_decided_nothing_itself_is_named() {
    let place = panel(&[("ana", "yn"), ("ben", "yn")]);
    let said = [row_with(0, "yes", json!({"decision_method": "exact"}))];
    judge(&place, "cal", "one", &said);
    let report = measured(&place, "");
    assert!(notes(&report, "`cal` has no usable row"));
    is(&report["judges"][2]["yes_rate"], None);
    // Who says nothing takes part in nothing: the others are two raters.
    assert_eq!(report["pairwise"].as_array().map(Vec::len), Some(1));
    is(&report["overall"]["fleiss_kappa"], 1.0);
    is(&report["overall"]["cohen_kappa"], 1.0);
}
