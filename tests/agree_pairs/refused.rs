//! Lines that cannot be used: none is lost or counted, each says where it stood and why.

use serde_json::{Value, json};

use crate::agree_pairs::data::{PAIRS, merged, pair, pair_with, refused, report};
use crate::support::{Place, keys, raw_bytes};

/// Lines, each with the reason for which it must be refused, or none.
fn lines() -> Vec<(Vec<u8>, Option<&'static str>)> {
    let with = |line: Value| line.to_string().into_bytes();
    let valid = json!({"label": "VALID"});
    let labels = |scholar: Value, auditor: Value| {
        with(json!({"qid": "x", "scholar": {"label": scholar}, "auditor": {"label": auditor}}))
    };
    let qid = |qid: Value| with(json!({"qid": qid, "scholar": valid, "auditor": valid}));
    let named = |name: &str, line: Vec<u8>| {
        let mut line: Value = serde_json::from_slice(&line).expect("JSON");
        line["qid"] = json!(name);
        line.to_string().into_bytes()
    };
    vec![
        (pair("a", "VALID", "VALID").into_bytes(), None),
        (b"garbage \xe2\x80\xa6 \"quoted\" \\ tab\t".to_vec(), Some("malformed_json")),
        (b"{\"qid\": \"b\", \"scholar\": ".to_vec(), Some("malformed_json")),
        (b"{} trailing".to_vec(), Some("malformed_json")),
        (b"{\"qid\": \"b\",}".to_vec(), Some("malformed_json")),
        (b"\xff\xfe\x00not text".to_vec(), Some("invalid_utf8")),
        (
            b"{\"qid\":\"\xc3\x28\",\"scholar\":{\"label\":\"VALID\"},\"auditor\":{\"label\":\"VALID\"}}".to_vec(),
            Some("invalid_utf8"),
        ),
        (b"[1, 2]".to_vec(), Some("not_an_object")),
        (b"  \"text\"  ".to_vec(), Some("not_an_object")),
        (b"null".to_vec(), Some("not_an_object")),
        (b"{}".to_vec(), Some("missing_qid")),
        (qid(json!(null)), Some("missing_qid")),
        (qid(json!(["b"])), Some("wrong_type")),
        (qid(json!(true)), Some("wrong_type")),
        (with(json!({"qid": "c", "scholar": valid})), Some("missing_side")),
        (with(json!({"qid": "d", "auditor": valid})), Some("missing_side")),
        (with(json!({"qid": "e"})), Some("missing_side")),
        (with(json!({"qid": "f", "scholar": null, "auditor": valid})), Some("missing_side")),
        (with(json!({"qid": "g", "scholar": "VALID", "auditor": valid})), Some("wrong_type")),
        (with(json!({"qid": "h", "scholar": valid, "auditor": [valid]})), Some("wrong_type")),
        (with(json!({"qid": "i", "scholar": {}, "auditor": valid})), Some("missing_label")),
        (named("j", labels(json!("VALID"), json!(null))), Some("missing_label")),
        (named("k", labels(json!(1), json!("VALID"))), Some("wrong_type")),
        (named("l", labels(json!("VALID"), json!(["VALID"]))), Some("wrong_type")),
        (named("m", labels(json!("VALID"), json!(true))), Some("wrong_type")),
        (named("n", labels(json!("valid"), json!("VALID"))), Some("unknown_label")),
        (named("o", labels(json!("VALID"), json!("VALID "))), Some("unknown_label")),
        (named("p", labels(json!(""), json!("😀"))), Some("unknown_label")),
        (pair("a", "REJECT", "REJECT").into_bytes(), Some("duplicate_qid")),
        // A line that was refused has taken its name, too.
        (pair("n", "VALID", "VALID").into_bytes(), Some("duplicate_qid")),
        (b"{\"qid\":\"\\u0061\",\"scholar\":{},\"auditor\":{}}".to_vec(), Some("duplicate_qid")),
        (
            pair_with("q", "VALID", "VALID", json!({"flags": [true]})).into_bytes(),
            Some("bad_shape"),
        ),
        (pair("r", "VALID", "REJECT").into_bytes(), None),
        (pair("12", "REJECT", "REJECT").into_bytes(), None),
        // A number is the name it is written as.
        (qid(json!(12)), Some("duplicate_qid")),
        (qid(json!(13)), None),
    ]
}

