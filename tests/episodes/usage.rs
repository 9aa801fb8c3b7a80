//! Mistakes on the command line, and files that are not there.

use crate::data::{SCORE, fixture, two};
use crate::support::Place;

#[test]
fn what_is_needed_is_named() {
    let place = Place::new();
    place.judica("episodes").exits(2).complains(&[
        "--episodes",
        "--mode",
        "--config-path",
        "--backend",
        "--out",
    ]);
    // Without predictions the episodes must bring them.
    let alone = SCORE.replace("--predictions p.jsonl", "--mode coord");
    two()
        .judica(&alone)
        .exits(2)
        .complains(&["e.jsonl", "--predictions is needed"]);
    place
        .judica(&format!("{SCORE} --mode pixel"))
        .exits(2)
        .complains(&["pixel", "coord", "som"]);
    place.judica("compare").exits(2).complains(&["<RUN>"]);
    place
        .judica("plot --output f.svg")
        .exits(2)
        .complains(&["<RUN>"]);
    place.judica("aggregate").exits(2).complains(&["--files"]);
    place.judica("schema").exits(2);
}

#[test]
fn files_that_are_not_there() {
    let place = two();
    for name in ["e.jsonl", "p.jsonl"] {
        let line = SCORE.replace(name, "nowhere.jsonl");
        place
            .judica(&format!("{line} --mode coord"))
            .exits(3)
            .complains(&["nowhere.jsonl"]);
        place.nothing_in("out");
    }
    for line in [
        "schema validate nowhere.json",
        "schema migrate nowhere.json",
        "compare --files nowhere.json e.jsonl",
        "plot --files nowhere.json --output f.svg",
        "plot --strip nowhere.json --output f.svg",
        "aggregate --files nowhere.json",
    ] {
        place.judica(line).exits(3).complains(&["nowhere.json"]);
    }
    assert_eq!(place.names("."), ["e.jsonl", "p.jsonl"]);
}

#[test]
fn inputs_are_never_overwritten() {
    let place = two();
    fixture(&place, "v1.0-marked.json");
    for line in [
        "episodes --episodes e.jsonl --predictions p.jsonl --mode coord --config-path c --backend b --out p.jsonl",
        "episodes --episodes e.jsonl --predictions p.jsonl --mode coord --config-path c --backend b --out o.json --rejects ./e.jsonl",
        "compare --files v1.0-marked.json v1.0-marked.json --out v1.0-marked.json",
        "aggregate --files v1.0-marked.json --out v1.0-marked.json",
    ] {
        place.judica(line).exits(2).complains(&["would overwrite"]);
    }
}

#[test]
fn without_anything_to_leave_both_ways_are_named() {
    let command = "episodes --episodes e.jsonl --mode som --config-path c --backend b";
    let refused = Place::new().judica(command).exits(2);
    refused.complains(&["--out <FILE>", "--run <DIR>"]);
    let command = "agree judges --eval-dir judges";
    let refused = Place::new().judica(command).exits(2);
    refused.complains(&["--out <FILE>", "--run <DIR>"]);
}

#[test]
fn options_with_values_that_cannot_be() {
    let place = two();
    for (option, words) in [
        ("--timestamp yesterday", ["--timestamp", "RFC 3339"]),
        (
            "--training-timestamp 2024",
            ["--training-timestamp", "RFC 3339"],
        ),
        ("--memory-gb=-1", ["--memory-gb", "from 0"]),
        ("--memory-gb NaN", ["--memory-gb", "from 0"]),
        ("--threads 0", ["--threads", "not in 1..="]),
    ] {
        place
            .judica(&format!("{SCORE} --mode coord {option}"))
            .exits(2)
            .complains(&words);
    }
}
