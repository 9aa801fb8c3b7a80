//! A second run into the same folder: the folder holds the second run and nothing else.

use crate::support::flight::{EVAL, RUN, tiny};

/// The files of every run, and these.
fn with(more: &[&'static str]) -> Vec<&'static str> {
    let mut names = [&RUN[..], more].concat();
    names.sort_unstable();
    names
}

#[test]
fn files_that_the_new_run_does_not_write_go_away() {
    let place = tiny();
    let mut bad = place.text("o.jsonl");
    bad.push_str("not json\n");
    place.write("bad.jsonl", bad);
    place
        .judica(&format!(
            "{} --records both",
            EVAL.replace("o.jsonl", "bad.jsonl")
        ))
        .exits(0);
    assert_eq!(
        place.names("run"),
        with(&["records.jsonl", "rejects.jsonl"])
    );
    for (records, expected) in [
        ("parquet", &[][..]),
        ("jsonl", &["records.jsonl"]),
        ("none", &[]),
    ] {
        place
            .judica(&format!("{EVAL} --records {records}"))
            .exits(0);
        assert_eq!(place.names("run"), with(expected));
    }
}

#[test]
fn the_second_run_is_as_if_there_had_been_no_first() {
    let place = tiny();
    place.judica(&format!("{EVAL} --records both")).exits(0);
    let first = place.files("run");
    place.judica(&format!("{EVAL} --records both")).exits(0);
    assert!(place.files("run") == first);
}

#[test]
fn leftovers_of_an_interrupted_run_are_swept_and_strangers_are_not() {
    let place = tiny();
    place.write("run/.records.jsonl.judica-tmp", "half a rec");
    place.write("run/notes.txt", "mine");
    place.judica(EVAL).exits(0);
    assert_eq!(place.names("run"), with(&["notes.txt"]));
}

#[test]
fn a_failed_run_leaves_the_earlier_one_alone() {
    let place = tiny();
    place.judica(&format!("{EVAL} --records both")).exits(0);
    let first = place.files("run");
    let mut bad = place.text("o.jsonl");
    bad.push_str("not json\n");
    place.write("bad.jsonl", bad);
    let eval = EVAL.replace("o.jsonl", "bad.jsonl");
    place
        .judica(&format!("{eval} --records none --strict"))
        .exits(2);
    assert!(place.files("run") == first);
    place.judica("reproduce run").exits(0);
}

#[test]
fn folders_on_the_way_are_made() {
    let place = tiny();
    place
        .judica(&EVAL.replace("--out run", "--out a/b/c"))
        .exits(0);
    assert!(place.names("a/b/c").contains(&"manifest.json".to_owned()));
}
