//! Records in another format are the same records.

use crate::support::flight::{EVAL, tiny, tiny_outputs, tiny_run};
use crate::support::{Place, STAMP};

/// A run of synthetic data with all that can be wrong in it.
fn synthetic(records: &str) -> Place {
    let place = Place::new();
    place
        .judica("synth flight --samples 60 --models 5 --seed 6 --out data")
        .exits(0);
    place
        .judica(&format!(
            "eval --protocol flight --samples data/samples.jsonl --outputs data/outputs.jsonl --out run \
             --records {records} --timestamp {STAMP}"
        ))
        .exits(0);
    place
}

#[test]
fn jsonl_is_the_same_from_a_table_and_from_lines() {
    let lines = synthetic("jsonl");
    let table = synthetic("parquet");
    let expected = lines.text("run/records.jsonl");
    assert_eq!(expected.lines().count(), 300);
    assert!(table.judica("export run --format jsonl").exits(0).stdout == expected);
    assert!(lines.judica("export run --format jsonl").exits(0).stdout == expected);
    table
        .judica("export run --format jsonl --out out.jsonl")
        .exits(0);
    assert!(table.text("out.jsonl") == expected);
}

#[test]
fn a_table_is_exported_as_it_is() {
    let place = synthetic("jsonl");
    place
        .judica("export run --format parquet --out records.parquet")
        .exits(0);
    assert!(place.read("records.parquet") == place.read("run/records.parquet"));
}

#[test]
fn csv_has_a_header_and_a_line_per_record() {
    let mut seen = None;
    for records in ["parquet", "jsonl"] {
        let place = synthetic(records);
        let csv = place.judica("export run --format csv").exits(0).stdout;
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 301);
        assert!(lines[0].starts_with("dataset,item,subject,epoch,"));
        for column in [
            "decision",
            "input_file",
            "input_line",
            "total",
            "mae",
            "safety_constraint_critical",
        ] {
            assert!(lines[0].split(',').any(|name| name == column), "{column}");
        }
        assert!(lines[1].starts_with("S1,S1_000000,accurate-1,1,"));
        assert!(!csv.contains("\"\""), "null is an empty cell");
        assert_eq!(
            seen.get_or_insert(csv.clone()),
            &csv,
            "csv depends on how records were kept"
        );
    }
}

#[test]
fn csv_quotes_what_would_break_it() {
    let place = tiny();
    let lines: Vec<String> = tiny_outputs()
        .iter()
        .map(|line| line.replace("wild", "wi,ld \\\"x\\\"\\n=1"))
        .collect();
    place.write_lines("o.jsonl", &lines);
    place.judica(EVAL).exits(0).says(&["records 8 + rejects 0"]);
    let csv = place.judica("export run --format csv").exits(0).stdout;
    let columns = csv
        .lines()
        .next()
        .map_or(0, |header| header.split(',').count());
    let rows = parse_csv(&csv);
    assert_eq!(rows.len(), 9);
    assert!(rows.iter().all(|row| row.len() == columns));
    assert!(rows[5][2].contains("wi,ld \"x\"\n=1"), "{:?}", rows[5][2]);
}

/// A reader of RFC 4180, as any spreadsheet has one.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            letter => cell.push(letter),
        }
    }
    rows
}

#[test]
fn a_table_needs_a_file_and_formats_a_name() {
    let place = tiny_run("parquet");
    place
        .judica("export run --format parquet")
        .exits(2)
        .complains(&["--out"]);
    place
        .judica("export run --format excel")
        .exits(2)
        .complains(&["excel", "csv"]);
    place.judica("export run").exits(2).complains(&["--format"]);
    place
        .judica("export elsewhere --format csv")
        .exits(3)
        .complains(&["elsewhere"]);
}

#[test]
fn an_export_that_cannot_be_written_leaves_nothing() {
    let place = tiny_run("parquet");
    place
        .judica("export run --format jsonl --out s.jsonl/x")
        .exits(3)
        .complains(&["s.jsonl/x"]);
    assert_eq!(place.names("."), ["o.jsonl", "run", "s.jsonl"]);
    // A folder that is not there is made, as everywhere.
    place
        .judica("export run --format jsonl --out new/folder/r.jsonl")
        .exits(0);
    assert_eq!(place.names("new/folder"), ["r.jsonl"]);
}

#[test]
fn a_broken_table_is_an_error_not_a_crash() {
    let place = tiny_run("parquet");
    let whole = place.read("run/records.parquet");
    for keep in [0, 4, whole.len() / 2, whole.len() - 1] {
        place.write("run/records.parquet", &whole[..keep]);
        for command in ["export run --format jsonl", "show run a1"] {
            place
                .judica(command)
                .exits(3)
                .complains(&["SYSTEM_ERROR", "records.parquet"]);
        }
    }
    std::fs::remove_file(place.path("run/records.parquet")).expect("removed");
    place
        .judica("export run --format jsonl")
        .exits(3)
        .complains(&["records.parquet"]);
}

#[test]
fn a_table_with_any_byte_changed_is_never_a_crash() {
    let place = tiny_run("parquet");
    let whole = place.read("run/records.parquet");
    for index in 0..60 {
        let mut broken = whole.clone();
        let at = index * whole.len() / 60;
        broken[at] ^= 1 << (index % 8);
        place.write("run/records.parquet", broken);
        let ran = place.judica("export run --format jsonl --out out.jsonl");
        assert!(
            ran.code == 0 || ran.code == 3,
            "byte {at}: exit {}: {}",
            ran.code,
            ran.stderr
        );
        assert!(
            !ran.stderr.contains("panicked"),
            "byte {at}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::io::Read;
    use std::process::Stdio;
    let place = synthetic("parquet");
    let mut child = place
        .process("export run --format jsonl")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut start = [0; 10];
    child
        .stdout
        .take()
        .expect("a pipe")
        .read_exact(&mut start)
        .expect("output");
    // The pipe is closed now, with megabytes still to come.
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
