//! Small judged data sets to measure, and the way to measure them.

use serde_json::{Value, json};

use crate::support::{Place, with};
pub use crate::support::{gzip, refused, report};

/// Measures the folder `eval`; everything that is written goes to `out`.
pub const JUDGES: &str = "agree judges --eval-dir eval --out out/report.json --resamples 50";

/// A row about an item that its number tells from others.
pub fn row(item: usize, correct: impl Into<Value>) -> Value {
    json!({
        "input": format!("input {item}"),
        "gold": format!("<<A>>F p{item}"),
        "prediction": format!("<<A>>G p{item}"),
        "correct": correct.into(),
        "reasoning": "as read",
        "decision_method": "llm",
    })
}

/// A row with more keys, or other values under the ones it has.
pub fn row_with(item: usize, correct: impl Into<Value>, more: Value) -> Value {
    with(row(item, correct), &more)
}

/// Rows from one letter each: y, n, or - for an item without a row.
pub fn rows(verdicts: &str) -> Vec<Value> {
    let said = verdicts.chars().enumerate();
    said.filter_map(|(item, verdict)| match verdict {
        'y' => Some(row(item, "yes")),
        'n' => Some(row(item, "no")),
        '-' => None,
        other => panic!("{other}"),
    })
    .collect()
}

/// A judged file in the shape of the seed's example.
pub fn judged(judge: &str, dataset: &str, rows: &[Value]) -> String {
    let file = json!({
        "run_name": dataset,
        "model": "qwen-3b",
        "condition": "baseline_zero_shot",
        "finetuned": false,
        "few_shot": false,
        "seed": 42,
        "metrics": {"n_examples": rows.len(), "exact_match": 0.82},
        "judge_model": judge,
        "source_file": format!("{dataset}.json"),
        "detailed_results": rows,
    });
    serde_json::to_string_pretty(&file).expect("JSON")
}

/// Writes a judge's file into `eval`.
pub fn judge(place: &Place, judge: &str, dataset: &str, rows: &[Value]) {
    let name = format!("eval/{judge}/{dataset}.json");
    place.write(&name, judged(&format!("{judge}-model"), dataset, rows));
}

/// A place where each judge says this about the items of one data set.
pub fn panel(said: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, verdicts) in said {
        judge(&place, name, "one", &rows(verdicts));
    }
    place
}

/// What three judges say about the items of two data sets. Both have items with the same
/// texts, which are different items.
///
/// ```text
///        one           two
/// ana    y y y n n y   n n y y
/// ben    y y n n n y   n y y n
/// cal    y n y n y -   n - y y
/// ```
pub const THREE: [(&str, [&str; 2]); 3] = [
    ("ana", ["yyynny", "nnyy"]),
    ("ben", ["yynnny", "nyyn"]),
    ("cal", ["ynyny-", "n-yy"]),
];

/// The three judges' files.
pub fn three() -> Place {
    let place = Place::new();
    for (name, said) in THREE {
        judge(&place, name, "one", &rows(said[0]));
        judge(&place, name, "two", &rows(said[1]));
    }
    place
}

/// What people say about eight of the ten items: `yynnn` of the first data set and `nny`
/// of the second, which their rows name.
pub fn three_annotations() -> Value {
    let said = [("one", "yynnn"), ("two", "nny")];
    let of = |(dataset, verdicts): (&str, &str)| {
        let named = rows(verdicts).into_iter().map(|mut row| {
            row["source_file"] = format!("{dataset}.json").into();
            row
        });
        named.collect::<Vec<Value>>()
    };
    said.into_iter().flat_map(of).collect()
}

/// Measures what is there; the report.
#[track_caller]
pub fn measured(place: &Place, options: &str) -> Value {
    report(&place.judica(&format!("{JUDGES} --json {options}")).exits(0))
}

/// Insists on a number, or on none.
#[track_caller]
pub fn is(metric: &Value, expected: impl Into<Option<f64>>) {
    match (metric["value"].as_f64(), expected.into()) {
        (Some(value), Some(expected)) => {
            assert!((value - expected).abs() < 1e-12, "{value}, not {expected}");
        }
        (None, None) => assert!(metric["undefined"].is_string(), "no reason in {metric}"),
        (value, expected) => panic!("{value:?}, not {expected:?}: {metric}"),
    }
}

/// Whether any of the report's notes has these words.
pub fn notes(report: &Value, words: &str) -> bool {
    let notes = report["notes"].as_array().expect("notes");
    notes
        .iter()
        .any(|note| note.as_str().is_some_and(|note| note.contains(words)))
}
