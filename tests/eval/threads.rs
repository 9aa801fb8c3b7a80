//! The number of threads must not show in a single byte.

use std::fs;

use crate::support::{Place, STAMP};

/// Synthetic outputs of several chunks, with lines that must be refused in between. The
/// order is mixed so that every model's history runs through every chunk.
fn mixed(place: &Place, samples: usize, models: usize) {
    place
        .judica(&format!(
            "synth flight --samples {samples} --models {models} --seed 3 --out data"
        ))
        .exits(0);
    let text = place.text("data/outputs.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    // 7919 is prime and divides none of the counts used, so this is a permutation.
    assert_ne!(lines.len() % 7919, 0);
    let mut mixed = String::new();
    for index in 0..lines.len() {
        let line = lines[index * 7919 % lines.len()];
        mixed.push_str(line);
        mixed.push('\n');
        match index % 211 {
            0 => mixed.push_str("not json\n"),
            // The first line once more: its twin lies in another chunk.
            7 => mixed.push_str(&format!("{}\n", lines[0])),
            _ => {}
        }
    }
    place.write("o.jsonl", mixed);
}

#[track_caller]
fn same_with_any_threads(place: &Place, records: &str) {
    let eval = format!(
        "eval --protocol flight --samples data/samples.jsonl --outputs o.jsonl --confidence data/confidence.json \
         --timestamp {STAMP} --records {records}"
    );
    place
        .judica(&format!("{eval} --out run1 --threads 1"))
        .exits(0);
    let one = place.files("run1");
    assert!(one.contains_key("rejects.jsonl"));
    for threads in [2, 5] {
        place
            .judica(&format!("{eval} --out run2 --threads {threads}"))
            .exits(0);
        let many = place.files("run2");
        let (ours, theirs): (Vec<_>, Vec<_>) = (one.keys().collect(), many.keys().collect());
        assert_eq!(ours, theirs);
        for (name, bytes) in &one {
            assert!(
                bytes == &many[name],
                "{name} differs between 1 and {threads} threads"
            );
        }
    }
}

#[test]
fn parquet() {
    let place = Place::new();
    mixed(&place, 600, 15);
    let size = fs::metadata(place.path("o.jsonl")).expect("a file").len();
    assert!(
        size > 5 << 20,
        "{size} bytes are not several chunks of 4 MB"
    );
    same_with_any_threads(&place, "parquet");
}

#[test]
fn jsonl_and_both() {
    let place = Place::new();
    mixed(&place, 300, 7);
    let size = fs::metadata(place.path("o.jsonl")).expect("a file").len();
    assert!(
        size > 2 * (768 << 10),
        "{size} bytes are not several chunks of 768 KB"
    );
    same_with_any_threads(&place, "both");
}

#[test]
fn more_threads_than_lines() {
    let place = Place::new();
    mixed(&place, 3, 1);
    same_with_any_threads(&place, "both");
}
