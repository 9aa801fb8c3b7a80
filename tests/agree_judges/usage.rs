//! Arguments that make no sense, and help.

use crate::agree_judges::data::{JUDGES, panel};

#[test]
fn arguments_that_are_needed() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place
        .judica("agree judges --eval-dir eval")
        .exits(2)
        .complains(&["--out"]);
    place
        .judica("agree judges --out out/r.json")
        .exits(2)
        .complains(&["--eval-dir"]);
    place.judica("agree judges").exits(2);
    place.nothing_in("out");
}

#[test]
fn arguments_that_make_no_sense() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    for argument in [
        "--confidence 0",
        "--confidence 1",
        "--confidence NaN",
        "--confidence 95",
        "--threads 0",
        "--resamples many",
        "--disagreements=-1",
        "--disagreements all",
        "--aggregate mean",
        "--format html",
        "--human",
        "another",
    ] {
        let option = argument.split([' ', '=']).next().unwrap_or(argument);
        let ran = place.judica(&format!("{JUDGES} {argument}"));
        ran.exits(2).complains(&[option]);
        place.nothing_in("out");
    }
}

#[test]
fn help_says_what_is_read_and_what_is_left_out() {
    let place = panel(&[]);
    place.judica("agree judges --help").exits(0).says(&[
        "DIR/<judge>/<dataset>.json",
        "--include-deterministic",
        "exact, structural, no_llm, unmatched",
        "dawid-skene",
        "Examples:",
    ]);
}

#[test]
fn options_may_be_spelt_as_in_the_project_they_come_from() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place
        .judica("agree judges --eval_dir eval --output r.json --max_disagreements 1 --resamples 9")
        .exits(0);
    let shown = place.json("r.json")["disagreements"].clone();
    assert_eq!(shown.as_array().map(Vec::len), Some(1));
}
