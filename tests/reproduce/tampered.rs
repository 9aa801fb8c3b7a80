//! A byte that was changed is found, and the first difference is named.

use std::fs;

use crate::support::Place;
use crate::support::flight::{tiny, tiny_run};

fn run() -> Place {
    let place = tiny();
    place.write("bad.jsonl", place.text("o.jsonl") + "not json\n");
    place
        .judica(
            "eval --protocol flight --samples s.jsonl --outputs bad.jsonl --out run --records both",
        )
        .exits(0);
    place.judica("reproduce run").exits(0);
    place
}

/// Replaces a text in a file of the run.
#[track_caller]
fn change(place: &Place, name: &str, from: &str, to: &str) {
    let text = place.text(name);
    assert!(text.contains(from), "{name} has no `{from}`");
    place.write(name, text.replacen(from, to, 1));
}

#[test]
fn a_changed_line_is_named_with_its_place() {
    let place = run();
    change(
        &place,
        "run/records.jsonl",
        "\"observed\":-3500.0",
        "\"observed\":-1500.0",
    );
    place.judica("reproduce run").exits(1).says(&[
        "different",
        "records.jsonl: line 5",
        "/meta/observed",
        "-1500",
        "-3500",
    ]);
}

#[test]
fn a_missing_line_is_named() {
    let place = run();
    let text = place.text("run/records.jsonl");
    let shorter: String = text
        .lines()
        .take(7)
        .map(|line| format!("{line}\n"))
        .collect();
    place.write("run/records.jsonl", shorter);
    place
        .judica("reproduce run")
        .exits(3)
        .complains(&["records.jsonl", "the run is damaged"]);
}

#[test]
fn a_changed_number_in_the_summary_is_named_by_its_pointer() {
    let place = run();
    change(
        &place,
        "run/report.json",
        "\"records\": 8",
        "\"records\": 9",
    );
    place
        .judica("reproduce run")
        .exits(1)
        .says(&["different: report.json: /counts/records: 9 then, 8 now"]);
}

#[test]
fn a_changed_reject_or_manifest_is_named() {
    let place = run();
    change(&place, "run/rejects.jsonl", "not json", "not jsoN");
    place
        .judica("reproduce run")
        .exits(1)
        .says(&["rejects.jsonl: line 1", "/raw"]);
    let place = run();
    change(
        &place,
        "run/manifest.json",
        "\"rejects\": 1",
        "\"rejects\": 0",
    );
    place
        .judica("reproduce run")
        .exits(1)
        .says(&["manifest.json: /counts/rejects: 0 then, 1 now"]);
}

#[test]
fn a_manifest_that_says_anything_else_is_named() {
    let place = run();
    let written = place.text("run/manifest.json");
    let at = |of: &str| {
        let manifest: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        manifest.pointer(of).expect("a value").to_string()
    };
    let created = at("/created_at");
    for (from, to, told) in [
        (
            &*created,
            "\"yesterday\"",
            "/created_at: yesterday is no date",
        ),
        (
            "\"timestamp\": null",
            "\"timestam\": null",
            "/options/timestam: null then, nothing now",
        ),
        (
            "\"command\"",
            "\"note\": \"hi\", \"command\"",
            "/note: \"hi\" then, nothing now",
        ),
        (
            "\"reproducible\": true",
            "\"reproducible\": false",
            "/reproducible: false then, true now",
        ),
    ] {
        place.write("run/manifest.json", &written);
        change(&place, "run/manifest.json", from, to);
        let told = ["different: manifest.json: ", told];
        place.judica("reproduce run").exits(1).says(&told);
    }
    place.write("run/manifest.json", &written);
    change(
        &place,
        "run/manifest.json",
        &created,
        "\"2001-01-01T00:00:00Z\"",
    );
    place.judica("reproduce run").exits(0);
    change(
        &place,
        "run/manifest.json",
        "\"timestamp\": null",
        "\"timestamp\": \"2002-01-01T00:00:00Z\"",
    );
    let ran = place.judica("reproduce run").exits(1);
    assert!(ran.stdout.contains("different: "), "{}", ran.stdout);
}

#[test]
fn any_changed_byte_of_the_table_is_found() {
    let place = run();
    let whole = place.read("run/records.parquet");
    for index in 0..12 {
        let mut broken = whole.clone();
        let at = index * (whole.len() - 1) / 11;
        broken[at] ^= 0x10;
        place.write("run/records.parquet", broken);
        let ran = place.judica("reproduce run");
        assert!(
            !ran.stderr.contains("panicked"),
            "byte {at}: {}",
            ran.stderr
        );
        assert!(
            ran.code == 1 || ran.code == 3,
            "byte {at}: exit {}",
            ran.code
        );
        assert!(
            (ran.stdout + &ran.stderr).contains("records.parquet"),
            "byte {at}"
        );
    }
}

#[test]
fn a_file_that_has_gone_is_named() {
    for name in ["report.json", "rejects.jsonl", "records.jsonl"] {
        let place = run();
        fs::remove_file(place.path("run").join(name)).expect("removed");
        let ran = place.judica("reproduce run");
        assert!(ran.code == 1 || ran.code == 3, "{name}: exit {}", ran.code);
        assert!((ran.stdout + &ran.stderr).contains(name), "{name}");
    }
}

#[test]
fn a_changed_input_is_an_artifact_that_is_not_there_any_more() {
    for name in ["s.jsonl", "bad.jsonl"] {
        let place = run();
        let mut bytes = place.read(name);
        bytes.push(b'\n');
        place.write(name, bytes);
        place
            .judica("reproduce run")
            .exits(3)
            .complains(&["SYSTEM_ERROR", name, "changed"]);
        fs::remove_file(place.path(name)).expect("removed");
        place
            .judica("reproduce run")
            .exits(3)
            .complains(&["SYSTEM_ERROR", name, "not found"]);
    }
}

#[test]
fn a_changed_protocol_is_noticed() {
    let place = run();
    change(
        &place,
        "run/protocol.toml",
        "critical_above = 1000",
        "critical_above = 1001",
    );
    place
        .judica("reproduce run")
        .exits(3)
        .complains(&["run/protocol.toml"]);
}

#[test]
fn a_changed_comment_in_the_protocol_is_noticed() {
    // A comment does not change what is checked, yet the file is not the one that was kept.
    let place = tiny_run("jsonl");
    let protocol = place.text("run/protocol.toml");
    let at = protocol.find("# ").expect("a comment") + 2;
    let mut changed = protocol.into_bytes();
    changed[at] ^= 0x20;
    place.write("run/protocol.toml", changed);
    place
        .judica("reproduce run")
        .exits(1)
        .says(&["manifest.json: /options/protocol/sha256"]);
}
