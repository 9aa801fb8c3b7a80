//! Annotations that cannot be used.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, judge, measured, panel, refused, row, row_with, rows};
use crate::support::{Place, raw_bytes};

fn with_annotations(annotations: &[Value]) -> Place {
    let place = panel(&[("ana", "yyn"), ("ben", "yny")]);
    place.write("human.json", json!(annotations).to_string());
    place
}

/// An annotation with the name of who made it.
fn by(who: &str, mut row: Value) -> Value {
    row["annotator"] = who.into();
    row
}

#[test]
fn every_kind_is_counted_and_kept() {
    let annotations = [
        by("ana", row(0, "yes")),
        by("ana", row(0, "correct")),
        by("ana", row(0, "no")),
        row(99, "no"),
        row(1, "perhaps"),
        json!({"input": "input 1"}),
        json!({"correct": "no"}),
        json!("no"),
        row(2, "no"),
    ];
    let place = with_annotations(&annotations);
    let report = measured(&place, "--human human.json");
    let human = &report["human"];
    assert_eq!([&human["annotations"], &human["matched_items"]], [9, 2]);
    assert_eq!(
        [
            &human["duplicates"],
            &human["unmatched"],
            &human["refused_rows"]
        ],
        [2, 1, 4]
    );
    for reason in [
        "duplicate_row",
        "conflicting_row",
        "unmatched_annotation",
        "unknown_verdict",
        "missing_verdict",
        "missing_input",
        "not_an_object",
    ] {
        assert_eq!(refused(&report, reason), 1, "{reason}");
    }
    // The first of several stands.
    assert_eq!(human["accuracy"][0]["correct"], 2);
    let rejects = place.json_lines("out/rejects.jsonl");
    let kept: Vec<Value> = rejects
        .iter()
        .map(|reject| serde_json::from_slice(&raw_bytes(reject)).expect("JSON"))
        .collect();
    assert_eq!(kept, annotations[1..8]);
    assert!(rejects.iter().all(|reject| reject["file"] == "human.json"));
    // And people's rows are no rows of the judges.
    assert_eq!(report["judges"][0]["rows"], 3);
}

#[test]
fn annotations_that_match_nothing_are_no_annotations() {
    let place = with_annotations(&[row(98, "yes"), row(99, "no")]);
    let ran = place
        .judica(&format!("{JUDGES} --human human.json"))
        .exits(2)
        .complains(&["human.json: not one of its 2 rows", "unmatched_annotation"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(place.names("out"), ["rejects.jsonl"]);
    assert_eq!(place.json_lines("out/rejects.jsonl").len(), 2);
}

/// Any difference in what was asked, expected or answered makes another item.
#[test]
fn near_misses_match_nothing() {
    let near = ["input", "gold", "prediction"].map(|field| {
        let mut row = row(0, "yes");
        let text = row[field].as_str().expect("text").to_owned();
        row[field] = format!("{text} ").into();
        row
    });
    let mut without = row(0, "yes");
    without.as_object_mut().expect("a row").remove("prediction");
    let place = with_annotations(&[&near[..], &[without, row(1, "yes")]].concat());
    let report = measured(&place, "--human human.json");
    assert_eq!(refused(&report, "unmatched_annotation"), 4);
}

#[test]
fn annotations_of_rows_that_were_left_out() {
    let place = Place::new();
    for name in ["ana", "ben"] {
        let said = [
            row(0, "yes"),
            row_with(1, "yes", json!({"decision_method": "exact"})),
        ];
        judge(&place, name, "one", &said);
    }
    place.write("human.json", json!(rows("yn")).to_string());
    let report = measured(&place, "--human human.json");
    assert_eq!(report["human"]["matched_items"], 1);
    assert_eq!(refused(&report, "annotation_of_left_out_row"), 1);
    let report = measured(&place, "--human human.json --include-deterministic");
    assert_eq!(report["human"]["matched_items"], 2);
    assert_eq!(report["refused"], json!([]));
}

#[test]
fn the_table_tells_left_out_from_unknown() {
    let place = panel(&[("ana", "y"), ("ben", "n")]);
    let said = [row_with(1, "yes", json!({"decision_method": "exact"}))];
    judge(&place, "cal", "one", &said);
    place.write("human.json", json!(rows("yy")).to_string());
    let ran = place
        .judica(&format!("{JUDGES} --human human.json"))
        .exits(0);
    ran.says(&["0 match nothing, 1 is about rows that were left out, 0 are duplicates"]);
}

/// As everywhere: inputs are records and rejects, and the file has so many rejects.
#[test]
fn the_sum_counts_annotations() {
    let place = with_annotations(&[row(0, "yes"), row(1, "perhaps"), row(99, "no")]);
    let ran = place
        .judica(&format!("{JUDGES} --human human.json"))
        .exits(0);
    assert_eq!(place.json_lines("out/rejects.jsonl").len(), 2);
    ran.says(&["inputs 9 = records 7 + rejects 2"]);
}

#[test]
fn strict_ends_at_an_annotation_as_well() {
    let place = with_annotations(&[row(0, "yes"), row(1, "perhaps")]);
    place
        .judica(&format!("{JUDGES} --human human.json --strict"))
        .exits(2)
        .complains(&["human.json:1", "unknown_verdict", "perhaps"]);
    place.nothing_in("out");
}

#[test]
fn files_that_are_no_annotations() {
    let place = with_annotations(&[]);
    let line = |name: &str| format!("{JUDGES} --human {name}");
    place
        .judica(&line("human.json"))
        .exits(2)
        .complains(&["human.json"]);
    place.judica(&line("nowhere.json")).exits(3).complains(&[
        "SYSTEM_ERROR",
        "nowhere.json",
        "no such file",
    ]);
    for (text, code, word) in [
        ("", 2, "human.json"),
        ("yes", 3, "SYSTEM_ERROR: human.json:1"),
        ("[{\"input\": 1},\n oops]", 3, "SYSTEM_ERROR: human.json:2"),
        ("{\"metrics\": {}}", 2, "annotations"),
    ] {
        place.write("human.json", text);
        let ran = place.judica(&line("human.json")).exits(code);
        ran.complains(&[word]);
        place.nothing_in("out");
    }
    place.write("people/notes.md", "none");
    place
        .judica(&line("people"))
        .exits(2)
        .complains(&["people: no data in this folder"]);
}
