use std::path::Path;
use std::sync::atomic::AtomicBool;

use judica_data::ordered::Workers;
use serde_json::{Value, json};

use super::{FORMAT, recognise};
use crate::open::Candidate;
use crate::testing::{checks, files};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// The checks of a log with these samples and numbers of scorer `s`.
fn checked(samples: &str, scores: Value) -> Vec<String> {
    let results = json!({"completed_samples": 1, "scores": scores});
    let log = format!(
        r#"{{"version": 2, "status": "success", "eval": {{"task": "t", "model": "m"}},
            "results": {results}, "samples": [{samples}]}}"#
    );
    let folder = tempfile::tempdir().expect("folder");
    let files = files(folder.path(), &[("log.json", &log)]);
    let workers = Workers {
        threads: 1,
        interrupted: &GO_ON,
    };
    checks(&mut *(FORMAT.open)(&files, workers).expect("opened"))
}

/// Samples with these values of scorer `s` and of `g` in their metadata.
fn samples(values: &[(&str, &str)]) -> String {
    let one = |(id, (value, group)): (usize, &(&str, &str))| {
        format!(
            r#"{{"id": {id}, "scores": {{"s": {{"value": {value}}}}}, "metadata": {{"g": {group}}}}}"#
        )
    };
    values
        .iter()
        .enumerate()
        .map(one)
        .collect::<Vec<_>>()
        .join(",")
}

/// The numbers of scorer `s`: keys, names, values, parameters.
fn score(metrics: &[(&str, &str, Value, Value)]) -> Value {
    let metrics = metrics.iter().map(|(key, name, value, params)| {
        let metric = json!({"name": name, "value": value, "params": params});
        (key.to_string(), metric)
    });
    json!({"name": "s", "scorer": "s", "metrics": Value::Object(metrics.collect())})
}

#[test]
fn groups_are_told_by_their_text_and_clusters_by_what_is_equal() {
    let grouped = json!({"metric": {"name": "mean", "params": {}}, "group_key": "g"});
    let named = |name: &'static str, value: f64| (name, name, json!(value), grouped.clone());
    let texts = [("1", r#""1.1""#), ("0", r#""1.10""#), ("0.5", r#""01""#)];
    let scores = score(&[named("1.1", 1.0), named("1.10", 0.0), named("01", 0.5)]);
    assert_eq!(
        checked(&samples(&texts), json!([scores])),
        ["s - 1.1 equal", "s - 1.10 equal", "s - 01 equal"]
    );
    let mixed = [("1", "1"), ("0", r#""1""#), ("1", "1.0"), ("1", "true")];
    let scores = score(&[
        named("1", 0.5),
        named("1.0", 1.0),
        named("True", 1.0),
        // Two clusters: 1, 1, 1 of mean ¾ and 0: √((9/16 + 9/16) · 2) / 4.
        ("stderr", "stderr", json!(0.375), json!({"cluster": "g"})),
    ]);
    assert_eq!(
        checked(&samples(&mixed), json!([scores])),
        [
            "s - 1 equal",
            "s - 1.0 equal",
            "s - True equal",
            "s - stderr equal"
        ]
    );
}

#[test]
fn an_interval_over_nothing_is_0() {
    let interval = |value: Value| {
        let mut score = score(&[("lower", "lower", value, json!({}))]);
        score["metrics"]["lower"]["group"] = json!("ci");
        checked(&samples(&[("NaN", "1"), ("NaN", "1")]), json!([score]))
    };
    assert_eq!(interval(json!(0.0)), ["s - lower equal"]);
    assert_eq!(interval(json!(null)), ["s - lower equal"]);
    assert_eq!(interval(json!(0.5)), ["s - lower Some(0.5) Some(0.0)"]);
}

#[test]
fn null_under_a_key_counts_as_0_where_the_numbers_say_so() {
    let values = |first: &str| {
        let one = |value| format!(r#"{{"a": {value}}}"#);
        let values = [one(first), one("1"), one("0.5")];
        samples(&values.each_ref().map(|value| (&**value, "1")))
    };
    let numbers = |n: u32, mean: f64| {
        let mut score = score(&[("mean", "mean", json!(mean), json!({}))]);
        score["name"] = json!("a");
        score["scored_samples"] = json!(n);
        json!([score])
    };
    for (first, n, mean) in [("null", 3, 0.5), ("NaN", 2, 0.75)] {
        assert_eq!(
            checked(&values(first), numbers(n, mean)),
            ["s.a - scored_samples equal", "s.a - mean equal"]
        );
    }
    assert_eq!(
        checked(&values("null"), numbers(2, 0.5)),
        [
            "s.a - scored_samples equal",
            "s.a - mean Some(0.5) Some(0.75)"
        ]
    );
}

#[test]
fn headers_of_several_logs_are_no_log() {
    let header = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}"#;
    for (text, known) in [
        (header.to_owned(), true),
        (format!("{{\n  \"2026-11-20_t.eval\": {header}}}"), false),
        (format!("{{\"sub/2026-11-20_t.json\": {header}}}"), false),
    ] {
        let candidate = Candidate {
            path: Path::new("logs.json"),
            start: text.as_bytes(),
        };
        assert_eq!(recognise(&candidate), known, "{text}");
    }
}
