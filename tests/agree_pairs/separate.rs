//! Two files, joined by the question's name.

use serde_json::{Value, json};

use crate::agree_pairs::data::{HEADER, SEPARATE, judgment, refused, report};
use crate::support::{Place, raw_bytes, with};

fn files(scholar: &[String], auditor: &[String]) -> Place {
    let place = Place::new();
    place.write_lines("s.jsonl", scholar);
    place.write_lines("a.jsonl", auditor);
    place
}

fn judgments(pairs: &[(&str, &str)]) -> Vec<String> {
    pairs
        .iter()
        .map(|(qid, label)| judgment(qid, label))
        .collect()
}

#[test]
fn pairs_are_joined_and_stand_in_the_order_of_their_names() {
    let place = files(
        &judgments(&[
            ("b", "VALID"),
            ("ä", "VALID"),
            ("a", "VALID"),
            ("B", "REJECT"),
        ]),
        &judgments(&[
            ("ä", "REJECT"),
            ("B", "VALID"),
            ("b", "VALID"),
            ("a", "ABSTAIN"),
        ]),
    );
    let arguments = format!("{SEPARATE} --json --arbitrated out/all.jsonl");
    let report = report(&place.judica(&arguments).exits(1));
    assert_eq!(
        (&report["n"], &report["disagreements"]),
        (&json!(4), &json!(3))
    );
    assert_eq!(
        place.text("out/d.tsv"),
        format!(
            "{HEADER}B\tREJECT\tVALID\tREJECT\tincoherent_pair\na\tVALID\tABSTAIN\tREJECT\tauditor_veto\n\
             ä\tVALID\tREJECT\tREJECT\tauditor_veto\n"
        )
    );
    let decided = place.json_lines("out/all.jsonl");
    let names: Vec<&Value> = decided.iter().map(|line| &line["qid"]).collect();
    assert_eq!(names, ["B", "a", "b", "ä"]);
}

/// Lines of one question, each with a label and more keys.
fn of_one(lines: &[(&str, Value)]) -> Vec<String> {
    let line =
        |(label, more): &(&str, Value)| with(json!({"qid": "q", "label": label}), more).to_string();
    lines.iter().map(line).collect()
}

