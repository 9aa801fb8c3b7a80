//! Runs that ask nobody: `--no-llm` and `--dry-run`.

use crate::judge::data::{judge, judged, place_with, run, yes};
use crate::support::Place;

#[test]
fn without_a_model_what_does_not_match_is_no() {
    let place = Place::new();
    place.write_lines(
        "preds/set.jsonl",
        &[
            r#"{"input": "a", "gold": "<<A>>F p", "prediction": "<<A>>Fp"}"#,
            r#"{"input": "b", "gold": "<<A>>F p", "prediction": "<<A>>G p"}"#,
        ],
    );
    run(&place, "judge --predictions preds --no-llm --out judged").exits(0);
    let document = place.json("judged/no_llm/set.json");
    assert_eq!(document["judge_metrics"]["no_llm_fallback_count"], 1);
    assert_eq!(document["judge_metrics"]["accuracy"], 0.5);
    assert_eq!(document["prompt_hash"], serde_json::Value::Null);
    let row = &document["detailed_results"][1];
    assert_eq!(
        (&row["correct"], &row["decision_method"]),
        (&"no".into(), &"no_llm".into())
    );
    assert!(!place.path("judged/.judica").exists(), "no cache is needed");
    // A model that is asked later takes the place of nobody.
    let server = yes();
    judge(&place, &server, "--judge-name no_llm").exits(0);
    assert_eq!(
        place.json("judged/no_llm/set.json")["judge_metrics"]["accuracy"],
        1.0
    );
}

#[test]
fn verdicts_of_a_model_are_not_overwritten_by_nobodys() {
    let (place, server) = (place_with(2), yes());
    judge(&place, &server, "").exits(0);
    let before = place.read("judged/m/set.json");
    judge(&place, &server, "--no-llm").exits(0);
    assert!(place.read("judged/m/set.json") == before);
    assert_eq!(judged(&place)["judge"]["n_asked"], 2);
}

#[test]
fn a_dry_run_counts_and_asks_and_writes_nothing() {
    let (place, server) = (place_with(4), yes());
    place.write(
        "prices.yaml",
        "m: {price_input_per_1k: 1, price_output_per_1k: 2}\n",
    );
    let said = judge(
        &place,
        &server,
        "--dry-run --votes 3 --prices prices.yaml --json",
    )
    .exits(0);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["calls"], 12);
    assert_eq!(report["output_tokens_at_most"], 12 * 1024);
    let tokens = |key: &str| report[key].as_u64().unwrap();
    let (about, most) = (
        tokens("input_tokens_estimate"),
        tokens("input_tokens_at_most"),
    );
    assert!(12 * 100 < about && about < most, "{about} {most}");
    let usd = report["usd_at_most"].as_f64().unwrap();
    let expected = most as f64 / 1000.0 + 2.0 * 12.0 * 1.024;
    assert!((usd - expected).abs() < 1e-9, "{usd} {expected}");
    judge(&place, &server, "--dry-run").exits(0).says(&[
        "4 calls",
        "cost unknown",
        "nothing was asked",
    ]);
    assert!(server.requests().is_empty());
    assert_eq!(place.names("."), ["preds", "prices.yaml"]);
}

#[test]
fn a_dry_run_knows_what_is_there_already() {
    let (place, server) = (place_with(4), yes());
    judge(&place, &server, "").exits(0);
    let before = place.files("judged/m");
    let calls = |more: &str| {
        let said = judge(&place, &server, &format!("--dry-run --json {more}")).exits(0);
        let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        report["calls"].as_u64().unwrap()
    };
    assert_eq!(calls(""), 0);
    assert_eq!(calls("--overwrite"), 0, "the cache has all");
    assert_eq!(calls("--votes 2"), 4);
    assert_eq!(calls("--model n"), 4);
    assert_eq!(server.requests().len(), 4);
    assert!(place.files("judged/m") == before);
}

#[test]
fn the_built_in_prompt_can_be_printed_and_used() {
    let (place, server) = (place_with(2), yes());
    let printed = run(&place, "judge --print-prompt")
        .exits(0)
        .says(&["[user]", "{{prediction}}"]);
    judge(&place, &server, "").exits(0);
    place.write("own.txt", printed.stdout);
    judge(&place, &server, "--prompt own.txt")
        .exits(0)
        .says(&["current"]);
    assert_eq!(server.requests().len(), 2, "it is the same prompt");
}

#[test]
fn nobody_is_not_called_by_a_models_name() {
    let place = place_with(1);
    let command = "judge --predictions preds --no-llm --model k --votes 3 --out judged";
    run(&place, command).exits(0);
    let document = place.json("judged/k/set.json");
    assert_eq!(document["judge_model"], "no_llm");
    assert_eq!(document["votes"], serde_json::Value::Null);
    run(&place, command).exits(0).says(&["current"]);
    run(&place, &format!("{command} --probe 3")).exits(2);
}
