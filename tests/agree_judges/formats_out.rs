//! The same tables as Markdown, LaTeX and CSV.

use crate::agree_judges::data::{JUDGES, measured, three, three_annotations};
use crate::support::Place;

fn place() -> Place {
    let place = three();
    place.write("human.json", three_annotations().to_string());
    place
}

#[track_caller]
fn printed(place: &Place, format: &str) -> String {
    let line = format!("{JUDGES} --human human.json --aggregate dawid-skene --format {format}");
    let ran = place.judica(&line).exits(0);
    assert_eq!(ran.stderr, "");
    ran.stdout
}

/// The titles of all tables, in their order.
const TITLES: [&str; 11] = [
    "Judges",
    "Agreement on 10 items",
    "Every two raters",
    "By data set",
    "By number of raters",
    "Against people",
    "How often answers are right",
    "Is one of two judges right more often?",
    "Estimated from all votes (Dawid and Skene)",
    "Which judges to keep",
    "Disagreements, the most evenly split first",
];

#[track_caller]
fn in_order(text: &str, words: &[String]) {
    let mut rest = text;
    for word in words {
        let at = rest.find(word.as_str());
        rest = &rest[at.unwrap_or_else(|| panic!("no `{word}` in its place: {text}"))..];
    }
}

#[test]
fn terminal() {
    let text = printed(&place(), "terminal");
    in_order(&text, &TITLES.map(|title| format!("{title}\n┌")));
    assert!(!text.contains('\u{1b}'), "colours without a terminal");
}

#[test]
fn markdown() {
    let text = printed(&place(), "markdown");
    in_order(&text, &TITLES.map(|title| format!("**{title}**\n\n| ")));
    let row = "| ana   | ben    |    10 | 70.0% | 0.4000";
    assert!(text.contains(row), "{text}");
    // The line under a heading has as many columns as the heading.
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[1].starts_with("| -")) {
        let bars = |line: &str| line.matches('|').count() - line.matches("\\|").count();
        assert_eq!(bars(pair[0]), bars(pair[1]), "{pair:?}");
    }
    assert!(!text.contains("report:"), "only tables are wanted");
}

#[test]
fn latex() {
    let text = printed(&place(), "latex");
    in_order(&text, &TITLES.map(|title| format!("\\caption{{{title}}}")));
    for environment in ["table", "tabular"] {
        let count = |what: &str| text.matches(&format!("\\{what}{{{environment}}}")).count();
        assert_eq!([count("begin"), count("end")], [TITLES.len(); 2]);
    }
    assert!(text.contains("ana & ben & 10 & 70.0\\% & 0.4000"), "{text}");
    // A percent sign of its own would make the rest of a line a comment.
    let lines = text.lines().filter(|line| !line.starts_with('%'));
    for line in lines {
        for (at, _) in line.match_indices('%') {
            assert_eq!(&line[at - 1..at], "\\");
        }
    }
}

#[test]
fn csv() {
    let place = place();
    let text = printed(&place, "csv");
    let tables: Vec<Vec<&str>> = text
        .trim_end()
        .split("\n\n")
        .map(|table| table.lines().collect())
        .collect();
    assert_eq!(tables.len(), TITLES.len());
    assert!(tables[0][0].starts_with("judge,model,rows,used"), "{text}");
    assert!(
        tables[2][0].starts_with("first,second,items,agree"),
        "{text}"
    );
    // Every digit of what the report says.
    let report = measured(&place, "--human human.json");
    for (line, pair) in tables[2][1..]
        .iter()
        .zip(report["pairwise"].as_array().expect("pairs"))
    {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(
            [cells[0], cells[1]],
            [0, 1].map(|at| pair["raters"][at].as_str().unwrap_or_default())
        );
        assert_eq!(cells[2].parse().ok(), pair["n"].as_u64());
        assert_eq!(cells[4].parse().ok(), pair["cohen_kappa"]["value"].as_f64());
        assert_eq!(cells[5].parse().ok(), pair["cohen_kappa"]["ci"][0].as_f64());
    }
    for table in tables {
        let header = table[0].replace("\"yes, first\",\"yes, second\"", "a,b");
        let commas = header.matches(',').count();
        assert!(
            table[1..]
                .iter()
                .all(|line| line.matches(',').count() == commas),
            "{table:?}"
        );
    }
}

#[test]
fn the_file_is_the_same_in_any_format() {
    let place = place();
    let report = |format: &str| {
        printed(&place, format);
        place.read("out/report.json")
    };
    let first = report("terminal");
    for format in ["markdown", "latex", "csv"] {
        assert!(report(format) == first, "{format}");
    }
}

#[test]
fn a_narrow_or_a_dumb_terminal_changes_nothing_in_json() {
    let place = place();
    let plain = place.judica(&format!("{JUDGES} --json")).exits(0).stdout;
    for (name, value) in [
        ("COLUMNS", "20"),
        ("NO_COLOR", "1"),
        ("CLICOLOR_FORCE", "1"),
        ("TERM", "dumb"),
    ] {
        let mut command = place.command(&format!("{JUDGES} --json"));
        command.env(name, value);
        assert_eq!(
            crate::support::ran(command).exits(0).stdout,
            plain,
            "{name}"
        );
    }
}
