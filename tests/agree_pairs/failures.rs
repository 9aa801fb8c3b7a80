//! What ends a run: its exit code, and that nothing half-written is left.

use std::fs;

use crate::agree_pairs::data::{HEADER, PAIRS, SEPARATE, gzip, judgment, merged, pair, ten, zstd};
use crate::support::{Place, TEMPORARY};

#[test]
fn strict_names_the_file_the_line_and_what_was_expected() {
    for (bad, reason) in [
        ("oops".to_owned(), "malformed_json"),
        (pair("x", "valid", "VALID"), "unknown_label"),
        (pair("q01", "VALID", "VALID"), "duplicate_qid"),
        ("{\"qid\": \"x\"}".to_owned(), "missing_side"),
    ] {
        let mut lines = ten();
        lines.insert(4, bad.clone());
        lines.push("later".to_owned());
        let place = merged(&lines);
        place
            .judica(&format!(
                "{PAIRS} --strict --arbitrated out/all.jsonl --hygiene --out out/r.json"
            ))
            .exits(2)
            .complains(&[
                "p.jsonl:5",
                if bad.contains("q01") {
                    "p.jsonl:5"
                } else {
                    reason
                },
            ]);
        place.nothing_in("out");
    }
}

#[test]
fn strict_lets_clean_files_through() {
    let place = merged(&ten());
    place.judica(&format!("{PAIRS} --strict")).exits(1);
}

#[test]
fn a_failed_run_leaves_the_earlier_one_alone() {
    let place = merged(&ten());
    let arguments = format!("{PAIRS} --arbitrated out/all.jsonl --hygiene --out out/r.json");
    place.judica(&arguments).exits(1);
    let first = place.files("out");
    assert_eq!(first.len(), 4);
    let mut lines = ten();
    lines.swap(0, 1);
    lines.push("oops".to_owned());
    place.write_lines("p.jsonl", &lines);
    place.judica(&format!("{arguments} --strict")).exits(2);
    assert!(place.files("out") == first);
}

#[test]
fn files_that_are_not_there_or_are_folders() {
    let place = merged(&ten());
    place.write_lines("s.jsonl", &[judgment("a", "VALID")]);
    place.write_lines("a.jsonl", &[judgment("a", "VALID")]);
    fs::create_dir(place.path("folder")).expect("a folder");
    for (arguments, name) in [
        (PAIRS, "p.jsonl"),
        (SEPARATE, "s.jsonl"),
        (SEPARATE, "a.jsonl"),
    ] {
        for (instead, word) in [
            ("nowhere.jsonl", "no such file"),
            ("p.jsonl/x", "no such file"),
        ] {
            place
                .judica(&arguments.replace(name, instead))
                .exits(3)
                .complains(&["SYSTEM_ERROR", instead, word]);
            place.nothing_in("out");
        }
        // A folder is read, and in this one there is nothing.
        place
            .judica(&arguments.replace(name, "folder"))
            .exits(2)
            .complains(&["no data in this folder"]);
        place.nothing_in("out");
    }
}

#[test]
fn compressed_files_that_are_cut_end_the_run_and_leave_nothing() {
    // Enough that whole chunks come out before the cut is met.
    let lines: Vec<String> = (0..12_000)
        .map(|i| pair(&format!("q{i}"), "VALID", "REJECT"))
        .collect();
    let place = merged(&lines);
    let bytes = place.read("p.jsonl");
    for (name, packed) in [("p.jsonl.gz", gzip(&bytes)), ("p.jsonl.zst", zstd(&bytes))] {
        for keep in [packed.len() - 1, packed.len() / 2, 40, 3] {
            place.write(name, &packed[..keep]);
            let arguments = format!("{PAIRS} --arbitrated out/all.jsonl").replace("p.jsonl", name);
            place
                .judica(&arguments)
                .exits(3)
                .complains(&["SYSTEM_ERROR", name, "cut short"]);
            place.nothing_in("out");
        }
    }
}

#[test]
fn a_corrupt_file_is_told_from_a_short_one() {
    let place = merged(&ten());
    let mut packed = gzip(&place.read("p.jsonl"));
    let middle = packed.len() / 2;
    packed[middle] ^= 0xff;
    place.write("p.jsonl.gz", packed);
    place
        .judica(&PAIRS.replace("p.jsonl", "p.jsonl.gz"))
        .exits(3)
        .complains(&["SYSTEM_ERROR", "p.jsonl.gz"]);
    place.nothing_in("out");
}

#[test]
fn outputs_that_cannot_be_written_are_an_environment_fault() {
    let place = merged(&ten());
    place.write("file", "");
    for folder in ["file", "/proc/judica", "/dev/null"] {
        for option in ["--tsv", "--arbitrated", "--out"] {
            place
                .judica(&format!(
                    "agree pairs --pairs p.jsonl --resamples 0 {option} {folder}/d.tsv"
                ))
                .exits(3)
                .complains(&["SYSTEM_ERROR", folder]);
        }
    }
    assert!(
        !place
            .names(".")
            .iter()
            .any(|name| name.ends_with(TEMPORARY))
    );
    assert!(
        !place
            .names("runs")
            .iter()
            .any(|name| name.ends_with(TEMPORARY))
    );
}

/// What the run reads must not be what it writes over.
#[test]
fn an_output_that_is_the_input_is_refused() {
    let place = merged(&ten());
    let before = place.read("p.jsonl");
    for option in ["--tsv", "--arbitrated", "--rejects", "--out"] {
        place
            .judica(&format!(
                "agree pairs --pairs p.jsonl --resamples 0 {option} p.jsonl"
            ))
            .exits(2);
        assert_eq!(place.read("p.jsonl"), before, "{option}");
    }
}

#[test]
fn two_outputs_with_one_name_are_refused() {
    let place = merged(&ten());
    place
        .judica(&format!("{PAIRS} --arbitrated out/d.tsv"))
        .exits(2);
    place.nothing_in("out");
}

#[test]
fn folders_on_the_way_are_made() {
    let place = Place::new();
    place.write_lines("p.jsonl", &[pair("a", "VALID", "VALID")]);
    place
        .judica("agree pairs --pairs p.jsonl --tsv a/b/d.tsv --arbitrated c/d/all.jsonl --out e/f/r.json --allow-undefined")
        .exits(0);
    assert_eq!(place.text("a/b/d.tsv"), HEADER);
    assert_eq!(place.json_lines("c/d/all.jsonl").len(), 1);
    assert_eq!(place.json("e/f/r.json")["n"], 1);
}
