//! The second domain, which is a TOML file and nothing else, from end to end.

use serde_json::Value;

use crate::support::{Place, STAMP};

fn run() -> Place {
    let place = Place::new();
    place
        .judica("synth battery --samples 60 --models 5 --seed 7 --out data")
        .exits(0);
    place
        .judica(&format!(
            "eval --protocol battery --samples data/samples.jsonl --outputs data/outputs.jsonl \
             --confidence data/confidence.json --out run --records both --timestamp {STAMP}"
        ))
        .exits(0)
        .says(&["inputs 300 = records 300 + rejects 0"]);
    place
}

#[test]
fn it_is_judged_by_its_own_rules() {
    let place = run();
    let records = place.json_lines("run/records.jsonl");
    let failed: Vec<&str> = records
        .iter()
        .flat_map(|record| record["evidence_pack"]["atoms"].as_array().expect("atoms"))
        .filter(|atom| atom["pass"] == false)
        .filter_map(|atom| atom["rule"].as_str())
        .collect();
    assert!(
        failed
            .iter()
            .any(|rule| rule.starts_with("safety_constraint."))
    );
    assert!(
        failed
            .iter()
            .any(|rule| rule.starts_with("numeric_validity."))
    );
    assert!(failed.contains(&"protocol.api_error"));
    // The accurate model obeys the circuit laws.
    let accurate = records
        .iter()
        .filter(|record| record["model_name"] == "accurate-1");
    assert!(
        accurate.clone().count() == 60
            && accurate
                .clone()
                .all(|record| record["agent_output"]["adjudication"] == "eligible")
    );
    let summary = place.json("run/report.json");
    assert_eq!(summary["protocol"], "battery");
    assert_eq!(summary["leaderboard"][0]["model_name"], "accurate-1");
    let tasks: Vec<&Value> = summary["tasks"]
        .as_array()
        .expect("tasks")
        .iter()
        .map(|task| &task["task_id"])
        .collect();
    assert!(
        tasks.contains(&&Value::from("NEXT")) && tasks.contains(&&Value::from("H5")),
        "{tasks:?}"
    );
}

#[test]
fn the_other_commands_take_its_runs() {
    let place = run();
    place.judica("reproduce run").exits(0).says(&["identical"]);
    let expected = place.text("run/records.jsonl");
    assert!(place.judica("export run --format jsonl").exits(0).stdout == expected);
    place
        .judica("export run --format latex")
        .exits(0)
        .says(&["accurate-1"]);
    place.judica("show run H5_000001 --model unsafe-1").exits(0);
}
