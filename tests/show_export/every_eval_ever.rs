//! Runs in the schema of every_eval_ever. Its own validator is no part of the tests:
//! `docs/export.md` says how it was asked.

use serde_json::{Value, json};

use crate::support::{Place, STAMP, keys};

#[test]
fn documents_and_lines_stand_where_its_store_has_them() {
    let place = Place::new();
    let rows = [
        json!({"id": "a", "input": "1+1?", "gold": "2", "prediction": "2", "model": "org/big",
               "tokens_in": 3, "tokens_out": 1, "latency_ms": 250.0}),
        json!({"id": "b", "input": "2+2?", "gold": "4", "prediction": "5", "model": "org/big"}),
        json!({"id": "a", "input": "1+1?", "gold": "2", "prediction": "3", "model": "../x"}),
    ];
    place.write_lines("data.jsonl", &rows.map(|row| row.to_string()));
    place
        .judica(&format!(
            "match --predictions data.jsonl --run run --keep-text --timestamp {STAMP}"
        ))
        .exits(0);
    for out in ["eee", "again"] {
        place
            .judica(&format!("export run --format every-eval-ever --out {out}"))
            .exits(0)
            .complains(&[&format!("4 files in {out}")]);
    }
    // No name leads out of the folder, and `data` is the store's own.
    assert_eq!(place.names("eee"), ["data"]);
    assert_eq!(place.names("eee/data"), ["data_"]);
    assert_eq!(place.names("eee/data/data_"), ["org", "unnamed"]);
    let folder = "data/data_/org/big";
    let names = place.names(&format!("eee/{folder}"));
    assert_eq!(names, place.names(&format!("again/{folder}")));
    let [document, lines] = names.as_slice() else {
        panic!("{names:?}");
    };
    let uuid = document.strip_suffix(".json").unwrap();
    assert_eq!(lines, &format!("{uuid}_samples.jsonl"));
    let parts: Vec<&str> = uuid.split('-').collect();
    assert_eq!(
        parts.iter().map(|part| part.len()).collect::<Vec<_>>(),
        [8, 4, 4, 4, 12]
    );
    assert!(parts[2].starts_with('4') && parts[3].starts_with(['8', '9', 'a', 'b']));

    let document = place.json(&format!("eee/{folder}/{document}"));
    for needed in [
        "schema_version",
        "evaluation_id",
        "retrieved_timestamp",
        "source_metadata",
        "model_info",
        "eval_library",
        "evaluation_results",
    ] {
        assert!(!document[needed].is_null(), "{needed}");
    }
    assert_eq!(document["schema_version"], "0.3.0");
    assert_eq!(document["model_info"]["id"], "org/big");
    let seconds = document["retrieved_timestamp"].as_str().unwrap();
    assert!(seconds.parse::<u64>().is_ok(), "{seconds}");
    let id = format!("data/org/big/{seconds}");
    assert_eq!(document["evaluation_id"], id);
    let results = document["evaluation_results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    let first = &results[0];
    assert_eq!(first["evaluation_result_id"], "data/matched");
    assert_eq!(first["score_details"]["score"], 0.5);
    assert_eq!(first["score_details"]["uncertainty"]["num_samples"], 2);
    assert_eq!(first["metric_config"]["lower_is_better"], false);
    let details = &document["detailed_evaluation_results"];
    assert_eq!(details["total_rows"], 6);
    assert_eq!(details["file_path"], format!("{folder}/{lines}"));

    let lines = place.json_lines(&format!("eee/{folder}/{lines}"));
    assert_eq!(lines.len(), 6);
    for line in &lines {
        assert_eq!(line["evaluation_id"], id);
        assert_eq!(line["interaction_type"], "single_turn");
        assert_eq!(keys(&line["evaluation"]), ["score", "is_correct"]);
    }
    let matched = |item: &str| -> &Value {
        let mut of = lines.iter().filter(|line| line["sample_id"] == item);
        of.find(|line| line["evaluation_result_id"] == "data/matched")
            .unwrap()
    };
    assert_eq!(
        matched("a")["evaluation"],
        json!({"score": 1.0, "is_correct": true})
    );
    assert_eq!(
        matched("b")["evaluation"],
        json!({"score": 0.0, "is_correct": false})
    );
    assert_eq!(
        matched("b")["input"],
        json!({"raw": "2+2?", "reference": ["4"]})
    );
    assert_eq!(matched("b")["output"], json!({"raw": ["5"]}));
    assert_eq!(matched("a")["token_usage"]["total_tokens"], 4);
    assert_eq!(matched("a")["performance"]["latency_ms"], 250.0);
}

#[test]
fn a_line_has_no_end_within_and_a_model_stands_where_its_id_is_looked_for() {
    let place = Place::new();
    let answer = "a\u{2028}b\u{2029}c\u{85}d";
    let row = json!({"id": "a", "gold": "2", "prediction": answer, "model": "hub/org/big:free"});
    place.write_lines("rows.jsonl", &[row.to_string()]);
    place
        .judica("match --predictions rows.jsonl --run run --keep-text")
        .exits(0);
    place
        .judica("export run --format every-eval-ever --out eee")
        .exits(0);
    let folder = "eee/data/rows/hub/org_big_free";
    let names = place.names(folder);
    let lines = format!("{folder}/{}", names[1]);
    assert!(
        !place
            .text(&lines)
            .contains(['\u{2028}', '\u{2029}', '\u{85}'])
    );
    let lines = place.json_lines(&lines);
    assert_eq!(lines[0]["model_id"], "hub/org/big:free");
    assert_eq!(lines[0]["output"]["raw"], json!([answer]));
}
