//! Rows that cannot be used: none is lost or counted, each says where it stood and why.

use serde_json::{Value, json};

use crate::agree_ratings::data::{NOMINAL, refused, report, with_csv};
use crate::support::{Place, raw_bytes};

/// Rows of an interval table, each with the reason for which it must be refused, or none.
const ROWS: [(&[u8], Option<&str>); 21] = [
    (b"1,a,1", None),
    (b"1,b,NaN", Some("not_finite")),
    (b"1,b,nan", Some("not_finite")),
    (b"1,b,inf", Some("not_finite")),
    (b"1,b,-Infinity", Some("not_finite")),
    (b"1,b,1e999", Some("not_finite")),
    (b"1,b,high", Some("not_a_number")),
    (b"1,b,\"1,5\"", Some("not_a_number")),
    (b"1,b,true", Some("not_a_number")),
    (b"1,a,1.0", Some("duplicate_rating")),
    (b"1,a,2", Some("conflicting_rating")),
    (b",a,2", Some("missing_item")),
    (b"2, ,2", Some("missing_rater")),
    (b"2,a", Some("wrong_field_count")),
    (b"2,a,1,1", Some("wrong_field_count")),
    (b"2,a,\xff", Some("invalid_utf8")),
    (b"\"2\n2\",a,b", Some("not_a_number")),
    (b"1,b,2", None),
    (b"2,a,1e0", None),
    (b"2,b,2.5", None),
    (b"3,a,\"2", Some("unclosed_quote")),
];

fn table(end: &[u8], mark: &[u8]) -> Vec<u8> {
    let rows = ROWS.iter().flat_map(|(row, _)| [row, end].concat());
    [mark, b"item,rater,value", end, &rows.collect::<Vec<u8>>()].concat()
}

#[test]
fn every_reason_is_told_counted_and_lossless() {
    for (end, mark) in [(&b"\n"[..], &b""[..]), (b"\r\n", b"\xef\xbb\xbf")] {
        let place = Place::new();
        let bytes = table(end, mark);
        place.write("r.csv", &bytes);
        let arguments = format!("{NOMINAL} --out out/r.json").replace("nominal", "interval");
        let report = report(&place.judica(&arguments).exits(0));
        let bad = ROWS.iter().filter(|(_, reason)| reason.is_some()).count();
        assert_eq!(
            (&report["rows"], &report["ratings"]),
            (&json!(ROWS.len()), &json!(4))
        );
        let rejects = place.json_lines("out/rejects.jsonl");
        assert_eq!(rejects.len(), bad);
        let mut line = 2;
        let mut rest = rejects.iter();
        for (row, reason) in ROWS {
            if let Some(reason) = reason {
                let reject = rest.next().expect("a reject");
                assert_eq!(reject["reason"], reason, "{reject}");
                assert_eq!(
                    (&reject["file"], &reject["line"]),
                    (&json!("r.csv"), &json!(line))
                );
                let raw = raw_bytes(reject);
                assert!(raw.starts_with(row), "{reject}");
                let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
                assert_eq!(&bytes[offset..offset + raw.len()], raw);
            }
            line += 1 + row.iter().filter(|byte| **byte == b'\n').count();
        }
        let counted: u64 = ROWS
            .iter()
            .filter_map(|row| row.1)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .map(|reason| refused(&report, reason))
            .sum();
        assert_eq!(counted as usize, bad);
        // Four ratings of two items are left: 1 and 2, 1 and 2.5.
        assert_eq!(report["percent_agreement"]["value"], 0.0);
        assert_eq!(report["labels"], json!(["1", "2", "2.5"]));
    }
}

#[test]
fn people_are_told_where_refused_rows_are() {
    let place = with_csv("item,rater,value\n1,a,1\n1,b,x\n");
    let arguments = NOMINAL.replace(" --json", "").replace("nominal", "ratio");
    place.judica(&arguments).exits(0).says(&[
        "not_a_number",
        "r.csv:3",
        "inputs 2 = records 1 + rejects 1",
        "refused rows: rejects.jsonl",
    ]);
    assert_eq!(place.json_lines("rejects.jsonl")[0]["raw"], "1,b,x");
    place
        .judica(&format!("{arguments} --rejects kept/bad.jsonl"))
        .exits(0)
        .says(&["kept/bad.jsonl"]);
    assert_eq!(place.read("kept/bad.jsonl"), place.read("rejects.jsonl"));
}

#[test]
fn strict_names_the_first_of_them() {
    let place = with_csv("item,rater,value\n1,a,1\n1,b,inf\noops\n");
    let arguments = format!("{NOMINAL} --strict --out out/r.json --heatmap out/k.svg");
    place
        .judica(&arguments.replace("nominal", "interval"))
        .exits(2)
        .complains(&["r.csv:3", "not_finite"]);
    place.nothing_in("out");
    assert_eq!(place.names("."), ["r.csv"]);
}

