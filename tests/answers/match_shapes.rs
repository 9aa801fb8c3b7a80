//! Every accepted shape of a file of predictions, packed or not.

use serde_json::{Value, json};

use crate::answers::data::{lines, printed, row};
use crate::support::{Place, gzip, zstd};

fn rows() -> Vec<Value> {
    vec![
        row("<<A>>F p", "<<A>>F p"),
        row("p && q", "q && p"),
        row("p", "é"),
    ]
}

/// What counts of a report: the rest names the file.
fn counted(report: &Value) -> Value {
    json!([report["counts"], report["inputs"], report["exact_match"]])
}

#[track_caller]
fn reads(name: &str, bytes: impl AsRef<[u8]>) {
    let place = Place::new();
    place.write(name, bytes);
    let report = printed(&place.judica(&format!("match -p {name} --json")).exits(0));
    let expected = json!([
        {"exact": 1, "structural": 1, "matched": 2, "undecided": 1}, 3, 1.0 / 3.0
    ]);
    assert_eq!(counted(&report), expected, "{name}");
}

#[test]
fn documents_lists_and_lines() {
    let rows = rows();
    reads(
        "p.json",
        json!({"model": "m", "predictions": rows}).to_string(),
    );
    reads(
        "p.json",
        json!({"detailed_results": rows, "seed": 42}).to_string(),
    );
    reads(
        "p.json",
        json!({"metadata": {"model": "m"}, "predictions": rows}).to_string(),
    );
    reads("p.json", serde_json::to_string_pretty(&rows).expect("JSON"));
    reads("p.json", lines(&rows));
    reads("p.jsonl", lines(&rows));
    reads("p.ndjson", lines(&rows));
}

#[test]
fn packed() {
    let text = lines(&rows());
    let whole = json!({"predictions": rows()}).to_string();
    reads("p.jsonl.gz", gzip(text.as_bytes()));
    reads("p.jsonl.zst", zstd(text.as_bytes()));
    reads("p.json.gz", gzip(whole.as_bytes()));
    reads("p.json.zst", zstd(whole.as_bytes()));
}

#[test]
fn marks_ends_and_blank_lines() {
    let text = lines(&rows());
    reads("p.jsonl", format!("\u{feff}{text}"));
    reads("p.jsonl", text.replace('\n', "\r\n"));
    reads("p.jsonl", text.trim_end());
    reads("p.jsonl", text.replace('\n', "\n\n \n"));
    reads(
        "p.json",
        format!("\u{feff}\r\n {}", json!({"predictions": rows()})),
    );
}

#[test]
fn standard_input() {
    let place = Place::new();
    for text in [lines(&rows()), json!({"predictions": rows()}).to_string()] {
        let ran = place.judica_with_stdin("match -p - --json", text).exits(0);
        assert_eq!(counted(&printed(&ran))[1], 3);
    }
    let packed = gzip(lines(&rows()).as_bytes());
    let ran = place
        .judica_with_stdin("match -p - --json", packed)
        .exits(0);
    assert_eq!(counted(&printed(&ran))[1], 3);
}

#[test]
fn names_of_gold_and_prediction() {
    let place = Place::new();
    let mut rows = Vec::new();
    let golds = [
        "expected",
        "gold",
        "reference",
        "output",
        "expected_options",
        "gold_options",
    ];
    for prediction in ["generated", "prediction", "model_output", "output"] {
        for gold in golds.into_iter().filter(|gold| *gold != prediction) {
            rows.push(json!({"input": "x", gold: "p && q", prediction: "q && p"}));
        }
        let outputs = json!([{"formula": "p && q", "difficulty": "easy"}]);
        rows.push(json!({"input": "x", "outputs": outputs, prediction: "q && p"}));
    }
    place.write("p.jsonl", lines(&rows));
    let report = printed(&place.judica("match -p p.jsonl --json").exits(0));
    assert_eq!(report["counts"]["structural"], 27);
    assert_eq!(report["rejects"], 0);
}

#[test]
fn of_several_names_the_first_that_says_something_counts() {
    let place = Place::new();
    let rows = [
        json!({"expected": "p", "gold": "q", "prediction": "p"}),
        json!({"expected": null, "gold": "q", "generated": null, "prediction": "q"}),
        // All of the list, in any order, whatever the joined text says.
        json!({"expected": "p\nq", "expected_options": ["p", "q"], "generated": "q\np"}),
        json!({"expected": "p", "expected_options": ["p", "q"], "generated": "p"}),
        json!({"gold": "x", "expected": "p", "reference": "y", "prediction": "p"}),
        // A list of nothing says nothing.
        json!({"gold": "p", "gold_options": [], "prediction": "p"}),
    ];
    place.write("p.jsonl", lines(&rows));
    let report = printed(&place.judica("match -p p.jsonl --json").exits(0));
    assert_eq!(
        report["counts"],
        json!({"exact": 5, "structural": 0, "matched": 5, "undecided": 1})
    );
}

#[test]
fn answers_that_are_no_text_are_compared_as_they_are_written() {
    let place = Place::new();
    let rows = [
        json!({"gold": 3, "prediction": "3"}),
        json!({"gold": "true", "prediction": true}),
        json!({"gold": {"a": [1]}, "prediction": "{\"a\":[1.0]}"}),
    ];
    place.write("p.jsonl", lines(&rows));
    let report = printed(
        &place
            .judica("match -p p.jsonl --normalizer json --json")
            .exits(0),
    );
    assert_eq!(report["counts"]["exact"], 3);
}
