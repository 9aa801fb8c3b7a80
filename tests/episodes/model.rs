//! Eval files against the published Pydantic model, checked in Python.

use crate::data::{cases, eval, fixture, score_case, write_eval};
use crate::support::{Place, oracle_says, python};
use serde_json::json;

#[test]
fn every_eval_file_that_is_written_passes() {
    let place = Place::new();
    let mut files = Vec::new();
    for case in cases(&place, [400, 410, 8, 12]) {
        for mode in ["coord", "som"] {
            place.judica(&score_case(&case, mode)).exits(0);
            let folder = case["folder"].as_str().expect("a name");
            let name = format!("{folder}-{mode}.json");
            place.write(&name, place.read(&format!("{folder}/out/eval.json")));
            files.push(name);
        }
    }
    if files.is_empty() {
        return;
    }
    let files = files.join(" ");
    place
        .judica(&format!("schema validate --strict {files}"))
        .exits(0);
    oracle_says(&place, "eval_model.py", &files);
}

#[test]
fn the_published_examples_pass_and_so_do_later_versions() {
    let place = Place::new();
    let names = [
        "v1.0-unmarked-coord.json",
        "v1.0-unmarked-som.json",
        "v1.0-unknown-metrics.json",
        "v1.0-marked.json",
        "v1.7-future-minor.json",
    ];
    for name in names {
        fixture(&place, name);
    }
    let files = names.join(" ");
    place.judica(&format!("schema validate {files}")).exits(0);
    oracle_says(&place, "eval_model.py", &files);
}

#[test]
fn what_the_model_refuses_is_invalid() {
    let place = Place::new();
    let wrong = [
        ("action_type_accuracy", json!(1.2)),
        ("action_type_accuracy", json!(-0.1)),
        ("action_type_accuracy", json!(null)),
        ("num_steps", json!(-1)),
        ("num_steps", json!(1.5)),
        ("coord_error_count", json!(null)),
        ("mean_coord_error", json!(-0.5)),
        ("click_hit_rate", json!(1.000_001)),
        ("element_accuracy", json!([])),
    ];
    let mut files = Vec::new();
    for (at, (metric, value)) in wrong.iter().enumerate() {
        let name = format!("{at}.json");
        write_eval(&place, &name, &eval("b", json!({ *metric: value })));
        place
            .judica(&format!("schema validate {name}"))
            .exits(2)
            .says(&[&format!("{name}:1"), &format!("/metrics/{metric}")]);
        files.push(name);
    }
    let Some(asked) = python(&place, "eval_model.py", &files.join(" ")) else {
        return;
    };
    let complaint = String::from_utf8_lossy(&asked.stderr);
    assert_eq!(asked.status.code(), Some(1), "{complaint}");
    let said = String::from_utf8_lossy(&asked.stdout);
    for (name, (metric, _)) in files.iter().zip(&wrong) {
        assert!(said.contains(&format!("{name}: {metric}\n")), "{said}");
    }
}
