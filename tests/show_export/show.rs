//! One record, readably.

use serde_json::Value;

use crate::support::flight::{CALM, EVAL, tiny, tiny_run};

#[test]
fn reasons_are_told_with_the_evidence_they_cite() {
    for records in ["parquet", "jsonl"] {
        let place = tiny_run(records);
        place.judica("show run a1 --model wild").exits(0).says(&[
            "item a1",
            "subject wild",
            "dataset S1",
            "ineligible",
            "Reasons",
            "safety_constraint.rapid_descent",
            "EVID_",
            "-3500",
            "CHECK_001",
        ]);
        // The id it cites is the id of the failed atom in the records.
        let json = place
            .judica("show run a1 --model wild --json")
            .exits(0)
            .stdout;
        let record: Value = serde_json::from_str(&json).expect("one record");
        let cited = &record["agent_output"]["attribution"][0]["evidence_ids"][0];
        let atoms = record["evidence_pack"]["atoms"].as_array().expect("atoms");
        let atom = atoms
            .iter()
            .find(|atom| &atom["id"] == cited)
            .expect("the cited atom");
        assert_eq!(atom["pass"], false);
    }
}

#[test]
fn all_models_unless_one_is_named() {
    let place = tiny_run("parquet");
    place.judica("show run a1").exits(0).says(&[
        "subject good",
        "subject wild",
        "eligible",
        "ineligible",
    ]);
    let one = place.judica("show run a1 --model good").exits(0).stdout;
    assert!(!one.contains("wild"));
}

#[test]
fn passed_atoms_only_on_request() {
    let place = tiny_run("parquet");
    let passed = |arguments: &str| {
        let shown = place.judica(arguments).exits(0).stdout;
        let rows = shown
            .lines()
            .filter(|line| line.contains("EVID_") && line.contains("numeric_validity."));
        rows.count()
    };
    assert_eq!(passed("show run a1 --model good"), 0);
    assert_eq!(passed("show run a1 --model good --all"), 19);
}

#[test]
fn passed_atoms_say_what_they_are_about() {
    let place = tiny_run("parquet");
    let shown = place
        .judica("show run a1 --model good --all")
        .exits(0)
        .stdout;
    for (field, _) in CALM {
        assert!(shown.contains(field), "{field}");
    }
}

#[test]
fn json_is_the_line_of_the_records() {
    let place = tiny_run("both");
    let lines = place.text("run/records.jsonl");
    let shown = place.judica("show run c1 --json").exits(0).stdout;
    let expected: Vec<&str> = lines
        .lines()
        .filter(|line| line.contains("\"sample_id\":\"c1\""))
        .collect();
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_not_there_is_named() {
    let place = tiny_run("parquet");
    place
        .judica("show run nowhere")
        .exits(2)
        .complains(&["run", "`nowhere`"]);
    place
        .judica("show run a1 --model nobody")
        .exits(2)
        .complains(&["`a1`", "`nobody`"]);
    place
        .judica("show elsewhere a1")
        .exits(3)
        .complains(&["SYSTEM_ERROR", "elsewhere/manifest.json"]);
    // Records are there whatever else was asked for.
    place.judica(&format!("{EVAL} --records none")).exits(0);
    place.judica("show run a1").exits(0);
}

#[test]
fn what_a_model_wrote_cannot_steer_the_terminal() {
    let place = tiny();
    let nasty = "\u{1b}[2J\u{1b}]0;owned\u{7} no object";
    let line = serde_json::json!({"model_name": "e\u{1b}[31mvil", "sample_id": "a1", "raw_response_text": nasty});
    place.write_lines("o.jsonl", &[line.to_string()]);
    let shown =
        place.judica(EVAL).exits(0).stdout + &place.judica("show run a1 --all").exits(0).stdout;
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{7}'));
}
