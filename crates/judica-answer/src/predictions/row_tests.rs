use super::*;
use judica_data::row_keys::OUTPUTS;
use judica_data::rows::DEPTH;
use proptest::prelude::*;
use std::sync::LazyLock;

fn usual() -> &'static Columns {
    static USUAL: LazyLock<Columns> = LazyLock::new(Columns::default);
    &USUAL
}

fn gold(text: &str) -> Result<String, &'static str> {
    let row = Row::read(usual(), text.as_bytes()).map_err(|refusal| refusal.reason)?;
    let gold = row
        .gold(Arrays::Several)
        .map_err(|refusal| refusal.reason)?;
    Ok(gold.shown())
}

fn prediction(text: &str) -> Result<String, &'static str> {
    let row = Row::read(usual(), text.as_bytes()).map_err(|refusal| refusal.reason)?;
    let gold = Gold::one("");
    let prediction = row.prediction(Arrays::Several, &gold);
    let prediction = prediction.map_err(|refusal| refusal.reason)?;
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
fn lists_of_gold_go_first() {
    let both = r#"{"expected": "q\np", "gold": "x", "expected_options": ["p", "q"]}"#;
    assert_eq!(gold(both), Ok("p\nq".into()));
    assert_eq!(
        gold(r#"{"gold_options": ["a"], "expected_options": ["b"]}"#),
        Ok("b".into())
    );
    // A list that holds nothing says nothing.
    let empty = r#"{"gold": "", "gold_options": [ ], "expected_options": []}"#;
    assert_eq!(gold(empty), Ok(String::new()));
    assert_eq!(gold(r#"{"gold_options": []}"#), Err("missing_gold"));
    assert_eq!(gold(r#"{"gold_options": [null]}"#), Err("bad_gold"));
    assert_eq!(gold(r#"{"reference": "r", "output": "o"}"#), Ok("r".into()));
}

#[test]
fn outputs_are_gold_if_they_are_formulas() {
    let two = r#"{"outputs": [{"formula": "p", "n": 1}, {"formula": "q"}], "expected": "x"}"#;
    assert_eq!(gold(two), Ok("p\nq".into()));
    for other in [
        r#""p""#,
        "[]",
        r#"["p"]"#,
        r#"[{"formula": "p"}, "q"]"#,
        r#"[{"formula": null}]"#,
        r#"{"formula": "p"}"#,
    ] {
        let row = format!(r#"{{"outputs": {other}, "expected": "x"}}"#);
        assert_eq!(gold(&row), Ok("x".into()), "{other}");
        let row = format!(r#"{{"outputs": {other}}}"#);
        assert_eq!(gold(&row), Err("missing_gold"), "{other}");
    }
}

#[test]
fn output_is_gold_or_prediction() {
    let row = r#"{"output": "o", "prediction": "p"}"#;
    assert_eq!(
        (gold(row), prediction(row)),
        (Ok("o".into()), Ok("p".into()))
    );
    let row = r#"{"output": "o", "gold": "g"}"#;
    assert_eq!(
        (gold(row), prediction(row)),
        (Ok("g".into()), Ok("o".into()))
    );
    let row = r#"{"output": "o", "gold": "g", "prediction": "p"}"#;
    assert_eq!(
        (gold(row), prediction(row)),
        (Ok("g".into()), Ok("p".into()))
    );
    let row = r#"{"output": "o"}"#;
    assert_eq!(
        (gold(row), prediction(row)),
        (Ok("o".into()), Err("missing_prediction"))
    );
    let row = r#"{"output": "o", "outputs": [{"formula": "f"}]}"#;
    assert_eq!(
        (gold(row), prediction(row)),
        (Ok("f".into()), Ok("o".into()))
    );
}

#[test]
fn an_array_may_be_one_answer() {
    let read = |text: &str| {
        let row = Row::read(usual(), text.as_bytes()).unwrap();
        let gold = row.gold(Arrays::One).unwrap();
        let said = row.prediction(Arrays::One, &gold).unwrap();
        (gold.formulas().to_vec(), said.into_owned())
    };
    let one = |gold: &str, said: &str| (vec![gold.to_owned()], said.to_owned());
    assert_eq!(
        read(r#"{"gold": [1, [2, null]], "prediction": [1]}"#),
        one("[1, [2, null]]", "[1]")
    );
    assert_eq!(read(r#"{"gold": [], "prediction": []}"#), one("[]", "[]"));
    let several = read(r#"{"gold_options": ["[1]", "2"], "prediction": [2, "[1]"]}"#);
    assert_eq!(several, (vec!["[1]".into(), "2".into()], "2\n[1]".into()));
}

#[test]
fn tokens_may_stand_in_an_object() {
    let tokens = |text: &str| {
        let row = format!("{{\"token_usage\": {text}}}");
        let row = Row::read(usual(), row.as_bytes()).unwrap();
        (row.tokens_input(), row.tokens_output())
    };
    let both = (Some(12), Some(3));
    assert_eq!(tokens(r#"{"input_tokens": 12, "output_tokens": 3}"#), both);
    assert_eq!(tokens(r#"{"tokens_input": 12, "tokens_output": 3}"#), both);
    for nothing in ["null", "{}", "3", "[12, 3]", r#"{"input_tokens": -1}"#] {
        assert_eq!(tokens(nothing), (None, None), "{nothing}");
    }
    let own = br#"{"tokens_input": 1, "token_usage": {"input_tokens": 12, "output_tokens": 3}}"#;
    let row = Row::read(usual(), own).unwrap();
    assert_eq!(
        (row.tokens_input(), row.tokens_output()),
        (Some(1), Some(3))
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
        let row = Row::read(usual(), row.as_bytes()).unwrap();
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
        Row::read(usual(), row.as_bytes()).unwrap().exact_match()
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
    fn texts_survive(gold_text in ".*", said in ".*", key in 0usize..GOLD_KEYS.len()) {
        prop_assume!(GOLD_KEYS[key] != OUTPUTS);
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

fn columns(said: &[&str]) -> Columns {
    let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
    Columns::new(&said).unwrap()
}

#[test]
fn fields_stand_where_the_user_says_and_nowhere_else() {
    let text = br#"{"expected_options": ["x"], "gold": "y", "label": "g", "output": "o",
        "answer": {"text": "a"}, "q": "7/8", "turn": 2}"#;
    let named = columns(&["gold=label", "prediction=/answer/text", "item=q,turn"]);
    let row = Row::read(&named, text).unwrap();
    let gold = row.gold(Arrays::Several).unwrap();
    assert_eq!(gold, Gold::one("g"));
    assert_eq!(row.prediction(Arrays::Several, &gold).unwrap(), "a");
    assert_eq!(row.id().as_deref(), Some("7~18/2"));
    assert_eq!(row.keys().unwrap()[1..], ["label", "/answer/text"]);
    // What is not there is not looked for elsewhere.
    let row = Row::read(&named, br#"{"output": "o", "gold": "y", "q": 1}"#).unwrap();
    let missing = row.gold(Arrays::Several).unwrap_err();
    assert_eq!(missing.detail, "no gold: expected it under `label`");
    assert_eq!(
        row.prediction_value().unwrap_err().reason,
        "missing_prediction"
    );
    assert_eq!(row.check_id().unwrap_err().reason, "missing_id");
    let other = columns(&["gold=output"]);
    let row = Row::read(
        &other,
        br#"{"output": "o", "gold": "y", "prediction": "p"}"#,
    )
    .unwrap();
    assert_eq!(row.gold(Arrays::Several).unwrap(), Gold::one("o"));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for said in [
        &["colour=x"][..],
        &["gold"],
        &["gold=a", "gold=b"],
        &["gold=a", "prediction=a"],
        &["item=a,,b"],
        &["item=a,b,c,d,e"],
    ] {
        let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
        assert!(Columns::new(&said).is_err(), "{said:?}");
    }
    assert_eq!(
        columns(&["prediction=a", "prediction=b"]).subjects,
        ["a", "b"]
    );
}

#[test]
fn texts_of_a_run_of_which_one_will_do_are_read_as_they_were_kept() {
    let any = gold_of_run(r#"["Paris","Lutetia"]"#);
    assert_eq!(any, Gold::Any(vec!["Paris".into(), "Lutetia".into()]));
    assert_eq!(gold_of_run(&kept(&any)), any);
    for text in [
        "[1, 2]",
        r#"["one"]"#,
        "[p",
        "",
        "Paris",
        r#"{"all": []}"#,
        r#"{"all": [1, 2]}"#,
        r#"{"all": ["p"], "any": 1}"#,
        r#"{"all": "p"}"#,
    ] {
        assert_eq!(gold_of_run(text), Gold::one(text));
        assert_eq!(kept(&Gold::one(text)), text);
    }
}

#[test]
fn texts_of_a_run_that_are_all_required_are_read_as_they_were_kept() {
    let all = Gold::list(vec!["b".into(), "c".into()]);
    assert_eq!(kept(&all), r#"{"all":["b","c"]}"#);
    assert_eq!(gold_of_run(&kept(&all)), all);
    // A list of one is that text, and so is a text that reads as if it were several.
    assert_eq!(kept(&Gold::list(vec!["b".into()])), "b");
    for text in [
        r#"["a","b"]"#,
        r#"{"all":["a"]}"#,
        r#"{ "all": ["a", "b"] }"#,
    ] {
        let one = Gold::one(text);
        assert_ne!(kept(&one), text);
        assert_eq!(gold_of_run(&kept(&one)), one);
    }
}
