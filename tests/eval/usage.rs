//! Wrong arguments: exit 2 before anything is written.

use crate::support::flight::{EVAL, tiny};

#[test]
fn wrong_arguments_are_refused_before_anything_is_written() {
    for (extra, words) in [
        ("--task S2", vec!["--task S2", "S1, M1, M3"]),
        ("--threads 0", vec!["--threads"]),
        ("--threads many", vec!["--threads"]),
        ("--records csv", vec!["--records", "jsonl"]),
        ("--outputs - --samples -", vec!["standard input"]),
        ("--nonsense", vec!["--nonsense"]),
    ] {
        let place = tiny();
        place
            .judica(&format!("{EVAL} {extra}"))
            .exits(2)
            .complains(&words);
        place.nothing_in("run");
    }
}

#[test]
fn an_unknown_protocol_is_named_with_the_nearest_one() {
    let place = tiny();
    place
        .judica(&EVAL.replace("flight", "fligth"))
        .exits(2)
        .complains(&["fligth", "`flight`"]);
    place.nothing_in("run");
}

#[test]
fn help_and_version_need_nothing() {
    let place = tiny();
    for command in [
        "",
        "eval",
        "show",
        "export",
        "rules",
        "lint",
        "explain",
        "calibrate",
        "reproduce",
        "synth",
        "demo",
        "completions",
        "reference",
    ] {
        place
            .judica(&format!("{command} --help"))
            .exits(0)
            .says(&["Usage: judica"]);
    }
    place.judica("--version").exits(0).says(&["judica 0."]);
    place.judica("").exits(2);
}
