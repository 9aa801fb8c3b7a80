//! Logs of OpenAI evals.

use crate::import::shown::{log, records, verdicts};
use crate::support::Place;

#[test]
fn the_report_may_stand_first_and_events_in_any_order() {
    let place = Place::new();
    place.write_lines(
        "run.jsonl",
        &[
            r#"{"final_report": {"accuracy": 0.5, "boostrap_std": 0.2}, "run_id": "r"}"#,
            r#"{"run_id": "r", "event_id": 3, "sample_id": "fx.1", "type": "match", "data": {"correct": true, "expected": "a", "picked": "a", "sampled": "a"}}"#,
            r#"{"run_id": "r", "event_id": 2, "sample_id": "fx.1", "type": "sampling", "data": {"prompt": "ask", "sampled": ["a"], "usage": {"prompt_tokens": 2, "completion_tokens": 1}}}"#,
            r#"{"run_id": "r", "event_id": 0, "sample_id": "fx.0", "type": "match", "data": {"correct": false, "expected": "b", "picked": null, "sampled": "a"}}"#,
            r#"{"run_id": "r", "event_id": 4, "sample_id": "fx.2", "type": "error", "data": {"type": "ValueError", "message": "boom"}}"#,
            r#"{"spec": {"completion_fns": ["dummy"], "eval_name": "fx.dev.v0", "base_eval": "fx", "created_at": "2026-11-15 21:42:19"}}"#,
        ],
    );
    place.judica("import run.jsonl --run run").exits(0);
    let columns = ["match", "tokens_in", "input", "target", "output"];
    assert_eq!(
        records(&place, "run", &columns),
        [
            "fx fx.1 1 dummy pass 1.0 2.0 ask a a",
            "fx fx.0 1 dummy fail 0.0 - - b a",
            "fx fx.2 1 dummy error - - - - -",
        ]
    );
    assert_eq!(
        verdicts(&place, "run"),
        ["match - accuracy equal", "match - boostrap_std unchecked"]
    );
    assert_eq!(log(&place, "run")["status"], "success");
    place
        .judica("show run fx.2")
        .exits(0)
        .says(&["ValueError: boom"]);
    place.judica("reproduce run").exits(0);
}

#[test]
fn of_several_matches_the_last_speaks_and_the_others_are_counted() {
    let place = Place::new();
    let event = |number: u32, sample: &str, correct: bool| {
        format!(
            r#"{{"run_id": "r", "event_id": {number}, "sample_id": "{sample}", "type": "match", "data": {{"correct": {correct}, "expected": "a"}}}}"#
        )
    };
    let events = [
        (0, "s", false),
        (1, "t", true),
        (2, "s", true),
        (3, "s", false),
    ];
    place.write_lines("m.jsonl", &events.map(|(n, s, c)| event(n, s, c)));
    let ran = place
        .judica("import m.jsonl --run run --as openai-evals")
        .exits(0);
    ran.says(&["2 `match` events left out: of several of one sample the last speaks"]);
    let found = records(&place, "run", &["match"]);
    assert!(
        found
            .iter()
            .any(|line| line.contains(" s 1 ") && line.ends_with("0.0")),
        "{found:?}"
    );
}

#[test]
fn a_run_that_was_cut_off_is_said_to_be_one() {
    let place = Place::new();
    let event = r#"{"run_id": "r", "event_id": 0, "sample_id": "s", "type": "metrics", "data": {"score": 0.5, "choice": "B"}}"#;
    place.write_lines("cut.jsonl", &[event, r#"{"run_id": "r", "event"#]);
    place
        .judica("import cut.jsonl --run run --as openai-evals")
        .exits(0);
    assert_eq!(log(&place, "run")["status"], "started");
    assert_eq!(
        records(&place, "run", &["score_scorer", "choice"]),
        ["cut s 1 unknown - 0.5 B"]
    );
    assert_eq!(place.json_lines("run/rejects.jsonl").len(), 1);
}
