//! Runs and logs of other harnesses as predictions: what they hold is scored again.

use serde_json::{Value, json};

use crate::support::{Place, STAMP};

/// A log as Inspect writes it.
fn log(samples: &[Value]) -> String {
    json!({
        "version": 2,
        "status": "success",
        "eval": {
            "task": "capitals",
            "model": "org/small",
            "created": "2026-11-15T10:00:00+00:00",
            "dataset": {},
            "config": {},
        },
        "samples": samples,
    })
    .to_string()
}

fn sample(id: &str, epoch: i32, target: Value, output: Value) -> Value {
    json!({
        "id": id,
        "epoch": epoch,
        "input": format!("question {id}"),
        "target": target,
        "output": {"model": "org/small", "choices": [], "completion": output},
        "scores": {"letter": {"value": "I"}},
        "metadata": {"topic": "geography"},
        "model_usage": {"org/small": {"input_tokens": 3, "output_tokens": 2}},
        "total_time": 0.25,
    })
}

fn capitals() -> Place {
    let place = Place::new();
    let mut failed = sample("lost", 1, json!("Rome"), json!(""));
    failed["error"] = json!({"message": "no network", "traceback": "", "traceback_ansi": ""});
    let mut open = sample("open", 1, json!(null), json!("anything"));
    open.as_object_mut().unwrap().remove("target");
    let samples = [
        sample("one/1", 1, json!("Paris"), json!(" paris")),
        sample("one/1", 2, json!("Paris"), json!("Lyon")),
        sample(":2", 1, json!(["Rome", "Roma"]), json!("roma")),
        sample("blank", 1, json!("Rome"), json!("")),
        failed,
        open,
    ];
    place.write("log.json", log(&samples));
    place
}

/// Item, epoch, subject and whether it matched.
fn matched(place: &Place, run: &str) -> Vec<String> {
    let ran = place.judica(&format!("export {run} --format jsonl"));
    let records = ran.exits(0).stdout;
    let records = records.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["tokens_in"], 3.0);
        assert_eq!(record["latency_ms"], 250.0);
        let word = |key: &str| record[key].to_string().replace('"', "");
        ["dataset", "item", "epoch", "subject", "matched"]
            .map(word)
            .join(" ")
    });
    records.collect()
}

const EXPECTED: [&str; 4] = [
    "capitals one/1 1 org/small 1.0",
    "capitals one/1 2 org/small 0.0",
    "capitals :2 1 org/small 1.0",
    "capitals blank 1 org/small 0.0",
];

#[test]
fn a_run_and_its_log_are_scored_alike() {
    let place = capitals();
    place.judica("import log.json --run imported").exits(0);
    for (given, run) in [("imported", "a"), ("log.json", "b")] {
        place
            .judica(&format!(
                "match --predictions {given} --run {run} --timestamp {STAMP}"
            ))
            .exits(0)
            .says(&["inputs 6 = records 4 + rejects 2"]);
        assert_eq!(matched(&place, run), EXPECTED, "{given}");
        let rejects = place.json_lines(&format!("{run}/rejects.jsonl"));
        let reasons: Vec<&Value> = rejects.iter().map(|reject| &reject["reason"]).collect();
        assert_eq!(reasons, ["missing_prediction", "missing_gold"], "{given}");
        place
            .judica(&format!("reproduce {run}"))
            .exits(0)
            .says(&["identical"]);
    }
    let manifest = place.json("b/manifest.json");
    assert_eq!(manifest["inputs"][0]["path"], "log.json");
    assert_eq!(manifest["inputs"][0]["role"], "predictions");
    let manifest = place.json("a/manifest.json");
    assert_eq!(manifest["inputs"][0]["path"], "imported/records.parquet");
    // The texts of a log stand in the run, since nothing else has them as they were read.
    place
        .judica("show b :2")
        .exits(0)
        .says(&["roma", "log.json"]);
    place.judica("compare a b").exits(0);
    // What was scored again can be scored again, several golds and all.
    place
        .judica("match --predictions b --run c --normalizer exact")
        .exits(0)
        .says(&["inputs 4 = records 4 + rejects 0"]);
    assert_eq!(matched(&place, "c")[2], "capitals :2 1 org/small 0.0");
}

#[test]
fn a_log_that_has_changed_is_not_the_same_input() {
    let place = capitals();
    place
        .judica("match --predictions log.json --run a")
        .exits(0);
    place.write("log.json", log(&[sample("x", 1, json!("p"), json!("p"))]));
    place
        .judica("reproduce a")
        .exits(3)
        .complains(&["log.json", "has changed since the run"]);
}

#[test]
fn without_a_run_a_log_is_told_and_counted() {
    let place = capitals();
    place
        .judica("match --predictions log.json --out report.json")
        .exits(0)
        .complains(&["log.json: read as a log of inspect, 6 samples"]);
    let report = place.json("report.json");
    assert_eq!(report["n_examples"], 4);
    assert_eq!(report["files"][0]["dataset"], "log");
    let names = place.names(".");
    assert_eq!(names, ["log.json", "rejects.jsonl", "report.json"]);
}

#[test]
fn columns_that_are_named_are_those_of_the_run() {
    let place = capitals();
    place.judica("import log.json --run imported").exits(0);
    place
        .judica("match --predictions imported --gold metadata.topic --run a")
        .exits(0)
        .says(&["inputs 6 = records 5 + rejects 1"]);
    // Of a file whose columns are named rows are read, whoever wrote it.
    place
        .judica("match --predictions log.json --gold target")
        .exits(2);
}

