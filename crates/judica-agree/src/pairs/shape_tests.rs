use super::*;
use crate::pairs::line::Line;
use crate::pairs::verdict::{pair_of, qid};
use proptest::prelude::*;

fn policy() -> Policy {
    Policy::built_in().unwrap()
}

const FIRST: &str = r#"{"qid": "A1", "scholar": {"label": "VALID", "reason": "r"}, "auditor": {"label": "VALID"}, "answer_json": {"claim": "x", "citations": ["a"], "n": 1}, "retrieved_ids": ["a", "b"], "flags": {"provenance_violation": false, "constraints_mismatch": 0}}"#;

#[test]
fn lines_that_differ_in_values_have_one_shape() {
    let mut shape = LineShape::learn(FIRST.as_bytes(), &policy().keys).unwrap();
    let line = FIRST
        .replace("A1", "another")
        .replace(r#"["a", "b"]"#, "[ ]")
        .replace(r#""r""#, r#""a \"reason\"""#);
    let mut about = None;
    let read = shape.read(line.as_bytes(), &policy(), &mut about).unwrap();
    assert_eq!(read.qid.raw, b"another");
    assert_eq!(read.labels, [policy().label(b"VALID").unwrap(); 2]);
    assert_eq!(policy().why(read.decision.why), "citation_out_of_scope");
    let read = shape.read(FIRST.as_bytes(), &policy(), &mut about).unwrap();
    assert_eq!(policy().why(read.decision.why), "auditor_ok");
}

#[test]
fn other_lines_are_left_to_the_reader_that_knows_json() {
    let mut shape = LineShape::learn(FIRST.as_bytes(), &policy().keys).unwrap();
    for line in [
        FIRST.replace("\"qid\": ", "\"qid\":"),
        FIRST.replace("VALID", "valid"),
        FIRST.replace("\"A1\"", "7"),
        FIRST.replace("[\"a\"]", "null"),
        FIRST.replace("[\"a\"]", "[\"a\",]"),
        format!("{FIRST} x"),
        FIRST.trim_end_matches('}').to_owned(),
        String::new(),
    ] {
        let read = shape.read(line.as_bytes(), &policy(), &mut None);
        assert!(read.is_none(), "{line}");
    }
}

#[test]
fn what_the_quick_way_cannot_tell_has_no_shape() {
    for line in [
        r#"{"qid":"a","scholar":{"label":"VALID"}}"#.to_owned(),
        FIRST.replace("\"reason\": \"r\"", "\"flags\": {}"),
        FIRST.replace("\"n\": 1", "\"citations\": []"),
        FIRST.replace("\"n\": 1", "\"n\": 1}, \"answer_json\": {\"n\": 1"),
        FIRST.replace("\"claim\"", "\"cl\\u0061im\""),
        "[]".to_owned(),
        String::new(),
    ] {
        assert!(
            LineShape::learn(line.as_bytes(), &policy().keys).is_none(),
            "{line}"
        );
    }
}

fn value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""VALID""#,
        r#""REJECT""#,
        r#""NOT_IN_CONTEXT""#,
        r#""odd""#,
        r#""VALI\u0044""#,
        "true",
        "false",
        "0",
        "1",
        "12",
        "null",
        "[]",
        r#"["a"]"#,
        r#"["a","b"]"#,
        r#"["\u0061"]"#,
        r#"[1]"#,
        r#"["a",1]"#,
        r#"["b", "a"]"#,
        r#"["a" , "b", 1]"#,
        r#"["a", "]"#,
        r#"["b",["a"]]"#,
        r#"{"citations":["a"]}"#,
        r#"{"label":"VALID"}"#,
        r#"{"provenance_violation":true}"#,
        "{}",
        r#""a""#,
        "[",
        "}",
        "",
    ])
}

fn line(values: &[&str]) -> String {
    format!(
        r#"{{"qid":{},"scholar":{{"label":{},"x":{}}},"auditor":{{"label":{}}},"answer_json":{{"citations":{}}},"retrieved_ids":{},"flags":{{"provenance_violation":{}}},"more":{}}}"#,
        values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_quick_way_says_what_the_long_way_says(
        learnt in prop::collection::vec(value(), 8),
        met in prop::collection::vec(value(), 8),
        alike in prop::collection::vec(prop::bool::weighted(0.8), 8),
    ) {
        let met: Vec<&str> = (0..8).map(|i| if alike[i] { learnt[i] } else { met[i] }).collect();
        let (learnt, met) = (line(&learnt), line(&met));
        let policy = policy();
        let Some(mut shape) = LineShape::learn(learnt.as_bytes(), &policy.keys) else {
            return Ok(());
        };
        let fresh = shape.read(met.as_bytes(), &policy, &mut None);
        // What was read before saves time, and changes nothing.
        shape.read(learnt.as_bytes(), &policy, &mut None);
        let quick = shape.read(met.as_bytes(), &policy, &mut None);
        prop_assert_eq!(quick.is_some(), fresh.is_some());
        if let Some(quick) = quick {
            let long = Line::read(met.as_bytes(), &policy.keys);
            prop_assert!(long.is_ok(), "{}", met);
            let long = long.unwrap();
            let name = qid(&long).unwrap();
            let verdict = pair_of(&long, &policy.keys).unwrap().judge(&policy);
            prop_assert!(verdict.refusal.is_none(), "{}", met);
            prop_assert_eq!(verdict.labels, Some(quick.labels));
            prop_assert_eq!(verdict.decision, quick.decision);
            prop_assert_eq!(crate::pairs::text::name(quick.qid), name);
        }
    }
}
