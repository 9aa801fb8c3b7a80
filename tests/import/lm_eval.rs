//! Logs of lm-evaluation-harness.

use crate::import::shown::{log, records, verdicts};
use crate::support::{Place, report};

const STAMP: &str = "2026-11-15T21-29-09.710859";
const LATER: &str = "2026-11-16T08-00-00";

fn row(doc: u32, filter: &str, value: &str) -> String {
    format!(
        r#"{{"doc_id": {doc}, "doc": {{}}, "target": "t", "arguments": {{"gen_args_0": {{"arg_0": "q{doc}", "arg_1": {{}}}}}}, "resps": [["r"]], "filtered_resps": ["{filter} r"], "filter": "{filter}", "metrics": ["em"], "doc_hash": "h{doc}", "em": {value}}}"#
    )
}

/// A folder of a model with a task of two filters and a group around it.
fn write(place: &Place, stamp: &str, first: &str) {
    let rows = [
        row(0, "strict-match", first),
        row(1, "strict-match", "0"),
        row(0, "flexible", "1"),
        row(1, "flexible", "1.0"),
    ];
    place.write_lines(&format!("logs/m/samples_my_task_{stamp}.jsonl"), &rows);
    let results = r#"{"results": {
        "my_task": {"alias": "my_task", "sample_len": 2, "em,strict-match": 0.5, "em_stderr,strict-match": 0.5, "em,flexible": 1.0, "em_stderr,flexible": 0.0},
        "top": {"alias": "top", "em,flexible": 1.0, "em_stderr,flexible": "N/A"}},
        "group_subtasks": {"top": ["my_task"]},
        "configs": {"my_task": {"metric_list": [{"metric": "em", "aggregation": "mean"}]}},
        "higher_is_better": {"my_task": {"em": true}}, "model_name": "org/m", "lm_eval_version": "0.4.13"}"#;
    place.write(&format!("logs/m/results_{stamp}.json"), results);
}

#[test]
fn a_results_file_takes_the_samples_of_its_stamp() {
    let place = Place::new();
    write(&place, STAMP, "1");
    place
        .judica(&format!("import logs/m/results_{STAMP}.json --run run"))
        .exits(0);
    let columns = [
        "em,strict-match",
        "em,flexible",
        "doc_hash",
        "input",
        "target",
        "output",
    ];
    assert_eq!(
        records(&place, "run", &columns),
        [
            "my_task 0 1 org/m pass 1.0 1.0 h0 q0 t strict-match r",
            "my_task 1 1 org/m fail 0.0 1.0 h1 q1 t strict-match r",
        ]
    );
    assert_eq!(
        verdicts(&place, "run"),
        [
            "my_task strict-match em,strict-match equal",
            "my_task strict-match em_stderr,strict-match equal",
            "my_task flexible em,flexible equal",
            "my_task flexible em_stderr,flexible equal",
            "top flexible em,flexible equal",
            "top flexible em_stderr,flexible unchecked",
        ]
    );
    // A file of samples belongs to the same log.
    place
        .judica(&format!(
            "import logs/m/samples_my_task_{STAMP}.jsonl --run other"
        ))
        .exits(0);
    assert_eq!(log(&place, "other"), log(&place, "run"));
    place.judica("reproduce run").exits(0);
}

#[test]
fn of_two_stamps_the_later_counts() {
    let place = Place::new();
    write(&place, LATER, "0");
    write(&place, STAMP, "1");
    let ran = place.judica("import logs --run run").exits(0);
    // Its own mean says 0.5, its samples 0: the import goes on, and somebody is told.
    ran.complains(&["em,strict-match is 0.5 in the log and 0 by its samples"]);
    assert_eq!(
        records(&place, "run", &["em,strict-match"]),
        ["my_task 0 1 org/m fail 0.0", "my_task 1 1 org/m fail 0.0"]
    );
    let report = place.json("run/report.json");
    assert_eq!(report["logs"][0]["counts"]["superseded"], 2);
    place.judica("import logs --run all --keep-all").exits(0);
    assert_eq!(
        records(&place, "all", &["em,strict-match"]),
        [
            "my_task 0 1 org/m pass 1.0",
            "my_task 1 1 org/m fail 0.0",
            "my_task 0 2 org/m fail 0.0",
            "my_task 1 2 org/m fail 0.0",
        ]
    );
}

