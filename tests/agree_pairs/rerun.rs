//! A second run into the same folder leaves the second run and nothing else.

use crate::agree_pairs::data::{HEADER, PAIRS, merged, pair, ten, ten_tsv};

#[test]
fn the_rejects_of_an_earlier_run_go_away() {
    let mut lines = ten();
    lines.push("oops".to_owned());
    let place = merged(&lines);
    place.judica(PAIRS).exits(1);
    assert_eq!(place.names("out"), ["d.tsv", "rejects.jsonl"]);
    place.write_lines("p.jsonl", &ten());
    place.judica(PAIRS).exits(1);
    assert_eq!(place.names("out"), ["d.tsv"]);
}

#[test]
fn the_rejects_of_other_inputs_stay() {
    let place = merged(&["oops".to_owned()]);
    place.judica(PAIRS).exits(2);
    let kept = place.read("out/rejects.jsonl");
    place.write_lines("other.jsonl", &ten());
    place
        .judica(&PAIRS.replace("p.jsonl", "other.jsonl"))
        .exits(1);
    assert_eq!(place.read("out/rejects.jsonl"), kept);
}

#[test]
fn the_second_run_is_as_if_there_had_been_no_first() {
    let mut lines = ten();
    lines.push(pair("x", "yes", "no"));
    let place = merged(&lines);
    let arguments = format!("{PAIRS} --arbitrated out/all.jsonl --hygiene --out out/r.json --json");
    let first = (place.judica(&arguments).exits(1).stdout, place.files("out"));
    let second = (place.judica(&arguments).exits(1).stdout, place.files("out"));
    assert!(first == second);
}

#[test]
fn a_shorter_table_replaces_a_longer_one_whole() {
    let place = merged(&ten());
    place.judica(PAIRS).exits(1);
    assert_eq!(place.text("out/d.tsv"), ten_tsv());
    place.write_lines("p.jsonl", &[pair("a", "VALID", "VALID")]);
    place.judica(PAIRS).exits(0);
    assert_eq!(place.text("out/d.tsv"), HEADER);
}

#[test]
fn strangers_are_left_alone() {
    let place = merged(&ten());
    place.write("out/notes.txt", "mine");
    place.judica(PAIRS).exits(1);
    assert_eq!(place.names("out"), ["d.tsv", "notes.txt"]);
}
