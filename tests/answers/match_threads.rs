//! The same bytes, whatever the threads.

use serde_json::{Value, json};

use crate::answers::data::{lines, row, with};
use crate::support::Place;

#[test]
fn one_thread_or_several() {
    let rows: Vec<Value> = (0..4000)
        .map(|number| match number % 5 {
            0 => row("<<A>>F p", "<<A>> F p"),
            1 => row("p && q", "q && p"),
            2 => json!({"input": number}),
            3 => with(
                row("p", "q"),
                json!({"id": number % 40, "tokens_input": number}),
            ),
            _ => row(format!("p{number}"), "q"),
        })
        .collect();
    let place = Place::new();
    place.write("preds/a.jsonl", lines(&rows));
    place.write("preds/b.json", json!({"predictions": rows}).to_string());
    place.write("preds/c.json", json!(rows).to_string());
    let mut outcomes = Vec::new();
    for threads in [1, 2, 5] {
        let folder = format!("out{threads}");
        let line = format!(
            "match -p preds --threads {threads} --json --out {folder}/m.json \
             --details {folder}/d.jsonl"
        );
        let printed = place.judica(&line).exits(0).stdout;
        let files = place.files(&folder);
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["d.jsonl", "m.json", "rejects.jsonl"]);
        outcomes.push((printed, files));
    }
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]));
    let report: Value = serde_json::from_str(&outcomes[0].0).expect("JSON");
    let count = |key: &str| report[key].as_u64().expect("a count");
    assert_eq!(count("inputs"), 12_000);
    assert_eq!(count("inputs"), count("n_examples") + count("rejects"));
    // The shape of a file is none of the rows' business.
    let files = report["files"].as_array().expect("files");
    assert!(
        files
            .iter()
            .all(|file| file["counts"] == files[0]["counts"])
    );
    // Ids 3, 8, …, 38 once each; the other 792 rows with an id repeat one.
    assert_eq!(files[0]["rejects_by_reason"]["duplicate_id"], 792);
}
