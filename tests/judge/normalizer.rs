//! What decides without a model, and when another choice makes a document stale.

use serde_json::{Value, json};

use crate::judge::data::{judge, judged, place_with, yes};
use crate::support::Place;

fn place_of(rows: &[[&str; 2]]) -> Place {
    let place = Place::new();
    let rows: Vec<String> = rows
        .iter()
        .map(|[gold, said]| json!({"input": "x", "gold": gold, "prediction": said}).to_string())
        .collect();
    place.write_lines("preds/set.jsonl", &rows);
    place
}

fn methods(document: &Value) -> Vec<&str> {
    let rows = document["detailed_results"].as_array().expect("rows");
    rows.iter()
        .map(|row| row["decision_method"].as_str().expect("a method"))
        .collect()
}

#[test]
fn text_is_text_and_formulas_are_formulas() {
    let server = yes();
    let place = place_of(&[["the rapist", "therapist"], ["the  rapist", "The Rapist"]]);
    judge(&place, &server, "").exits(0).says(&["text"]);
    let document = judged(&place);
    assert_eq!(document["normalizer"], "text");
    assert_eq!(methods(&document), ["llm", "exact"]);
    let report = place.json("judged/judge_report.json");
    assert_eq!(report["judges"][0]["datasets"][0]["normalizer"], "text");
    let place = place_of(&[["<<A>>F(p && q)", "<<A>>F(q && p)"]]);
    judge(&place, &server, "").exits(0).says(&["atl"]);
    assert_eq!(judged(&place)["normalizer"], "atl");
    assert_eq!(methods(&judged(&place)), ["structural"]);
}

#[test]
fn to_name_what_would_be_taken_changes_nothing() {
    let (place, server) = (place_with(2), yes());
    judge(&place, &server, "").exits(0);
    let before = place.read("judged/m/set.json");
    for same in ["--normalizer atl", "--normalizer auto", ""] {
        judge(&place, &server, same).exits(0).says(&["current"]);
    }
    assert!(place.read("judged/m/set.json") == before);
    judge(&place, &server, "--normalizer text")
        .exits(0)
        .says(&["written"]);
    judge(&place, &server, "").exits(0).says(&["written"]);
    assert_eq!(judged(&place)["normalizer"], "atl");
}

#[test]
fn another_tolerance_decides_again() {
    let server = yes();
    let place = place_of(&[["10", "10.4"], ["10", "12"]]);
    judge(&place, &server, "--normalizer number").exits(0);
    assert_eq!(methods(&judged(&place)), ["llm", "llm"]);
    let usual = json!({"absolute": 0.0, "relative": 1e-9});
    assert_eq!(judged(&place)["tolerance"], usual);
    let wide = "--normalizer number --tolerance 0.5";
    judge(&place, &server, wide).exits(0).says(&["written"]);
    assert_eq!(methods(&judged(&place)), ["exact", "llm"]);
    judge(&place, &server, wide).exits(0).says(&["current"]);
    let relative = "--normalizer number --relative-tolerance 0.3";
    judge(&place, &server, relative).exits(0).says(&["written"]);
    assert_eq!(methods(&judged(&place)), ["exact", "exact"]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_document_from_before_tolerances_were_kept_has_the_usual_one() {
    let server = yes();
    let place = place_of(&[["10", "10.4"]]);
    judge(&place, &server, "--normalizer number").exits(0);
    let mut old = judged(&place);
    old.as_object_mut().expect("keys").remove("tolerance");
    place.write("judged/m/set.json", old.to_string());
    judge(&place, &server, "--normalizer number")
        .exits(0)
        .says(&["current"]);
    judge(&place, &server, "--normalizer number --tolerance 0.5")
        .exits(0)
        .says(&["written"]);
}

#[test]
fn a_forecast_says_by_what_it_decided() {
    let (place, server) = (place_with(2), yes());
    let ran = judge(&place, &server, "--dry-run --json").exits(0);
    let forecast: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(forecast["parts"][0]["normalizer"], "atl");
    assert!(server.requests().is_empty());
}
