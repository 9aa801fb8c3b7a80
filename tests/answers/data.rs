//! Small files of predictions, and the way to hold them against their gold.

use serde_json::{Value, json};

use crate::support::{self, Place, Ran};

/// A row of a formula and what a model made of it.
pub fn row(gold: impl Into<Value>, prediction: impl Into<Value>) -> Value {
    json!({"input": "a question", "gold": gold.into(), "prediction": prediction.into()})
}

/// A row with more keys, or other values under the ones it has.
pub fn with(row: Value, more: Value) -> Value {
    support::with(row, &more)
}

/// One row on each line.
pub fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// What a run printed, as JSON.
#[track_caller]
pub fn printed(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// The report on `p.jsonl`, and how each of its rows was decided.
#[track_caller]
pub fn matched(place: &Place, rows: &[Value], options: &str) -> (Value, Vec<String>) {
    place.write("p.jsonl", lines(rows));
    let line = format!("match --predictions p.jsonl --details d.jsonl --json {options}");
    let report = printed(&place.judica(&line).exits(0));
    let methods = place.json_lines("d.jsonl").into_iter().map(|row| {
        let method = row["method"].as_str().expect("a method");
        assert_eq!(row["matched"], method != "undecided", "{row}");
        method.to_owned()
    });
    (report, methods.collect())
}

/// How one pair is decided.
#[track_caller]
pub fn method(gold: impl Into<Value>, prediction: impl Into<Value>, options: &str) -> String {
    let (_, methods) = matched(&Place::new(), &[row(gold, prediction)], options);
    let [method] = methods.as_slice() else {
        panic!("{methods:?}");
    };
    method.clone()
}

/// Insists that two numbers are the same but for rounding.
#[track_caller]
pub fn near(found: &Value, expected: f64) {
    let value = found.as_f64().unwrap_or(f64::NAN);
    let slack = 1e-9 * expected.abs().max(1.0);
    assert!((value - expected).abs() <= slack, "{found}, not {expected}");
}

/// A run: four rows of which `right` are right, each with the same latency and tokens.
pub fn run(model: &str, right: usize, latency_ms: f64, tokens: [u64; 2]) -> Value {
    let rows: Vec<Value> = (0..4)
        .map(|number| {
            let prediction = if number < right {
                "<<A>>F p"
            } else {
                "<<A>>G p"
            };
            with(
                row("<<a>>F p", prediction),
                json!({
                    "input": format!("question {number}"), "latency_ms": latency_ms,
                    "tokens_input": tokens[0], "tokens_output": tokens[1],
                }),
            )
        })
        .collect();
    json!({"model": model, "run_name": format!("{model}-run"), "predictions": rows})
}

/// A folder `preds` of three models: accurate and dear, fast and cheap, and beaten.
///
/// ```text
///          right   ms    tokens       USD a row at 0.01 and 0.03 per 1k
/// big      4 of 4  2000  1000 + 500   0.025
/// small    2 of 4   500  1000 + 100   0.013
/// worse    1 of 4  1000  1000 + 300   0.019
/// ```
pub fn three() -> Place {
    let place = Place::new();
    for (model, right, latency, output) in [
        ("big", 4, 2000.0, 500),
        ("small", 2, 500.0, 100),
        ("worse", 1, 1000.0, 300),
    ] {
        let run = run(model, right, latency, [1000, output]);
        place.write(&format!("preds/{model}.json"), run.to_string());
    }
    place.write("prices.json", prices(&["big", "small", "worse"]));
    place
}

/// The same price per token for all of these.
pub fn prices(models: &[&str]) -> String {
    let price = json!({"price_input_per_1k": 0.01, "price_output_per_1k": 0.03});
    let models: Value = models
        .iter()
        .map(|model| ((*model).to_owned(), price.clone()))
        .collect();
    json!({"models": models}).to_string()
}

/// The report on efficiency that these options give.
#[track_caller]
pub fn efficiency(place: &Place, options: &str) -> Value {
    let line = format!("efficiency --predictions preds --json {options}");
    printed(&place.judica(&line).exits(0))
}

/// A model of a report.
#[track_caller]
pub fn model<'a>(report: &'a Value, name: &str) -> &'a Value {
    let models = report["models"].as_array().expect("models");
    models
        .iter()
        .find(|model| model["model"] == name)
        .unwrap_or_else(|| panic!("no {name}: {report}"))
}

/// The places in a ranking: rank and model.
#[track_caller]
pub fn ranking(report: &Value, name: &str) -> Vec<(u64, String)> {
    let places = report["rankings"][name].as_array().expect("a ranking");
    places
        .iter()
        .map(|place| {
            let rank = place["rank"].as_u64().expect("a rank");
            (rank, place["model"].as_str().expect("a name").to_owned())
        })
        .collect()
}

/// Whether a note of a report has all these words.
pub fn notes(report: &Value, words: &[&str]) -> bool {
    let notes = report["notes"].as_array().expect("notes");
    notes.iter().any(|note| {
        let note = note.as_str().expect("a note");
        words.iter().all(|word| note.contains(word))
    })
}
