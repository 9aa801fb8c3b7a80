//! Accuracy by a judge: the folder that `judica judge` writes, and documents among predictions.

use serde_json::{Value, json};

use crate::answers::data::{efficiency, model, near, notes, row, three, with};
use crate::support::Place;

/// A judged document of one model with these verdicts.
fn judged(name: &str, verdicts: &[Value]) -> Value {
    let rows: Vec<Value> = verdicts
        .iter()
        .enumerate()
        .map(|(number, verdict)| {
            let how = json!({"id": number, "correct": verdict, "decision_method": "llm"});
            with(row("<<A>>F p", "<<A>>G p"), how)
        })
        .collect();
    json!({"model": name, "judge_model": "gpt", "detailed_results": rows})
}

fn write(place: &Place, judge: &str, name: &str, verdicts: &[Value]) {
    let document = judged(name, verdicts).to_string();
    place.write(&format!("judged/{judge}/{name}.json"), document);
}

fn place() -> Place {
    let place = three();
    let [yes, no] = ["yes", "no"].map(Value::from);
    write(
        &place,
        "gpt",
        "big",
        &[yes.clone(), yes.clone(), yes.clone(), no.clone()],
    );
    write(
        &place,
        "gpt",
        "small",
        &[yes.clone(), yes.clone(), yes.clone(), yes],
    );
    write(
        &place,
        "gpt",
        "worse",
        &[no.clone(), no.clone(), no.clone(), no],
    );
    place
}

#[test]
fn the_judge_goes_before_exact_match() {
    let report = efficiency(&place(), "--judged judged");
    assert_eq!(report["judge"], "gpt");
    for (name, accuracy) in [("big", 0.75), ("small", 1.0), ("worse", 0.0)] {
        let model = model(&report, name);
        near(&model["accuracy"], accuracy);
        assert_eq!(model["accuracy_source"], "judge");
        // Everything else is the predictions'.
        assert_eq!(model["latency_ms"]["n"], 4);
    }
}

#[test]
fn verdicts_are_read_in_all_spellings() {
    let place = place();
    let said = [json!("Yes"), json!(true), json!(0), json!("incorrect")];
    write(&place, "gpt", "big", &said);
    let report = efficiency(&place, "--judged judged");
    let big = model(&report, "big");
    assert_eq!(big["accuracy_n"], 4);
    assert_eq!(big["accuracy"], 0.5);
}

#[test]
fn several_judges_need_a_choice() {
    let place = place();
    write(&place, "llama", "big", &vec![json!("no"); 4]);
    place
        .judica("efficiency -p preds --judged judged")
        .exits(2)
        .complains(&["gpt", "llama"]);
    let report = efficiency(&place, "--judged judged --judge llama");
    assert_eq!(report["judge"], "llama");
    assert_eq!(model(&report, "big")["accuracy"], 0.0);
    // The others were not judged, and do not pretend to be.
    assert_eq!(model(&report, "small")["accuracy_source"], "exact_match");
    assert!(notes(&report, &["some models were judged"]), "{report}");
    place
        .judica("efficiency -p preds --judged judged --judge lama")
        .exits(2)
        .complains(&["did you mean `llama`?"]);
    place.judica("efficiency -p preds --judge llama").exits(2);
}

#[test]
fn a_model_of_which_one_run_is_not_judged_is_not_judged() {
    let place = place();
    let mut second = crate::answers::data::run("big", 0, 1.0, [1, 1]);
    second["run_name"] = json!("other");
    place.write("preds/big2.json", second.to_string());
    let report = efficiency(&place, "--judged judged");
    let big = model(&report, "big");
    assert_eq!(big["accuracy_source"], "exact_match");
    near(&big["accuracy"], 0.5);
}

#[test]
fn a_folder_without_a_judge() {
    let place = three();
    place
        .judica("efficiency -p preds --judged none")
        .exits(3)
        .complains(&["none"]);
    std::fs::create_dir(place.path("judged")).expect("a folder");
    place
        .judica("efficiency -p preds --judged judged")
        .exits(2)
        .complains(&["no judged documents"]);
}

#[test]
fn rows_that_nobody_looked_at_are_no_judgment() {
    let place = place();
    let mut document = judged("big", &[json!("yes"), json!("no")]);
    document["detailed_results"][1]["decision_method"] = json!("no_llm");
    place.write("judged/gpt/big.json", document.to_string());
    let report = efficiency(&place, "--judged judged");
    assert_eq!(model(&report, "big")["accuracy_source"], "exact_match");
    assert!(notes(&report, &["without asking a model"]), "{report}");
}

#[test]
fn a_judged_document_among_the_predictions_brings_its_verdicts() {
    let place = Place::new();
    let document = judged("m", &[json!("yes"), json!("yes"), json!("no"), json!("no")]);
    place.write("preds/m.json", document.to_string());
    let report = efficiency(&place, "");
    assert_eq!(report["models"][0]["accuracy_source"], "judge");
    assert_eq!(report["models"][0]["accuracy"], 0.5);
}
