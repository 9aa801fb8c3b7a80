//! What a log of Inspect becomes.

use serde_json::{Value, json};

use crate::import::eval_log::{
    DEFLATE, NAN, PLAIN, ZSTD, Zip, document, eval, header, python, results, sample,
};
use crate::support::Place;

/// The records of a run, by item and epoch.
#[track_caller]
fn record(place: &Place, run: &str, item: &str, epoch: i32) -> Value {
    let ran = place
        .judica(&format!("export {run} --format jsonl"))
        .exits(0);
    let records = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let mut records =
        records.filter(|record: &Value| record["item"] == item && record["epoch"] == epoch);
    records
        .next()
        .unwrap_or_else(|| panic!("no {item} {epoch}"))
}

fn samples() -> Vec<Value> {
    vec![
        sample(
            json!("a/b"),
            1,
            json!({"letter": "C", "parts": {"len": 4, "ok": true}, "word": "great", "num": "0.25"}),
            json!({
                "input": [
                    {"role": "system", "content": "Be kind."},
                    {"role": "user", "content": [{"type": "text", "text": "Why?"}, {"type": "image", "image": "x"}]},
                ],
                "target": ["one", "1"],
                "metadata": {"group": "x", "n": 3, "flag": true, "deep": {"a": 1}, "none": null},
                "limit": {"type": "message", "limit": 4},
            }),
        ),
        sample(
            json!("../müh sam"),
            2,
            json!({"letter": NAN, "parts": NAN, "word": null, "num": -1e3}),
            json!({"metadata": {"group": "y", "n": "three"}}),
        ),
        sample(
            json!(7),
            1,
            json!({}),
            json!({"error": {"message": "boom", "traceback": "long"}, "output": {"choices": []}, "model_usage": {}}),
        ),
    ]
}

fn header_of() -> Value {
    let scores = json!({"total_samples": 3, "completed_samples": 2, "scores": [
        {"name": "letter", "scorer": "letter", "scored_samples": 1, "unscored_samples": 1,
         "metrics": {"accuracy": {"name": "inspect_ai/accuracy", "value": 1.0}, "stderr": {"name": "stderr", "value": 0}}},
        {"name": "len", "scorer": "parts", "scored_samples": 1, "unscored_samples": 1,
         "metrics": {"mean": {"name": "mean", "value": 4, "options": {}}}},
        {"name": "ok", "scorer": "parts", "metrics": {"mean": {"name": "mean", "value": 1}}},
        {"name": "num", "scorer": "num", "metrics": {"mean": {"name": "mean", "value": -499.875},
         "bootstrap_stderr": {"name": "bootstrap_stderr", "value": 0.1}, "mine": {"name": "mine", "value": 0.1}}},
    ]});
    header(
        "task",
        "provider/model",
        "2026-11-15T21:17:09+00:00",
        scores,
    )
}

#[test]
fn a_sample_becomes_a_record() {
    let place = Place::new();
    place.write("log.eval", eval(&header_of(), &samples(), ZSTD));
    let ran = place.judica("import log.eval --run run").exits(0);
    ran.says(&["log.eval", "inputs 3 = records 3 + rejects 0"]);
    let first = record(&place, "run", "a/b", 1);
    for (key, value) in [
        ("dataset", json!("task")),
        ("subject", json!("provider/model")),
        ("verdict", json!("pass")),
        ("decision", json!("C")),
        ("score", json!(1.0)),
        ("letter", json!(1.0)),
        ("letter_logged", json!("C")),
        ("parts.len", json!(4.0)),
        ("parts.ok", json!(1.0)),
        ("parts.ok_logged", json!("true")),
        ("word", json!(null)),
        ("word_logged", json!("great")),
        ("num", json!(0.25)),
        ("limit", json!(null)),
        ("metadata.group", json!("x")),
        ("metadata.n", json!("3")),
        ("metadata.flag", json!(true)),
        ("input", json!("system: Be kind.\n\nuser: Why?")),
        ("target", json!("[\"one\",\"1\"]")),
        ("output", json!("answer 1")),
        ("latency_ms", json!(250.0)),
        ("tokens_in", json!(4.0)),
        ("tokens_out", json!(3.0)),
    ] {
        // The head has no `limit`; evidence has one.
        let expected = if key == "limit" {
            json!("message")
        } else {
            value
        };
        assert_eq!(first[key], expected, "{key}");
    }
    assert_eq!(first["evidence"][0]["text"], "why letter");
    let unscored = record(&place, "run", "../müh sam", 2);
    assert_eq!(unscored["verdict"], "undecided");
    for key in [
        "score",
        "letter",
        "letter_logged",
        "parts.len",
        "word_logged",
    ] {
        assert_eq!(unscored[key], json!(null), "{key}");
    }
    assert_eq!(unscored["num"], -1000.0);
    let error = record(&place, "run", "7", 1);
    assert_eq!(
        (&error["verdict"], &error["score"]),
        (&json!("error"), &json!(null))
    );
    assert_eq!(error["evidence"][0]["text"], "boom");
    let metrics = place.json("run/manifest.json");
    let names: Vec<&str> = metrics["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|metric| metric["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["letter", "parts.len", "parts.ok", "word", "num"]);
    assert_eq!(metrics["metrics"][0]["kind"], "rate");
    assert_eq!(metrics["metrics"][4]["kind"], "mean");
}

