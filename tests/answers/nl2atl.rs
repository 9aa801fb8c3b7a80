//! The files of the project that the formats come from, as they are.

use serde_json::{Value, json};

use crate::answers::data::{efficiency, model, notes, printed};
use crate::support::Place;

const PREDICTIONS: &str = "outputs/model_predictions";
const JUDGED: &str = "outputs/LLM-evaluation/evaluated_datasets";

/// A row of predictions: the joined text beside the list, tokens in an object.
fn row(id: &str, golds: &[&str], generated: &str, tokens: Value) -> Value {
    json!({
        "id": id, "input": format!("question {id}"), "expected": golds.join("\n"),
        "expected_options": golds, "generated": generated,
        "exact_match": golds == [generated], "latency_ms": 100.5,
        "generation_config": {"temperature": 0.0, "max_new_tokens": 128},
        "token_usage": tokens, "usage_estimated": id == "4",
    })
}

fn run(run_id: &str, model: &str) -> Value {
    let tokens = || json!({"input_tokens": 100, "output_tokens": 10});
    json!({
        "metadata": {
            "run_id": run_id, "model": format!("org/{model}"), "model_short": model,
            "condition": "baseline_zero_shot", "seed": 42, "total_samples": 4,
            "latency_mean_ms": 100.5, "metrics": {"n_examples": 4, "exact_match": 0.25},
        },
        "predictions": [
            row("1", &["<<A>>F p"], "<<A>>F p", tokens()),
            // In another order than the joined text has it.
            row("2", &["<<A>>F p", "<<B>>G q"], "<<B>>G q\n<<A>> F p", tokens()),
            row("3", &["<<A>>F p"], "<<A>>G p", json!({"tokens_input": 50, "tokens_output": 5})),
            row("4", &["<<A>>F p"], "", tokens()),
        ],
    })
}

fn judged(run_id: &str, model: &str) -> Value {
    let row = |id: &str, golds: &[&str], prediction: &str, correct: &str, how: [&str; 2]| {
        json!({
            "input": format!("question {id}"), "gold": golds.first().copied().unwrap_or(""),
            "gold_options": golds, "prediction": prediction, "correct": correct,
            "reasoning": "…", "decision_method": how[0], "prompt_version": "v1",
            "judge_prompt_sha256": null, "raw_judge_response": null,
            "judge_parse_status": how[1], "judge_latency_ms": null, "from_cache": false,
            "id": id,
        })
    };
    let exact = ["exact", "not_called_exact_match"];
    json!({
        "run_id": run_id, "model": format!("org/{model}"), "model_short": model, "seed": 42,
        "condition": "baseline_zero_shot", "judge_model": "gpt-5.2", "judge_provider": "azure",
        "prompt_version": "v1", "source_file": format!("{run_id}.json"),
        "detailed_results": [
            row("1", &["<<A>>F p"], "<<A>>F p", "yes", exact),
            row("2", &["<<A>>F p", "<<B>>G q"], "x", "yes", ["llm", "parsed"]),
            row("3", &["<<A>>F p"], "<<A>>G p", "no", ["content_filtered", "content_filtered"]),
            row("4", &[], "", "no", ["unmatched", "not_called_missing_data"]),
        ],
    })
}

/// Two runs, one of them in a folder of its own, and a judge's documents about them.
fn place() -> Place {
    let place = Place::new();
    for (folder, run_id, model) in [("", "qwen_zero", "qwen"), ("few/", "phi_few", "phi")] {
        let predictions = run(run_id, model).to_string();
        place.write(&format!("{PREDICTIONS}/{folder}{run_id}.json"), predictions);
        let document = judged(run_id, model).to_string();
        let name = format!("{run_id}__judge-gpt-5.2.json");
        place.write(&format!("{JUDGED}/gpt-5.2/{name}"), document);
    }
    place
}

