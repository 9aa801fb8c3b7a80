//! Input that was made to break a reader.

use serde_json::json;

use crate::agree_pairs::data::{PAIRS, SEPARATE, judgment, merged, pair, refused, report};
use crate::support::{Place, keeps};

/// Names that could break a table, a line of JSON, or a comparison.
const NAMES: [&str; 26] = [
    "",
    " ",
    "\t",
    "a\tb",
    "a\nb",
    "a\r\nb",
    "a\rb",
    "\\t",
    "\\",
    "\"",
    "\"\"",
    "'",
    "<&>",
    "{}",
    "null",
    "12.0",
    "\u{0}",
    "\u{7f}",
    "\u{1b}[31mred",
    "\u{feff}",
    "q\u{2028}r\u{2029}",
    "é",
    "e\u{301}",
    "🙂👩\u{200d}🚀",
    "\u{10ffff}",
    "=cmd|' /C calc'!A0",
];

#[test]
fn hostile_names_break_neither_the_table_nor_the_lines() {
    let lines = NAMES.map(|name| pair(name, "VALID", "REJECT"));
    let place = merged(&lines);
    let arguments = format!("{PAIRS} --json --arbitrated out/all.jsonl");
    let report = report(&place.judica(&arguments).exits(1));
    assert_eq!(report["n"], NAMES.len());
    assert_eq!(report["rejects"], 0);
    let decided = place.json_lines("out/all.jsonl");
    assert_eq!(decided.len(), NAMES.len());
    for (line, name) in decided.iter().zip(NAMES) {
        assert_eq!(line["qid"], name);
    }
    let table = place.text("out/d.tsv");
    let rows: Vec<&str> = table.split('\n').collect();
    // The header, a row each, and nothing after the last line's end.
    assert_eq!(rows.len(), NAMES.len() + 2);
    assert_eq!(rows.last(), Some(&""));
    for (row, name) in rows[1..].iter().zip(NAMES) {
        assert!(!row.contains('\r'));
        let cells: Vec<&str> = row.split('\t').collect();
        let plain = name
            .replace('\t', "\\t")
            .replace('\n', "\\n")
            .replace('\r', "\\r");
        assert_eq!(
            cells,
            [plain.as_str(), "VALID", "REJECT", "REJECT", "auditor_veto"]
        );
    }
}

#[test]
fn hostile_names_in_two_files() {
    let place = Place::new();
    place.write_lines("s.jsonl", &NAMES.map(|name| judgment(name, "VALID")));
    place.write_lines("a.jsonl", &NAMES.map(|name| judgment(name, "ABSTAIN")));
    let arguments = format!("{SEPARATE} --json --arbitrated out/all.jsonl");
    let report = report(&place.judica(&arguments).exits(1));
    assert_eq!(
        (&report["n"], &report["rejects"]),
        (&json!(NAMES.len()), &json!(0))
    );
    let decided = place.json_lines("out/all.jsonl");
    let names: Vec<&str> = decided
        .iter()
        .filter_map(|line| line["qid"].as_str())
        .collect();
    let mut expected = NAMES.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(place.text("out/d.tsv").split('\n').count(), NAMES.len() + 2);
}

#[test]
fn hostile_labels_and_names_do_not_reach_the_screen_as_they_are() {
    let place = merged(&[
        pair("a\u{1b}[31m", "\u{1b}[2J\u{7}", "VALID"),
        pair("b", "a\nb\tc", "VALID"),
        pair("c", "VALID", "VALID"),
    ]);
    let ran = place.judica(PAIRS).exits(0);
    assert!(!ran.stdout.contains('\u{1b}'), "{:?}", ran.stdout);
    assert!(!ran.stdout.contains('\u{7}'), "{:?}", ran.stdout);
    let ran = place.judica(&format!("{PAIRS} --strict")).exits(2);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
    let table = place.judica(PAIRS);
    assert!(table.stdout.contains("rejects 2"));
    assert_eq!(place.text("out/d.tsv").split('\n').count(), 4);
}

