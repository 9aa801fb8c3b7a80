//! Rows and files that cannot be used: named, counted, kept whole, and in nobody's way.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, is, judge, measured, panel, refused, row, rows};
use crate::support::{Place, raw_bytes};

/// A judge with every kind of row, one on a line.
const MIXED: [(&str, Option<&str>); 15] = [
    (
        r#"{"input": "input 0", "gold": "<<A>>F p0", "prediction": "<<A>>G p0", "correct": "yes"}"#,
        None,
    ),
    (
        r#"{"input": "input 0", "gold": "<<A>>F p0", "prediction": "<<A>>G p0", "correct": true}"#,
        Some("duplicate_row"),
    ),
    (
        r#"{"input": "input 0", "gold": "<<A>>F p0", "prediction": "<<A>>G p0", "correct": "no"}"#,
        Some("conflicting_row"),
    ),
    (
        r#"{"input": "input 1", "gold": "<<A>>F p1", "prediction": "<<A>>G p1", "correct": "perhaps"}"#,
        Some("unknown_verdict"),
    ),
    (
        r#"{"input": "input 1", "correct": 2}"#,
        Some("unknown_verdict"),
    ),
    (
        r#"{"input": "input 1", "correct": ["yes"]}"#,
        Some("unknown_verdict"),
    ),
    (
        r#"{"input": "input 1", "correct": ""}"#,
        Some("unknown_verdict"),
    ),
    (
        r#"{"input": "input 1", "correct": null}"#,
        Some("missing_verdict"),
    ),
    (
        r#"{"input": "input 1", "verdict": "yes"}"#,
        Some("missing_verdict"),
    ),
    (
        r#"{"gold": "<<A>>F p1", "prediction": "<<A>>G p1", "correct": "yes"}"#,
        Some("missing_input"),
    ),
    (
        r#"{"input": "input 1", "gold": "<<A>>F p1", "prediction": "<<A>>G p1", "correct": "yes", "epoch": 0}"#,
        Some("bad_epoch"),
    ),
    (r#"["yes"]"#, Some("not_an_object")),
    (r#"null"#, Some("not_an_object")),
    (
        r#"{"input": "input 1", "gold": "<<A>>F p1", "prediction": "<<A>>G p1", "correct": "no"}"#,
        None,
    ),
    (
        r#"{ "input" : "ünusual ",  "correct":"y\u00e9s"  }"#,
        Some("unknown_verdict"),
    ),
];

fn mixed() -> Place {
    let place = panel(&[("ben", "yn")]);
    let rows = MIXED.map(|(text, _)| text).join(",\n");
    place.write("eval/ana/one.json", format!("[\n{rows}\n]"));
    place
}

#[test]
fn every_kind_is_counted_and_the_rest_is_measured() {
    let report = measured(&mixed(), "");
    let ana = &report["judges"][0];
    assert_eq!([&ana["rows"], &ana["used"]], [15, 2]);
    assert_eq!([&ana["duplicates"], &ana["refused_rows"]], [2, 11]);
    for (reason, count) in [
        ("duplicate_row", 1),
        ("conflicting_row", 1),
        ("unknown_verdict", 5),
        ("missing_verdict", 2),
        ("missing_input", 1),
        ("bad_epoch", 1),
        ("not_an_object", 2),
    ] {
        assert_eq!(refused(&report, reason), count, "{reason}");
    }
    // The first of rows that contradict each other stands: yes.
    assert_eq!(report["disagreement_items"], 0);
    is(&report["pairwise"][0]["cohen_kappa"], 1.0);
}

#[test]
fn examples_say_where_and_what() {
    let report = measured(&mixed(), "");
    let kinds = report["refused"].as_array().expect("kinds");
    let of = |reason: &str| {
        let kind = kinds.iter().find(|kind| kind["reason"] == reason);
        kind.expect("the kind")["examples"].clone()
    };
    assert_eq!(
        of("conflicting_row"),
        json!([{
            "file": "ana/one.json",
            "line": 4,
            "detail": "the same item stands on line 2, with the other verdict",
        }])
    );
    let unknown = of("unknown_verdict");
    assert_eq!(unknown[0]["line"], 5);
    let detail = unknown[0]["detail"].as_str().expect("a sentence");
    assert!(
        detail.contains("\"perhaps\"") && detail.contains("yes or no"),
        "{detail}"
    );
}

#[test]
fn rejects_keep_the_bytes() {
    let place = mixed();
    let ran = place.judica(JUDGES).exits(0);
    ran.says(&[
        "Not in the measurement",
        "conflicting_row",
        "inputs 17 = records 4 + rejects 13",
        "refused rows: out/rejects.jsonl",
    ]);
    let rejects = place.json_lines("out/rejects.jsonl");
    let bad = MIXED
        .iter()
        .zip(2..)
        .filter_map(|(&(text, why), line)| Some((text, why?, line)));
    let file = place.read("eval/ana/one.json");
    let mut count = 0;
    for (reject, (text, why, line)) in rejects.iter().zip(bad.clone()) {
        assert_eq!(reject["file"], "eval/ana/one.json");
        assert_eq!(
            [&reject["reason"], &reject["line"]],
            [&json!(why), &json!(line)]
        );
        assert_eq!(raw_bytes(reject), text.as_bytes());
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert_eq!(&file[offset..][..text.len()], text.as_bytes());
        count += 1;
    }
    assert_eq!([count, rejects.len()], [bad.count(); 2]);
}

#[test]
fn lines_that_are_no_json_are_kept_whatever_they_are() {
    let place = panel(&[("ben", "yn")]);
    let good = rows("yn");
    let mut bytes = format!("{}\n", good[0]).into_bytes();
    let bad: [&[u8]; 4] = [
        b"oops",
        b"{\"input\": \"cut",
        b"\xff\xfe \x80",
        b"{\"input\": \"\xc3\", \"correct\": \"yes\"}",
    ];
    for line in bad {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(good[1].to_string().as_bytes());
    place.write("eval/ana/one.jsonl", &bytes);
    let report = measured(&place, "");
    assert_eq!(report["judges"][0]["used"], 2);
    assert_eq!(report["judges"][0]["refused_rows"], 4);
    let rejects = place.json_lines("out/rejects.jsonl");
    let kept: Vec<Vec<u8>> = rejects.iter().map(raw_bytes).collect();
    assert_eq!(kept, bad);
    let lines: Vec<&Value> = rejects.iter().map(|reject| &reject["line"]).collect();
    assert_eq!(lines, [2, 3, 4, 5]);
}

#[test]
fn a_line_of_words_is_malformed_whatever_it_begins_with() {
    let place = panel(&[("ben", "y")]);
    for words in [
        "not JSON at all",
        "true enough",
        "\"half",
        "[1, 2",
        "12 o'clock",
    ] {
        place.write(
            "eval/ana/one.jsonl",
            format!("{}\n{words}\n", row(0, "yes")),
        );
        let report = measured(&place, "");
        assert_eq!(
            refused(&report, "malformed_json"),
            1,
            "{words}: {}",
            report["refused"]
        );
    }
}

#[test]
fn the_same_item_again_in_another_file() {
    let place = panel(&[("ana", "yn"), ("ben", "yn")]);
    judge(&place, "ana", "one again", &[]);
    let file = json!({"source_file": "one.json", "detailed_results": [row(0, "no"), row(1, "no"), row(2, "no")]});
    place.write("eval/ana/one again.json", file.to_string());
    let report = measured(&place, "");
    let ana = &report["judges"][0];
    assert_eq!([&ana["rows"], &ana["used"], &ana["duplicates"]], [5, 3, 2]);
    assert_eq!(refused(&report, "conflicting_row"), 1);
    assert_eq!(refused(&report, "duplicate_row"), 1);
}

#[test]
fn files_without_rows_are_named_and_passed_over() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    let plain = measured(&place, "");
    for (name, text) in [
        ("eval/ana/empty.json", ""),
        ("eval/ana/blank.jsonl", " \n\n"),
        ("eval/ana/list.json", "[]"),
        ("eval/ana/metrics.json", "{\"metrics\": {\"accuracy\": 1}}"),
        ("eval/ben/none.json", "{\"detailed_results\": []}"),
    ] {
        place.write(name, text);
    }
    let report = measured(&place, "");
    assert_eq!(report["overall"], plain["overall"]);
    assert_eq!(report["pairwise"], plain["pairwise"]);
    assert_eq!(refused(&report, "empty_file"), 2);
    assert_eq!(refused(&report, "no_rows"), 3);
}

#[test]
fn a_judge_with_nothing_usable_is_named_and_no_rater() {
    let place = panel(&[("ana", "yny"), ("ben", "yyy")]);
    let alone = measured(&place, "");
    place.write("eval/cal/one.json", r#"[{"input": "input 0"}, 7]"#);
    let report = measured(&place, "");
    assert_eq!(report["overall"], alone["overall"]);
    assert_eq!(report["pairwise"], alone["pairwise"]);
    let cal = &report["judges"][2];
    assert_eq!([&cal["used"], &cal["refused_rows"]], [0, 2]);
    is(&cal["yes_rate"], None);
    assert!(crate::agree_judges::data::notes(
        &report,
        "`cal` has no usable row"
    ));
}

#[test]
fn strict_ends_at_the_first_of_them() {
    let place = mixed();
    place
        .judica(&format!("{JUDGES} --strict --heatmap out/map.svg"))
        .exits(2)
        .complains(&["ana/one.json:3", "duplicate_row"]);
    place.nothing_in("out");
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.judica(&format!("{JUDGES} --strict")).exits(0);
    place.write("eval/ana/empty.json", "");
    place
        .judica(&format!("{JUDGES} --strict"))
        .exits(2)
        .complains(&["ana/empty.json", "empty_file"]);
}

#[test]
fn left_out_rows_do_not_offend_a_strict_run() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    let mut said = rows("yn");
    said[0]["decision_method"] = "exact".into();
    judge(&place, "cal", "one", &said);
    place.judica(&format!("{JUDGES} --strict")).exits(0);
}

#[test]
fn rejects_go_where_they_are_asked_to() {
    let place = mixed();
    let line = format!("{JUDGES} --rejects elsewhere/bad.jsonl");
    place
        .judica(&line)
        .exits(0)
        .says(&["refused rows: elsewhere/bad.jsonl"]);
    assert_eq!(place.names("out"), ["report.json"]);
    assert_eq!(place.json_lines("elsewhere/bad.jsonl").len(), 13);
}