#[test]
fn its_own_numbers_are_computed_again() {
    let place = Place::new();
    place.write("log.eval", eval(&header_of(), &samples(), ZSTD));
    let ran = place.judica("import log.eval --run run --json").exits(0);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report, place.json("run/report.json"));
    let log = &report["logs"][0];
    assert_eq!(log["harness"], "inspect");
    assert_eq!(log["status"], "success");
    assert_eq!(log["counts"]["errors"], 1);
    assert_eq!(log["counts"]["unscored"], 1);
    let note = "1 values are words without a number; Inspect counts them as 0, a run does not";
    assert_eq!(log["notes"], json!([note]));
    for found in log["aggregates"].as_array().unwrap() {
        let unchecked = ["bootstrap_stderr", "mine"].contains(&found["metric"].as_str().unwrap());
        let verdict = if unchecked { "unchecked" } else { "equal" };
        assert_eq!(found["verdict"], verdict, "{found}");
    }
    assert_eq!(log["aggregates"].as_array().unwrap().len(), 11);
    assert_eq!(log["aggregates"][4]["scorer"], "parts.len");
}

#[test]
fn a_number_that_the_samples_contradict_is_told_and_the_import_goes_on() {
    let place = Place::new();
    let results = results(2, "match", json!({"accuracy": 0.75}));
    let samples = crate::import::eval_log::letters("CI");
    place.write(
        "log.eval",
        eval(&header("t", "m", "", results), &samples, ZSTD),
    );
    place
        .judica("import log.eval --run run")
        .exits(0)
        .says(&["different"])
        .complains(&[
            "1 of its 1 numbers are not",
            "match accuracy is 0.75 in the log and 0.5 by its samples",
        ]);
    assert_eq!(
        place.json("run/report.json")["logs"][0]["aggregates"][0]["verdict"],
        "different"
    );
}

#[test]
fn numbers_of_samples_that_are_not_there_are_not_checked() {
    let place = Place::new();
    let results = results(9, "match", json!({"accuracy": 0.75}));
    let samples = crate::import::eval_log::letters("CI");
    place.write(
        "log.eval",
        eval(&header("t", "m", "", results), &samples, ZSTD),
    );
    place.judica("import log.eval --run run").exits(0);
    let found = &place.json("run/report.json")["logs"][0]["aggregates"][0];
    assert_eq!(found["verdict"], "unchecked");
    assert_eq!(
        found["why"],
        "the log holds 2 of 9 samples that were completed"
    );
}

