//! `judica compare`: how it is shown, and what it refuses.

use serde_json::json;

use crate::compare::run;
use crate::data::{eval, write_eval};
use crate::support::Place;

fn pair() -> Place {
    let place = Place::new();
    run(&place, "base", 12, 0);
    run(&place, "tuned", 12, 12);
    place
}

const FILES: &str = "compare --files base.json tuned.json --labels Base 50%_tuned";

#[test]
fn tables_for_a_page_and_for_a_paper() {
    let place = pair();
    place
        .judica(&format!("{FILES} --format markdown"))
        .exits(0)
        .says(&[
            "| metric",
            "| ---",
            "50%\\_tuned",
            "better",
            "not paired",
            "n/a",
        ]);
    let ran = place.judica(&format!("{FILES} --format latex")).exits(0);
    for word in [
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
        "50\\%\\_tuned",
        "action\\_type\\_accuracy",
        "\\end{table}",
    ] {
        assert!(ran.stdout.contains(word), "{word}");
    }
    assert!(!ran.stdout.contains("50%"));
    place
        .judica(&format!("{FILES} --details base.jsonl tuned.jsonl"))
        .exits(0)
        .says(&[
            "b = 50%_tuned",
            "against a = Base",
            "better",
            "12 items in common",
        ]);
}

#[test]
fn the_report_is_written_too_and_always_the_same() {
    let place = pair();
    let line = format!("{FILES} --details base.jsonl tuned.jsonl --json");
    let ran = place.judica(&format!("{line} --out r/c.json")).exits(0);
    assert_eq!(place.text("r/c.json"), ran.stdout);
    assert_eq!(place.judica(&line).exits(0).stdout, ran.stdout);
}

/// What a pipe gives cannot be read twice.
#[test]
fn an_eval_file_from_a_pipe() {
    let place = pair();
    let plain = place.judica(FILES).exits(0);
    let (pipe, text) = (place.path("tuned.json"), place.text("tuned.json"));
    std::fs::remove_file(&pipe).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, text));
    assert_eq!(place.judica(FILES).exits(0).stdout, plain.stdout);
    writer.join().expect("a thread").expect("written");
}

#[test]
fn what_it_needs() {
    let place = pair();
    write_eval(&place, "bad.json", &eval("x", json!({"num_steps": -1})));
    for (line, words) in [
        ("compare --files base.json", "two files"),
        (
            "compare --files base.json tuned.json --labels one",
            "labels",
        ),
        (
            "compare --files base.json tuned.json --details base.jsonl",
            "details",
        ),
        ("compare --files base.json bad.json", "bad.json:1"),
        ("compare --files base.json bad.json", "/metrics/num_steps"),
        ("compare --files base.json tuned.json --alpha 0", "alpha"),
        ("compare --files base.json tuned.json --alpha 1.5", "alpha"),
    ] {
        let ran = place.judica(line).exits(2);
        ran.complains(&[words]);
    }
}
