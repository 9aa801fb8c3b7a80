//! Where a time may come from, and where it may go.

use serde_json::{Value, json};

use crate::support::flight::tiny;
use crate::support::{Place, ran};

const EVAL: &str =
    "eval --protocol flight --samples s.jsonl --outputs o.jsonl --out run --records both";

/// The times in the records, which must all be the same, and in the manifest.
fn times(place: &Place) -> (Value, Value) {
    let records = place.json_lines("run/records.jsonl");
    let first = records[0]["trace"]["timestamp"].clone();
    assert!(
        records
            .iter()
            .all(|record| record["trace"]["timestamp"] == first)
    );
    let manifest = place.json("run/manifest.json");
    assert_eq!(manifest["options"]["timestamp"], first);
    // The table must tell the same time as the lines.
    let exported = place.judica("export run --format jsonl").exits(0).stdout;
    assert_eq!(exported, place.text("run/records.jsonl"));
    (first, manifest["created_at"].clone())
}

#[test]
fn a_given_timestamp_is_written_as_given() {
    let place = tiny();
    let given = "2024-02-29T23:59:60.125+05:30";
    place
        .judica(&format!("{EVAL} --timestamp {given}"))
        .exits(0);
    assert_eq!(times(&place), (json!(given), json!(given)));
}

#[test]
fn source_date_epoch_stands_in_for_one() {
    let place = tiny();
    let mut command = place.command(EVAL);
    ran_ok(command.env("SOURCE_DATE_EPOCH", "1737282600"));
    let expected = json!("2025-01-19T10:30:00Z");
    assert_eq!(times(&place), (expected.clone(), expected));
    // The one on the command line wins.
    let mut command = place.command(&format!("{EVAL} --timestamp 2020-01-01T00:00:00Z"));
    ran_ok(command.env("SOURCE_DATE_EPOCH", "1737282600"));
    assert_eq!(times(&place).0, json!("2020-01-01T00:00:00Z"));
}

#[test]
fn without_either_only_created_at_has_the_clock() {
    let place = tiny();
    place.judica(EVAL).exits(0);
    let (records, manifest) = times(&place);
    assert_eq!(records, Value::Null);
    let created = manifest.as_str().expect("a time");
    assert!(created.len() == 20 && created > "2025-01-01T00:00:00Z" && created.ends_with('Z'));
}

#[test]
fn what_is_no_time_is_refused() {
    let place = tiny();
    for bad in [
        "yesterday",
        "2025-01-19",
        "2025-02-29T00:00:00Z",
        "2025-01-19T10:30:00",
    ] {
        place
            .judica(&format!("{EVAL} --timestamp {bad}"))
            .exits(2)
            .complains(&["--timestamp", bad, "RFC 3339"]);
    }
    let mut command = place.command(EVAL);
    command.env("SOURCE_DATE_EPOCH", "today");
    ran(command)
        .exits(2)
        .complains(&["SOURCE_DATE_EPOCH", "today"]);
    place.nothing_in("run");
}

fn ran_ok(command: &mut assert_cmd::Command) {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
