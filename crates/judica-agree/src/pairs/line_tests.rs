use super::*;
use crate::pairs::policy::Policy;
use proptest::prelude::*;

fn keys() -> Keys {
    Policy::built_in().unwrap().keys
}

fn words(text: &Text) -> Option<String> {
    Some(String::from_utf8_lossy(&text.decode()?).into_owned())
}

#[test]
fn a_merged_line_is_found_in_any_order_and_spelling() {
    for line in [
        r#"{"qid":"A1","scholar":{"label":"VALID","reason":"r"},"auditor":{"label":"REJECT"},"flags":{"provenance_violation":true}}"#,
        r#" { "flags" : { "x":1, "provenance_violation" : true } , "auditor" : {"reason":null,"label":"REJECT"}, "scholar":{"more":[1,{"label":"no"}],"reason":"r","label":"VALID"}, "qid" : "A1" } "#,
        "{\"\\u0071id\":\"\\u00411\",\"scholar\":{\"l\\u0061bel\":\"VALI\\u0044\",\"reason\":\"r\"},\"auditor\":{\"label\":\"REJECT\"},\"flags\":{\"provenance_violation\":true}}",
    ] {
        let read = Line::read(line.as_bytes(), &keys()).unwrap();
        let (scholar, auditor) = (read.scholar.unwrap(), read.auditor.unwrap());
        assert_eq!(words(&read.qid).as_deref(), Some("A1"), "{line}");
        assert_eq!(words(&scholar.label).as_deref(), Some("VALID"));
        assert_eq!(words(&scholar.reason).as_deref(), Some("r"));
        assert_eq!(words(&auditor.label).as_deref(), Some("REJECT"));
        assert!(read.own.evidence.flagged);
    }
}

#[test]
fn the_last_of_equal_keys_wins() {
    let line = br#"{"qid":"a","qid":"b","scholar":{"label":"X"},"scholar":{"reason":"r"},
        "flags":{"provenance_violation":true},"flags":{},"retrieved_ids":7,"retrieved_ids":[]}"#;
    let read = Line::read(line, &keys()).unwrap();
    assert_eq!(words(&read.qid).as_deref(), Some("b"));
    assert!(matches!(read.scholar.unwrap().label, Text::Missing));
    assert!(!read.own.evidence.flagged);
    assert_eq!(read.own.evidence.bad_shape, None);
}

#[test]
fn wrong_types_are_told_from_what_is_missing() {
    let read = |line: &'static str| Line::read(line.as_bytes(), &keys()).unwrap();
    assert!(matches!(read("{}").qid, Text::Missing));
    assert!(matches!(read(r#"{"qid":null}"#).qid, Text::Missing));
    assert!(matches!(read(r#"{"qid":[]}"#).qid, Text::WrongType(b"[]")));
    assert!(matches!(
        read(r#"{"qid":true}"#).qid,
        Text::WrongType(b"true")
    ));
    assert_eq!(words(&read(r#"{"qid":12}"#).qid).as_deref(), Some("12"));
    assert!(read(r#"{"scholar":null}"#).scholar.is_none());
    assert!(
        read(r#"{"scholar":"VALID"}"#)
            .scholar
            .unwrap()
            .not_an_object
    );
    for (line, shape) in [
        (r#"{"flags":[1]}"#, Some("flags")),
        (r#"{"flags":[]}"#, None),
        (r#"{"answer_json":"text"}"#, Some("answer_json")),
        (
            r#"{"answer_json":{"citations":{"a":1}}}"#,
            Some("answer_json"),
        ),
        (r#"{"answer_json":{"citations":"p1"}}"#, None),
        (r#"{"retrieved_ids":{"a":1}}"#, Some("retrieved_ids")),
        (r#"{"retrieved_ids":null}"#, None),
    ] {
        assert_eq!(read(line).own.evidence.bad_shape, shape, "{line}");
    }
}

#[test]
fn a_flag_is_raised_by_whatever_holds_something() {
    for (value, raised) in [
        ("true", true),
        ("1", true),
        ("-0.5", true),
        ("NaN", true),
        (r#""false""#, true),
        (r#"" ""#, true),
        ("[0]", true),
        (r#"{"a":0}"#, true),
        ("false", false),
        ("0", false),
        ("0.0", false),
        ("-0", false),
        ("null", false),
        (r#""""#, false),
        ("[ ]", false),
        ("{ }", false),
    ] {
        let line = format!(r#"{{"flags":{{"constraints_mismatch":{value}}}}}"#);
        let read = Line::read(line.as_bytes(), &keys()).unwrap();
        assert_eq!(read.own.evidence.flagged, raised, "{value}");
    }
}

#[test]
fn what_is_not_an_object_is_refused_with_its_reason() {
    for (line, bad) in [
        ("", BadLine::Malformed(0)),
        ("x", BadLine::Malformed(0)),
        ("[1]", BadLine::NotAnObject),
        ("[1", BadLine::Malformed(2)),
        ("7 8", BadLine::Malformed(2)),
        (r#"{"qid":"a"} x"#, BadLine::Malformed(12)),
        (r#"{"qid":"a",}"#, BadLine::Malformed(11)),
        (r#"{"retrieved_ids":["a",]}"#, BadLine::Malformed(22)),
        (r#"{"retrieved_ids":["a" "b"]}"#, BadLine::Malformed(22)),
        ("{\"qid\":\"a\u{1}\"}", BadLine::Malformed(9)),
    ] {
        assert_eq!(
            Line::read(line.as_bytes(), &keys()).unwrap_err(),
            bad,
            "{line}"
        );
    }
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(600), "]".repeat(600));
    assert_eq!(
        Line::read(deep.as_bytes(), &keys()).unwrap_err(),
        BadLine::TooDeep
    );
}

proptest! {
    #[test]
    fn reads_what_serde_reads(text in r#"[\[\]{},:"\\a1.e\-ntu]{0,16}"#, key in "qid|scholar|flags|answer_json|retrieved_ids|z") {
        let line = format!("{{\"{key}\":{text}}}");
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&line).is_ok();
        prop_assert_eq!(Line::read(line.as_bytes(), &keys()).is_ok(), theirs, "{}", line);
    }
}
