//! The ordinary case: what a run folder holds, and what a record looks like.

use serde_json::{Value, json};

use crate::support::flight::{EVAL, RUN, TINY, tiny, tiny_run};
use crate::support::{MANIFEST_KEYS, STAMP, keys};

#[test]
fn the_run_folder_holds_what_was_asked_for() {
    for (records, lines) in [
        ("", false),
        ("--records parquet", false),
        ("--records jsonl", true),
        ("--records both", true),
        ("--records none", false),
    ] {
        let place = tiny();
        place
            .judica(&format!("{EVAL} {records}"))
            .exits(0)
            .says(&["inputs 8 = records 8 + rejects 0"]);
        let mut all = RUN.to_vec();
        all.extend(lines.then_some("records.jsonl"));
        all.sort();
        // No rejects.jsonl without rejects, nothing temporary, nothing else.
        assert_eq!(place.names("run"), all, "{records}");
    }
}

#[test]
fn the_manifest_says_what_the_run_was_made_of() {
    let place = tiny_run("parquet");
    let manifest = place.json("run/manifest.json");
    assert_eq!(keys(&manifest), [&MANIFEST_KEYS[..], &["trace"]].concat());
    let inputs = manifest["inputs"].as_array().expect("inputs");
    assert_eq!(inputs.len(), 2);
    for (input, (role, name)) in inputs
        .iter()
        .zip([("samples", "s.jsonl"), ("outputs", "o.jsonl")])
    {
        assert_eq!(input["role"], role);
        assert_eq!(input["path"], name);
        assert_eq!(input["bytes"], place.read(name).len());
        assert_eq!(input["sha256"].as_str().map(str::len), Some(64));
    }
    assert_eq!(
        manifest["counts"],
        json!({"inputs": 8, "used": 8, "rejects": 0, "records": 8, "rejects_by_reason": {}})
    );
    assert_eq!(manifest["schema_version"], "judica.run/2");
    assert_eq!(manifest["metrics"][0]["name"], "total");
    assert_eq!(manifest["metrics"][0]["above"], "total_counted");
    assert_eq!(manifest["metrics"][0]["primary"], true);
    assert_eq!(manifest["options"]["protocol"]["given_as"], "flight");
    let files = manifest["files"].as_object().expect("files");
    assert_eq!(files.len(), RUN.len() - 1);
    for (name, file) in files {
        let length = place.read(&format!("run/{name}")).len();
        assert_eq!(file["bytes"], length, "{name}");
        assert_eq!(file["reproducible"], true, "{name}");
    }
    assert_eq!(manifest["created_at"], STAMP);
}

/// Record files are not forced to disk, so a power cut can cut them short; that must show.
#[test]
fn records_that_were_cut_short_are_refused() {
    for format in ["parquet", "jsonl"] {
        let place = tiny_run(format);
        let name = format!("run/records.{format}");
        let bytes = place.read(&name);
        place.write(&name, &bytes[..bytes.len() / 2]);
        place
            .judica("export run --format csv")
            .exits(3)
            .complains(&["SYSTEM_ERROR", &name, "the run is damaged"]);
    }
}

#[test]
fn the_kept_protocol_is_the_one_that_was_used() {
    let place = tiny_run("none");
    let source = place.judica("rules --protocol flight --source").exits(0);
    assert_eq!(place.text("run/protocol.toml"), source.stdout);
}

