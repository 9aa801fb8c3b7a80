//! Gates that name a metric of a run.

use serde_json::Value;

use crate::gate::data::{gate, gates_file, report};
use crate::support::{Place, Ran};

/// A run of ten rows in each of these data sets, of which this many are right; lines that are
/// no rows are refused.
fn run(place: &Place, name: &str, datasets: &[&str], right: usize, broken: usize) {
    let mut files = Vec::new();
    for dataset in datasets {
        let mut lines: Vec<String> = (0..10)
            .map(|at| {
                let said = if at < right { "a" } else { "b" };
                format!(r#"{{"id": "q{at}", "gold": "a", "prediction": "{said}"}}"#)
            })
            .collect();
        lines.extend((0..broken).map(|_| "{".to_owned()));
        place.write_lines(&format!("{name}/{dataset}.jsonl"), &lines);
        files.push(format!("--predictions {name}/{dataset}.jsonl"));
    }
    let files = files.join(" ");
    let arguments = format!("match {files} --subject m --run {name}/run");
    place.judica(&arguments).exits(0);
}

fn checked(place: &Place, gates: &str, more: &str) -> Ran {
    let head = "name = \"g\"\nmetric = \"matched\"\n";
    place.write("g.toml", gates_file(&[&format!("{head}{gates}")]));
    place.judica(&format!("gate check new/run --gates g.toml {more}"))
}

fn note(found: &Value) -> &str {
    gate(found, "g")["note"].as_str().expect("a note")
}

#[test]
fn the_only_data_set_of_a_run_can_be_named() {
    let place = Place::new();
    run(&place, "new", &["d"], 8, 0);
    run(&place, "old", &["d", "e"], 7, 0);
    for (more, value) in [
        ("dataset = \"d\"\nop = \">=\"\nthreshold = 0.8", 0.8),
        ("subject = \"m\"\nop = \">=\"\nthreshold = 0.8", 0.8),
        ("subject = \"m\"\ndataset = \"d\"\nno_worse_than = 0.9", 0.8),
        ("dataset = \"d\"\nop = \"no_significant_drop\"", 0.8),
        ("dataset = \"d\"\nmax_drop = 0.1", 0.8),
    ] {
        let found = report(&checked(&place, more, "--baseline old/run --json").exits(0));
        assert_eq!(gate(&found, "g")["value"], value, "{more}");
    }
    for (more, says) in [
        ("dataset = \"other\"", "the run's datasets are d"),
        ("subject = \"other\"", "the run's subjects are m"),
    ] {
        let gates = format!("{more}\nop = \">=\"\nthreshold = 0");
        checked(&place, &gates, "").exits(2).complains(&[says]);
    }
}

/// Ten rows of which six are lost: p 0.0156 by itself, and 0.11 if corrected for the seven tests
/// that a comparison of all data sets and metrics makes at least.
#[test]
fn a_gate_is_one_test_whatever_else_the_runs_hold() {
    let place = Place::new();
    let sets = ["d", "e", "f", "g", "h", "i", "j"];
    run(&place, "new", &sets, 2, 0);
    run(&place, "old", &sets, 8, 0);
    let gates = "dataset = \"d\"\nop = \"no_significant_drop\"";
    let found = report(&checked(&place, gates, "--baseline old/run --json").exits(1));
    assert!(note(&found).contains("p 0.015625"), "{}", note(&found));
}

#[test]
fn what_a_run_says_itself_is_not_said_otherwise() {
    let place = Place::new();
    let measured = |name: &str, more: f64| {
        let row = |at: usize| format!("q{at},{}", at as f64 + more);
        let mut rows = vec!["id,latency".to_owned()];
        rows.extend((0..10).map(|at| row(at) + if at % 2 == 0 { "1" } else { "2" }));
        place.write_lines(&format!("{name}.csv"), &rows);
        for way in ["none", "lower", "higher"] {
            place
                .judica(&format!(
                    "import {name}.csv --as table --item id --metric latency:{way} --run {name}/{way}"
                ))
                .exits(0);
        }
    };
    measured("new", 0.5);
    measured("old", 0.25);
    let higher = "higher_is_better = true";
    let lower = "higher_is_better = false";
    for (way, more, code, says) in [
        // What is slower by as much everywhere is worse where less is better.
        ("none", lower, 1, ""),
        ("none", higher, 0, ""),
        ("lower", "", 1, ""),
        ("lower", lower, 1, ""),
        ("higher", "", 0, ""),
        ("lower", higher, 2, "of `latency` lower is better"),
        ("higher", lower, 2, "of `latency` higher is better"),
        ("none", "items = \"/per_item\"", 2, "`items` belongs to"),
        ("none", "interval = \"/x\"", 2, "`interval` belongs to"),
    ] {
        let gate =
            format!("name = \"g\"\nmetric = \"latency\"\nop = \"no_significant_drop\"\n{more}");
        place.write("g.toml", gates_file(&[&gate]));
        place
            .judica(&format!(
                "gate check new/{way} --gates g.toml --baseline old/{way}"
            ))
            .exits(code)
            .complains(&[says]);
    }
}

#[test]
fn a_name_that_was_not_looked_at_is_told() {
    let place = Place::new();
    run(&place, "new", &["d"], 8, 0);
    run(&place, "old", &["other"], 8, 0);
    run(&place, "same", &["d"], 8, 0);
    let says = "each run has one data set, `d` and `other`: its name was not looked at";
    for op in [
        "op = \"no_significant_drop\"",
        "no_worse_than = 0.9",
        "max_drop = 0",
    ] {
        let found = report(&checked(&place, op, "--baseline old/run --json").exits(0));
        assert!(note(&found).contains(says), "{}", note(&found));
        let same = report(&checked(&place, op, "--baseline same/run --json").exits(0));
        assert!(!note(&same).contains("looked at"), "{}", note(&same));
    }
}

#[test]
fn rows_that_were_refused_are_told() {
    let place = Place::new();
    run(&place, "new", &["d"], 8, 5);
    let rule = "op = \">=\"\nthreshold = 0.8";
    let ran = checked(&place, rule, "").exits(0);
    ran.says(&["inputs 15 = used 10 + rejects 5"]);
    let found = report(&checked(&place, rule, "--json").exits(0));
    let counts = serde_json::json!({"inputs": 15, "used": 10, "rejects": 5});
    assert_eq!(found["counts"], counts);
    // A release tells it of its steps.
    let steps = [
        ("check", "gate check new/run --gates g.toml"),
        ("match", "match --predictions new/d.jsonl"),
    ];
    let steps = steps.map(|(name, run)| format!("[[step]]\nname = \"{name}\"\nrun = \"{run}\"\n"));
    let config = format!("version = 1\nname = \"r\"\n{}", steps.concat());
    place.write("release.toml", config);
    let ran = place.judica("release").exits(0);
    ran.says(&[
        "check: inputs 15 = used 10 + rejects 5",
        "match: inputs 15 = used 10 + rejects 5",
    ]);
    let released = report(&place.judica("release --json").exits(0));
    for step in [0, 1] {
        assert_eq!(released["steps"][step]["counts"], counts);
    }
}

#[test]
fn runs_without_a_subject_in_common() {
    let place = Place::new();
    run(&place, "new", &["d"], 8, 0);
    let row = |subject: &str| {
        format!(r#"{{"id": "q0", "model": "{subject}", "gold": "a", "prediction": "a"}}"#)
    };
    place.write_lines("two.jsonl", &[row("s1"), row("s2")]);
    place
        .judica("match --predictions two.jsonl --run two")
        .exits(0);
    let ran = checked(&place, "no_worse_than = 0.9", "--baseline two").exits(2);
    ran.complains(&[
        "no subject in common",
        "s1, s2",
        "`judica compare RUN_A RUN_B --subjects A,B --one-each`",
    ]);
}

#[test]
fn a_run_without_metrics() {
    let place = Place::new();
    run(&place, "new", &["d"], 8, 0);
    let mut manifest = place.json("new/run/manifest.json");
    manifest["metrics"] = serde_json::json!([]);
    place.write("new/run/manifest.json", manifest.to_string());
    let ran = checked(&place, "op = \">=\"\nthreshold = 0", "").exits(2);
    ran.complains(&["no metric `matched`", "the run has no metrics"]);
}
