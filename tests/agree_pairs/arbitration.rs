//! The conflict policy: four rules in order, and the reason of every decision.

use serde_json::{Value, json};

use crate::agree_pairs::data::{PAIRS, merged, pair, pair_with, report};

/// Labels, what else the line holds, and how it must be decided.
fn cases() -> Vec<(&'static str, &'static str, Value, &'static str)> {
    let cites = |ids: Value, retrieved: Value| json!({"answer_json": {"citations": ids}, "retrieved_ids": retrieved});
    let flag = |name: &str, value: Value| json!({"flags": {name: value}});
    vec![
        // 1. Hard flags and citations out of scope reject whatever the labels are.
        (
            "VALID",
            "VALID",
            flag("provenance_violation", json!(true)),
            "hard_flag",
        ),
        (
            "VALID",
            "VALID",
            flag("constraints_mismatch", json!(true)),
            "hard_flag",
        ),
        (
            "REJECT",
            "REJECT",
            flag("constraints_mismatch", json!(true)),
            "hard_flag",
        ),
        (
            "VALID",
            "REJECT",
            flag("provenance_violation", json!(1)),
            "hard_flag",
        ),
        (
            "VALID",
            "VALID",
            flag("provenance_violation", json!("no")),
            "hard_flag",
        ),
        (
            "VALID",
            "VALID",
            flag("provenance_violation", json!(false)),
            "auditor_ok",
        ),
        (
            "VALID",
            "VALID",
            flag("constraints_mismatch", json!(0)),
            "auditor_ok",
        ),
        (
            "VALID",
            "VALID",
            flag("constraints_mismatch", json!(null)),
            "auditor_ok",
        ),
        (
            "VALID",
            "VALID",
            flag("constraints_mismatch", json!("")),
            "auditor_ok",
        ),
        (
            "VALID",
            "VALID",
            flag("something_else", json!(true)),
            "auditor_ok",
        ),
        ("VALID", "VALID", json!({"flags": null}), "auditor_ok"),
        (
            "VALID",
            "VALID",
            cites(json!(["a"]), json!(["b"])),
            "citation_out_of_scope",
        ),
        (
            "VALID",
            "VALID",
            cites(json!(["a", "b"]), json!(["a"])),
            "citation_out_of_scope",
        ),
        (
            "VALID",
            "VALID",
            cites(json!(["a", "a"]), json!(["b", "a"])),
            "auditor_ok",
        ),
        (
            "VALID",
            "VALID",
            cites(json!(["A"]), json!(["a"])),
            "citation_out_of_scope",
        ),
        (
            "VALID",
            "VALID",
            cites(json!([1]), json!(["1"])),
            "citation_out_of_scope",
        ),
        ("VALID", "VALID", cites(json!([]), json!([])), "auditor_ok"),
        (
            "VALID",
            "VALID",
            cites(json!(null), json!(null)),
            "auditor_ok",
        ),
        // Without `retrieved_ids` nothing can be in scope.
        (
            "VALID",
            "VALID",
            cites(json!(["a"]), json!(null)),
            "citation_out_of_scope",
        ),
        (
            "VALID",
            "VALID",
            cites(json!(["a"]), json!([])),
            "citation_out_of_scope",
        ),
        (
            "VALID",
            "VALID",
            json!({"answer_json": {"citations": ["a"]}}),
            "citation_out_of_scope",
        ),
        (
            "VALID",
            "REJECT",
            json!({"answer_json": {"citations": ["a"]}}),
            "citation_out_of_scope",
        ),
        (
            "VALID",
            "VALID",
            json!({"retrieved_ids": ["a"]}),
            "auditor_ok",
        ),
        ("VALID", "VALID", json!({"answer_json": null}), "auditor_ok"),
        // A flag comes before a citation.
        (
            "VALID",
            "VALID",
            json!({"flags": {"provenance_violation": true}, "answer_json": {"citations": ["a"]}}),
            "hard_flag",
        ),
        // 2. The auditor vetoes.
        ("VALID", "REJECT", json!({}), "auditor_veto"),
        ("VALID", "NOT_IN_CONTEXT", json!({}), "auditor_veto"),
        (
            "NOT_IN_CONTEXT",
            "NOT_IN_CONTEXT",
            json!({}),
            "auditor_veto",
        ),
        ("REJECT", "ABSTAIN", json!({}), "auditor_veto"),
        ("ABSTAIN", "ABSTAIN", json!({}), "auditor_veto"),
        // 3. The auditor says yes and the scholar does not object.
        ("VALID", "VALID", json!({}), "auditor_ok"),
        ("NOT_IN_CONTEXT", "VALID", json!({}), "auditor_ok"),
        // 4. All else.
        ("REJECT", "VALID", json!({}), "incoherent_pair"),
        ("ABSTAIN", "VALID", json!({}), "incoherent_pair"),
    ]
}

