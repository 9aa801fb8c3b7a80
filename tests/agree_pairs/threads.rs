//! The number of threads must not show in a single byte.

use std::fs;

use serde_json::json;

use crate::agree_pairs::data::{PAIRS, judgment, pair};
use crate::support::Place;

/// Lines for several chunks of 512 KiB; lines to be refused, duplicates of lines in other
/// chunks and findings of hygiene are spread over all of them.
fn many(count: usize) -> Vec<String> {
    let labels = [
        "VALID",
        "NOT_IN_CONTEXT",
        "REJECT",
        "VALID",
        "ABSTAIN",
        "VALID",
    ];
    let mut lines = Vec::new();
    for i in 0..count {
        let mut line = json!({"qid": format!("A{i:06}"),
            "scholar": {"label": labels[i % 6], "reason": format!("claim contained; cites p{}#2", i % 9)},
            "auditor": {"label": labels[(i / 5) % 6], "reason": "provenance ok; constraints echoed"},
            "answer_json": {"claim": "X rejects null keys.", "citations": [format!("p{}#2", i % 9)]},
            "retrieved_ids": ["p1#2", "p2#2", "p3#2", "p4#2", "p5#2"],
            "flags": {"provenance_violation": i % 31 == 0, "constraints_mismatch": false}});
        match i % 97 {
            3 => line["auditor"]["label"] = json!("rejected"),
            5 => line["scholar"]["reason"] = json!("see jane@example.org"),
            7 => line["scholar"] = json!(null),
            11 => line["qid"] = json!(format!("A{:06}", i / 2)),
            13 => line["flags"] = json!([1]),
            _ => {}
        }
        lines.push(line.to_string());
        if i % 89 == 0 {
            lines.push(format!("not json {i}"));
        }
        if i % 101 == 0 {
            lines.push(pair("A000001", "VALID", "VALID"));
        }
    }
    lines
}

/// Runs with one thread and with several; everything must be the same.
#[track_caller]
fn same_with_any_threads(place: &Place, arguments: &str) {
    let run = |threads: usize| {
        let ran = place.judica(&format!("{arguments} --json --threads {threads}"));
        assert!(ran.code == 0 || ran.code == 1, "{}", ran.stderr);
        (ran.code, ran.stdout, place.files("out"))
    };
    let one = run(1);
    for threads in [2, 7] {
        fs::remove_dir_all(place.path("out")).expect("removed");
        let many = run(threads);
        assert_eq!(one.0, many.0);
        assert!(one.1 == many.1, "the report differs with {threads} threads");
        let (ours, theirs): (Vec<_>, Vec<_>) = (one.2.keys().collect(), many.2.keys().collect());
        assert_eq!(ours, theirs);
        for (name, bytes) in &one.2 {
            assert!(
                bytes == &many.2[name],
                "{name} differs with {threads} threads"
            );
        }
    }
}

#[test]
fn merged_pairs() {
    let place = Place::new();
    place.write_lines("p.jsonl", &many(20_000));
    let size = fs::metadata(place.path("p.jsonl")).expect("a file").len();
    assert!(
        size > 8 * (512 << 10),
        "{size} bytes are not many chunks of 512 KiB"
    );
    let arguments = format!("{PAIRS} --arbitrated out/all.jsonl --hygiene --out out/r.json");
    same_with_any_threads(&place, &arguments);
    let files = place.names("out");
    assert_eq!(
        files,
        [
            "all.jsonl",
            "d.tsv",
            "hygiene.jsonl",
            "r.json",
            "rejects.jsonl"
        ]
    );
    let rejects = place.json_lines("out/rejects.jsonl");
    assert!(rejects.len() > 800);
    // They stand in the order of the file, whoever met them.
    assert!(rejects.is_sorted_by_key(|reject| reject["line"].as_u64()));
    let report = place.json("out/r.json");
    assert_eq!(report["rejects"], rejects.len());
    assert_eq!(
        report["inputs"],
        report["records"].as_u64().expect("n") + rejects.len() as u64
    );
}

#[test]
fn the_first_bad_line_is_the_first_in_the_file() {
    let place = Place::new();
    let mut lines = many(20_000);
    lines.retain(|line| line.len() > 300);
    let good: Vec<String> = (0..6000)
        .map(|i| pair(&format!("G{i}"), "VALID", "VALID"))
        .collect();
    place.write_lines("p.jsonl", &[good, lines].concat());
    let one = place
        .judica(&format!("{PAIRS} --strict --threads 1"))
        .exits(2);
    for threads in [2, 7] {
        let many = place
            .judica(&format!("{PAIRS} --strict --threads {threads}"))
            .exits(2);
        assert_eq!(one.stderr, many.stderr);
        place.nothing_in("out");
    }
}

#[test]
fn separate_files() {
    let place = Place::new();
    let side = |shift: usize| -> Vec<String> {
        let labels = ["VALID", "REJECT", "VALID", "yes", "ABSTAIN"];
        let line = |i: usize| judgment(&format!("A{}", (i * 7919) % 5003), labels[(i * shift) % 5]);
        (0..5003)
            .filter(|i| i % (shift + 90) != 0)
            .map(line)
            .collect()
    };
    place.write_lines("s.jsonl", &side(1));
    place.write_lines("a.jsonl", &side(3));
    let arguments = "agree pairs --scholar s.jsonl --auditor a.jsonl --tsv out/d.tsv --arbitrated out/all.jsonl \
                     --hygiene --resamples 100";
    same_with_any_threads(&place, arguments);
}

#[test]
fn more_threads_than_lines() {
    let place = Place::new();
    place.write_lines("p.jsonl", &many(3));
    same_with_any_threads(&place, PAIRS);
}
