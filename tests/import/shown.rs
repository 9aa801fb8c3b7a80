//! What tests of all harnesses look at: the records of an imported run, and its numbers.

use serde_json::Value;

use crate::support::Place;

/// Records as `dataset item epoch subject verdict`, with these columns behind.
#[track_caller]
pub fn records(place: &Place, run: &str, columns: &[&str]) -> Vec<String> {
    let out = format!("{run}.records.jsonl");
    place
        .judica(&format!("export {run} --format jsonl --out {out}"))
        .exits(0);
    let line = |record: &Value| {
        let keys = ["dataset", "item", "epoch", "subject", "verdict"];
        let shown = keys.iter().chain(columns).map(|key| match &record[key] {
            Value::String(text) => text.clone(),
            Value::Null => "-".to_owned(),
            other => other.to_string(),
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    place.json_lines(&out).iter().map(line).collect()
}

/// The numbers of the only log, as `scorer group metric verdict`.
#[track_caller]
pub fn verdicts(place: &Place, run: &str) -> Vec<String> {
    let report = place.json(&format!("{run}/report.json"));
    let aggregates = report["logs"][0]["aggregates"].as_array().expect("a list");
    let line = |of: &Value| {
        let group = of["group"].as_str().unwrap_or("-");
        let words = [&of["scorer"], &of["metric"], &of["verdict"]].map(|word| word.as_str());
        let [scorer, metric, verdict] = words.map(|word| word.expect("a word"));
        format!("{scorer} {group} {metric} {verdict}")
    };
    aggregates.iter().map(line).collect()
}

/// The one log of a report.
#[track_caller]
pub fn log(place: &Place, run: &str) -> Value {
    place.json(&format!("{run}/report.json"))["logs"][0].clone()
}
