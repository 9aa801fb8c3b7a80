//! Files that are not there, options that make no sense.

use crate::answers::data::row;
use crate::support::Place;

fn one() -> Place {
    let place = Place::new();
    place.write("p.jsonl", format!("{}\n", row("p", "p")));
    place
}

#[test]
fn a_missing_file_is_a_fault_of_the_system() {
    one()
        .judica("match -p none.jsonl")
        .exits(3)
        .complains(&["SYSTEM_ERROR", "none.jsonl"]);
}

#[test]
fn a_file_without_rows_is_bad_input() {
    let place = Place::new();
    for (name, text) in [
        ("e.jsonl", ""),
        ("e.jsonl", "\n \n"),
        ("e.json", "[]"),
        ("e.json", r#"{"predictions": []}"#),
    ] {
        place.write(name, text);
        place
            .judica(&format!("match -p {name}"))
            .exits(2)
            .complains(&[name, "no row"]);
    }
    std::fs::create_dir(place.path("empty")).expect("a folder");
    place
        .judica("match -p empty")
        .exits(2)
        .complains(&["empty"]);
}

#[test]
fn bytes_that_are_no_predictions() {
    let place = Place::new();
    place.write("x.jsonl.gz", b"\x1f\x8b\x08\x00broken");
    place
        .judica("match -p x.jsonl.gz")
        .exits(3)
        .complains(&["x.jsonl.gz", "cut short"]);
    for text in [r#"{"model": "m"}"#, r#"{"predictions": 3}"#] {
        place.write("none.json", text);
        place.judica("match -p none.json").exits(2).complains(&[
            "none.json",
            "under one of `predictions`, `detailed_results`",
        ]);
    }
}

#[test]
fn half_a_document_is_kept_whole() {
    let place = Place::new();
    let half = r#"{"model": "m", "predictions": [{"gold": "p", "prediction": "p"}, {"#;
    place.write("half.json", half);
    place
        .judica("match -p half.json --rejects r.jsonl")
        .exits(2)
        .complains(&["half.json: its one row", "malformed_json"]);
    let reject = &place.json_lines("r.jsonl")[0];
    assert_eq!(reject["reason"], "malformed_json");
    assert_eq!(reject["raw"], half);
}

#[test]
fn two_files_of_one_data_set() {
    let place = one();
    place.write("p.json", format!("[{}]", row("p", "p")));
    place
        .judica("match -p . --rejects ../rejects.jsonl")
        .exits(2)
        .complains(&["p.json", "p.jsonl", "data set `p`"]);
}

#[test]
fn options_that_make_no_sense() {
    let place = one();
    for (options, words) in [
        ("--normalizer atk", "did you mean `atl`?"),
        ("--normalizer number --tolerance nan", "--tolerance"),
        ("--normalizer number --tolerance=-1", "--tolerance"),
        (
            "--normalizer number --relative-tolerance inf",
            "--relative-tolerance",
        ),
        ("--threads 0", "--threads"),
        ("--out p.jsonl", "p.jsonl"),
        ("--details p.jsonl", "p.jsonl"),
        ("--out x.json --details x.json", "x.json"),
        ("-p p.jsonl", "p.jsonl"),
    ] {
        place
            .judica(&format!("match -p p.jsonl {options}"))
            .exits(2)
            .complains(&[words]);
    }
    place.judica("match").exits(2).complains(&["--predictions"]);
    assert_eq!(place.names("."), ["p.jsonl"], "nothing was written");
}

#[test]
fn a_folder_that_cannot_be_written_to() {
    let place = one();
    place.write("file", "in the way");
    place.judica("match -p p.jsonl --out file/m.json").exits(3);
    assert_eq!(place.text("file"), "in the way");
}