#[test]
fn every_rule_in_its_order() {
    let cases = cases();
    let lines: Vec<String> = cases
        .iter()
        .enumerate()
        .map(|(i, (scholar, auditor, more, _))| {
            pair_with(&format!("q{i}"), scholar, auditor, more.clone())
        })
        .collect();
    let place = merged(&lines);
    let ran = place.judica(&format!("{PAIRS} --json --arbitrated out/all.jsonl"));
    let report = report(&ran);
    assert_eq!(report["n"], cases.len());
    let decided = place.json_lines("out/all.jsonl");
    assert_eq!(decided.len(), cases.len());
    let mut table = String::new();
    for ((line, case), (scholar, auditor, _, why)) in decided.iter().zip(&lines).zip(&cases) {
        let shipped = if *why == "auditor_ok" {
            "VALID"
        } else {
            "REJECT"
        };
        assert_eq!(line["why"], *why, "{case}");
        assert_eq!(line["final"], shipped, "{case}");
        if scholar != auditor {
            let qid = line["qid"].as_str().expect("a name");
            table += &format!("{qid}\t{scholar}\t{auditor}\t{shipped}\t{why}\n");
        }
    }
    let written = place.text("out/d.tsv");
    assert_eq!(written.split_once('\n').expect("a header").1, table);
    for (why, count) in report["final_why"].as_object().expect("counts") {
        let expected = cases.iter().filter(|case| case.3 == why).count();
        assert_eq!(count, expected, "{why}");
    }
    let valid = report["final_labels"]["VALID"].as_u64().expect("a count");
    let reject = report["final_labels"]["REJECT"].as_u64().expect("a count");
    assert_eq!((valid + reject) as usize, cases.len());
}

/// Labels outside the label space do not count, but a pair that differs stands in the
/// table, decided, as with the reference scorer.
#[test]
fn unknown_labels_are_decided_and_do_not_count() {
    let lines = [
        pair_with("a", "VALID", "ok", json!({})),
        pair_with("b", "ok", "VALID", json!({})),
        pair_with("c", "ok", "ok", json!({})),
        pair_with(
            "d",
            "ok",
            "fine",
            json!({"flags": {"constraints_mismatch": true}}),
        ),
        pair("e", "VALID", "VALID"),
    ];
    let place = merged(&lines);
    let ran = place.judica(&format!("{PAIRS} --json --arbitrated out/all.jsonl"));
    let report = report(&ran.exits(0));
    assert_eq!(
        (&report["n"], &report["disagreements"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(report["final_labels"], json!({"VALID": 1, "REJECT": 0}));
    assert_eq!(
        place
            .text("out/d.tsv")
            .split_once('\n')
            .expect("a header")
            .1,
        "a\tVALID\tok\tREJECT\tauditor_veto\nb\tok\tVALID\tREJECT\tincoherent_pair\n\
         d\tok\tfine\tREJECT\thard_flag\n"
    );
    let decided = place.json_lines("out/all.jsonl");
    for line in decided.iter().filter(|line| line["qid"] != "e") {
        assert_eq!(
            (&line["counted"], &line["final"]),
            (&json!(false), &json!("REJECT"))
        );
    }
}

/// Lines that follow their like may be read in a quicker way, which must not be another.
#[test]
fn lists_of_texts_and_numbers_are_compared_whole() {
    for (cited, retrieved, why) in [
        (json!(["a", 7]), json!(["a", "b"]), "citation_out_of_scope"),
        (json!([7, "a"]), json!(["a", 7]), "auditor_ok"),
        (json!(["a"]), json!([7, "a"]), "auditor_ok"),
        (json!(["a"]), json!(["b", 7, "a"]), "auditor_ok"),
        (json!(["a"]), json!([7, "b"]), "citation_out_of_scope"),
        (json!(["é"]), json!(["b", "é"]), "auditor_ok"),
        (json!("a"), json!(["a"]), "auditor_ok"),
        (json!(["a"]), json!("a"), "auditor_ok"),
        (json!(["a"]), json!(null), "citation_out_of_scope"),
    ] {
        let line = |qid: &str, cited: &Value, retrieved: &Value| {
            let more = json!({"answer_json": {"citations": cited}, "retrieved_ids": retrieved});
            pair_with(qid, "VALID", "VALID", more)
        };
        let usual = line("1", &json!(["a"]), &json!(["a", "b"]));
        let place = merged(&[usual, line("2", &cited, &retrieved)]);
        place
            .judica(&format!("{PAIRS} --arbitrated out/all.jsonl"))
            .exits(0);
        let decided = place.json_lines("out/all.jsonl");
        assert_eq!(decided[1]["why"], why, "{cited} {retrieved}");
    }
}

/// Shipping needs provenance green; evidence that cannot be read is not green.
#[test]
fn what_cannot_be_checked_never_ships() {
    for more in [
        json!({"flags": ["provenance_violation"]}),
        json!({"flags": "provenance_violation"}),
        json!({"answer_json": {"citations": {"p9#9": 1}}, "retrieved_ids": ["a"]}),
    ] {
        let unchecked = pair_with("a", "VALID", "VALID", more.clone());
        let place = merged(&[unchecked, pair("b", "REJECT", "REJECT")]);
        place
            .judica(&format!("{PAIRS} --arbitrated out/all.jsonl"))
            .exits(0);
        for line in place.json_lines("out/all.jsonl") {
            assert_ne!(line["final"], "VALID", "{more}");
        }
    }
}
