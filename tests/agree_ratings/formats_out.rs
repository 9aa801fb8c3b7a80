//! What is printed: tables for people in several formats, JSON for programs.

use serde_json::Value;

use crate::agree_ratings::data::{NOMINAL, fifty, krippendorff, place, with_csv};

#[test]
fn json_is_one_document_and_the_same_as_in_the_file() {
    let place = place(&fifty());
    let ran = place
        .judica(&format!("{NOMINAL} --out out/r.json"))
        .exits(0);
    let printed: Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!(printed, place.json("out/r.json"));
    assert_eq!(ran.stdout.trim_end(), place.text("out/r.json").trim_end());
    assert_eq!(place.names("out"), ["r.json"]);
}

#[test]
fn no_colours_and_no_progress_in_a_pipe() {
    let place = place(&krippendorff());
    for format in [
        "--json",
        "",
        "--format markdown",
        "--format latex",
        "--format csv",
    ] {
        let ran = place.judica(&NOMINAL.replace("--json", format)).exits(0);
        assert!(!ran.stdout.contains('\u{1b}'), "{format}");
        assert!(ran.stderr.is_empty(), "{format}: {}", ran.stderr);
        assert!(!ran.stdout.is_empty());
    }
}

#[test]
fn markdown_has_rectangular_tables() {
    let ran = place(&krippendorff())
        .judica(&NOMINAL.replace("--json", "--format markdown"))
        .exits(0);
    let mut columns = None;
    for line in ran.stdout.lines() {
        if !line.starts_with('|') {
            columns = None;
            continue;
        }
        let cells = line.replace("\\|", "").matches('|').count();
        assert_eq!(*columns.get_or_insert(cells), cells, "{line}");
    }
    assert!(ran.stdout.contains("Krippendorff's alpha"));
}

#[test]
fn latex_opens_and_closes_every_environment() {
    let ran = place(&krippendorff())
        .judica(&NOMINAL.replace("--json", "--format latex"))
        .exits(0);
    for name in ["table", "tabular"] {
        let begun = ran.stdout.matches(&format!("\\begin{{{name}}}")).count();
        assert!(begun >= 3);
        assert_eq!(
            ran.stdout.matches(&format!("\\end{{{name}}}")).count(),
            begun
        );
    }
}

#[test]
fn csv_has_all_digits() {
    let ran = place(&fifty())
        .judica(&NOMINAL.replace("--json", "--format csv"))
        .exits(0);
    let row = ran
        .stdout
        .lines()
        .find(|row| row.starts_with("Scott's pi"))
        .expect("a row");
    let value: f64 = row
        .split(',')
        .nth(1)
        .expect("a value")
        .parse()
        .expect("a number");
    assert!((value - 0.195 / 0.495).abs() < 1e-12);
}

#[test]
fn the_heading_says_which_confidence_was_asked_for() {
    let place = place(&fifty());
    let people = NOMINAL.replace(" --json", "");
    place
        .judica(&format!("{people} --confidence 0.8"))
        .exits(0)
        .says(&["80 % CI"]);
    place
        .judica(&format!("{people} --confidence 0.999"))
        .exits(0)
        .says(&["99.9 % CI"]);
}

#[test]
fn names_do_not_reach_the_screen_as_they_are() {
    let place = with_csv(
        "item,rater,value\n1,\u{1b}[31ma,\u{1b}[2Jx\n1,b\u{7},y\n2,\u{1b}[31ma,y\n2,b\u{7},y\n",
    );
    for format in ["", "--format markdown", "--format csv", "--format latex"] {
        let ran = place.judica(&NOMINAL.replace("--json", format)).exits(0);
        if format.is_empty() {
            assert!(
                !ran.stdout.contains(['\u{1b}', '\u{7}']),
                "{:?}",
                ran.stdout
            );
        }
    }
}
