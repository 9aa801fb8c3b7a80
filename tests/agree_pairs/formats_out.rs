//! What is printed: tables for people in several formats, JSON for programs.

use serde_json::Value;

use crate::agree_pairs::data::{PAIRS, merged, pair, report, ten};
use crate::support::{Place, ran};

fn place() -> Place {
    let mut lines = ten();
    lines.push(pair("a|b", "yes", "VALID"));
    merged(&lines)
}

#[test]
fn json_is_one_document_and_the_same_as_in_the_file() {
    let place = place();
    let ran = place
        .judica(&format!("{PAIRS} --json --out out/r.json"))
        .exits(1);
    let printed: Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!(printed, place.json("out/r.json"));
    assert_eq!(ran.stdout.trim_end(), place.text("out/r.json").trim_end());
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    // The file is written however the report is shown.
    place
        .judica(&format!("{PAIRS} --format csv --out out/s.json"))
        .exits(1);
    assert_eq!(place.read("out/s.json"), place.read("out/r.json"));
}

#[test]
fn tables_for_people_say_everything_once() {
    place().judica(PAIRS).exits(1).says(&[
        "percent agreement",
        "Cohen's kappa",
        "0.5161",
        "FAIL",
        "NOT_IN_CONTEXT",
        "auditor_veto",
        "unknown_label",
        "p.jsonl:11",
        "inputs 11 = records 10 + rejects 1",
        "4 disagreements: out/d.tsv",
        "refused rows: out/rejects.jsonl",
    ]);
}

#[test]
fn no_colours_and_no_progress_in_a_pipe() {
    let place = place();
    for arguments in [
        "",
        "--format markdown",
        "--format latex",
        "--format csv",
        "--json",
        "--hygiene",
    ] {
        let ran = place.judica(&format!("{PAIRS} {arguments}")).exits(1);
        assert!(!ran.stdout.contains('\u{1b}'), "{arguments}");
        assert!(ran.stderr.is_empty(), "{arguments}: {}", ran.stderr);
        let mut command = place.command(&format!("{PAIRS} {arguments}"));
        command.env("NO_COLOR", "1").env("TERM", "xterm-256color");
        assert_eq!(
            crate::support::ran(command).stdout,
            ran.stdout,
            "{arguments}"
        );
    }
}

#[test]
fn markdown_has_rectangular_tables() {
    let ran = place()
        .judica(&format!("{PAIRS} --format markdown"))
        .exits(1);
    let mut tables = 0;
    let mut columns = None;
    for line in ran.stdout.lines() {
        if !line.starts_with('|') {
            columns = None;
            continue;
        }
        let cells = line.replace("\\|", "").matches('|').count();
        tables += usize::from(columns.is_none());
        assert_eq!(*columns.get_or_insert(cells), cells, "{line}");
    }
    assert_eq!(tables, 5, "{}", ran.stdout);
}

#[test]
fn latex_opens_and_closes_every_environment() {
    let ran = place().judica(&format!("{PAIRS} --format latex")).exits(1);
    for name in ["table", "tabular"] {
        let begun = ran.stdout.matches(&format!("\\begin{{{name}}}")).count();
        assert_eq!(begun, 5);
        assert_eq!(
            ran.stdout.matches(&format!("\\end{{{name}}}")).count(),
            begun
        );
    }
    // Names with underscores would stop the compiler.
    assert!(ran.stdout.contains("NOT\\_IN\\_CONTEXT"));
    assert!(
        !ran.stdout
            .replace("\\_", "")
            .replace("\\label{", "")
            .contains("NOT_IN")
    );
    assert!(ran.stdout.contains("95 \\% CI"));
}

#[test]
fn csv_has_numbers_a_program_can_read() {
    let ran = place().judica(&format!("{PAIRS} --format csv")).exits(1);
    let first = ran.stdout.split("\n\n").next().expect("a table");
    let row = first
        .lines()
        .find(|row| row.starts_with("percent agreement"))
        .expect("a row");
    let cells: Vec<&str> = row.split(',').collect();
    assert_eq!(cells[1].parse(), Ok(0.7));
    assert_eq!(
        first.lines().next().expect("a header").split(',').count(),
        cells.len()
    );
    assert!(!ran.stdout.contains('│'));
}

#[test]
fn json_and_a_format_exclude_each_other() {
    let place = place();
    place
        .judica(&format!("{PAIRS} --json --format csv"))
        .exits(2)
        .complains(&["--json", "--format"]);
    place.nothing_in("out");
}

#[test]
fn the_heading_says_which_confidence_was_asked_for() {
    place()
        .judica(&format!("{PAIRS} --confidence 0.8"))
        .exits(1)
        .says(&["80 % CI"]);
}

#[test]
fn a_wider_confidence_gives_a_wider_interval() {
    let place = place();
    let width = |confidence: &str, name: &str| {
        let ran = place.judica(&format!("{PAIRS} --json --confidence {confidence}"));
        let ci = report(&ran)["metrics"][name]["ci"].clone();
        ci[1].as_f64().expect("an end") - ci[0].as_f64().expect("an end")
    };
    for name in ["percent_agreement", "kappa"] {
        assert!(width("0.5", name) < width("0.99", name), "{name}");
    }
}

#[test]
fn without_resamples_the_note_says_that_none_were_asked_for() {
    let ran = place().judica(&format!("{PAIRS} --json").replace("--resamples 50", "--resamples 0"));
    let kappa = &report(&ran)["metrics"]["kappa"];
    assert_eq!(kappa["ci"], serde_json::Value::Null);
    assert_eq!(kappa["ci_undefined"], "no resamples were asked for");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let place = place();
    // `true` reads nothing; what is written to it meets a closed pipe.
    let mut command = assert_cmd::Command::new("sh");
    command
        .current_dir(place.path("."))
        .arg("-c")
        .arg(format!("{} {PAIRS} --json | true", crate::support::JUDICA));
    ran(command).exits(0);
}
