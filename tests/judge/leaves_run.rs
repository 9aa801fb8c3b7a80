//! `judica judge --run`: a record for each row, and the replies to make it again.

use judica_run::show::json_of;
use serde_json::{Value, json};

use crate::judge::data::{NO, YES, arguments, asked, judge, place_with, row, run, yes};
use crate::server::{Answer, Server};
use crate::support::{Place, each_record};

/// The records of a run as JSON.
#[track_caller]
fn records(place: &Place, folder: &str) -> Vec<Value> {
    let mut found = Vec::new();
    each_record(place, folder, &mut |record, names| {
        found.push(json_of(record, names))
    });
    found
}

fn of(record: &Value, keys: &[&str]) -> Value {
    keys.iter().map(|key| record[key].clone()).collect()
}

/// Two judges who differ, talk nonsense, refuse and say nothing.
fn quarrel() -> Server {
    Server::start(|received, _| {
        let strict = received.json()["model"] == "strict";
        match (asked(received).as_str(), strict) {
            ("question 0", false) => Answer::says(YES),
            ("question 0", true) => Answer::says(NO),
            ("question 1", false) => Answer::says("what?"),
            ("question 1", true) => Answer::says(YES),
            ("question 2", _) => Answer::says("what?"),
            ("question 3", false) => Answer::new(500, ""),
            ("question 3", true) => Answer::says(NO),
            ("question 4", _) => Answer::new(500, ""),
            _ => Answer::says(YES),
        }
    })
}

