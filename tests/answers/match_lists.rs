//! Golds of several formulas: all are required, one on each line, as a multiset.

use serde_json::json;

use crate::answers::data::{matched, method};
use crate::support::Place;

#[test]
fn every_formula_is_required_in_any_order() {
    let gold = json!(["<<A>>F p", "<<B>>G q"]);
    for (prediction, expected) in [
        ("<<A>>F p\n<<B>>G q", "exact"),
        ("<<B>>G q\n<<A>>F p", "exact"),
        ("\n <<b>>g q \r\n\r\n<<A>> F p\n", "exact"),
        ("<<B>>(G q)\n<<A>>F p", "structural"),
        ("<<A>>F p", "undecided"),
        ("<<A>>F p\n<<A>>F p", "undecided"),
        ("<<A>>F p\n<<B>>G q\n<<B>>G q", "undecided"),
        ("<<A>>F p <<B>>G q", "undecided"),
        ("", "undecided"),
    ] {
        assert_eq!(
            method(gold.clone(), prediction, ""),
            expected,
            "{prediction}"
        );
    }
}

#[test]
fn as_often_as_the_gold_has_it() {
    let gold = json!(["p", "p", "q"]);
    assert_eq!(method(gold.clone(), "p\nq\np", ""), "exact");
    assert_eq!(method(gold.clone(), "p\nq\nq", ""), "undecided");
    assert_eq!(method(gold, "p\nq", ""), "undecided");
}

#[test]
fn pairs_are_found_where_structure_and_spelling_compete() {
    // The first line may pair with either formula by structure, with one by spelling.
    let gold = json!(["p && q", "q && p"]);
    assert_eq!(method(gold.clone(), "q && p\np && q", ""), "exact");
    assert_eq!(method(gold.clone(), "q && p\n(q) && p", ""), "structural");
    assert_eq!(method(gold, "q && p\nq && r", ""), "undecided");
}

#[test]
fn a_list_of_one_is_that_formula() {
    assert_eq!(method(json!(["<<A>>F p"]), "<<A>>\nF p", ""), "exact");
    assert_eq!(method(json!(["", "p"]), "p", ""), "exact");
}

#[test]
fn a_gold_text_of_several_lines_is_several_formulas() {
    assert_eq!(method("p && q\nr", "r\np && q", ""), "exact");
    assert_eq!(method("p && q\nr", "r\nq && p", ""), "structural");
    // One formula that was wrapped stays one.
    assert_eq!(method("(p &&\nq)", "(q && p)", ""), "structural");
}

#[test]
fn a_predicted_list_has_one_formula_in_each_element() {
    let gold = json!(["p", "q"]);
    assert_eq!(method(gold.clone(), json!(["q", "p"]), ""), "exact");
    assert_eq!(method(gold, json!(["q"]), ""), "undecided");
}

#[test]
fn other_normalisers_take_lists_the_same_way() {
    for (normalizer, gold, right, wrong) in [
        ("text", json!(["Ja", "Nein"]), "nein\nJA", "nein\nnein"),
        ("exact", json!(["a", "b"]), "b\na", "B\na"),
        ("number", json!(["1", 2]), "2.0\n1", "2\n2"),
    ] {
        let options = format!("--normalizer {normalizer}");
        assert_eq!(
            method(gold.clone(), right, &options),
            "exact",
            "{normalizer}"
        );
        assert_eq!(method(gold, wrong, &options), "undecided", "{normalizer}");
    }
}

#[test]
fn a_json_array_is_one_value_unless_it_stands_under_a_name_for_several() {
    let place = Place::new();
    let rows = [
        json!({"gold": [1, 2], "prediction": "[1, 2.0]"}),
        json!({"gold": [1, 2], "prediction": [1, 2]}),
        json!({"expected": [1, 2], "prediction": "[2, 1]"}),
        json!({"expected": [1, 2], "prediction": "2\n1"}),
        json!({"gold": [null, [3]], "prediction": "[null,[3]]"}),
        json!({"gold": [], "prediction": []}),
        json!({"gold": "[1]", "prediction": [1]}),
        json!({"expected_options": ["{\"a\":1}", "2"], "prediction": "2\n{\"a\": 1.0}"}),
        json!({"gold_options": [1, 2], "prediction": [2, 1]}),
        json!({"gold_options": [1, 2], "prediction": "[1, 2]"}),
        json!({"gold_options": [1, 2], "prediction": "2\n{}"}),
    ];
    let (report, methods) = matched(&place, &rows, "--normalizer json");
    let yes = "exact";
    let no = "undecided";
    assert_eq!(methods, [yes, yes, no, no, yes, yes, yes, yes, yes, no, no]);
    assert_eq!(report["rejects"], 0);
}

#[test]
fn lines_that_match_have_their_forms_in_the_details() {
    for (gold, prediction, options, form) in [
        (json!([1, 2]), "2\n1.0", "--normalizer number", "2\n1"),
        (
            json!(["{\"a\":1}", "2"]),
            "2\n{\"a\":1.0}",
            "--normalizer json",
            "2\n{\"a\":1}",
        ),
    ] {
        let key = if options.ends_with("json") {
            "expected_options"
        } else {
            "gold"
        };
        let row = json!({"input": "q", key: gold, "prediction": prediction});
        let place = Place::new();
        matched(&place, &[row], options);
        let details = place.json_lines("d.jsonl");
        assert_eq!(details[0]["matched"], true, "{details:?}");
        assert_eq!(details[0]["prediction"], form, "{details:?}");
    }
}
