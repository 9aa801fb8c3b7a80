//! A domain of one's own: a TOML file, no Rust.

use serde_json::{Value, json};

use crate::support::{Place, STAMP};

/// A water tank: three fields, one of them an angle, and one rule.
pub const TANK: &str = include_str!("tank.toml");

fn tank() -> Place {
    let place = Place::new();
    place.write("tank.toml", TANK);
    let gold = |level: f64, valve: f64| json!({"Level (m)": level, "Inflow (l/s)": 10, "Valve (deg)": valve});
    let sample = |id: &str, gold: Value| {
        json!({"sample_id": id, "task_id": "T1", "gold": {"next_second": gold, "available": true}})
            .to_string()
    };
    place.write_lines(
        "s.jsonl",
        &[sample("t0", gold(5.0, 359.0)), sample("t1", gold(5.5, 1.0))],
    );
    let output = |id: &str, response: Value| {
        json!({"model_name": "m", "sample_id": id, "raw_response_text": response}).to_string()
    };
    place.write_lines(
        "o.jsonl",
        &[
            output(
                "t0",
                json!({"Level (m)": 5, "Inflow (l/s)": "10", "Valve (deg)": 1}),
            ),
            output(
                "t1",
                json!({"Level (m)": 9.5, "Inflow (l/s)": 10, "Valve (deg)": 1}),
            ),
        ],
    );
    place
}

const EVAL: &str =
    "eval --protocol tank.toml --samples s.jsonl --outputs o.jsonl --out run --records both";

#[test]
fn it_works_from_end_to_end() {
    let place = tank();
    place
        .judica(&format!("{EVAL} --timestamp {STAMP}"))
        .exits(0)
        .says(&["inputs 2 = records 2 + rejects 0"]);
    let records = place.json_lines("run/records.jsonl");
    // The valve is 2 degrees off over north, one field of three.
    let scores = &records[0]["optional_scores"];
    assert_eq!(records[0]["agent_output"]["adjudication"], "eligible");
    assert_eq!(scores["compared_values"], 3);
    let close = |value: &Value, expected: f64| {
        assert!(
            (value.as_f64().expect("a number") - expected).abs() < 1e-12,
            "{value} is not {expected}"
        );
    };
    close(&scores["mae"], 2.0 / 3.0);
    close(&scores["rmse"], (4.0f64 / 3.0).sqrt());
    close(&scores["constraint_satisfaction_score"], 100.0);
    let mae_score = 100.0 - 10.0 * 2.0 / 3.0;
    let rmse_score = 100.0 - 10.0 / 3.0 * (4.0f64 / 3.0).sqrt();
    close(
        &scores["conditional_error_score"],
        0.6 * mae_score + 0.4 * rmse_score,
    );
    let rules: Vec<&Value> = records[1]["agent_output"]["attribution"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|reason| &reason["rule"])
        .collect();
    assert_eq!(
        rules,
        [
            "jump_dynamics.mutation_violation",
            "safety_constraint.overflow"
        ]
    );
    assert_eq!(place.text("run/protocol.toml"), TANK);
    place.judica("reproduce run").exits(0).says(&["identical"]);
    place.judica("show run t1").exits(0).says(&[
        "safety_constraint.overflow",
        "level 9.5 m",
        "EVID_",
    ]);
    place
        .judica("rules --protocol tank.toml")
        .exits(0)
        .says(&["safety_constraint.overflow"]);
    place
        .judica("explain overflow --protocol tank.toml")
        .exits(0)
        .says(&["It would be wet."]);
    place
        .judica("calibrate --protocol tank.toml --samples s.jsonl")
        .exits(0);
}

#[test]
fn a_run_does_not_need_the_protocol_file_any_more() {
    let place = tank();
    place.judica(EVAL).exits(0);
    std::fs::remove_file(place.path("tank.toml")).expect("removed");
    place.judica("show run t0").exits(0);
    place.judica("reproduce run").exits(0).says(&["identical"]);
}

#[test]
fn hashes_follow_the_content_of_the_protocol() {
    let place = tank();
    let trace = |toml: &str| {
        place.write("tank.toml", toml);
        place.judica(EVAL).exits(0);
        place.json("run/manifest.json")["trace"].clone()
    };
    let first = trace(TANK);
    for key in ["config_hash", "schema_version", "constraint_lib_version"] {
        let hash = first[key].as_str().expect("a hash");
        assert!(
            hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()),
            "{key}: {hash}"
        );
    }
    let same = |other: &Value, key: &str| other[key] == first[key];
    // Comments and spaces are not content.
    let dressed = trace(&format!(
        "# a comment\n\n{}",
        TANK.replace("limit = [0, 10]", "limit = [ 0.0, 1e1 ]")
    ));
    for key in ["config_hash", "schema_version", "constraint_lib_version"] {
        assert!(same(&dressed, key), "{key}");
    }
    let limited = trace(&TANK.replace("limit = [0, 10]", "limit = [0, 11]"));
    assert!(!same(&limited, "config_hash") && !same(&limited, "constraint_lib_version"));
    assert!(same(&limited, "schema_version"));
    let field = "[[field]]\nname = \"Outflow (l/s)\"\nalias = \"outflow\"\nunit = \"l/s\"\nkind = \"linear\"\n\n[[family]]";
    let wider = trace(&TANK.replace("[[family]]", field));
    assert!(!same(&wider, "schema_version"));
}

#[test]
fn jumps_can_be_measured_from_the_current_state() {
    let place = tank();
    place.write(
        "tank.toml",
        format!("{TANK}\n[jump]\nreference = \"current_state\"\n"),
    );
    let line = json!({"sample_id": "t0", "task_id": "T1", "context": {"current_state": {"Level (m)": 1.0}},
                      "gold": {"next_second": {"Level (m)": 2.0}, "available": true}});
    place.write_lines("s.jsonl", &[line.to_string()]);
    place.judica(EVAL).exits(0);
    // The first output of a model has no earlier one, yet this jump is seen: 1 to 5 m.
    let record = &place.json_lines("run/records.jsonl")[0];
    assert_eq!(
        record["agent_output"]["attribution"][0]["rule"],
        "jump_dynamics.mutation_violation"
    );
}