#[test]
fn judges_agree_or_not_and_the_run_is_made_again_from_their_replies() {
    let place = place_with(6);
    let exact = json!({
        "id": "e", "input": "i", "gold": "<<A>>F p", "prediction": "<<a>>Fp", "model": "own",
        "tokens_input": 5, "latency_ms": 7, "usd": 0.5,
    });
    let bad = json!({"id": "e", "input": "i", "gold": "p", "prediction": "q", "model": "own"});
    let mut lines: Vec<String> = (0..6).map(|n| row(n).to_string()).collect();
    lines.extend([exact.to_string(), bad.to_string()]);
    place.write_lines("preds/set.jsonl", &lines);
    let server = quarrel();
    let more = "--model strict --run r --attempts 1 --json";
    let ran = judge(&place, &server, more).exits(3);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(place.json("r/report.json"), report);
    assert_eq!(place.json("judged/judge_report.json"), report);
    let manifest = place.json("r/manifest.json");
    assert_eq!(manifest["command"], "judge");
    assert_eq!(
        manifest["counts"],
        json!({
            "inputs": 8, "used": 7, "rejects": 1, "records": 7,
            "rejects_by_reason": {"duplicate_id": 1},
        })
    );
    let names: Vec<&Value> = manifest["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|metric| &metric["name"])
        .collect();
    assert_eq!(names, ["correct", "correct:m", "correct:strict"]);
    assert_eq!(manifest["files"]["replies.jsonl"]["reproducible"], true);

    let found = records(&place, "r");
    let keys = [
        "item",
        "verdict",
        "decision",
        "score",
        "correct:m",
        "correct:strict",
        "decision_method",
    ];
    let shown: Vec<Value> = found.iter().map(|record| of(record, &keys)).collect();
    assert_eq!(
        shown,
        [
            json!(["r0", "undecided", "tie", null, 1.0, 0.0, "llm"]),
            json!(["r1", "pass", "yes", 1.0, null, 1.0, "llm"]),
            json!(["r2", "undecided", "invalid", null, null, null, "llm"]),
            json!(["r3", "fail", "no", 0.0, null, 0.0, "llm"]),
            json!(["r4", "error", null, null, null, null, "llm"]),
            json!(["r5", "pass", "yes", 1.0, 1.0, 1.0, "llm"]),
            json!(["e", "pass", "yes", 1.0, 1.0, 1.0, "exact"]),
        ]
    );
    assert_eq!(
        found[1]["labels"],
        json!([{"rater": "m", "value": "invalid"}, {"rater": "strict", "value": "yes"}])
    );
    assert_eq!(
        found[3]["labels"],
        json!([{"rater": "strict", "value": "no"}])
    );
    assert_eq!(found[6]["labels"], json!([]));
    assert_eq!(
        of(&found[6], &["subject", "tokens_in", "latency_ms", "usd"]),
        json!(["own", 5.0, 7.0, 0.5])
    );
    let seen: Vec<Value> = found[0]["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|atom| of(atom, &["rule", "field", "text"]))
        .collect();
    assert_eq!(
        seen,
        [
            json!(["reasoning", "m", "They mean the same."]),
            json!(["reply", "m", YES]),
            json!(["reasoning", "strict", "F is not G."]),
            json!(["reply", "strict", NO]),
        ]
    );
    // The format of documents calls invalid `no`.
    let document = place.json("judged/m/set.json");
    assert_eq!(document["detailed_results"][1]["correct"], "no");

    // Nobody is asked any more.
    let asked = server.requests().len();
    drop(server);
    place
        .judica("reproduce r")
        .exits(0)
        .says(&["identical", "replies.jsonl"]);
    place
        .judica("show r r0")
        .exits(0)
        .says(&["They mean the same."]);
    assert!(asked > 0);
    // What is not what it was is told.
    let replies = place.text("r/replies.jsonl");
    assert_eq!(replies.lines().count(), 12);
    place.write(
        "r/replies.jsonl",
        replies.replace("F is not G.", "G is not F."),
    );
    place.judica("reproduce r").exits(1).says(&["different"]);
    let swapped: Vec<&str> = replies.lines().rev().collect();
    place.write_lines("r/replies.jsonl", &swapped);
    place
        .judica("reproduce r")
        .exits(3)
        .complains(&["is not where it should be"]);
}

#[test]
fn votes_a_prompt_and_texts_travel_with_the_run() {
    let place = place_with(2);
    let prompt = place.judica("judge --print-prompt").exits(0).stdout;
    place.write(
        "my-prompt.txt",
        prompt.replace("version: ", "version: mine-"),
    );
    let server = Server::start(|received, _| {
        let seed = received.json()["seed"].as_u64().unwrap();
        Answer::says(if seed == 1 { NO } else { YES })
    });
    let line = arguments(
        &server,
        "--run r --votes 3 --prompt my-prompt.txt --keep-text",
    )
    .replace("--out judged", "--dataset d --subject s");
    run(&place, &line).exits(0);
    assert!(!place.path("judged").exists());
    let found = records(&place, "r");
    assert_eq!(
        of(&found[0], &["dataset", "subject", "score", "input"]),
        json!(["d", "s", 1.0, "question 0"])
    );
    let steps: Vec<&Value> = found[0]["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|atom| &atom["step"])
        .collect();
    assert_eq!(steps, [&json!(null), &json!(1), &json!(2), &json!(3)]);
    let asked = server.requests().len();
    // The cache lies in the run's folder, where the next time finds it.
    run(&place, &line).exits(0);
    assert_eq!(server.requests().len(), asked);
    place.judica("reproduce r").exits(0);
    std::fs::remove_file(place.path("my-prompt.txt")).unwrap();
    place.judica("reproduce r").exits(3);
}

#[test]
fn nobody_need_be_asked() {
    let place = place_with(2);
    run(&place, "judge --predictions_dir preds --no-llm --run r").exits(0);
    assert_eq!(
        place.names("r"),
        [
            "manifest.json",
            "records.parquet",
            "report.json",
            "tables.json"
        ]
    );
    let found = records(&place, "r");
    assert_eq!(
        of(
            &found[1],
            &["verdict", "decision", "score", "decision_method", "labels"]
        ),
        json!(["fail", "no", 0.0, "no_llm", []])
    );
    place.judica("reproduce r").exits(0);
}

#[test]
fn a_run_that_is_stopped_is_none() {
    let place = place_with(3);
    let server = yes();
    place.write(
        "prices.json",
        r#"{"m": {"price_input_per_1k": 1, "price_output_per_1k": 1}}"#,
    );
    let more = "--run r --prices prices.json --max-usd 0.000001";
    judge(&place, &server, more).exits(3);
    assert!(!place.path("r/manifest.json").exists());
    judge(&place, &server, "--run r").exits(0);
    // Documents that are there are made again from the cache: a run needs every reply.
    let asked = server.requests().len();
    judge(&place, &server, "--run r").exits(0);
    judge(&place, &server, "--dry-run --run s").exits(0);
    assert!(!place.path("s").exists());
    assert_eq!(server.requests().len(), asked);
    place.judica("reproduce r").exits(0);
    judge(&place, &server, "--run r --rejects x.jsonl").exits(2);
}

#[test]
fn a_probe_is_kept_and_bad_rows_leave_no_run() {
    let place = place_with(2);
    let server = yes();
    judge(&place, &server, "--run r --probe 2").exits(0);
    place.judica("reproduce r").exits(0);
    place.write("preds/set.jsonl", "{\"id\": 1}\n");
    judge(&place, &server, "--run s").exits(2);
    assert_eq!(place.names("s"), ["rejects.jsonl"]);
}