#[test]
fn deep_nesting_is_refused_and_less_deep_is_not() {
    let array = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let object = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let with = |name: &str, key: &str, value: String| {
        pair(name, "VALID", "VALID").replacen('{', &format!("{{\"{key}\":{value},"), 1)
    };
    let mut lines = vec![
        with("shallow", "x", array(300)),
        with("shallow too", "x", object(300)),
    ];
    let good = lines.len();
    for depth in [600, 100_000] {
        for key in ["x", "flags", "retrieved_ids", "answer_json", "extra"] {
            lines.push(with("deep", key, array(depth)));
            lines.push(with("deep", key, object(depth)));
        }
        lines.push("[".repeat(depth));
        lines.push("{\"qid\":".repeat(depth));
        lines.push(with("deep", "x", "[".repeat(depth)));
    }
    let place = merged(&lines);
    let report = report(&place.judica(&format!("{PAIRS} --json")).exits(0));
    assert_eq!(report["n"], good);
    assert_eq!(
        refused(&report, "malformed_json") as usize,
        lines.len() - good
    );
    let rejects = place.json_lines("out/rejects.jsonl");
    for (reject, line) in rejects.iter().zip(&lines[good..]) {
        keeps(reject, line.as_bytes());
    }
}

#[test]
fn a_huge_line_is_read_or_kept_as_its_place() {
    const HUGE: usize = 20 << 20;
    let good = json!({"qid": "huge", "scholar": {"label": "VALID", "reason": "x".repeat(HUGE)},
                      "auditor": {"label": "REJECT"}});
    let bad = format!("{{\"qid\": \"{}", "y".repeat(HUGE));
    let lines = [
        pair("a", "VALID", "VALID"),
        good.to_string(),
        bad,
        pair("b", "VALID", "VALID"),
    ];
    let place = merged(&lines);
    let report = report(
        &place
            .judica(&format!("{PAIRS} --json --threads 2"))
            .exits(1),
    );
    assert_eq!((&report["n"], &report["rejects"]), (&json!(3), &json!(1)));
    let rejects = place.json_lines("out/rejects.jsonl");
    assert_eq!(rejects[0]["line"], 3);
    keeps(&rejects[0], lines[2].as_bytes());
    assert!(place.text("out/d.tsv").contains("huge\tVALID\tREJECT"));
}

#[test]
fn a_label_of_a_megabyte_is_shown_short() {
    let long = pair("a", &"L".repeat(1 << 20), "VALID");
    let place = merged(&[long, pair("b", "VALID", "VALID")]);
    let ran = place.judica(PAIRS).exits(0);
    assert!(ran.stdout.len() < 20_000, "{} bytes", ran.stdout.len());
    let line = place.json_lines("out/rejects.jsonl").remove(0);
    assert!(
        line["detail"]
            .as_str()
            .is_some_and(|detail| detail.len() < 1000)
    );
}

#[test]
fn the_same_name_in_another_spelling_is_the_same_name() {
    let again =
        r#"{"qid":"\u0041\ud83d\ude42","scholar":{"label":"VALID"},"auditor":{"label":"VALID"}}"#;
    let place = merged(&[
        pair("A🙂", "VALID", "VALID"),
        again.to_owned(),
        pair("a🙂", "VALID", "VALID"),
    ]);
    let report = report(&place.judica(&format!("{PAIRS} --json")).exits(0));
    assert_eq!(report["n"], 2);
    assert_eq!(refused(&report, "duplicate_qid"), 1);
}

#[test]
fn halves_of_characters_are_not_taken_for_each_other() {
    let line = |qid: &str| pair("X", "VALID", "VALID").replace('X', qid);
    let place = merged(&[line("\\ud800"), line("\\ud801")]);
    let report = report(&place.judica(&format!("{PAIRS} --json")).exits(0));
    assert_eq!(refused(&report, "duplicate_qid"), 0);
}

#[test]
fn numbers_as_names_keep_all_their_digits() {
    let line = |qid: &str| pair("X", "VALID", "REJECT").replace("\"X\"", qid);
    let place = merged(&[
        line("9007199254740993"),
        line("9007199254740992"),
        line("1.50"),
        line("1.5"),
    ]);
    let report = report(&place.judica(&format!("{PAIRS} --json")).exits(1));
    assert_eq!((&report["n"], &report["rejects"]), (&json!(4), &json!(0)));
    assert!(place.text("out/d.tsv").contains("\n9007199254740993\t"));
}
