//! Rows that cannot be used: kept whole, counted, and never silently wrong answers.

use serde_json::{Value, json};

use crate::answers::data::{printed, row, with};
use crate::support::{Place, raw_bytes};

/// One row for each reason, and good ones between.
fn mixed() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut line = |text: &[u8]| {
        bytes.extend_from_slice(text);
        bytes.push(b'\n');
    };
    let text = |row: Value| row.to_string().into_bytes();
    line(&text(with(row("p", "p"), json!({"id": 1}))));
    line(br#"{"input": "x", "gold": "p", "prediction": "#);
    line(b"[1, 2]");
    line(&text(json!({"input": "x", "prediction": "p"})));
    line(&text(json!({"input": "x", "gold": "p"})));
    line(&text(
        json!({"input": "x", "gold": [null], "prediction": "p"}),
    ));
    line(&text(
        json!({"input": "x", "gold": "p", "prediction": [["p"]]}),
    ));
    line(&text(with(row("p", "q"), json!({"id": "1"}))));
    line(b"{\"gold\": \"\xff\", \"prediction\": \"p\"}");
    line(br#"{"gold": "p", "prediction": "p"} {}"#);
    let deep = format!(
        r#"{{"gold": "p", "prediction": "p", "more": {}{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    line(deep.as_bytes());
    // Repeats that are counted from 0 would be taken for the first two times over.
    line(&text(with(row("p", "q"), json!({"id": 1, "epoch": 0}))));
    line(&text(row("p", "q")));
    bytes
}

#[test]
fn each_is_kept_with_its_place_and_reason() {
    let place = Place::new();
    place.write("p.jsonl", mixed());
    let ran = place
        .judica("match -p p.jsonl --out out/m.json --json")
        .exits(0);
    let report = printed(&ran);
    assert_eq!(report["inputs"], 13);
    assert_eq!(report["n_examples"], 2);
    assert_eq!(report["rejects"], 11);
    assert_eq!(
        report["exact_match"], 0.5,
        "a bad row is not a wrong answer"
    );
    assert_eq!(
        report["rejects_by_reason"],
        json!({
            "bad_epoch": 1, "bad_gold": 1, "bad_prediction": 1, "duplicate_id": 1,
            "invalid_utf8": 1, "malformed_json": 2, "missing_gold": 1, "missing_prediction": 1,
            "not_an_object": 1, "too_deep": 1,
        })
    );
    let bytes = mixed();
    let rejects = place.json_lines("out/rejects.jsonl");
    let told: Vec<u64> = rejects
        .iter()
        .filter_map(|reject| reject["line"].as_u64())
        .collect();
    assert_eq!(told, (2..=12).collect::<Vec<_>>());
    for reject in &rejects {
        assert_eq!(reject["file"], "p.jsonl");
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        let raw = raw_bytes(reject);
        assert_eq!(bytes[offset..][..raw.len()], raw, "{reject}");
        assert_eq!(bytes[offset + raw.len()], b'\n', "the whole line is kept");
        let before = bytes[..offset]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count() as u64;
        assert_eq!(reject["line"], before + 1);
        assert!(!reject["detail"].as_str().expect("a sentence").is_empty());
    }
}

#[test]
fn rows_of_a_document_are_kept_the_same_way() {
    let place = Place::new();
    let text = r#"{"model": "m",
 "predictions": [
  {"input": "x", "gold": "p", "prediction": "p"},
  {"input": "x", "gold": "p"}, 7,
  {"input": "x", "gold": null, "prediction": "p"}]}"#;
    place.write("p.json", text);
    let ran = place
        .judica("match -p p.json --rejects r.jsonl --json")
        .exits(0);
    assert_eq!(printed(&ran)["inputs"], 4);
    let rejects = place.json_lines("r.jsonl");
    let told: Vec<Value> = rejects
        .iter()
        .map(|reject| json!([reject["line"], reject["reason"]]))
        .collect();
    let expected = [
        json!([4, "missing_prediction"]),
        json!([4, "not_an_object"]),
        json!([5, "missing_gold"]),
    ];
    assert_eq!(told, expected);
    for reject in &rejects {
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert!(
            text.as_bytes()[offset..].starts_with(&raw_bytes(reject)),
            "{reject}"
        );
    }
}

#[test]
fn strict_ends_at_the_first() {
    let place = Place::new();
    place.write("p.jsonl", mixed());
    place
        .judica("match -p p.jsonl --out out/m.json --details out/d.jsonl --strict")
        .exits(2)
        .complains(&["p.jsonl:2:"]);
    place.nothing_in("out");
}

#[test]
fn nothing_but_bad_rows_is_no_result() {
    let place = Place::new();
    place.write("p.jsonl", "{\"input\": \"x\"}\nnonsense\n");
    let line = "match -p p.jsonl --json --out out/m.json --details out/d.jsonl";
    let ran = place.judica(line).exits(2);
    assert_eq!(ran.stdout, "");
    ran.complains(&[
        "p.jsonl: not one of its 2 rows",
        "missing_gold",
        "out/rejects.jsonl",
    ]);
    assert_eq!(place.names("out"), ["rejects.jsonl"]);
}

#[test]
fn an_empty_prediction_is_a_wrong_one() {
    let place = Place::new();
    place.write("p.jsonl", format!("{}\n", row("p", "")));
    let report = printed(&place.judica("match -p p.jsonl --json").exits(0));
    assert_eq!(report["n_examples"], 1);
    assert_eq!(report["exact_match"], 0.0);
}

#[test]
fn rows_said_twice_are_counted_and_kept() {
    let place = Place::new();
    let spelled = [
        r#"{"input": "caf\u00e9", "gold": "p", "prediction": "p"}"#,
        r#"{"input": "café", "expected": "p", "generated": "p"}"#,
        r#"{"input": "tea", "gold": "p", "prediction": "p"}"#,
    ];
    place.write_lines("p.jsonl", &spelled);
    let report = printed(&place.judica("match -p p.jsonl --json").exits(0));
    assert_eq!(report["n_examples"], 3);
    assert_eq!(report["duplicates"], 1);
}

#[test]
fn without_rejects_there_is_no_file_not_even_an_older_one() {
    let place = Place::new();
    place.write("p.jsonl", format!("nonsense\n{}\n", row("p", "p")));
    place.judica("match -p p.jsonl --out out/m.json").exits(0);
    assert_eq!(place.names("out"), ["m.json", "rejects.jsonl"]);
    place.write("p.jsonl", format!("{}\n", row("p", "p")));
    place.judica("match -p p.jsonl --out out/m.json").exits(0);
    assert_eq!(place.names("out"), ["m.json"]);
}

#[test]
fn a_file_without_rows_is_told_and_the_others_count() {
    let place = Place::new();
    place.write("one.jsonl", format!("{}\n", row("p", "p")));
    for (name, nothing) in [
        ("empty.jsonl", ""),
        ("header.csv", "id,input,gold,prediction\n"),
        ("list.json", "[]"),
    ] {
        place.write(name, nothing);
        for command in [
            "match --json",
            "match --json --run run",
            "judge --no-llm --model j --out judged --json",
            "efficiency --json",
        ] {
            let both = format!("{command} -p one.jsonl -p {name}");
            place
                .judica(&both)
                .exits(0)
                .complains(&[&format!("{name}: there is no row in it")]);
            let alone = format!("{command} -p {name}");
            place
                .judica(&alone)
                .exits(2)
                .complains(&[&format!("{name}: there is no row in it")]);
        }
        place.judica("reproduce run").exits(0);
    }
}