#[test]
fn rows_of_json_are_refused_like_those_of_a_table() {
    let good = [
        json!({"item": 1, "rater": "a", "value": 1}),
        json!({"item": 1, "rater": "b", "value": "2"}),
    ];
    let bad = [
        ("oops", "malformed_json"),
        ("{\"item\": 2, \"rater\": \"a\"", "malformed_json"),
        ("[1]", "not_an_object"),
        ("{\"item\": 2, \"rater\": \"a\"}", "missing_value"),
        ("{\"item\": 2, \"value\": 1}", "missing_rater"),
        ("{\"rater\": \"a\", \"value\": 1}", "missing_item"),
        (
            "{\"item\": null, \"rater\": \"a\", \"value\": 1}",
            "missing_item",
        ),
        ("{\"item\": 2, \"rater\": {}, \"value\": 1}", "wrong_type"),
        (
            "{\"item\": 2, \"rater\": \"a\", \"value\": [1]}",
            "wrong_type",
        ),
        (
            "{\"item\": 2, \"rater\": \"a\", \"value\": NaN}",
            "not_finite",
        ),
        (
            "{\"item\": 2, \"rater\": \"a\", \"value\": -Infinity}",
            "not_finite",
        ),
        (
            "{\"item\": 2, \"rater\": \"a\", \"value\": 1e999}",
            "not_finite",
        ),
        (
            "{\"item\": 2, \"rater\": \"a\", \"value\": \"NaN\"}",
            "not_finite",
        ),
        (
            "{\"item\": 2, \"rater\": \"a\", \"value\": \"x\"}",
            "not_a_number",
        ),
        (
            "{\"item\": 2, \"rater\": \"a\", \"value\": true}",
            "not_a_number",
        ),
        (
            "{\"item\": \"1\", \"rater\": \"a\", \"value\": 1.0}",
            "duplicate_rating",
        ),
        (
            "{\"item\": 1, \"rater\": \"b\", \"value\": 3}",
            "conflicting_rating",
        ),
    ];
    let deep = format!(
        "{{\"item\": 2, \"x\": {}{}}}",
        "[".repeat(600),
        "]".repeat(600)
    );
    let place = Place::new();
    let mut lines: Vec<String> = good.iter().map(Value::to_string).collect();
    lines.extend(bad.iter().map(|(line, _)| (*line).to_owned()));
    lines.push(deep);
    place.write_lines("r.jsonl", &lines);
    let arguments = NOMINAL
        .replace("r.csv", "r.jsonl")
        .replace("nominal", "interval");
    let report = report(&place.judica(&arguments).exits(0));
    assert_eq!(
        (&report["rows"], &report["ratings"]),
        (&json!(lines.len()), &json!(2))
    );
    let rejects = place.json_lines("rejects.jsonl");
    assert_eq!(rejects.len(), bad.len() + 1);
    for (number, (reject, line)) in rejects.iter().zip(&lines[2..]).enumerate() {
        assert_eq!(reject["line"], number + 3);
        let reason = bad.get(number).map_or("too_deep", |(_, reason)| *reason);
        assert_eq!(reject["reason"], reason, "{line}");
        assert_eq!(raw_bytes(reject), line.as_bytes());
    }
}

#[test]
fn names_of_missing_values_are_values_and_that_is_said() {
    let place = with_csv("item,rater,value\n1,a,NA\n1,b,x\n2,a,x\n2,b,x\n");
    let measured = report(&place.judica(NOMINAL).exits(0));
    assert_eq!(measured["labels"], json!(["NA", "x"]));
    let notes = measured["notes"].to_string();
    assert!(
        notes.contains("`NA` counts as a value") && notes.contains("empty cell"),
        "{notes}"
    );
    place.write("r.csv", "item,rater,value\n1,a,NA\n1,b,null\n");
    let notes = report(&place.judica(NOMINAL).exits(0))["notes"].to_string();
    assert!(notes.contains("`NA`, `null` count as values"), "{notes}");
}

#[test]
fn at_other_levels_they_are_refused_and_the_rest_counts() {
    let place = with_csv("item,rater,value\n1,a,3\n1,b,3\n2,a,NA\n2,b,4\n2,c,n/a\n");
    for level in ["ordinal", "interval", "ratio"] {
        let report = report(&place.judica(&NOMINAL.replace("nominal", level)).exits(0));
        assert_eq!(refused(&report, "not_a_number"), 2, "{level}");
        assert_eq!(report["ratings"], 3, "{level}");
    }
    place.write("r.csv", "item,rater,value\n1,a,NA\n1,b,low\n");
    place
        .judica(&NOMINAL.replace("nominal", "ordinal"))
        .exits(2)
        .complains(&["r.csv:3", "`low`", "--order"]);
}

#[test]
fn repeats_that_are_not_numbered_from_1_are_not_taken_for_the_first() {
    let rows = "1,a,x,0\n1,b,x,0\n1,a,y,1\n1,b,x,1\n1,a,y,2\n1,b,y,2\n1,a,y,first\n2,a,x,\n";
    let place = with_csv(&format!("item,rater,value,epoch\n{rows}"));
    let measured = report(&place.judica(NOMINAL).exits(0));
    assert_eq!(refused(&measured, "bad_epoch"), 3);
    assert_eq!(
        (&measured["items"], &measured["ratings"]),
        (&json!(3), &json!(5))
    );
    assert_eq!(measured["percent_agreement"]["value"], 0.5);
    place.write("r.csv", "item,ann,bob,epoch\n1,x,x,0\n1,x,y,1\n");
    let wide = format!("{NOMINAL} --rater-columns ann,bob");
    let measured = report(&place.judica(&wide).exits(0));
    assert_eq!(refused(&measured, "bad_epoch"), 1);
    assert_eq!(measured["percent_agreement"]["value"], 0.0);
}

#[test]
fn a_stale_file_of_rejects_goes_where_it_is_ours() {
    let place = with_csv("item,rater,value\n1,a,x\n1\n1,b,x\n");
    let arguments = format!("{NOMINAL} --out out/r.json");
    place.judica(&arguments).exits(0);
    assert_eq!(place.names("out"), ["r.json", "rejects.jsonl"]);
    place.write("r.csv", "item,rater,value\n1,a,x\n1,b,x\n");
    place.judica(&arguments).exits(0);
    assert_eq!(place.names("out"), ["r.json"]);
}
