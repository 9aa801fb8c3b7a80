//! Rows on which a judge gave no verdict: missing, not wrong, and never left out in silence.

use serde_json::{Value, json};

use crate::answers::data::{efficiency, model, notes, printed, ranking, row, three, with};
use crate::support::Place;

/// A judged document of `rows` answers, with the verdicts of some of them.
fn judged(name: &str, rows: &[Value]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .enumerate()
        .map(|(number, how)| {
            let row = with(row("<<A>>F p", "<<A>>G p"), json!({"id": number}));
            with(row, how.clone())
        })
        .collect();
    json!({"model": name, "judge_model": "gpt", "detailed_results": rows})
}

fn said(correct: &str) -> Value {
    json!({"correct": correct, "decision_method": "llm", "parse_status": "ok"})
}

/// As a row stands in a document when the server was gone.
fn unanswered() -> Value {
    json!({"correct": null, "decision_method": "llm", "parse_status": "error"})
}

/// Three models; the judge answered half of the questions about the best one.
fn place() -> Place {
    let place = three();
    let write = |name: &str, rows: &[Value]| {
        let document = judged(name, rows).to_string();
        place.write(&format!("judged/gpt/{name}.json"), document);
    };
    write(
        "big",
        &[said("yes"), said("yes"), unanswered(), unanswered()],
    );
    write(
        "small",
        &[said("yes"), said("yes"), said("yes"), said("no")],
    );
    write("worse", &[said("no"), said("no"), said("no"), said("no")]);
    place
}

#[test]
fn a_model_with_unanswered_rows_has_no_accuracy_but_bounds() {
    let report = efficiency(&place(), "--judged judged");
    let big = model(&report, "big");
    assert_eq!(big["accuracy"], json!(null));
    assert_eq!(big["accuracy_ci"], json!(null));
    assert_eq!(big["accuracy_undefined"], "2 of 4 rows have no verdict");
    assert_eq!(big["accuracy_bounds"], json!([0.5, 1.0]));
    assert_eq!(big["accuracy_n"], 2);
    assert_eq!(big["accuracy_missing"], 2);
    assert_eq!(big["accuracy_source"], "judge");
    assert_eq!(big["accuracy_per_second"], json!(null));
    // Not the best for the answers that it did get.
    let expected = [(1, "small".to_owned()), (2, "worse".to_owned())];
    assert_eq!(ranking(&report, "most_accurate"), expected);
    assert!(
        notes(
            &report,
            &[
                "`big`",
                "2 of 4 rows have no verdict",
                "between 0.500 and 1.000"
            ]
        ),
        "{report}"
    );
    let small = model(&report, "small");
    assert_eq!(small["accuracy"], 0.75);
    assert_eq!(small["accuracy_missing"], 0);
    place()
        .judica("efficiency -p preds --judged judged")
        .exits(0)
        .says(&["n/a", "2 of 4 rows have no verdict"]);
}

#[test]
fn a_document_in_which_nothing_was_answered_does_not_become_exact_match() {
    let place = place();
    let document = judged("big", &vec![unanswered(); 4]).to_string();
    place.write("judged/gpt/big.json", document);
    let report = efficiency(&place, "--judged judged");
    let big = model(&report, "big");
    assert_eq!(big["accuracy_source"], "judge");
    assert_eq!(big["accuracy"], json!(null));
    assert_eq!(big["accuracy_bounds"], json!([0.0, 1.0]));
}

#[test]
fn predictions_that_no_judge_saw_are_missing_too() {
    let place = place();
    let document = judged("big", &[said("yes"), said("yes"), said("no")]).to_string();
    place.write("judged/gpt/big.json", document);
    let report = efficiency(&place, "--judged judged");
    let big = model(&report, "big");
    assert_eq!(big["accuracy"], json!(null));
    assert_eq!(big["accuracy_undefined"], "1 of 4 rows have no verdict");
    assert_eq!(big["accuracy_bounds"], json!([0.5, 0.75]));
}

#[test]
fn a_verdict_that_nobody_can_read_is_none() {
    let place = place();
    let odd = json!({"correct": "maybe"});
    let document = judged("big", &[said("yes"), said("yes"), said("no"), odd]);
    place.write("judged/gpt/big.json", document.to_string());
    let report = efficiency(&place, "--judged judged");
    assert_eq!(model(&report, "big")["accuracy_missing"], 1);
    // The same document among the predictions.
    let own = Place::new();
    own.write("preds/big.json", document.to_string());
    let report = efficiency(&own, "");
    assert_eq!(model(&report, "big")["accuracy"], json!(null));
    assert_eq!(model(&report, "big")["accuracy_bounds"], json!([0.5, 0.75]));
}

#[test]
fn one_document_is_not_the_judgment_of_two_files() {
    let place = Place::new();
    let rows = json!([with(row("p", "p"), json!({"id": 1}))]);
    for folder in ["a", "b"] {
        let file = json!({"model": folder, "predictions": rows});
        place.write(&format!("preds/{folder}/run.json"), file.to_string());
    }
    let document = json!({
        "judge_model": "gpt", "source_file": "run.json",
        "detailed_results": [{"input": "x", "gold": "p", "prediction": "p", "correct": "yes"}],
    });
    place.write("judged/gpt/run__judge-gpt.json", document.to_string());
    place
        .judica("efficiency -p preds --judged judged")
        .exits(2)
        .complains(&[
            "preds/a/run.json",
            "preds/b/run.json",
            "run__judge-gpt.json",
        ]);
    // Nor are two documents the judgment of one file.
    place.write("judged/gpt/again.json", document.to_string());
    place
        .judica("efficiency -p preds/a --judged judged")
        .exits(2)
        .complains(&["run__judge-gpt.json", "again.json"]);
}

#[test]
fn what_cannot_be_read_is_told_if_it_is_needed() {
    let place = place();
    place.write("judged/gpt/summary.json", "{\"overall\": 0.5}");
    let report = printed(
        &place
            .judica("efficiency -p preds --judged judged --json")
            .exits(0),
    );
    assert!(notes(&report, &["summary (cannot be read)"]), "{report}");
    place.write("judged/gpt/big.json", "{\"overall\": 0.5}");
    place
        .judica("efficiency -p preds --judged judged")
        .exits(2)
        .complains(&["big.json", "no rows"]);
}
