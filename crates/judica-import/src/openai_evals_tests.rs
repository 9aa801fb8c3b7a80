use super::*;
use crate::testing::{checks, files, found, texts};

fn log(lines: &[&str]) -> (tempfile::TempDir, OpenAiEvals) {
    let folder = tempfile::tempdir().expect("folder");
    let written = files(folder.path(), &[("run.jsonl", &lines.join("\n"))]);
    let log = OpenAiEvals::open(&written).expect("opened");
    (folder, log)
}

const SPEC: &str = r#"{"spec": {"completion_fns": ["a", "b"], "eval_name": "fx.dev.v0", "base_eval": "fx", "created_at": "2026-11-15"}}"#;

#[test]
fn events_come_in_no_order() {
    let (_folder, mut log) = log(&[
        r#"{"final_report": {"accuracy": 0.5, "boostrap_std": 0.2, "other": 3}, "run_id": "r"}"#,
        r#"{"event_id": 5, "sample_id": "x.1", "type": "match", "data": {"correct": true, "expected": ["a", "b"], "sampled": "no"}}"#,
        r#"{"event_id": 3, "sample_id": "x.1", "type": "sampling", "data": {"prompt": "grade", "sampled": ["A"], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}}"#,
        r#"{"event_id": 2, "sample_id": "x.1", "type": "sampling", "data": {"prompt": [{"role": "user"}], "sampled": ["yes"], "usage": {"prompt_tokens": 2, "completion_tokens": 3}}}"#,
        r#"{"event_id": 1, "sample_id": "x.0", "type": "match", "data": {"correct": false, "expected": "a", "picked": null, "sampled": "no"}}"#,
        r#"{"event_id": 6, "sample_id": "x.2", "type": "error", "data": {"type": "ValueError", "message": "boom"}}"#,
        SPEC,
    ]);
    assert_eq!(
        found(&mut log),
        [
            "fx x.1 1 a,b match=1",
            "fx x.0 1 a,b match=0",
            "fx x.2 1 a,b error: ValueError: boom",
        ]
    );
    assert_eq!(
        texts(&mut log)[..2],
        [
            r#"[{"role":"user"}] | ["a","b"] | yes [- 7 4 -]"#,
            "- | a | no [- - - -]",
        ]
    );
    assert_eq!(
        checks(&mut log),
        [
            "match - accuracy equal",
            "match - boostrap_std: a bootstrap cannot be repeated",
            "other - other: no event has it",
        ]
    );
    assert_eq!(
        (&*log.about().status, &*log.about().stamp),
        ("success", "2026-11-15")
    );
}

#[test]
fn numbers_of_metrics_are_scorers_and_choices_are_counted() {
    let (_folder, mut log) = log(&[
        SPEC,
        r#"{"event_id": 0, "sample_id": 1, "type": "metrics", "data": {"choice": "A", "score": 1.0, "ok": true}}"#,
        r#"{"event_id": 1, "sample_id": 2, "type": "metrics", "data": {"choice": "B", "score": null, "ok": false}}"#,
        r#"{"final_report": {"counts/A": 1, "counts/B": 2, "score": 1.0, "ok": 0.5, "accuracy": NaN}}"#,
    ]);
    assert_eq!(
        found(&mut log),
        ["fx 1 1 a,b score=1 ok=1", "fx 2 1 a,b ok=0"]
    );
    assert!(texts(&mut log)[1].ends_with("choice=B"));
    assert_eq!(
        checks(&mut log),
        [
            "counts/A - counts/A equal",
            "counts/B - counts/B Some(2.0) Some(1.0)",
            "score - score equal",
            "ok - ok equal",
            "accuracy - accuracy: no event has it",
        ]
    );
}

#[test]
fn a_number_called_match_is_not_the_event() {
    let (_folder, mut log) = log(&[
        SPEC,
        r#"{"event_id": 0, "sample_id": 1, "type": "match", "data": {"correct": true}}"#,
        r#"{"event_id": 1, "sample_id": 1, "type": "metrics", "data": {"match": 0.75}}"#,
        r#"{"final_report": {"accuracy": 1.0, "match": 0.75}}"#,
    ]);
    assert_eq!(found(&mut log), ["fx 1 1 a,b match=1 metrics.match=0.75"]);
    let said = ["match - accuracy equal", "metrics.match - match equal"];
    assert_eq!(checks(&mut log), said);
}

#[test]
fn two_runs_in_one_file_are_no_log() {
    let line = |run: &str| {
        format!(
            r#"{{"run_id": "{run}", "event_id": 0, "sample_id": "s", "type": "match", "data": {{"correct": true}}}}"#
        )
    };
    let spec = r#"{"spec": {"completion_fns": ["a"], "run_id": "r1"}}"#;
    let folder = tempfile::tempdir().expect("folder");
    let open = |run| {
        let lines = [spec, &line("r1"), &line(run)].join("\n");
        OpenAiEvals::open(&files(folder.path(), &[("run.jsonl", &lines)]))
    };
    assert!(open("r1").is_ok());
    let why = open("r2").err().map(|error| error.to_string());
    let why = why.unwrap_or_default();
    assert!(why.contains("(`run_id` r1 and r2); put the lines"), "{why}");
}

#[test]
fn a_log_without_its_ends_is_read_and_bad_lines_are_kept() {
    let (_folder, mut log) = log(&[
        r#"{"event_id": 0, "sample_id": "s", "type": "match", "data": {"correct": true}}"#,
        "{",
        r#"{"event_id": 1, "type": "match", "data": {"correct": true}}"#,
    ]);
    assert_eq!(
        found(&mut log),
        [
            "run s 1 unknown match=1",
            "refused 2 malformed_json",
            "refused 3 missing_field",
        ]
    );
    assert_eq!(log.about().status, "started");
    assert!(log.about().notes[0].starts_with("no spec"));
}
