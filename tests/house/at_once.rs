//! Two processes at once: nobody publishes another's bytes, and nobody loses a file.

use std::process::Stdio;

use serde_json::json;

use crate::support::{Place, STAMP, TEMPORARY};

const PAIRS: usize = 40;

/// Runs two lines at once; both must end with 0.
fn both(place: &Place, one: &str, two: &str) {
    let start = |line: &str| {
        let mut command = place.process(line);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    };
    for child in [start(one), start(two)] {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{one} | {two}: {said}");
    }
}

#[track_caller]
fn nothing_temporary(place: &Place, folder: &str) {
    let names = place.names(folder);
    assert!(
        !names.iter().any(|name| name.contains(TEMPORARY)),
        "{names:?}"
    );
}

#[test]
fn of_two_matches_each_file_is_one_s_own() {
    let place = Place::new();
    for (name, prediction) in [("a", "yes"), ("b", "no")] {
        let rows: Vec<String> = (0..400)
            .map(|id| {
                json!({"id": id, "input": "q", "gold": "yes", "prediction": prediction}).to_string()
            })
            .collect();
        place.write_lines(&format!("{name}.jsonl"), &rows);
    }
    let line = |name: &str, out: &str| {
        format!(
            "match --predictions {name}.jsonl --normalizer text --out {out}.json --details {out}.jsonl"
        )
    };
    let alone = |name: &str| {
        place.judica(&line(name, "alone")).exits(0);
        (place.read("alone.json"), place.read("alone.jsonl"))
    };
    let (a, b) = (alone("a"), alone("b"));
    assert_ne!(a, b);
    for pair in 0..PAIRS {
        if pair % 2 == 0 {
            both(&place, &line("a", "out/same"), &line("b", "out/same"));
            let (report, details) = (place.read("out/same.json"), place.read("out/same.jsonl"));
            assert!(report == a.0 || report == b.0);
            assert!(details == a.1 || details == b.1);
        } else {
            both(&place, &line("a", "out/one"), &line("b", "out/two"));
            assert!((place.read("out/one.json"), place.read("out/one.jsonl")) == a);
            assert!((place.read("out/two.json"), place.read("out/two.jsonl")) == b);
        }
        nothing_temporary(&place, "out");
    }
}

#[test]
fn of_two_evaluations_the_folder_is_one_s_whole_run() {
    let place = Place::new();
    for (name, seed) in [("a", 1), ("b", 2)] {
        place
            .judica(&format!(
                "synth flight --samples 20 --models 2 --seed {seed} --out {name}"
            ))
            .exits(0);
    }
    let line = |name: &str, out: &str| {
        format!(
            "eval --protocol flight --samples {name}/samples.jsonl --outputs {name}/outputs.jsonl \
             --out {out} --records both --timestamp {STAMP}"
        )
    };
    place.judica(&line("a", "alone_a")).exits(0);
    place.judica(&line("b", "alone_b")).exits(0);
    let (a, b) = (place.files("alone_a"), place.files("alone_b"));
    assert_ne!(a, b);
    for pair in 0..PAIRS {
        if pair % 2 == 0 {
            both(&place, &line("a", "same"), &line("b", "same"));
            let left = place.files("same");
            assert!(left == a || left == b, "{:?}", left.keys());
        } else {
            both(&place, &line("a", "out/one"), &line("b", "out/two"));
            assert!(place.files("out/one") == a && place.files("out/two") == b);
            nothing_temporary(&place, "out");
        }
    }
}
