//! `judica efficiency RUN…`: runs of any command, compared by their primary metric.

use serde_json::{Value, json};

use crate::answers::data::{lines, near, printed, row, with};
use crate::support::Place;

/// A run `name` of a model with so many right of four.
fn leave(place: &Place, name: &str, model: &str, right: usize, more: &Value) {
    let rows: Vec<Value> = (0..4)
        .map(|n| {
            let said = if n < right { "a b" } else { "c" };
            with(
                with(row("A  b", said), json!({"id": n, "model": model})),
                more.clone(),
            )
        })
        .collect();
    place.write(&format!("{name}.jsonl"), lines(&rows));
    place
        .judica(&format!("match -p {name}.jsonl --run {name} --dataset d"))
        .exits(0);
}

fn models(report: &Value) -> Vec<Value> {
    let models = report["models"].as_array().expect("models").iter();
    models
        .map(|model| {
            json!([
                model["model"],
                model["n"],
                model["accuracy"],
                model["accuracy_source"],
                model["accuracy_metric"],
                model["cost"]["source"],
                model["cost"]["total_usd"]
            ])
        })
        .collect()
}

#[test]
fn accuracy_is_the_primary_metric_and_costs_are_those_of_the_records() {
    let place = Place::new();
    let usage = json!({"latency_ms": 100, "tokens_input": 10, "tokens_output": 20, "usd": 0.25});
    leave(&place, "a", "big", 3, &usage);
    leave(
        &place,
        "b",
        "small",
        1,
        &json!({"latency_ms": 50, "usd": 0.5}),
    );
    let report = printed(&place.judica("efficiency a b --json --out e").exits(0));
    assert_eq!(
        models(&report),
        [
            json!(["big", 4, 0.75, "metric", "matched", "stated", 1.0]),
            json!(["small", 4, 0.25, "metric", "matched", "stated", 2.0]),
        ]
    );
    assert_eq!(report["normalizer"], Value::Null);
    assert_eq!(report["models"][0]["latency_ms"]["mean"], 100.0);
    assert_eq!(report["models"][0]["tokens"]["total"], 120);
    assert!(report["models"][1]["tokens"]["undefined"].is_string());
    assert!(report["models"][0]["accuracy_ci"][0].is_number());
    assert_eq!(
        (&report["inputs"], &report["rejects"]),
        (&json!(8), &json!(0))
    );
    assert_eq!(report["files"][1]["file"], "b");
    assert!(!place.path("e/rejects.jsonl").exists());
    place.judica("efficiency a b").exits(0).says(&["matched"]);
    // Prices that are given go before what records say.
    place.write(
        "prices.json",
        r#"{"big": {"price_input_per_1k": 1, "price_output_per_1k": 2}}"#,
    );
    let report = printed(
        &place
            .judica("efficiency a b --prices prices.json --json")
            .exits(0),
    );
    assert_eq!(report["models"][0]["cost"]["source"], "tokens");
    near(&report["models"][0]["cost"]["total_usd"], 0.2);
    assert_eq!(report["models"][1]["cost"]["source"], "stated");
}

#[test]
fn runs_and_files_stand_side_by_side_but_are_not_averaged() {
    let place = Place::new();
    leave(&place, "a", "big", 3, &json!({}));
    let other = json!({"model": "other", "predictions": [row("x y", "x y")]});
    place.write("p/f.json", other.to_string());
    let report = printed(&place.judica("efficiency a -p p --json").exits(0));
    assert_eq!(report["models"][1]["accuracy_source"], "exact_match");
    let notes = report["notes"].to_string();
    assert!(notes.contains("different metrics"), "{notes}");
    // The same model in both has two accuracies, which make none.
    let same = json!({"model": "big", "predictions": [row("x y", "x y")]});
    place.write("p/f.json", same.to_string());
    let report = printed(&place.judica("efficiency a -p p --json").exits(0));
    assert_eq!(report["models"][0]["accuracy"], Value::Null);
    let why = report["models"][0]["accuracy_undefined"].to_string();
    assert!(why.contains("measure different things"), "{why}");
}

#[test]
fn what_is_no_run_is_told() {
    let place = Place::new();
    place.write("f/x.json", "{}");
    place
        .judica("efficiency f")
        .exits(3)
        .complains(&["--run DIR"]);
    place.judica("efficiency nowhere").exits(3);
    leave(&place, "a", "m", 3, &json!({}));
    place
        .judica("efficiency a ./a")
        .exits(2)
        .complains(&["./a: this run is given twice"]);
    place.judica("efficiency").exits(2);
    place
        .judica(
            "efficiency gpu-cost --gpu-price-usd 1 --lifespan-years 1 --utilization 1 \
             --avg-watts 1 --electricity-usd-per-kwh 1",
        )
        .exits(0);
}
