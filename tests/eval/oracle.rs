//! The program against an independent implementation of the contract, in Python.

use std::process::Output;

use crate::support::{Place, STAMP, python};

#[track_caller]
fn succeeded(output: &Output) {
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn agrees(seed: u32) {
    let place = Place::new();
    let Some(made) = python(
        &place,
        "make_cases.py",
        &format!("--seed {seed} --count 150 --out cases"),
    ) else {
        return;
    };
    succeeded(&made);
    let inputs = "--samples cases/samples.jsonl --outputs cases/outputs.jsonl --outputs cases/outputs2.jsonl \
                  --confidence cases/confidence.json";
    let oracle = python(
        &place,
        "flight_oracle.py",
        &format!("{inputs} --out oracle"),
    )
    .expect("python3 was there");
    succeeded(&oracle);
    place
        .judica(&format!(
            "eval --protocol flight {inputs} --out run --records both --timestamp {STAMP}"
        ))
        .exits(0);
    let compared = python(&place, "compare.py", "oracle run").expect("python3 was there");
    succeeded(&compared);
    // The table holds the same records as the lines that were compared.
    let lines = place.text("run/records.jsonl");
    assert!(lines.lines().count() > 150);
    assert!(place.judica("export run --format jsonl").exits(0).stdout == lines);
}

#[test]
fn on_the_cases_of_seed_1() {
    agrees(1);
}

#[test]
fn on_the_cases_of_seed_2() {
    agrees(2);
}