#[test]
fn every_reason_is_told_counted_and_lossless() {
    let lines = lines();
    for (end, mark) in [(&b"\n"[..], &b""[..]), (b"\r\n", b"\xef\xbb\xbf")] {
        let place = Place::new();
        let content = lines
            .iter()
            .flat_map(|(line, _)| [line.as_slice(), end].concat());
        let bytes = [mark, &content.collect::<Vec<u8>>()].concat();
        place.write("p.jsonl", &bytes);
        let bad = lines.iter().filter(|(_, reason)| reason.is_some()).count();
        let total = format!("inputs {} = records 4 + rejects {bad}", lines.len());
        place
            .judica(PAIRS)
            .exits(1)
            .says(&[&total, "refused rows: out/rejects.jsonl"]);
        let report = report(&place.judica(&format!("{PAIRS} --json")).exits(1));
        assert_eq!(report["n"], 4);
        assert_eq!(report["inputs"], lines.len());
        assert_eq!(
            (&report["records"], &report["rejects"]),
            (&json!(4), &json!(bad))
        );
        let rejects = place.json_lines("out/rejects.jsonl");
        account(&rejects, &bytes, &lines);
        for kind in report["refused"].as_array().expect("refusals") {
            examples(kind, &rejects);
        }
    }
}

/// Holds what was refused against what stood in the file.
#[track_caller]
fn account(rejects: &[Value], bytes: &[u8], lines: &[(Vec<u8>, Option<&'static str>)]) {
    let numbered = lines.iter().enumerate();
    let expected: Vec<_> = numbered
        .filter_map(|(i, (line, why))| Some((i + 1, line, (*why)?)))
        .collect();
    assert_eq!(rejects.len(), expected.len());
    for (reject, (number, line, reason)) in rejects.iter().zip(expected) {
        assert_eq!(
            keys(reject)[..5],
            ["file", "line", "byte_offset", "reason", "detail"]
        );
        assert_eq!(
            (&reject["file"], &reject["line"]),
            (&json!("p.jsonl"), &json!(number))
        );
        assert_eq!(reject["reason"], reason, "{reject}");
        assert!(
            reject["detail"]
                .as_str()
                .is_some_and(|detail| !detail.is_empty())
        );
        assert_eq!(&raw_bytes(reject), line, "line {number} is not lossless");
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert_eq!(&bytes[offset..offset + line.len()], line.as_slice());
    }
}

/// The report counts each kind and names its first few lines.
#[track_caller]
fn examples(kind: &Value, rejects: &[Value]) {
    let of_kind: Vec<&Value> = rejects
        .iter()
        .filter(|reject| reject["reason"] == kind["reason"])
        .collect();
    assert_eq!(kind["count"], of_kind.len());
    let examples = kind["examples"].as_array().expect("examples");
    assert_eq!(examples.len(), of_kind.len().min(5));
    for (example, reject) in examples.iter().zip(of_kind) {
        for key in ["file", "line", "detail"] {
            assert_eq!(example[key], reject[key]);
        }
    }
}

#[test]
fn a_label_that_was_nearly_right_is_pointed_out() {
    let nearly = pair("a", "not in context", "VALID");
    let place = merged(&[nearly, pair("b", "VALID", "VALID")]);
    place
        .judica(PAIRS)
        .exits(0)
        .says(&["p.jsonl:1", "not in context", "NOT_IN_CONTEXT"]);
}

#[test]
fn rejects_of_an_array_say_where_they_stood() {
    let place = Place::new();
    let good = pair("a", "VALID", "VALID");
    let bytes = format!("[\n  {good},\n  17,\n  {{\"qid\": \"b\"}}\n]\n");
    place.write("p.json", &bytes);
    place
        .judica(&PAIRS.replace("p.jsonl", "p.json"))
        .exits(0)
        .says(&["inputs 3 = records 1 + rejects 2"]);
    let rejects = place.json_lines("out/rejects.jsonl");
    for (reject, (line, raw)) in rejects.iter().zip([(3, "17"), (4, "{\"qid\": \"b\"}")]) {
        assert_eq!(reject["line"], line);
        assert_eq!(reject["raw"], raw);
        let offset = reject["byte_offset"].as_u64().expect("an offset") as usize;
        assert!(bytes[offset..].starts_with(raw));
    }
}

#[test]
fn where_they_are_kept_can_be_chosen() {
    let place = merged(&["oops".to_owned(), pair("a", "VALID", "VALID")]);
    place
        .judica(&format!("{PAIRS} --rejects elsewhere/bad.jsonl"))
        .exits(0)
        .says(&["elsewhere/bad.jsonl"]);
    assert_eq!(place.json_lines("elsewhere/bad.jsonl")[0]["raw"], "oops");
    assert_eq!(place.names("out"), ["d.tsv"]);
}

#[test]
fn very_many_are_all_kept_and_few_are_shown() {
    let mut lines: Vec<String> = (0..200).map(|i| format!("bad {i}")).collect();
    lines.push(pair("a", "VALID", "VALID"));
    let place = merged(&lines);
    let report = report(&place.judica(&format!("{PAIRS} --json")).exits(0));
    assert_eq!(refused(&report, "malformed_json"), 200);
    assert_eq!(
        report["refused"][0]["examples"].as_array().map(Vec::len),
        Some(5)
    );
    assert_eq!(place.json_lines("out/rejects.jsonl").len(), 200);
}
