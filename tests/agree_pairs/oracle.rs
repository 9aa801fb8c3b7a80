//! The program against an independent implementation of the contract, in Python.

use serde_json::{Map, Value, json};

use crate::support::{Place, oracle_says as python};

/// Makes the cases of a seed and compares everything that both sides say of them.
fn agrees(seed: u32, count: u32, how: &str) {
    let place = Place::new();
    let make = format!("--seed {seed} --count {count} --out . {how}");
    if python(&place, "pairs_cases.py", &make).is_none() {
        return;
    }
    let gates = match seed % 2 {
        0 => "--pa-gate 0.5 --kappa-gate 0.3 --abstain-gate 0.2",
        _ => "",
    };
    for inputs in [
        "--pairs pairs.jsonl",
        "--scholar scholar.jsonl --auditor auditor.jsonl",
    ] {
        let asked = format!("{inputs} {gates} --tsv oracle.tsv --arbitrated oracle.jsonl");
        let printed = python(&place, "pairs_oracle.py", &asked).expect("python3 was there");
        let oracle: Value = serde_json::from_slice(&printed).expect("JSON");
        let ran = place.judica(&format!(
            "agree pairs {inputs} {gates} --tsv out/d.tsv --arbitrated out/all.jsonl --json --resamples 5"
        ));
        if oracle["n"] == 0 {
            // Nothing was used, which is no result.
            ran.exits(2);
            let _ = std::fs::remove_dir_all(place.path("out"));
            continue;
        }
        let ran = ran.exits(i32::from(oracle["gates_pass"] == false));
        let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let case = format!("seed {seed} {how}, {inputs} {gates}");
        compare(&place, &oracle, &report, &case);
        // What was refused of other inputs would stay.
        std::fs::remove_dir_all(place.path("out")).expect("the outputs are there");
    }
}

#[track_caller]
fn compare(place: &Place, oracle: &Value, report: &Value, case: &str) {
    for (key, expected) in oracle.as_object().expect("a report") {
        match key.as_str() {
            "refused" | "reject_lines" | "auditor_abstain_rate" => {}
            _ => assert_eq!(&report[key], expected, "{case}: {key}"),
        }
    }
    let abstains = &report["metrics"]["auditor_abstain_rate"]["value"];
    assert_eq!(abstains, &oracle["auditor_abstain_rate"], "{case}");
    let kinds = report["refused"].as_array().expect("refusals").iter();
    let counts = kinds.map(|kind| {
        (
            kind["reason"].as_str().expect("a code").to_owned(),
            kind["count"].clone(),
        )
    });
    assert_eq!(
        Value::Object(counts.collect::<Map<_, _>>()),
        oracle["refused"],
        "{case}"
    );

    assert_eq!(place.text("out/d.tsv"), place.text("oracle.tsv"), "{case}");
    let counted = place
        .json_lines("out/all.jsonl")
        .into_iter()
        .filter(|line| line["counted"] == true);
    let decided: Vec<Value> = counted
        .map(|mut line| {
            line.as_object_mut().expect("an object").remove("counted");
            line
        })
        .collect();
    assert_eq!(decided, place.json_lines("oracle.jsonl"), "{case}");
    let rejects = match place.names("out").contains(&"rejects.jsonl".to_owned()) {
        true => place.json_lines("out/rejects.jsonl"),
        false => Vec::new(),
    };
    let told = rejects
        .iter()
        .map(|reject| json!([reject["file"], reject["line"], reject["reason"]]));
    assert_eq!(
        Value::Array(told.collect()),
        oracle["reject_lines"],
        "{case}"
    );
}

#[test]
fn on_cases_of_many_kinds() {
    for seed in 1..=8 {
        agrees(seed, 200, "");
    }
}

#[test]
fn on_few_pairs() {
    for seed in 100..=107 {
        agrees(seed, seed % 8, "");
    }
}

#[test]
fn on_lines_that_are_alike_but_for_some_damage() {
    for seed in 1..=6 {
        agrees(seed, 300, "--alike");
    }
}