#[test]
fn one_half_of_a_log_is_said_to_be_one() {
    let place = Place::new();
    let samples = format!("alone/samples_a_b_{STAMP}.jsonl");
    let old = r#"{"doc_id": 7, "doc": {}, "target": "t", "arguments": [["q", " x"]], "resps": [[["-1", "False"]]], "filtered_resps": [["-1", "False"]], "acc": true, "ppl": [-1.5, 3], "nan": NaN}"#;
    place.write_lines(&samples, &[old, "{", "[1]"]);
    place
        .judica(&format!("import {samples} --run run"))
        .exits(0);
    assert_eq!(log(&place, "run")["status"], "no results");
    assert_eq!(
        records(
            &place,
            "run",
            &[
                "acc,none",
                "ppl,none",
                "ppl,none_logged",
                "nan,none",
                "input"
            ]
        ),
        ["a_b 7 1 alone pass 1.0 - [-1.5,3] - q"]
    );
    let reasons: Vec<_> = place
        .json_lines("run/rejects.jsonl")
        .iter()
        .map(|reject| reject["reason"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(reasons, ["malformed_json", "not_an_object"]);

    let results = format!("results/results_{STAMP}.json");
    place.write(
        &results,
        r#"{"results": {"a": {"acc,none": 1}}, "configs": {}, "higher_is_better": {}}"#,
    );
    let ran = place
        .judica(&format!("import {results} --run none"))
        .exits(2);
    ran.complains(&["no sample"]);
    place.nothing_in("none");
}

#[test]
fn documents_without_samples_are_told_and_no_number_is_held_against_the_rest() {
    let place = Place::new();
    write(&place, STAMP, "1");
    let results = format!("logs/m/results_{STAMP}.json");
    let counts =
        r#"{"n-samples": {"my_task": {"original": 9, "effective": 3}, "gone": {"effective": 4}},"#;
    let text = place.text(&results).replacen('{', counts, 1);
    place.write(&results, &text);
    place
        .judica(&format!("import {results} --run run"))
        .exits(0)
        .says(&["not all documents have samples here"]);
    let note = "not all documents have samples here: `my_task (2 of 3)`, `gone (0 of 4)`";
    assert_eq!(log(&place, "run")["notes"], serde_json::json!([note]));
    for verdict in verdicts(&place, "run") {
        assert!(verdict.ends_with("unchecked"), "{verdict}");
    }
}

#[test]
fn runs_are_paired_by_the_document_wherever_it_stands() {
    let place = Place::new();
    for (name, numbers) in [("a", [0, 1, 2]), ("b", [2, 0, 1])] {
        let rows = (0..3).map(|document: u32| {
            let asked = row(
                numbers[document as usize],
                "none",
                &(document % 2).to_string(),
            );
            let hash = format!(r#""doc_hash": "h{}""#, numbers[document as usize]);
            asked.replace(&hash, &format!(r#""doc_hash": "d{document}""#))
        });
        let rows: Vec<String> = rows.collect();
        place.write_lines(&format!("{name}/samples_task_{STAMP}.jsonl"), &rows);
        let log = format!("import {name}/samples_task_{STAMP}.jsonl --run {name}-run");
        place.judica(&log).exits(0);
    }
    let compared = place.judica("compare a-run b-run --json").exits(0);
    let report = report(&compared);
    assert_eq!(report["metrics"][0]["difference"]["se"], 0.0);
    assert_eq!(report["items"]["common"], 3);
    let note = report["notes"].to_string();
    assert!(
        note.contains("3 of 3 paired items are called by another name"),
        "{note}"
    );
    place.write(
        "gates.toml",
        "version = 1\n[[gate]]\nname = \"same\"\nmetric = \"em,none\"\nno_worse_than = 0.1\n",
    );
    let held = place.judica("gate check b-run --gates gates.toml --baseline a-run --json");
    held.says(&["were paired by `doc_hash`"]);
}

#[test]
fn samples_alone_are_of_the_model_that_their_folder_is_called_after() {
    let place = Place::new();
    let rows = [row(0, "none", "1"), row(1, "none", "0")];
    let name = format!("samples_my_task_{STAMP}.jsonl");
    place.write_lines(&name, &rows);
    let folder = place.path(".").canonicalize().unwrap();
    let model = folder.file_name().unwrap().to_str().unwrap();
    place.judica(&format!("import {name} --run run")).exits(0);
    let of = format!("my_task 0 1 {model} pass 1.0");
    assert_eq!(records(&place, "run", &["em,none"])[0], of);
}

#[test]
fn of_two_logs_the_one_with_less_perplexity_is_better() {
    let place = Place::new();
    for (name, mean) in [("worse", -3.0), ("better", -2.0)] {
        let rows: Vec<String> = (0..20)
            .map(|document| {
                let value = (mean - f64::from(document % 5) / 10.0).to_string();
                row(document, "none", &value).replace("\"em\"", "\"perplexity\"")
            })
            .collect();
        place.write_lines(&format!("{name}/samples_lambada_{STAMP}.jsonl"), &rows);
        let results = r#"{"results": {}, "higher_is_better": {"lambada": {"perplexity": false}},
            "configs": {"lambada": {"metric_list": [{"metric": "perplexity", "aggregation": "perplexity"}]}}, "model_name": "m"}"#;
        place.write(&format!("{name}/results_{STAMP}.json"), results);
        place
            .judica(&format!("import {name} --run {name}-run"))
            .exits(0);
    }
    place
        .judica("compare worse-run better-run --fail-if-worse")
        .exits(0)
        .says(&["perplexity_loglikelihood,none", "better"]);
    place
        .judica("compare better-run worse-run --fail-if-worse")
        .exits(1);
}
