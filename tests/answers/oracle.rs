//! The program against an independent implementation of the contract, in Python.

use serde_json::Value;

use crate::answers::data::printed;
use crate::support::{Place, oracle_says, same};

/// Numbers of the oracle and of a report are this close.
const SLACK: f64 = 1e-9;

/// What a script of the oracle prints, as text.
fn python(place: &Place, script: &str, arguments: &str) -> Option<String> {
    let printed = oracle_says(place, script, arguments)?;
    Some(String::from_utf8(printed).expect("text"))
}

/// Makes a file of predictions and compares everything that both sides say of it.
fn match_agrees(normalizer: &str, seed: u32, file: &str, options: &str) {
    let place = Place::new();
    let make = format!("--seed {seed} --rows 100 --normalizer {normalizer} --out {file}");
    if python(&place, "match_cases.py", &make).is_none() {
        return;
    }
    let ask = format!("--normalizer {normalizer} {options} {file}");
    let said = python(&place, "match_oracle.py", &ask).expect("python3 was there");
    let oracle: Value = serde_json::from_str(&said).expect("JSON");
    let line = format!(
        "match --predictions {file} --normalizer {normalizer} {options} --details d.jsonl --json"
    );
    let report = printed(&place.judica(&line).exits(0));
    let at = format!("{normalizer} seed {seed}");
    let details = place.json_lines("d.jsonl");
    let methods = details.iter().map(|row| row["method"].clone()).collect();
    same(&oracle["rows"], &Value::Array(methods), SLACK, &at);
    same(&oracle["report"], &report, SLACK, &at);
}

#[test]
fn formulas() {
    for (seed, file) in [
        (1, "a.jsonl"),
        (2, "b.json"),
        (3, "c.jsonl.gz"),
        (4, "e.jsonl"),
    ] {
        match_agrees("atl", seed, file, "");
    }
}

#[test]
fn whatever_the_golds_are() {
    for seed in 20..32 {
        match_agrees(
            "auto",
            seed,
            if seed % 2 == 0 { "a.jsonl" } else { "b.json" },
            "",
        );
    }
}

#[test]
fn texts() {
    match_agrees("text", 5, "a.jsonl", "");
    match_agrees("text", 6, "b.json", "");
}

#[test]
fn numbers() {
    match_agrees("number", 7, "a.jsonl", "");
    match_agrees(
        "number",
        8,
        "b.json",
        "--tolerance 0.5 --relative-tolerance 0",
    );
}

#[test]
fn values() {
    match_agrees("json", 9, "a.jsonl", "");
    match_agrees("json", 10, "b.json", "");
}

#[test]
fn bytes() {
    match_agrees("exact", 11, "a.jsonl", "");
    match_agrees("exact", 12, "b.json", "");
}

/// Makes a folder of runs, with verdicts and prices or not, and compares the reports.
fn efficiency_agrees(seed: u32) {
    let place = Place::new();
    let make = format!("--seed {seed} --out .");
    let Some(options) = python(&place, "efficiency_cases.py", &make) else {
        return;
    };
    let options = options.trim();
    let said = python(&place, "efficiency_oracle.py", options).expect("python3 was there");
    let oracle: Value = serde_json::from_str(&said).expect("JSON");
    let ran = place.judica(&format!("efficiency {options} --rejects r.jsonl --json"));
    same(
        &oracle,
        &printed(&ran.exits(0)),
        SLACK,
        &format!("seed {seed} {options}"),
    );
}

#[test]
fn models_of_many_kinds() {
    for seed in 0..16 {
        efficiency_agrees(seed);
    }
}