/// However a log is stored, it is the same run; so it is for any number of threads.
#[test]
fn formats_and_threads_do_not_show() {
    let place = Place::new();
    let (header, samples) = (header_of(), samples());
    place.write("zstd/log", eval(&header, &samples, ZSTD));
    place.write("deflate/log", eval(&header, &samples, DEFLATE));
    place.write("plain/log", eval(&header, &samples, PLAIN));
    place.write("json/log", document(&header, &samples));
    let mut records = Vec::new();
    for (kind, threads) in [
        ("zstd", 1),
        ("zstd", 4),
        ("deflate", 2),
        ("plain", 3),
        ("json", 1),
    ] {
        std::fs::copy(place.path(&format!("{kind}/log")), place.path("log")).unwrap();
        let run = format!("{kind}-{threads}");
        let line = format!("import log --run {run} --threads {threads}");
        place.judica(&line).exits(0);
        records.push(place.read(&format!("{run}/records.parquet")));
    }
    assert!(records.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn epochs_are_reduced_as_the_log_says() {
    let place = Place::new();
    let metric = |name: &str, value: f64, params: Value| json!({"name": name, "value": value, "params": params});
    // Item a: C I NaN; item b: P P C; item c: unscored.
    let epochs = [
        ("a", ["C", "I", NAN]),
        ("b", ["P", "P", "C"]),
        ("c", [NAN, NAN, NAN]),
    ];
    let mut samples = Vec::new();
    // In the order in which they ended.
    for epoch in [3, 1, 2] {
        for (id, values) in epochs {
            let scores = json!({"m": values[epoch - 1]});
            let group = if id == "b" { "x" } else { "y" };
            let mut more = json!({"metadata": {"g": group}});
            if (id, epoch) == ("b", 1) {
                more["invalidation"] = json!({"author": "me", "reason": "leaked"});
            }
            samples.push(sample(json!(id), epoch as i32, scores, more));
        }
    }
    let grouped = json!({"metric": {"name": "mean", "params": {}}, "group_key": "g"});
    let score = |reducer: &str, mean: f64| {
        json!({"name": "m", "scorer": "m", "reducer": reducer, "scored_samples": 2, "unscored_samples": 1,
            "metrics": {"accuracy": metric("accuracy", mean, json!({}))}})
    };
    let mut scores = vec![
        score("mean", (0.5 + 2.0 / 3.0) / 2.0),
        score("median", 0.5),
        // Of C and I the first that was met, by epoch.
        score("mode", 0.75),
        score("max", 1.0),
        score("at_least_1", 1.0),
        score("at_least_2", 0.0),
        score("pass_at_2", (1.0 + 2.0 / 3.0) / 2.0),
        score("pass_k_1", (0.5 + 1.0 / 3.0) / 2.0),
    ];
    scores[0]["metrics"]["x"] = metric("x", 2.0 / 3.0, grouped.clone());
    scores[0]["metrics"]["y"] = metric("y", 0.5, grouped.clone());
    scores[0]["metrics"]["all"] = metric("all", (0.5 + 2.0 / 3.0) / 2.0, grouped);
    scores[0]["metrics"]["stderr"] = metric("stderr", 1.0 / 12.0, json!({}));
    scores[0]["metrics"]["stderr1"] = metric("stderr", 1.0 / 12.0, json!({"cluster": "g"}));
    scores.push(json!({"name": "m", "scorer": "m", "reducer": "pass_at_3", "scored_samples": 1, "unscored_samples": 2,
        "metrics": {"accuracy": metric("accuracy", 1.0, json!({}))}}));
    // Counted from ½ on, which the log does not say.
    scores.push(score("at_least_2", 0.5));
    scores.push(json!({"name": "m", "scorer": "m", "reducer": "mine", "metrics": {"mean": metric("mean", 1.0, json!({}))}}));
    let results = json!({"completed_samples": 9, "scores": scores});
    place.write(
        "log.eval",
        eval(&header("t", "m", "", results), &samples, ZSTD),
    );
    place.judica("import log.eval --run run").exits(0);
    let report = place.json("run/report.json");
    let found = report["logs"][0]["aggregates"].as_array().unwrap();
    assert_eq!(found.len(), 10 * 3 + 5 + 1);
    let (last, others) = found.split_last().unwrap();
    let (hidden, others) = others.split_last().unwrap();
    let why = "the log does not say from which value on an epoch counts";
    assert_eq!(hidden["why"], why);
    for found in others {
        assert_eq!(found["verdict"], "equal", "{found}");
    }
    assert_eq!(last["why"], "the reducer `mine` is not known");
    let note = report["logs"][0]["notes"].to_string();
    assert!(note.contains("1 sample was taken back"), "{note}");
}

#[test]
fn a_sample_in_parts_is_put_together() {
    let place = Place::new();
    let mut zip = Zip::default();
    let results = results(1, "match", json!({"accuracy": 1.0}));
    let mut shell = sample(
        json!("x/sample"),
        1,
        json!({"match": "C"}),
        json!({"input": "see attachment://1", "output": {"completion": "attachment://12 and attachment://3"}}),
    );
    for key in ["metadata", "events", "messages", "attachments"] {
        shell.as_object_mut().unwrap().remove(key);
    }
    let folder = "samples/x/sample_epoch_1";
    zip.add(&format!("{folder}/sample.json"), &python(&shell), ZSTD);
    zip.add(
        &format!("{folder}/metadata.json"),
        b"{\"group\": \"g\"}",
        ZSTD,
    );
    zip.add(&format!("{folder}/events/0.json"), b"[{}]", ZSTD);
    zip.add(
        &format!("{folder}/attachments/0.json"),
        b"[\"zero\", \"one\"]",
        ZSTD,
    );
    zip.add(
        &format!("{folder}/attachments/2.json"),
        b"[\"two\", \"three\"]",
        ZSTD,
    );
    zip.add("header.json", &python(&header("t", "m", "", results)), ZSTD);
    place.write("log.eval", zip.finish());
    place.judica("import log.eval --run run").exits(0);
    let record = record(&place, "run", "x/sample", 1);
    assert_eq!(record["metadata.group"], "g");
    assert_eq!(record["input"], "see one");
    // One that leads nowhere stays what it is.
    assert_eq!(record["output"], "attachment://12 and three");
}

#[test]
fn texts_that_stand_apart_are_put_in_their_places() {
    let place = Place::new();
    let id = "8c801a576b933c8c662697d0b44b6bef";
    let more = json!({
        "input": [{"role": "user", "content": format!("attachment://{id}")}],
        "attachments": {id: "long \"text\"", "other": "x"},
    });
    let samples = [sample(json!("s"), 1, json!({"match": "C"}), more)];
    place.write(
        "log.eval",
        eval(&header("t", "m", "", json!(null)), &samples, ZSTD),
    );
    place.judica("import log.eval --run run").exits(0);
    assert_eq!(record(&place, "run", "s", 1)["input"], "long \"text\"");
}

#[test]
fn a_scorer_may_be_called_like_a_column_of_all_runs() {
    let place = Place::new();
    let scores = json!({"score": "C", "input": 0.5, "score_scorer": 1});
    let samples = [sample(json!("s"), 1, scores, json!({}))];
    place.write(
        "log.eval",
        eval(&header("t", "m", "", json!(null)), &samples, ZSTD),
    );
    place.judica("import log.eval --run run").exits(0);
    let record = record(&place, "run", "s", 1);
    assert_eq!(record["score_scorer"], 1.0);
    assert_eq!(record["input_scorer"], 0.5);
    assert_eq!(record["score_scorer_scorer"], 1.0);
    assert_eq!(record["input"], "question \"s\"");
}

#[test]
fn a_log_of_the_first_versions_has_one_score() {
    let place = Place::new();
    let mut old = header(
        "t",
        "m",
        "",
        json!({"scorer": {"name": "match", "params": {}},
        "metrics": {"accuracy": {"name": "accuracy", "value": 1.0, "options": {}}}}),
    );
    old["version"] = json!(1);
    let more = json!({"scores": null, "score": {"value": "C", "explanation": "why"}});
    let samples = [sample(json!(1), 1, json!({}), more)];
    place.write("log.json", document(&old, &samples));
    place
        .judica("import log.json --run run")
        .exits(0)
        .says(&["where 2 was expected"]);
    assert_eq!(record(&place, "run", "1", 1)["match"], 1.0);
    let report = place.json("run/report.json");
    assert_eq!(report["logs"][0]["aggregates"][0]["verdict"], "equal");
}

#[test]
fn a_scorer_called_like_a_key_of_another_has_a_column_of_its_own() {
    let place = Place::new();
    let created = "2026-11-15T21:17:09+00:00";
    let numbers = |value: f64| json!({"mean": {"name": "mean", "value": value}});
    let scores = json!({"total_samples": 2, "completed_samples": 2, "scores": [
        {"name": "b", "scorer": "a", "metrics": numbers(1.0)},
        {"name": "a.b", "scorer": "a.b", "metrics": numbers(0.0)},
    ]});
    // What a scorer gave nothing for is not there.
    let samples = [
        sample(json!("one"), 1, json!({"a": {"b": 1}, "a.b": 0}), json!({})),
        sample(json!("two"), 1, json!({"a.b": 0}), json!({})),
    ];
    place.write(
        "log.json",
        document(&header("t", "m", created, scores), &samples),
    );
    place
        .judica("import log.json --run run")
        .exits(0)
        .says(&["2 equal"]);
    for (item, first) in [("one", json!(1.0)), ("two", json!(null))] {
        let record = record(&place, "run", item, 1);
        assert_eq!(record["a.b"], first);
        assert_eq!(record["a.b_scorer"], 0.0);
    }
}

#[test]
fn numbers_that_an_old_inspect_took_over_samples_without_a_value_are_unchecked() {
    let place = Place::new();
    let created = "2026-11-15T21:17:09+00:00";
    let log = |name: &str, second: Value| {
        let samples = [
            sample(json!("one"), 1, json!({"flt": 0.5}), json!({})),
            sample(json!("one"), 2, json!({"flt": second}), json!({})),
        ];
        let header = header("t", "m", created, results(2, "flt", json!({"mean": NAN})));
        place.write(name, document(&header, &samples));
        place.judica(&format!("import {name} --run run")).exits(0)
    };
    let ran = log("nan.json", json!(NAN)).says(&["1 unchecked", "NaN in the log"]);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    log("wrong.json", json!(0.5)).complains(&["mean is none in the log"]);
}
