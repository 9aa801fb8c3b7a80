//! Runs that say little, and runs that cannot be used.

use serde_json::{Value, json};

use crate::answers::data::{efficiency, notes, printed, row, run, three, with};
use crate::support::{Place, raw_bytes};

/// No number of a report is made up: null has its reason beside it.
#[track_caller]
fn explained(value: &Value) {
    if let Value::Object(members) = value {
        for (key, inner) in members {
            let told = ["undefined", &format!("{key}_undefined")]
                .iter()
                .any(|reason| members.get(*reason).is_some_and(Value::is_string));
            let needs_none = ["judge", "judged", "prices", "source", "accuracy_ci"];
            if inner.is_null() && !needs_none.contains(&key.as_str()) {
                assert!(told || members.contains_key("cost"), "{key} of {value}");
            }
            explained(inner);
        }
    }
    if let Value::Array(elements) = value {
        elements.iter().for_each(explained);
    }
}

#[test]
fn no_prices_no_tokens_no_latencies() {
    let place = Place::new();
    place.write(
        "preds/a.json",
        json!({"model": "a", "predictions": [row("p", "p")]}).to_string(),
    );
    place.write(
        "preds/b.json",
        json!({"model": "b", "predictions": [row("p", "q")]}).to_string(),
    );
    let report = efficiency(&place, "--out out");
    explained(&report);
    for ranking in [
        "cheapest",
        "fastest",
        "accuracy_per_dollar",
        "accuracy_per_second",
    ] {
        assert_eq!(report["rankings"][ranking], json!([]), "{ranking}");
    }
    // Accuracy alone decides.
    assert_eq!(report["models"][0]["composite"]["score"], 1.0);
    assert_eq!(report["models"][1]["composite"]["score"], 0.0);
    assert!(notes(&report, &["`a`", "`b`", "no cost"]), "{report}");
    assert_eq!(
        place.names("out").len(),
        8,
        "figures without points are figures"
    );
}

#[test]
fn one_model_has_nobody_to_be_compared_with() {
    let place = Place::new();
    place.write("preds/a.json", run("a", 3, 10.0, [5, 5]).to_string());
    let report = efficiency(&place, "");
    explained(&report);
    let composite = &report["models"][0]["composite"];
    assert_eq!(composite["score"], json!(null));
    assert!(composite["score_undefined"].is_string(), "{composite}");
    assert_eq!(report["rankings"]["composite"], json!([]));
    assert_eq!(
        report["pareto"]["accuracy_latency"]["frontier"][0]["model"],
        "a"
    );
    // Its cost is not known, so it has no place in that plane.
    assert_eq!(report["pareto"]["accuracy_cost"]["frontier"], json!([]));
}

#[test]
fn numbers_that_mean_nothing_are_not_known() {
    let place = Place::new();
    let odd = [
        json!({"latency_ms": null, "tokens_input": null, "tokens_output": null}),
        json!({"latency_ms": -5, "tokens_input": -1, "tokens_output": 3}),
        json!({"latency_ms": "soon", "tokens_input": "many", "tokens_output": 3}),
        json!({"latency_ms": f64::MAX, "tokens_input": 1.5, "tokens_output": 1}),
    ];
    let rows: Vec<Value> = odd
        .into_iter()
        .enumerate()
        .map(|(number, more)| with(with(row("p", "p"), json!({"id": number})), more))
        .collect();
    place.write(
        "preds/a.json",
        json!({"model": "a", "predictions": rows[..3]}).to_string(),
    );
    let report = efficiency(&place, "");
    explained(&report);
    assert_eq!(report["models"][0]["latency_ms"]["n"], 0);
    assert_eq!(report["models"][0]["tokens"]["n"], 0);
    // The largest latency there is must not become an infinity somewhere.
    place.write(
        "preds/b.json",
        json!({"model": "b", "predictions": [rows[3], rows[3]]}).to_string(),
    );
    place.write(
        "preds/c.json",
        json!({"model": "c", "predictions": [rows[3]]}).to_string(),
    );
    place.write(
        "p.json",
        json!({"b": {"gpu_hour_usd": 1e308}, "c": {"gpu_hour_usd": 1e308}}).to_string(),
    );
    let ran = place
        .judica("efficiency -p preds --prices p.json --out out --json")
        .exits(0);
    explained(&printed(&ran));
}