#[test]
fn the_table_is_a_parquet_file() {
    let place = tiny_run("parquet");
    let bytes = place.read("run/records.parquet");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn records_come_in_input_order_with_keys_in_contract_order() {
    let place = tiny_run("jsonl");
    let records = place.json_lines("run/records.jsonl");
    let ids: Vec<&str> = records
        .iter()
        .filter_map(|record| record["sample_id"].as_str())
        .collect();
    let expected: Vec<&str> = TINY.iter().chain(&TINY).map(|(id, _)| *id).collect();
    assert_eq!(ids, expected);
    for record in &records {
        assert_eq!(
            keys(record),
            [
                "sample_id",
                "model_name",
                "task_id",
                "input_file",
                "input_line",
                "protocol_result",
                "evidence_pack",
                "agent_output",
                "optional_scores",
                "trace"
            ]
        );
        assert_eq!(keys(&record["evidence_pack"]), ["atoms"]);
        assert_eq!(
            keys(&record["agent_output"]),
            ["checklist", "adjudication", "attribution"]
        );
        assert_eq!(
            keys(&record["optional_scores"]["gating"]),
            ["passed", "reasons", "cap", "grade"]
        );
        assert_eq!(
            keys(&record["trace"]),
            [
                "config_version",
                "config_hash",
                "schema_version",
                "constraint_lib_version",
                "evaluator_version",
                "timestamp",
                "reproducibility_info"
            ]
        );
        for atom in atoms(record) {
            assert_eq!(
                keys(atom),
                [
                    "id", "type", "rule", "field", "pass", "severity", "scope", "message", "meta"
                ]
            );
        }
        for reason in list(&record["agent_output"]["attribution"]) {
            assert_eq!(
                keys(reason),
                [
                    "rank",
                    "reason",
                    "rule",
                    "field",
                    "severity",
                    "evidence_ids",
                    "count"
                ]
            );
        }
    }
}

#[test]
fn every_cited_id_exists_and_ids_count_up() {
    let place = tiny_run("jsonl");
    for record in place.json_lines("run/records.jsonl") {
        let ids: Vec<&str> = atoms(&record)
            .iter()
            .filter_map(|atom| atom["id"].as_str())
            .collect();
        let expected: Vec<String> = (1..=ids.len())
            .map(|number| format!("EVID_{number:03}"))
            .collect();
        assert_eq!(ids, expected);
        let agent = &record["agent_output"];
        let citing = list(&agent["checklist"])
            .iter()
            .chain(list(&agent["attribution"]));
        for cited in citing.flat_map(|item| list(&item["evidence_ids"])) {
            assert!(
                ids.contains(&cited.as_str().expect("an id")),
                "{cited} is not an atom"
            );
        }
    }
}

#[test]
fn each_answer_is_judged_by_what_is_wrong_with_it() {
    let place = tiny_run("jsonl");
    let records = place.json_lines("run/records.jsonl");
    for record in &records[..4] {
        assert_eq!(record["agent_output"]["adjudication"], "eligible");
        assert_eq!(
            record["optional_scores"]["total_score"], 100.0,
            "the gold itself was answered"
        );
        assert!(atoms(record).iter().all(|atom| atom["pass"] == true));
    }
    let expected = [
        (
            "safety_constraint.rapid_descent",
            json!("Vertical Speed (fpm)"),
        ),
        ("numeric_validity.missing_field", json!("Pitch (deg)")),
        ("protocol.parse_failure", json!(null)),
        ("numeric_validity.invalid_value", json!("Roll (deg)[1]")),
    ];
    for (record, (rule, field)) in records[4..].iter().zip(expected) {
        assert_eq!(record["agent_output"]["adjudication"], "ineligible");
        assert_eq!(record["optional_scores"]["total_score"], json!(null));
        assert_eq!(record["optional_scores"]["gating"]["grade"], "X");
        let failed = atoms(record)
            .iter()
            .find(|atom| atom["rule"] == rule && atom["pass"] == false)
            .unwrap_or_else(|| panic!("{rule} did not fail in {record}"));
        assert_eq!(failed["field"], field);
        assert_eq!(failed["severity"], "critical");
    }
    // A response that was not read is one atom and nothing else.
    assert_eq!(atoms(&records[6]).len(), 1);
}

#[test]
fn the_summary_agrees_with_the_records() {
    let place = tiny_run("none");
    let summary = place.json("run/report.json");
    let board = list(&summary["leaderboard"]);
    assert_eq!(board.len(), 2);
    assert_eq!(board[0]["model_name"], "good");
    assert_eq!(board[1]["model_name"], "wild");
    let models = list(&summary["models"]);
    let rates: Vec<&Value> = models
        .iter()
        .map(|model| &model["eligibility_rate"])
        .collect();
    assert_eq!(rates, [&json!(100.0), &json!(0.0)]);
    let wild = &models[1];
    assert_eq!(wild["model_confidence_prior"], json!(null));
}

#[test]
fn json_on_screen_is_the_summary() {
    let place = tiny();
    let ran = place.judica(&format!("{EVAL} --json")).exits(0);
    assert_eq!(ran.stdout, place.text("run/report.json"));
}

#[test]
fn nothing_colourful_goes_into_a_pipe() {
    let ran = tiny().judica(EVAL).exits(0);
    assert!(!ran.stdout.contains('\u{1b}') && ran.stderr.is_empty());
}

#[test]
fn a_confidence_prior_reaches_profiles_and_nothing_else() {
    let place = tiny_run("jsonl");
    let (records, board) = (
        place.read("run/records.jsonl"),
        place.json("run/report.json")["leaderboard"].clone(),
    );
    place.write(
        "c.json",
        r#"[{"model_name": "wild", "confidence_m": {"S1_score": 99.5}, "version": "1"}]"#,
    );
    place
        .judica(&format!("{EVAL} --records jsonl --confidence c.json"))
        .exits(0);
    assert_eq!(place.read("run/records.jsonl"), records);
    let summary = place.json("run/report.json");
    assert_eq!(summary["leaderboard"], board);
    let prior = |model: usize| summary["models"][model]["model_confidence_prior"].clone();
    assert_eq!(prior(0), json!(null));
    assert_eq!(prior(1)["confidence_m"]["S1_score"], 99.5);
}

fn atoms(record: &Value) -> &[Value] {
    list(&record["evidence_pack"]["atoms"])
}

#[track_caller]
fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}
