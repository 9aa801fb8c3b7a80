use super::*;
use proptest::prelude::*;

fn gold(text: &str) -> Result<String, &'static str> {
    let row = Row::read(text.as_bytes()).map_err(|refusal| refusal.reason)?;
    let gold = row.gold().map_err(|refusal| refusal.reason)?;
    Ok(gold.shown())
}

fn prediction(text: &str) -> Result<String, &'static str> {
    let row = Row::read(text.as_bytes()).map_err(|refusal| refusal.reason)?;
    let prediction = row.prediction().map_err(|refusal| refusal.reason)?;
    Ok(prediction.into_owned())
}

#[test]
fn the_first_alias_that_is_not_null_counts() {
    assert_eq!(gold(r#"{"output": "o", "gold": "g"}"#), Ok("g".into()));
    assert_eq!(gold(r#"{"gold": "g", "expected": "e"}"#), Ok("e".into()));
    assert_eq!(gold(r#"{"gold": "g", "expected": null}"#), Ok("g".into()));
    assert_eq!(
        gold(r#"{"expected_options": ["a", "b"]}"#),
        Ok("a\nb".into())
    );
    let row = r#"{"model_output": "m", "prediction": "p", "generated": "g"}"#;
    assert_eq!(prediction(row), Ok("g".into()));
    // Of equal keys the last counts, and takes back what came before.
    assert_eq!(gold(r#"{"gold": "a", "gold": "b"}"#), Ok("b".into()));
    assert_eq!(
        gold(r#"{"expected": "a", "expected": null, "output": "b"}"#),
        Ok("b".into())
    );
}

#[test]
fn values_of_any_kind_read_as_text() {
    assert_eq!(gold(r#"{"gold": 1.50}"#), Ok("1.50".into()));
    assert_eq!(gold(r#"{"gold": true}"#), Ok("true".into()));
    assert_eq!(gold(r#"{"gold": ""}"#), Ok(String::new()));
    assert_eq!(
        gold(r#"{"gold": "\u2227\n\"\ud83d\ude00"}"#),
        Ok("∧\n\"😀".into())
    );
    assert_eq!(gold(r#"{"gold": {"a": [1]}}"#), Ok(r#"{"a": [1]}"#.into()));
    assert_eq!(gold(r#"{"\u0067old": "g"}"#), Ok("g".into()));
    assert_eq!(prediction(r#"{"prediction": ["a", 2]}"#), Ok("a\n2".into()));
    assert_eq!(prediction(r#"{"prediction": []}"#), Ok(String::new()));
    assert_eq!(prediction(r#"{"prediction": ""}"#), Ok(String::new()));
}

#[test]
fn what_cannot_be_used_says_why() {
    assert_eq!(gold("{}"), Err("missing_gold"));
    assert_eq!(gold(r#"{"gold": null}"#), Err("missing_gold"));
    assert_eq!(gold(r#"{"gold": []}"#), Err("missing_gold"));
    assert_eq!(gold(r#"{"gold": ["a", null]}"#), Err("bad_gold"));
    assert_eq!(
        prediction(r#"{"prediction": null}"#),
        Err("missing_prediction")
    );
    assert_eq!(
        prediction(r#"{"prediction": [null]}"#),
        Err("bad_prediction")
    );
    for (text, reason) in [
        ("", "malformed_json"),
        ("{", "malformed_json"),
        ("{\"gold\": \"a\"} x", "malformed_json"),
        ("{\"gold\": \"a\",}", "malformed_json"),
        ("nul", "malformed_json"),
        ("[1]", "not_an_object"),
        ("\"gold\"", "not_an_object"),
    ] {
        assert_eq!(gold(text), Err(reason), "{text}");
    }
    let deep = |n: usize| format!("{{\"x\": {}{}, \"gold\": 1}}", "[".repeat(n), "]".repeat(n));
    assert_eq!(gold(&deep(DEPTH - 1)), Ok("1".into()));
    assert_eq!(gold(&deep(DEPTH)), Err("too_deep"));
    assert_eq!(gold(&deep(1_000_000)), Err("too_deep"));
}

#[test]
fn numbers_that_mean_nothing_are_not_there() {
    let tokens = |text: &str| {
        let row = format!("{{\"tokens_input\": {text}, \"latency_ms\": {text}}}");
        let row = Row::read(row.as_bytes()).unwrap();
        (row.tokens_input(), row.latency_ms())
    };
    assert_eq!(tokens("12"), (Some(12), Some(12.0)));
    assert_eq!(tokens("12.0"), (Some(12), Some(12.0)));
    assert_eq!(tokens("\"12\""), (Some(12), Some(12.0)));
    assert_eq!(tokens("1.5"), (None, Some(1.5)));
    assert_eq!(tokens("0"), (Some(0), Some(0.0)));
    for nothing in [
        "-1", "NaN", "Infinity", "1e999", "null", "true", "\"\"", "[1]", "{}",
    ] {
        assert_eq!(tokens(nothing), (None, None), "{nothing}");
    }
    let exact = |text: &str| {
        let row = format!("{{\"exact_match\": {text}}}");
        Row::read(row.as_bytes()).unwrap().exact_match()
    };
    assert_eq!(
        [exact("true"), exact("0"), exact("1.0")],
        [Some(true), Some(false), Some(true)]
    );
    assert_eq!([exact("null"), exact("2"), exact("\"x\"")], [None; 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn texts_survive(gold_text in ".*", said in ".*", key in 0usize..4) {
        let row = serde_json::json!({GOLD_KEYS[key]: gold_text, "x": [said], "generated": said});
        prop_assert_eq!(gold(&row.to_string()), Ok(gold_text));
        prop_assert_eq!(prediction(&row.to_string()), Ok(said));
    }

    #[test]
    fn nothing_panics(text in r#"[\{\}\[\]",:a-d0-9\\ ]{0,60}"#) {
        let _ = gold(&text);
        let _ = prediction(&text);
    }
}
