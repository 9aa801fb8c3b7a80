//! Runs as Inspect's logs. That Inspect itself reads them is checked by hand, since it is no
//! part of the tests: `docs/export.md` says how.

use serde_json::{Value, json};

use crate::support::{Place, STAMP};

/// A run of `match` over two models, with all that a row may say.
fn answers() -> Place {
    let place = Place::new();
    let rows = [
        json!({"id": "a", "input": "1+1?", "gold": "2", "prediction": "2", "model": "org/big",
               "tokens_in": 3, "tokens_out": 1, "usd": 0.5, "latency_ms": 250.0}),
        json!({"id": "b", "input": "2+2?", "gold": "4", "prediction": "5 \u{1F980}", "model": "org/big"}),
        json!({"id": "a", "input": "1+1?", "gold": "2", "prediction": "3", "model": "small"}),
        json!({"id": "a", "epoch": 2, "input": "1+1?", "gold": "2", "prediction": "2", "model": "small"}),
        json!({"id": "b", "input": "2+2?", "gold": "4", "prediction": "4", "model": "small"}),
    ];
    place.write_lines("sums.jsonl", &rows.map(|row| row.to_string()));
    place
        .judica(&format!(
            "match --predictions sums.jsonl --run run --keep-text --timestamp {STAMP}"
        ))
        .exits(0);
    place
}

/// Item, epoch, subject and score, in the order of keys.
fn values(place: &Place, run: &str, metric: &str) -> Vec<String> {
    let ran = place
        .judica(&format!("export {run} --format jsonl"))
        .exits(0);
    let mut found: Vec<String> = ran
        .stdout
        .lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            let keys = ["dataset", "item", "epoch", "subject"].map(|key| record[key].to_string());
            format!("{} {}", keys.join(" "), record[metric])
        })
        .collect();
    found.sort();
    found
}

#[test]
fn a_log_for_each_subject_goes_out_and_comes_back() {
    let place = answers();
    place
        .judica("export run --format inspect --out logs")
        .exits(0)
        .complains(&["2 files in logs"]);
    let names = place.names("logs");
    assert_eq!(names.len(), 2);
    // Inspect lists only what is named so.
    let stamp = STAMP.replace(':', "-");
    assert!(
        names.iter().all(|name| name.starts_with(&stamp)),
        "{names:?}"
    );
    place.judica("import logs --run back").exits(0);
    for metric in ["matched", "exact"] {
        let expected = values(&place, "run", metric);
        assert_eq!(expected.len(), 5);
        assert_eq!(values(&place, "back", metric), expected);
    }
    // What the log says of itself is what its samples come to, by Inspect's arithmetic.
    let report = place.json("back/report.json");
    for log in report["logs"].as_array().unwrap() {
        let numbers = log["aggregates"].as_array().unwrap();
        assert_eq!(numbers.len(), 9);
        for number in numbers {
            assert_eq!(number["verdict"], "equal", "{number}");
        }
    }
    // The same run gives the same bytes.
    place
        .judica("export run --format inspect --out again")
        .exits(0);
    place.same_files("logs", "again");
}

#[test]
fn a_log_has_what_inspect_asks_for() {
    let place = answers();
    place
        .judica("export run --format inspect --out logs")
        .exits(0);
    let names = place.names("logs");
    let big = names.iter().find(|name| name.contains("org-big")).unwrap();
    let log = place.json(&format!("logs/{big}"));
    assert_eq!(
        (&log["version"], &log["status"]),
        (&json!(2), &json!("success"))
    );
    let eval = &log["eval"];
    assert_eq!(eval["created"], STAMP);
    assert_eq!(
        (&eval["task"], &eval["model"]),
        (&json!("sums"), &json!("org/big"))
    );
    assert_eq!(log["results"]["total_samples"], 2);
    let score = &log["results"]["scores"][0];
    assert_eq!(
        (&score["name"], &score["scorer"]),
        (&json!("matched"), &json!("matched"))
    );
    assert_eq!(score["metrics"]["accuracy"]["value"], 0.5);
    assert_eq!(score["metrics"]["stderr"]["value"], 0.5);
    let usage =
        json!({"input_tokens": 3, "output_tokens": 1, "total_tokens": 4, "total_cost": 0.5});
    assert_eq!(log["stats"]["model_usage"]["org/big"], usage);
    let [first, second] = [0, 1].map(|at| &log["samples"][at]);
    assert_eq!(first["model_usage"]["org/big"], usage);
    assert_eq!(first["total_time"], 0.25);
    assert_eq!(first["messages"][1]["content"], "2");
    assert_eq!(first["scores"]["matched"]["value"], 1.0);
    assert_eq!(first["metadata"]["verdict"], "pass");
    assert_eq!(second["output"]["completion"], "5 \u{1F980}");
    let choice = &second["output"]["choices"][0];
    assert_eq!(choice["message"]["role"], "assistant");
    assert_eq!(
        (&second["input"], &second["target"]),
        (&json!("2+2?"), &json!("4"))
    );
    let why = second["scores"]["matched"]["explanation"].as_str().unwrap();
    assert!(why.contains("gold: 4\nprediction: 5"), "{why}");
    assert!(second.get("model_usage").is_none() && second.get("error").is_none());
}

