//! Eval files against the published Pydantic model, checked in Python.

use crate::data::{SCORE, eval, fixture, two, write_eval};
use crate::support::{Place, oracle_says, python};
use serde_json::json;

#[test]
fn every_eval_file_that_is_written_passes() {
    let place = two();
    for mode in ["coord", "som"] {
        place.judica(&format!("{SCORE} --mode {mode}")).exits(0);
        oracle_says(&place, "eval_model.py", "out/eval.json");
    }
    for seed in 400..412 {
        let place = Place::new();
        let make = format!("--seed {seed} --episodes 12 --out .");
        let Some(options) = oracle_says(&place, "episodes_cases.py", &make) else {
            return;
        };
        let options = String::from_utf8(options).expect("text");
        for mode in ["coord", "som"] {
            place
                .judica(&format!("{SCORE} --mode {mode} {}", options.trim()))
                .exits(0);
            place
                .judica("schema validate out/eval.json --strict")
                .exits(0);
            oracle_says(&place, "eval_model.py", "out/eval.json");
        }
    }
}

#[test]
fn the_published_examples_pass_and_so_do_later_versions() {
    let place = Place::new();
    for name in [
        "v1.0-unmarked-coord.json",
        "v1.0-unmarked-som.json",
        "v1.0-unknown-metrics.json",
        "v1.0-marked.json",
        "v1.7-future-minor.json",
    ] {
        fixture(&place, name);
        oracle_says(&place, "eval_model.py", name);
        place.judica(&format!("schema validate {name}")).exits(0);
    }
}

#[test]
fn what_the_model_refuses_is_invalid() {
    let place = Place::new();
    for metrics in [
        json!({"action_type_accuracy": 1.2}),
        json!({"action_type_accuracy": -0.1}),
        json!({"action_type_accuracy": null}),
        json!({"num_steps": -1}),
        json!({"num_steps": 1.5}),
        json!({"coord_error_count": null}),
        json!({"mean_coord_error": -0.5}),
        json!({"click_hit_rate": 1.000_001}),
        json!({"element_accuracy": []}),
    ] {
        write_eval(&place, "x.json", &eval("b", metrics.clone()));
        let Some(asked) = python(&place, "eval_model.py", "x.json") else {
            return;
        };
        assert_eq!(asked.status.code(), Some(1), "{metrics}");
        let ran = place.judica("schema validate x.json").exits(2);
        let name = metrics
            .as_object()
            .and_then(|m| m.keys().next())
            .expect("a metric");
        ran.says(&["x.json:1", &format!("/metrics/{name}")]);
    }
}