#[test]
fn match_reads_predictions_in_folders_below() {
    let place = place();
    let line = format!("match -p {PREDICTIONS} --json --details d.jsonl");
    let report = printed(&place.judica(&line).exits(0));
    let told: Vec<Value> = report["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| json!([file["dataset"], file["normalizer"], file["counts"]["exact"]]))
        .collect();
    assert_eq!(
        told,
        [json!(["phi_few", "atl", 2]), json!(["qwen_zero", "atl", 2])]
    );
    assert_eq!(report["rejects"], 0);
    assert_eq!(report["total_tokens_input"], 700);
    assert_eq!(report["total_tokens_output"], 70);
    assert_eq!(report["tokens_rows"], 8);
}

#[test]
fn files_of_one_name_are_told_apart_by_their_folders() {
    let place = Place::new();
    for seed in ["42", "43"] {
        let predictions = run("qwen_zero", "qwen").to_string();
        place.write(&format!("{PREDICTIONS}/{seed}/qwen_zero.json"), predictions);
    }
    let line = format!("match -p {PREDICTIONS} --json");
    let report = printed(&place.judica(&line).exits(0));
    let names: Vec<&Value> = report["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| &file["dataset"])
        .collect();
    assert_eq!(names, ["42__qwen_zero", "43__qwen_zero"]);
}

#[test]
fn efficiency_joins_documents_by_what_they_say_they_are_about() {
    let place = place();
    let line = format!("efficiency -p {PREDICTIONS} --judged {JUDGED} --json");
    let report = printed(&place.judica(&line).exits(0));
    assert_eq!(report["judge"], "gpt-5.2");
    for (at, run_id, name) in [(0, "phi_few", "org/phi"), (1, "qwen_zero", "org/qwen")] {
        let model = model(&report, name);
        // Unmatched rows count, and the other number stands beside.
        assert_eq!(model["accuracy"], 0.5);
        assert_eq!(model["accuracy_n"], 4);
        assert_eq!(model["accuracy_without_unmatched"], 2.0 / 3.0);
        assert_eq!(model["accuracy_unmatched"], 1);
        assert_eq!(model["accuracy_source"], "judge");
        assert_eq!(
            model["tokens"],
            json!({"n": 4, "input": 350, "output": 35, "total": 385})
        );
        assert_eq!(model["runs"], json!([run_id]));
        let document = format!("{JUDGED}/gpt-5.2/{run_id}__judge-gpt-5.2.json");
        assert_eq!(report["files"][at]["judged"], document.as_str());
    }
    assert_eq!(report["rejects"], 0);
    assert!(
        notes(
            &report,
            &["without gold or prediction", "1 of them", "0.667"]
        ),
        "{report}"
    );
    assert!(
        notes(&report, &["tokens are estimates in 1 of 4 rows"]),
        "{report}"
    );
    assert!(!notes(&report, &["not among the predictions"]), "{report}");
}

#[test]
fn documents_may_be_the_predictions_themselves() {
    let place = Place::new();
    place.write("preds/a.json", judged("qwen_zero", "qwen").to_string());
    let report = efficiency(&place, "");
    let model = model(&report, "org/qwen");
    assert_eq!(model["accuracy"], 0.5);
    assert_eq!(model["accuracy_without_unmatched"], 2.0 / 3.0);
    assert_eq!(report["judge"], "gpt-5.2");
    assert_eq!(report["rejects"], 0);
}

#[test]
fn what_the_project_reads_more_tolerantly_stays_undecided() {
    for (gold, said) in [
        ("<<security_system>>F p", "<<SecuritySystem>>F p"),
        ("<<A>>(p || q)", "<<A>>(p ||| q)"),
    ] {
        assert_eq!(
            crate::answers::data::method(gold, said, ""),
            "undecided",
            "{gold}"
        );
    }
}

#[test]
fn judging_without_a_model_reads_them_too() {
    let place = place();
    let line = format!("judge -p {PREDICTIONS} --no-llm --out judged --json");
    let report = printed(&place.judica(&line).exits(0));
    let datasets = &report["judges"][0]["datasets"];
    assert_eq!(datasets[0]["dataset"], "phi_few");
    assert_eq!(datasets[0]["normalizer"], "atl");
    assert_eq!(datasets[0]["metrics"]["accuracy"], 0.5);
    assert_eq!(datasets[0]["metrics"]["accuracy_without_unmatched"], 0.5);
    let document = place.json("judged/no_llm/qwen_zero.json");
    assert_eq!(document["normalizer"], "atl");
    assert_eq!(document["tolerance"], json!(null));
    let second = &document["detailed_results"][1];
    assert_eq!(second["gold"], json!(["<<A>>F p", "<<B>>G q"]));
    assert_eq!(second["decision_method"], "exact");
    assert_eq!(second["source_expected"], "<<A>>F p\n<<B>>G q");
}