#[test]
fn zero_time_and_nothing_right() {
    let place = Place::new();
    place.write("preds/a.json", run("a", 0, 0.0, [0, 0]).to_string());
    place.write("preds/b.json", run("b", 0, 0.0, [0, 0]).to_string());
    place.write("p.json", crate::answers::data::prices(&["a", "b"]));
    let report = efficiency(&place, "--prices p.json");
    explained(&report);
    let a = &report["models"][0];
    assert_eq!(a["accuracy"], 0.0);
    assert_eq!(a["cost"]["total_usd"], 0.0);
    assert_eq!(a["cost"]["per_1k_tokens_usd"], json!(null));
    assert_eq!(a["accuracy_per_second"], json!(null));
    assert_eq!(
        a["composite"]["score"],
        json!(null),
        "they differ in nothing"
    );
    // Equals do not beat each other.
    assert_eq!(
        report["pareto"]["accuracy_cost"]["frontier"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn rows_that_cannot_be_used() {
    let place = three();
    let text = "{\"input\": \"x\", \"gold\": \"p\", \"prediction\": \"p\"}\nnonsense\n{}\n";
    place.write("preds/extra.jsonl", text);
    let ran = place
        .judica("efficiency -p preds --out out --json")
        .exits(0);
    let report = printed(&ran);
    assert_eq!(
        json!([report["inputs"], report["records"], report["rejects"]]),
        json!([15, 13, 2])
    );
    assert!(notes(&report, &["extra.jsonl", "2 of 3 rows"]), "{report}");
    let rejects = place.json_lines("out/rejects.jsonl");
    let kept: Vec<Vec<u8>> = rejects.iter().map(raw_bytes).collect();
    assert_eq!(kept, [b"nonsense".to_vec(), b"{}".to_vec()]);
    assert_eq!(rejects[0]["line"], 2);
    place
        .judica("efficiency -p preds")
        .exits(0)
        .says(&["inputs 15 = records 13 + rejects 2"]);
    let strict = place.judica("efficiency -p preds --out strict --strict");
    strict.exits(2).complains(&["extra.jsonl:2:"]);
    place.nothing_in("strict");
}

#[test]
fn what_an_earlier_run_refused_does_not_stay() {
    let place = three();
    place.write("preds/extra.jsonl", "nonsense\n");
    efficiency(&place, "--rejects out/rejects.jsonl");
    assert_eq!(place.names("out"), ["rejects.jsonl"]);
    place.write("preds/extra.jsonl", format!("{}\n", row("p", "p")));
    efficiency(&place, "--rejects out/rejects.jsonl");
    place.nothing_in("out");
}

#[test]
fn a_report_among_the_predictions_is_refused_under_its_own_name() {
    let place = three();
    let ran = place.judica("efficiency -p preds --out preds").exits(2);
    ran.complains(&["--out preds/efficiency_report.json lies in preds"]);
    // Of an output that nobody named it is said where its name comes from.
    let ran = place.judica("match -p .").exits(2);
    ran.complains(&["the default of --rejects: rejects.jsonl lies in ."]);
}

#[test]
fn a_run_without_a_usable_row_has_no_accuracy() {
    let place = three();
    place.write(
        "preds/bad.json",
        r#"{"model": "bad", "predictions": [{"input": "x"}]}"#,
    );
    let report = efficiency(&place, "");
    explained(&report);
    let bad = crate::answers::data::model(&report, "bad");
    assert_eq!(bad["n"], 0);
    assert_eq!(bad["accuracy"], json!(null));
    assert_eq!(
        report["rankings"]["most_accurate"].as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn options_that_make_no_sense() {
    let place = three();
    for (options, words) in [
        ("-p preds --weights 1,2", "--weights"),
        ("-p preds --weights 0,0,0", "--weights"),
        ("-p preds --weights=-1,1,1", "--weights"),
        ("-p preds --weights nan,1,1", "--weights"),
        ("-p preds --by judge", "--by"),
        ("-p preds --out preds", "preds"),
        ("-p preds --out preds/deeper", "preds"),
        ("", "--predictions"),
    ] {
        place
            .judica(&format!("efficiency {options}"))
            .exits(2)
            .complains(&[words]);
    }
    place
        .judica("efficiency -p none")
        .exits(3)
        .complains(&["none"]);
    place.write("empty/e.jsonl", "");
    place
        .judica("efficiency -p empty")
        .exits(2)
        .complains(&["e.jsonl"]);
}