#[test]
fn one_log_is_a_file_or_goes_to_standard_output() {
    let place = Place::new();
    let sample = |id: Value, target: Value, value: Value| {
        json!({"id": id, "epoch": 1, "input": "q", "target": target,
               "output": {"choices": [], "completion": "o"},
               "scores": {"grade": {"value": value, "explanation": "because"}},
               "metadata": {"topic": "x", "limit": "mine"}, "limit": {"type": "token", "limit": 5}})
    };
    let mut failed = sample(json!("f"), json!("t"), json!("C"));
    failed["error"] = json!({"message": "broke"});
    failed["scores"] = json!({});
    let log = json!({
        "version": 2, "status": "cancelled",
        "eval": {"task": "t", "model": "m", "created": "2026-11-15T10:00:00+00:00"},
        "samples": [
            sample(json!("a/b"), json!(["one", "1"]), json!("C")),
            sample(json!(7), json!("[\"one\"]"), json!("maybe")),
            failed,
        ],
    });
    place.write("log.json", log.to_string());
    place.judica("import log.json --run run").exits(0);
    place
        .judica("export run --format inspect --out out.json")
        .exits(0);
    let ran = place.judica("export run --format inspect").exits(0);
    assert!(ran.stdout == place.text("out.json"));
    let out = place.json("out.json");
    assert_eq!(out["status"], "cancelled");
    assert_eq!(out["results"]["completed_samples"], 2);
    let samples = out["samples"].as_array().unwrap();
    // As it was, not as the number that was made of it.
    assert_eq!(
        samples[0]["scores"]["grade"],
        json!({"value": "C", "explanation": "because"})
    );
    assert_eq!(samples[0]["target"], json!(["one", "1"]));
    assert_eq!(samples[0]["metadata"]["topic"], "x");
    assert_eq!(samples[0]["metadata"]["limit"], "mine");
    assert_eq!(samples[0]["metadata"]["limit_column"], "token");
    assert_eq!(samples[1]["scores"]["grade"]["value"], "maybe");
    assert_eq!(samples[1]["target"], "[\"one\"]");
    assert_eq!(samples[2]["scores"], json!({}));
    assert_eq!(samples[2]["error"]["message"], "broke");
    place.judica("import out.json --run back").exits(0);
    assert_eq!(
        values(&place, "back", "grade"),
        values(&place, "run", "grade")
    );
    assert_eq!(
        values(&place, "back", "grade_logged"),
        values(&place, "run", "grade_logged")
    );
}

#[test]
fn several_logs_need_a_folder_and_a_run_needs_records() {
    let place = answers();
    place
        .judica("export run --format inspect")
        .exits(2)
        .complains(&["2 data sets and subjects", "--out DIR"]);
    place
        .judica("export run --format every-eval-ever")
        .exits(2)
        .complains(&["--out DIR"]);
    place
        .judica("export run --format inspect --out run")
        .exits(2);
    place.write("file", "");
    place
        .judica("export run --format inspect --out file")
        .exits(3);
    place
        .judica("match --predictions sums.jsonl --run bare")
        .exits(0);
    place
        .judica("export bare --format inspect --out bare-logs")
        .exits(0)
        .complains(&["the run holds no texts"]);
}
