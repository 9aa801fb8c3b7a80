//! The program against an independent writer and reader of logs, in Python.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::{Place, oracle_says};

fn agrees(seed: u32) {
    let place = Place::new();
    let Some(said) = oracle_says(&place, "logs_oracle.py", &format!("--seed {seed} --out ."))
    else {
        return;
    };
    let logs: Vec<Value> = serde_json::from_slice(&said).expect("JSON");
    for log in &logs {
        let harness = log["harness"].as_str().expect("a name");
        let case = format!("seed {seed}, {harness}");
        let path = log["path"].as_str().expect("a path");
        let run = format!("run-{harness}");
        let ran = place.judica(&format!("import {path} --run {run}"));
        if log["rows"].as_array().is_some_and(Vec::is_empty)
            && log["errors"].as_array().is_some_and(Vec::is_empty)
        {
            // A log of nothing is no run.
            ran.exits(2);
            continue;
        }
        ran.exits(0);
        let report = place.json(&format!("{run}/report.json"));
        let aggregates = report["logs"][0]["aggregates"].as_array().expect("a list");
        let told = |of: &Value| ["scorer", "group", "metric", "verdict"].map(|key| of[key].clone());
        let mut told: Vec<String> = aggregates
            .iter()
            .map(|of| serde_json::to_string(&told(of)).expect("JSON"))
            .collect();
        let mut expected: Vec<String> = log["verdicts"]
            .as_array()
            .expect("a list")
            .iter()
            .map(Value::to_string)
            .collect();
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "{case}");
        compare(&place, log, &run, &case);
    }
}

#[track_caller]
fn compare(place: &Place, log: &Value, run: &str, case: &str) {
    let out = format!("{run}.records.jsonl");
    place
        .judica(&format!("export {run} --format jsonl --out {out}"))
        .exits(0);
    let keys = ["dataset", "item", "epoch", "subject"];
    let records: BTreeMap<String, Value> = place
        .json_lines(&out)
        .into_iter()
        .map(|record| {
            let key: Vec<String> = keys.iter().map(|key| record[key].to_string()).collect();
            (key.join(" "), record)
        })
        .collect();
    let key_of = |row: &[Value]| {
        let key: Vec<String> = row[..4].iter().map(Value::to_string).collect();
        key.join(" ")
    };
    for row in log["rows"].as_array().expect("rows") {
        let row = row.as_array().expect("a row");
        let record = &records[&key_of(row)];
        let column = row[4].as_str().expect("a name");
        assert_eq!(record[column].as_f64(), row[5].as_f64(), "{case}: {row:?}");
    }
    let errors: Vec<String> = log["errors"]
        .as_array()
        .expect("keys")
        .iter()
        .map(|key| key_of(key.as_array().expect("a key")))
        .collect();
    for (key, record) in &records {
        let failed = record["verdict"] == "error";
        assert_eq!(failed, errors.contains(key), "{case}: {key}");
    }
}

#[test]
fn rows_and_numbers_are_those_of_an_independent_reader() {
    (0..6).for_each(agrees);
}
