use super::*;
use proptest::prelude::*;

fn equal(a: &str, b: &str) -> bool {
    Json.compare(&Gold::one(a), b) == Matched::Exact
}

#[test]
fn the_same_value_in_other_words() {
    for (a, b) in [
        (
            r#"{"a":1,"b":[true,null]}"#,
            " {\"b\": [true, null],\n\"a\": 1} ",
        ),
        ("[1, 10, 100]", "[1.0, 1e1, 0.1E+3]"),
        ("-0.0", "0e5"),
        ("123000", "1.23e5"),
        ("12345678901234567890123", "12345678901234567890123.0"),
        ("0.1", "1e-1"),
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (r#""\u0041\/\ud83d\ude00""#, r#""A/😀""#),
        (r#"{"\u0061":0}"#, r#"{"a":0}"#),
        ("1e99999999999999999999", "1E99999999999999999999"),
        ("0e99999999999999999999", "0"),
        ("{}", "{ }"),
    ] {
        assert!(equal(a, b), "{a} {b}");
        assert!(equal(b, a), "{b} {a}");
    }
}

#[test]
fn other_values_stay_apart() {
    for (a, b) in [
        ("[1,2]", "[2,1]"),
        ("1", "\"1\""),
        ("1", "true"),
        ("0", "null"),
        ("1", "-1"),
        ("12345678901234567890123", "12345678901234567890124"),
        ("0.1", "0.10000000000000001"),
        ("\"a\"", "\"A\""),
        (r#"{"a":null}"#, "{}"),
        (r#"{"a":1,"a":2}"#, r#"{"a":1}"#),
        (r#""\ud800""#, r#""\ud801""#),
        (r#""\ud800""#, r#""\\ud800""#),
        (r#""\ud800""#, "\"\u{fffd}\""),
        ("1e99999999999999999999", "1e99999999999999999998"),
    ] {
        assert!(!equal(a, b), "{a} {b}");
    }
}

#[test]
fn what_is_not_json_equals_nothing() {
    let unclosed = "[".repeat(1_000_000);
    for text in [
        "",
        "NaN",
        "-Infinity",
        "[1,]",
        "{a:1}",
        "{\"a\":1}}",
        "01",
        "nul",
        "truex",
        "'a'",
        "```json\n1\n```",
        &unclosed,
    ] {
        assert!(!equal(text, text), "{text:.20}");
        assert_eq!(Json.normalized(text), None);
    }
}

#[test]
fn nesting_is_limited() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(equal(&nested(128), &nested(128)));
    assert!(!equal(&nested(129), &nested(129)));
}

#[test]
fn several_are_lines() {
    let gold = Gold::list(vec![r#"{"a":1}"#.into(), "[2]".into()]);
    assert_eq!(Json.compare(&gold, "[2.0]\n{\"a\":1e0}"), Matched::Exact);
    assert_eq!(Json.compare(&gold, "[2]\n[2]"), Matched::No);
}

#[test]
fn the_normal_form_is_readable() {
    let form = |text| Json.normalized(text).unwrap();
    assert_eq!(
        form("{ \"b\" : [1.50, 2e3, -1e30], \"a\": \"x\\n\" }"),
        r#"{"a":"x\n","b":[15e-1,2000,-1e30]}"#
    );
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(Into::into),
        "\\PC{0,4}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec(("[a-c]", inner), 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_form_is_stable_and_layout_is_ignored(value in any_json()) {
        let compact = value.to_string();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assert!(equal(&compact, &pretty));
        let form = Json.normalized(&compact).unwrap();
        prop_assert_eq!(Json.normalized(&form), Some(form.clone()));
    }

    #[test]
    fn equality_is_that_of_another_reader(a in any_json(), b in any_json()) {
        prop_assert_eq!(equal(&a.to_string(), &b.to_string()), a == b);
    }

    #[test]
    fn no_text_is_too_strange(text in "[\\[\\]{}\",:0-9eE.+\\-a-z\\\\ ]{0,24}") {
        let ours = Json.normalized(&text).is_some();
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        // They refuse numbers that do not fit a double.
        prop_assert!(ours == theirs.is_ok() || theirs.unwrap_err().to_string().contains("range"));
    }
}
