//! Folders that are no run, or not any more.

use crate::cases::{CASES, server};
use crate::support::Place;

fn with_a_run() -> Place {
    let (place, server) = (Place::new(), server());
    let case = &CASES[1];
    (case.inputs)(&place, false);
    case.run(&place, &server, "a", "").exits(0);
    place
}

/// Every reader of runs, on the folder `a`.
const READERS: [&str; 6] = [
    "show a",
    "show a q03",
    "export a --format jsonl",
    "reproduce a",
    "compare a a",
    "gate init a --out -",
];

#[track_caller]
fn all_refuse(place: &Place, words: &[&str]) {
    for reader in READERS {
        place.judica(reader).exits(3).complains(words);
    }
}

#[test]
fn every_reader_refuses_what_is_no_run() {
    let place = with_a_run();
    let manifest = place.text("a/manifest.json");
    place.write(
        "a/manifest.json",
        manifest.replace("judica.run/2", "judica.run/1"),
    );
    all_refuse(&place, &["judica.run/1", "run the command again"]);
    place.write(
        "a/manifest.json",
        manifest.replace("judica.run/2", "judica.run/9"),
    );
    all_refuse(&place, &["judica.run/9", "newer"]);
    place.write("a/manifest.json", "{");
    all_refuse(&place, &["manifest.json"]);
    std::fs::remove_file(place.path("a/manifest.json")).expect("removed");
    all_refuse(&place, &["no finished run", "--run DIR"]);
}

#[test]
fn a_file_of_another_length_is_noticed() {
    let place = with_a_run();
    let mut records = place.read("a/records.parquet");
    records.pop();
    place.write("a/records.parquet", records);
    all_refuse(&place, &["records.parquet", "damaged"]);
}

#[test]
fn what_stands_in_the_input_is_shown_only_if_it_is_still_that() {
    let place = with_a_run();
    place.judica("show a q03").exits(0).says(&["count to 3"]);
    let inputs = place.text("p.jsonl");
    place.write("p.jsonl", inputs.replace("count to 3\"", "count on 3\""));
    let shown = place.judica("show a q03").exits(0);
    assert!(!shown.stdout.contains("count on"), "{}", shown.stdout);
    shown.says(&["has changed since the run"]);
    std::fs::rename(place.path("p.jsonl"), place.path("moved.jsonl")).expect("moved");
    place.judica("show a q03").exits(0).says(&["is not there"]);
    place.write("elsewhere/p.jsonl", inputs);
    place
        .judica("show a q03 --inputs elsewhere")
        .exits(0)
        .says(&["count to 3"]);
}

#[test]
fn standard_input_is_found_by_its_hash() {
    let (place, _) = (Place::new(), ());
    (CASES[1].inputs)(&place, false);
    let rows = place.read("p.jsonl");
    place
        .judica_with_stdin("match --predictions - --run a", rows.clone())
        .exits(0);
    place
        .judica("reproduce a")
        .exits(3)
        .complains(&["standard input", "--inputs DIR"]);
    place.write("kept/whatever.txt", rows);
    place.judica("reproduce a --inputs kept").exits(0);
}
