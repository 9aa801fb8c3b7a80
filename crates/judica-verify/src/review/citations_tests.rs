use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::reply::read;
use super::super::test_support::{failed, honest, record};
use super::*;

/// A record with two critical failures and one warning.
fn bad() -> Record {
    // 6000 ft between the altitudes and a roll beyond 60 degrees are critical, 200 kt is not.
    record(&[
        ("baro_alt", json!(9000)),
        ("ias", json!(200)),
        ("roll", json!(70)),
    ])
}

fn hold(review: &Value, record: &Record) -> Result<Checked, String> {
    let said = read(&review.to_string()).expect("a review");
    check(&said, record, Severity::Critical)
}

#[track_caller]
fn refused(review: &Value, record: &Record, words: &[&str]) {
    let problem = hold(review, record).expect_err("refused");
    for word in words {
        assert!(problem.contains(word), "no `{word}` in: {problem}");
    }
}

/// The honest review of the bad record, changed.
fn changed(pointer: &str, value: Value) -> Value {
    let mut review = honest(&bad());
    *review.pointer_mut(pointer).expect("a place") = value;
    review
}

#[test]
fn an_honest_review_holds_and_takes_status_and_severity_from_the_record() {
    let record = bad();
    assert_eq!(failed(&record).len(), 3);
    let checked = hold(&honest(&record), &record).expect("accepted");
    assert_eq!(checked.checklist[0].status, CheckStatus::Pass);
    assert_eq!(checked.attribution[0].severity, Severity::Critical);
    assert_eq!(checked.attribution[0].evidence_ids, failed(&record));
    // Citing a failure makes an item fail, whatever its words say.
    let review = changed("/checklist/0/evidence_ids/0", json!(failed(&record)[1]));
    let checked = hold(&review, &record).expect("accepted");
    assert_eq!(checked.checklist[0].status, CheckStatus::Fail);
}

#[test]
fn an_id_that_is_not_in_the_record_is_refused_wherever_it_stands() {
    let record = bad();
    for pointer in [
        "/checklist/0/evidence_ids/1",
        "/attribution/0/evidence_ids/0",
    ] {
        refused(
            &changed(pointer, json!("EVID_999")),
            &record,
            &["`EVID_999`", "no atom of the record"],
        );
        // Another spelling is another id.
        refused(&changed(pointer, json!("evid_001")), &record, &["evid_001"]);
    }
    for (pointer, what) in [
        ("/checklist/0/item", "checklist item 1"),
        ("/attribution/0/reason", "reason 1"),
        ("/narrative", "the narrative"),
    ] {
        for text in [
            "EVID_001 and EVID_999",
            "EVID_001, evid 999.",
            "EVID_001-999",
            "EVID_001–005",
            "**EVID_0001**",
            "EVID_001 and EVID-12",
            "EVID_001x",
        ] {
            refused(&changed(pointer, json!(text)), &record, &[what]);
        }
    }
}

#[test]
fn what_cites_nothing_is_refused() {
    let record = bad();
    for (pointer, value, what) in [
        ("/checklist/0/evidence_ids", json!([]), "checklist item 1"),
        ("/attribution/0/evidence_ids", json!([]), "reason 1"),
        ("/narrative", json!("All is lost."), "the narrative"),
        ("/narrative", json!(""), "the narrative"),
    ] {
        let review = changed(pointer, value);
        refused(&review, &record, &[what, "cites no evidence"]);
    }
    let review = changed("/attribution/0/reason", json!(" \n"));
    refused(&review, &record, &["reason 1 says nothing"]);
}

#[test]
fn a_reason_for_a_failure_must_be_one() {
    let record = bad();
    let passed = changed("/attribution/0/evidence_ids", json!(["EVID_001"]));
    refused(&passed, &record, &["only atoms that passed"]);
    // A warning is a failure, but not what made the record ineligible.
    let atoms = &record.evidence_pack.atoms;
    let warning = atoms.iter().find(|atom| atom.severity == Severity::Warning);
    let warning = &warning.expect("a warning").id;
    let review = changed("/attribution/0/evidence_ids", json!([warning]));
    refused(&review, &record, &["no reason cites an atom that made"]);
    refused(&changed("/attribution", json!([])), &record, &["no reason"]);
}

#[test]
fn a_flawless_record_needs_no_reason() {
    let record = record(&[]);
    let mut review = json!({
        "attribution": [],
        "narrative": "Nothing failed, see EVID_001 and EVID_001.",
        "adjudication": "eligible",
    });
    assert_eq!(hold(&review, &record).expect("accepted").checklist, []);
    review["attribution"] = json!([{"reason": "?", "evidence_ids": ["EVID_001"]}]);
    refused(&review, &record, &["only atoms that passed"]);
}

#[test]
fn another_decision_is_refused() {
    let review = changed("/adjudication", json!("eligible"));
    refused(&review, &bad(), &["says eligible", "is ineligible"]);
}

#[test]
fn many_problems_are_counted_and_none_is_told_twice() {
    let ids: Vec<String> = (900..950).map(|n| format!("EVID_{n}")).collect();
    let mut review = changed("/checklist/0/evidence_ids", json!(ids));
    review["checklist"][0]["item"] = json!("EVID_900 EVID_900");
    let problem = hold(&review, &bad()).expect_err("refused");
    assert!(problem.ends_with("; and 45 more"), "{problem}");
}

#[test]
fn an_endless_id_does_not_fill_the_report() {
    let review = changed("/narrative", json!(format!("EVID_{}", "9".repeat(1 << 20))));
    assert!(hold(&review, &bad()).expect_err("refused").len() < 300);
}

#[test]
fn an_id_given_twice_counts_once() {
    let record = bad();
    let id = failed(&record)[0];
    let review = changed(
        "/checklist/0/evidence_ids",
        json!([id, format!(" {id}"), id]),
    );
    let checked = hold(&review, &record).expect("accepted");
    assert_eq!(checked.checklist[0].evidence_ids, [id]);
}

#[test]
fn mentions_are_found_in_any_spelling() {
    for (text, expected) in [
        ("evidence 3 shows", vec![]),
        ("EVID_ and EVID, or evident", vec![]),
        ("(EVID_001, _EVID_002_)", vec!["EVID_001", "EVID_002"]),
        ("EVID_001...EVID_003", vec!["EVID_001", "EVID_003"]),
        ("EVID_001-3–5 x", vec!["EVID_001-3–5"]),
        ("eViD  12", vec!["eViD  12"]),
        ("EVID_\u{ff19}9", vec!["EVID_\u{ff19}9"]),
        ("évidEVID#7é", vec!["EVID#7é"]),
    ] {
        assert_eq!(mentions(text), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn whatever_is_accepted_cites_atoms_of_the_record(
        ids in prop::collection::vec(0usize..90, 0..4),
        narrative in "(EVID_0[0-9][0-9]|evid|[ .,é-]){0,6}",
    ) {
        let record = bad();
        let mut review = honest(&record);
        let ids: Vec<String> = ids.iter().map(|id| format!("EVID_{id:03}")).collect();
        review["checklist"][0]["evidence_ids"] = json!(ids);
        review["narrative"] = json!(narrative);
        let exists = |id: &str| record.evidence_pack.atoms.iter().any(|atom| atom.id == id);
        let cited = mentions(&narrative);
        let good = !ids.is_empty()
            && ids.iter().all(|id| exists(id))
            && !cited.is_empty()
            && cited.iter().all(|id| exists(id));
        prop_assert_eq!(hold(&review, &record).is_ok(), good);
    }
}
