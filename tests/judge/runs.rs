//! Outputs that another harness stored, judged without its model.

use serde_json::json;

use crate::judge::data::{run, yes};
use crate::support::{Place, STAMP};

#[test]
fn a_log_and_its_run_are_judged_by_their_texts() {
    let (place, server) = (Place::new(), yes());
    let sample = |id: &str, target: serde_json::Value, output: &str| {
        json!({
            "id": id, "epoch": 1, "input": format!("question {id}"), "target": target,
            "output": {"choices": [], "completion": output},
            "scores": {"match": {"value": "I"}},
        })
    };
    let log = json!({
        "version": 2, "status": "success",
        "eval": {"task": "capitals", "model": "small", "created": "2026-11-15T10:00:00+00:00"},
        "samples": [
            sample("a", json!("Paris"), "paris"),
            sample("b", json!(["Rome", "Roma"]), "the eternal city"),
        ],
    });
    place.write("log.json", log.to_string());
    place.judica("import log.json --run imported").exits(0);
    let url = server.base_url();
    for (given, left) in [("log.json", "a"), ("imported", "b")] {
        run(
            &place,
            &format!(
                "judge --predictions {given} --model m --base-url {url} --run {left} --timestamp \
                 {STAMP}"
            ),
        )
        .exits(0);
        place.judica(&format!("reproduce {left}")).exits(0);
        let shown = place
            .judica(&format!("export {left} --format jsonl"))
            .exits(0);
        let records: Vec<serde_json::Value> = shown
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let found: Vec<_> = records
            .iter()
            .map(|record| {
                [
                    &record["item"],
                    &record["subject"],
                    &record["decision_method"],
                ]
            })
            .collect();
        assert_eq!(found[0], [&json!("a"), &json!("small"), &json!("exact")]);
        assert_eq!(found[1], [&json!("b"), &json!("small"), &json!("llm")]);
    }
    // Asked once for each: the golds of which any will do are told so.
    let asked = server.requests();
    let body = asked[0].json().to_string();
    assert!(
        body.contains("Rome\\\\nor\\\\nRoma") || body.contains("Rome\\nor\\nRoma"),
        "{body}"
    );
    assert_eq!(
        place.json("a/manifest.json")["inputs"][0]["path"],
        "log.json"
    );
}