#[test]
fn a_run_without_texts_says_what_to_do() {
    let place = Place::new();
    place.write_lines("p.jsonl", &[r#"{"id":"a","gold":"2","prediction":"2"}"#]);
    place.judica("match --predictions p.jsonl --run a").exits(0);
    place.judica("match --predictions a").exits(2).complains(&[
        "a: a run without texts",
        "--keep-text",
        "p.jsonl",
    ]);
    place
        .judica("match --predictions p.jsonl --run a --keep-text")
        .exits(0);
    place
        .judica("match --predictions a --run b --subject other")
        .exits(0)
        .says(&["inputs 1 = records 1 + rejects 0"]);
    place
        .judica("export b --format jsonl")
        .exits(0)
        .says(&["\"subject\":\"other\"", "\"item\":\"a\""]);
    place.judica("reproduce b").exits(0);
}

#[test]
fn what_hangs_on_all_of_a_log_is_not_done_in_parts() {
    let place = capitals();
    place
        .judica("match --predictions log.json --run a --part 1/2")
        .exits(2)
        .complains(&["log.json is a log; import it"]);
    place.judica("import log.json --run imported").exits(0);
    for part in ["1/2", "2/2"] {
        let part = format!("match --predictions imported --run pieces --part {part}");
        place
            .judica(&format!("{part} --timestamp {STAMP}"))
            .exits(0);
    }
    place.judica("finish pieces").exits(0);
    place
        .judica(&format!(
            "match --predictions imported --run whole --timestamp {STAMP}"
        ))
        .exits(0);
    place.same_files("pieces", "whole");
}

#[test]
fn a_damaged_log_is_bad_input() {
    let place = Place::new();
    place.write(
        "cut.json",
        &log(&[sample("x", 1, json!("p"), json!("p"))])[..250],
    );
    place
        .judica("match --predictions cut.json --run a")
        .exits(2)
        .complains(&["cut.json"]);
}

#[test]
fn a_folder_of_logs_is_one_input_of_several_files() {
    let place = Place::new();
    let of = |answer: &str| log(&[sample("x", 1, json!("p"), json!(answer))]);
    place.write("logs/a.json", of("p"));
    place.write("logs/b.json", of("q"));
    place
        .judica("match --predictions logs --run a")
        .exits(0)
        .says(&["inputs 1 = records 1 + rejects 0"])
        .complains(&[
            "logs: read as a log of inspect, 1 sample; 1 more could not be used (1 × superseded)",
            "judica import logs --run DIR",
        ]);
    assert_eq!(matched(&place, "a"), ["capitals x 1 org/small 0.0"]);
    let inputs = place.json("a/manifest.json")["inputs"].clone();
    let paths: Vec<&Value> = inputs
        .as_array()
        .unwrap()
        .iter()
        .map(|i| &i["path"])
        .collect();
    assert_eq!(paths, ["logs/a.json", "logs/b.json"]);
    place.judica("reproduce a").exits(0).says(&["identical"]);
    // Rows beside a log are not to be had with it.
    place.write("logs/c.jsonl", r#"{"id":"a","gold":"2","prediction":"2"}"#);
    place.judica("match --predictions logs").exits(2);
}

#[test]
fn golds_that_are_lists_are_required_whole_when_a_run_is_scored_again() {
    let place = Place::new();
    let rows = [
        json!({"id": "any-order", "gold": ["b", "c"], "prediction": "c\nb"}),
        json!({"id": "one missing", "gold": ["b", "c"], "prediction": "b"}),
        json!({"id": "one of two lines", "gold": "b\nc", "prediction": "c"}),
        json!({"id": "looks like any", "gold": r#"["a","b"]"#, "prediction": "a"}),
        json!({"id": "is that text", "gold": r#"["a","b"]"#, "prediction": r#"["a","b"]"#}),
        json!({"id": "looks like all", "gold": r#"{"all":["a"]}"#, "prediction": "a"}),
    ];
    place.write(
        "rows.jsonl",
        rows.map(|row| row.to_string() + "\n").concat(),
    );
    for normalizer in ["text", "json"] {
        let decided = |given: &str, run: &str| {
            let match_ = format!("match -p {given} --normalizer {normalizer} --run {run}");
            place.judica(&format!("{match_} --keep-text")).exits(0);
            let records = place.judica(&format!("export {run} --format jsonl"));
            let records = records.exits(0).stdout;
            let records = records.lines().map(|line| {
                let record: Value = serde_json::from_str(line).unwrap();
                (record["item"].to_string(), record["decision"].to_string())
            });
            records.collect::<Vec<_>>()
        };
        let once = decided("rows.jsonl", &format!("{normalizer}-1"));
        let again = decided(&format!("{normalizer}-1"), &format!("{normalizer}-2"));
        assert_eq!(once, again, "{normalizer}");
    }
    place
        .judica("show text-1 any-order")
        .exits(0)
        .says(&["expected:\nb\nc\n"]);
    place
        .judica("export text-1 --format inspect --out log.json")
        .exits(0);
    let log = place.json("log.json");
    let target = |at: usize| &log["samples"][at]["target"];
    assert_eq!([target(0), target(3)], ["b\nc", r#"["a","b"]"#]);
    place
        .judica("match -p text-1 --normalizer text")
        .exits(0)
        .says(&["│    6 │ 0.3333 "]);
}