#[test]
fn answers_of_several_authors_are_joined_each_with_its_own() {
    let (a, b) = (json!({"model": "a"}), json!({"model": "b"}));
    let elsewhere = json!({"model": "a", "dataset": "d"});
    let place = files(
        &of_one(&[
            ("VALID", a.clone()),
            ("REJECT", b.clone()),
            ("ABSTAIN", elsewhere.clone()),
            ("VALID", a.clone()),
            ("VALID", json!({"model": "c"})),
        ]),
        &of_one(&[("ABSTAIN", elsewhere), ("REJECT", b), ("VALID", a)]),
    );
    let arguments = format!("{SEPARATE} --json --run r --abstain-gate 1");
    let report = report(&place.judica(&arguments).exits(0));
    assert_eq!(
        (&report["n"], &report["disagreements"]),
        (&json!(3), &json!(0))
    );
    assert_eq!(refused(&report, "duplicate_qid"), 1);
    assert_eq!(refused(&report, "one_side_only"), 1);
    let mut subjects = Vec::new();
    crate::support::each_record(&place, "r", &mut |record, _| {
        subjects.push((record.subject.to_owned(), record.dataset.to_owned()));
    });
    let whose = [("a", "s"), ("a", "d"), ("b", "s")];
    assert_eq!(subjects, whose.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn who_names_the_validator_or_nobody_is_joined_by_the_question_alone() {
    let plain = json!({});
    for (first, second) in [
        (json!({"model": "s"}), json!({"model": "a"})),
        (json!({"model": "s", "dataset": "d"}), plain.clone()),
        (plain.clone(), json!({"dataset": "d"})),
    ] {
        let place = files(
            &of_one(&[("VALID", first.clone()), ("REJECT", json!({"model": "s2"}))]),
            &of_one(&[("VALID", second.clone())]),
        );
        let report = report(&place.judica(&format!("{SEPARATE} --json")).exits(0));
        assert_eq!(report["n"], 1, "{first} {second}");
        assert_eq!(refused(&report, "duplicate_qid"), 1, "{first} {second}");
    }
    // Whatever lines about other questions name.
    let mut scholar = of_one(&[("VALID", json!({"model": "m"}))]);
    let mut auditor = of_one(&[("VALID", plain)]);
    for (qid, ours, theirs) in [("p", "m", "m"), ("r", "m", "n")] {
        scholar.push(json!({"qid": qid, "label": "VALID", "model": ours}).to_string());
        auditor.push(json!({"qid": qid, "label": "VALID", "model": theirs}).to_string());
    }
    let place = files(&scholar, &auditor);
    let report = report(&place.judica(&format!("{SEPARATE} --json")).exits(0));
    assert_eq!(report["n"], 3);
    assert_eq!(report["rejects"], 0);
}

#[test]
fn the_order_of_lines_does_not_matter() {
    let labels = ["VALID", "REJECT", "ABSTAIN", "NOT_IN_CONTEXT"];
    let side = |step: usize| -> Vec<String> {
        let label = |i: usize| labels[(i * step) % 4];
        (0..50)
            .map(|i| judgment(&format!("q{i}"), label(i)))
            .collect()
    };
    let (scholar, auditor) = (side(1), side(3));
    let place = files(&scholar, &auditor);
    let first = place.judica(&format!("{SEPARATE} --json")).exits(1).stdout;
    let table = place.text("out/d.tsv");
    let mut turned = auditor;
    turned.rotate_left(17);
    turned.reverse();
    let place = files(&scholar, &turned);
    assert_eq!(
        place.judica(&format!("{SEPARATE} --json")).exits(1).stdout,
        first
    );
    assert_eq!(place.text("out/d.tsv"), table);
}

#[test]
fn every_line_without_a_partner_is_counted_and_named() {
    let scholar = [
        judgment("both", "VALID"),
        judgment("scholar only", "VALID"),
        judgment("both", "REJECT"),
        "oops".to_owned(),
        judgment("unknown", "yes"),
        json!({"qid": "unlabelled"}).to_string(),
        json!({"qid": "number", "label": 1}).to_string(),
    ];
    let auditor = [
        judgment("auditor only", "REJECT"),
        judgment("both", "VALID"),
        judgment("unknown", "VALID"),
        json!({"label": "VALID"}).to_string(),
        judgment("unlabelled", "VALID"),
        judgment("number", "VALID"),
    ];
    let place = files(&scholar, &auditor);
    let report = report(&place.judica(&format!("{SEPARATE} --json")).exits(0));
    assert_eq!(report["n"], 1);
    assert_eq!(report["inputs"], 13);
    assert_eq!(
        (&report["records"], &report["rejects"]),
        (&json!(2), &json!(11))
    );
    // Both lines of a pair that cannot be used stay out.
    for (reason, count) in [
        ("one_side_only", 2),
        ("duplicate_qid", 1),
        ("malformed_json", 1),
        ("missing_qid", 1),
        ("unknown_label", 2),
        ("missing_label", 2),
        ("wrong_type", 2),
    ] {
        assert_eq!(refused(&report, reason), count, "{reason}");
    }
    let rejects = place.json_lines("out/rejects.jsonl");
    let expected = [
        ("s.jsonl", 2, "one_side_only"),
        ("s.jsonl", 3, "duplicate_qid"),
        ("s.jsonl", 4, "malformed_json"),
        ("s.jsonl", 5, "unknown_label"),
        ("s.jsonl", 6, "missing_label"),
        ("s.jsonl", 7, "wrong_type"),
        ("a.jsonl", 1, "one_side_only"),
        ("a.jsonl", 3, "unknown_label"),
        ("a.jsonl", 4, "missing_qid"),
        ("a.jsonl", 5, "missing_label"),
        ("a.jsonl", 6, "wrong_type"),
    ];
    assert_eq!(rejects.len(), expected.len());
    for (reject, (file, line, reason)) in rejects.iter().zip(expected) {
        assert_eq!(
            (&reject["file"], &reject["line"]),
            (&json!(file), &json!(line))
        );
        assert_eq!(reject["reason"], reason, "{reject}");
        let lines: &[String] = if file == "s.jsonl" {
            &scholar
        } else {
            &auditor
        };
        assert_eq!(raw_bytes(reject), lines[line - 1].as_bytes());
    }
    // Of equal names the first line counts.
    assert_eq!(report["confusion"][0][0], 1);
}

#[test]
fn a_pair_with_an_unknown_label_stands_in_the_table() {
    let place = files(
        &judgments(&[("a", "yes"), ("b", "VALID")]),
        &judgments(&[("a", "VALID"), ("b", "VALID")]),
    );
    place
        .judica(SEPARATE)
        .exits(0)
        .says(&["inputs 4 = records 2 + rejects 2"]);
    assert_eq!(
        place.text("out/d.tsv"),
        format!("{HEADER}a\tyes\tVALID\tREJECT\tincoherent_pair\n")
    );
}

#[test]
fn empty_files_and_files_without_a_common_name() {
    for (scholar, auditor, rejects) in [
        (vec![], vec![], 0),
        (vec![("a", "VALID")], vec![], 1),
        (vec![("a", "VALID")], vec![("b", "VALID")], 2),
    ] {
        let place = files(&judgments(&scholar), &judgments(&auditor));
        let ran = place.judica(&format!("{SEPARATE} --json")).exits(2);
        ran.complains(&["s.jsonl: ", "a.jsonl: "]);
        match rejects {
            0 => place.nothing_in("out"),
            _ => {
                assert_eq!(place.names("out"), ["rejects.jsonl"]);
                assert_eq!(place.json_lines("out/rejects.jsonl").len(), rejects);
            }
        }
    }
}

#[test]
fn strict_names_the_first_line_in_the_order_of_the_files() {
    let place = files(
        &judgments(&[("a", "VALID"), ("alone", "VALID")]),
        &["oops".to_owned(), judgment("a", "VALID")],
    );
    place
        .judica(&format!("{SEPARATE} --strict"))
        .exits(2)
        .complains(&["s.jsonl:2", "one_side_only"]);
    place.nothing_in("out");
}
