//! The program against an independent implementation of the contract, in Python.
//!
//! The cases hold symbolic links, which not every system lets a test make.
#![cfg(unix)]

use serde_json::Value;

use crate::support::{Place, python};

/// What both sides are asked, in turn: options of the oracle and of the program.
const ASKED: [(&str, &str); 3] = [
    ("", ""),
    ("--allow-undefined", "--allow-undefined"),
    (
        "--coverage 0.5 --recall 0.25 --abstention 0.5 --manifests 0.4",
        "--min-coverage 0.5 --min-recall 0.25 --min-abstention 0.5 --min-manifests 0.4",
    ),
];

/// Makes the cases of a seed and compares everything that both sides say of them; whether
/// the gates passed, or `None` without Python.
fn agrees(seed: usize, runs: usize, how: &str) -> Option<bool> {
    let place = Place::new();
    let make = format!("--seed {seed} --runs {runs} --out . {how}");
    let made = python(&place, "golden_cases.py", &make)?;
    let complaint = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{complaint}");
    let (oracle_asked, asked) = ASKED[seed % ASKED.len()];
    let inputs = "--golden golden.json --outputs runs";
    let oracle = python(
        &place,
        "golden_oracle.py",
        &format!("{inputs} {oracle_asked}"),
    )?;
    let expected: Value = serde_json::from_slice(&oracle.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&oracle.stderr)));
    let code = oracle.status.code().expect("a code");
    let ran = place
        .judica(&format!("gate golden {inputs} {asked} --json"))
        .exits(code);
    let mut report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    only_what_the_oracle_says(&mut report);
    for (key, expected) in expected.as_object().expect("a report") {
        let case = format!("seed {seed} {how} {asked}: {key}");
        assert_eq!(&report[key], expected, "{case}");
    }
    Some(code == 0)
}

/// Leaves out intervals, words, and runs of which not even the objective can be read.
fn only_what_the_oracle_says(report: &mut Value) {
    for metric in report["metrics"]
        .as_object_mut()
        .expect("metrics")
        .values_mut()
    {
        let metric = metric.as_object_mut().expect("a metric");
        metric.retain(|key, _| ["numerator", "denominator", "value"].contains(&key.as_str()));
    }
    for (list, word) in [
        ("gates", "note"),
        ("unmatched_runs", "reason"),
        ("malformed_runs", "reason"),
    ] {
        for entry in report[list].as_array_mut().expect("a list") {
            entry.as_object_mut().expect("an object").remove(word);
        }
    }
    let unmatched = report["unmatched_runs"].as_array_mut().expect("a list");
    unmatched.retain(|run| !run["objective"].is_null());
}

#[test]
fn on_runs_of_every_kind() {
    for seed in 1..=18 {
        if agrees(seed, 30, "").is_none() {
            return;
        }
    }
}

#[test]
fn on_few_runs() {
    for seed in 100..=111 {
        if agrees(seed, seed % 4, "").is_none() {
            return;
        }
    }
}

#[test]
fn on_runs_that_do_what_they_should() {
    let mut passed = 0;
    for seed in 1..=12 {
        let Some(pass) = agrees(seed, 12, "--clean") else {
            return;
        };
        passed += usize::from(pass);
    }
    // Cases on which no gate ever passes would tell little.
    assert!(passed > 0);
}
