//! Every way in which inputs may come gives the records of the plain one.

use serde_json::{Value, json};

use crate::support::flight::{
    EVAL, calm, output, sample, state, tiny, tiny_outputs, tiny_run, tiny_samples,
};
use crate::support::{Place, gzip, keys, placeless, zstd};

/// The records that the tiny data set must give, however it is packed.
fn expected() -> String {
    placeless(&tiny_run("jsonl").text("run/records.jsonl"))
}

#[track_caller]
fn same_records(place: &Place, arguments: &str) {
    place
        .judica(arguments)
        .exits(0)
        .says(&["inputs 8 = records 8 + rejects 0"]);
    assert_eq!(placeless(&place.text("run/records.jsonl")), expected());
}

fn arguments(samples: &str, outputs: &str) -> String {
    EVAL.replace("s.jsonl", samples).replace("o.jsonl", outputs) + " --records jsonl"
}

#[test]
fn compressed_files() {
    let place = tiny();
    place.write("s.jsonl.gz", gzip(&place.read("s.jsonl")));
    place.write("o.jsonl.zst", zstd(&place.read("o.jsonl")));
    same_records(&place, &arguments("s.jsonl.gz", "o.jsonl.zst"));
    place.write("s.ndjson.zst", zstd(&place.read("s.jsonl")));
    place.write("o.ndjson.gz", gzip(&place.read("o.jsonl")));
    same_records(&place, &arguments("s.ndjson.zst", "o.ndjson.gz"));
    // Several gzip members and zstd frames after each other are one file, as with zcat.
    let whole = place.read("o.jsonl");
    let (head, tail) = whole.split_at(700);
    place.write("o2.jsonl.gz", [gzip(head), gzip(tail)].concat());
    place.write("o2.jsonl.zst", [zstd(head), zstd(tail)].concat());
    same_records(&place, &arguments("s.jsonl", "o2.jsonl.gz"));
    same_records(&place, &arguments("s.jsonl", "o2.jsonl.zst"));
}

#[test]
fn byte_order_mark_carriage_returns_blank_lines_and_no_last_newline() {
    let place = Place::new();
    let crlf = |lines: &[String]| format!("\u{feff}{}", lines.join("\r\n"));
    place.write("s.jsonl", crlf(&tiny_samples()));
    place.write("o.jsonl", crlf(&tiny_outputs()));
    same_records(&place, &arguments("s.jsonl", "o.jsonl"));
    place.write("s.jsonl", tiny_samples().join("\n\n"));
    place.write(
        "o.jsonl",
        format!("\n  \n{}\r\n\r\n", tiny_outputs().join("\n\t\n")),
    );
    same_records(&place, &arguments("s.jsonl", "o.jsonl"));
}

#[test]
fn json_arrays_pretty_and_compact() {
    let place = Place::new();
    let array = |lines: &[String]| {
        let values: Vec<Value> = lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        Value::Array(values)
    };
    place.write(
        "s.json",
        serde_json::to_string_pretty(&array(&tiny_samples())).expect("JSON"),
    );
    place.write("o.json", array(&tiny_outputs()).to_string());
    same_records(&place, &arguments("s.json", "o.json"));
    place.write(
        "o.json",
        serde_json::to_string_pretty(&array(&tiny_outputs())).expect("JSON"),
    );
    same_records(&place, &arguments("s.json", "o.json"));
    place.write("o.json.gz", gzip(&place.read("o.json")));
    same_records(&place, &arguments("s.json", "o.json.gz"));
}

#[test]
fn standard_input_plain_and_compressed() {
    let place = tiny();
    for bytes in [
        place.read("o.jsonl"),
        gzip(&place.read("o.jsonl")),
        zstd(&place.read("o.jsonl")),
    ] {
        place
            .judica_with_stdin(&arguments("s.jsonl", "-"), bytes)
            .exits(0)
            .says(&["inputs 8 = records 8 + rejects 0"]);
        assert_eq!(placeless(&place.text("run/records.jsonl")), expected());
    }
    place
        .judica_with_stdin(&arguments("-", "o.jsonl"), place.read("s.jsonl"))
        .exits(0);
    assert_eq!(placeless(&place.text("run/records.jsonl")), expected());
}

#[test]
fn other_names_of_keys_and_a_response_that_is_an_object() {
    let place = tiny();
    let lines: Vec<String> = tiny_outputs()
        .iter()
        .map(|line| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let text = line["raw_response_text"].as_str().expect("text");
            // Prose stays text; what is an object is given as one.
            let response = serde_json::from_str::<Value>(text).unwrap_or_else(|_| json!(text));
            json!({"id": line["sample_id"], "response": response, "model": line["model_name"]})
                .to_string()
        })
        .collect();
    place.write_lines("o.jsonl", &lines);
    same_records(&place, &arguments("s.jsonl", "o.jsonl"));
}

#[test]
fn unknown_keys_and_their_order_do_not_matter() {
    let place = tiny();
    let lines: Vec<String> = tiny_outputs()
        .iter()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            let text = line["raw_response_text"].take();
            json!({"raw_response_text": text, "usage": {"tokens": [1, 2]}, "sample_id": line["sample_id"],
                   "timestamp": "2025-01-01T00:00:00Z", "note": null, "model_name": line["model_name"]})
            .to_string()
        })
        .collect();
    place.write_lines("o.jsonl", &lines);
    same_records(&place, &arguments("s.jsonl", "o.jsonl"));
}

#[test]
fn public_data_files_are_matched_by_line_number() {
    for key in ["next_second", "T+1"] {
        let place = Place::new();
        let gold =
            |lat: f64| json!({key: state(&[("Latitude (WGS84 deg)", json!(lat))])}).to_string();
        place.write_lines("s.jsonl", &[gold(47.0), gold(47.001), gold(47.002)]);
        let response = |lat: f64| {
            json!({"response": state(&[("Latitude (WGS84 deg)", json!(lat))])}).to_string()
        };
        place.write_lines("o.jsonl", &[response(47.0), response(47.001)]);
        place
            .judica(&format!("{EVAL} --records jsonl --task S1 --model m"))
            .exits(0)
            .says(&["inputs 2 = records 2 + rejects 0"]);
        let records = place.json_lines("run/records.jsonl");
        let ids: Vec<&Value> = records.iter().map(|record| &record["sample_id"]).collect();
        assert_eq!(ids, ["S1_000", "S1_001"]);
        for record in &records {
            // Both answered their own gold, so a mix-up would show as an error.
            assert_eq!(record["optional_scores"]["mae"], 0.0);
            assert_eq!(record["model_name"], "m");
        }
    }
}

#[test]
fn a_public_data_file_may_have_ids() {
    let place = Place::new();
    place.write_lines(
        "s.jsonl",
        &[json!({"id": 17, "T+1": calm("M3")}).to_string()],
    );
    place.write_lines("o.jsonl", &[output("m", "17", &calm("M3"))]);
    place
        .judica(&format!("{EVAL} --records jsonl --task M3"))
        .exits(0)
        .says(&["records 1 + rejects 0"]);
    assert_eq!(
        place.json_lines("run/records.jsonl")[0]["optional_scores"]["mae"],
        0.0
    );
}

#[test]
fn elements_of_an_array_without_ids_are_numbered() {
    let place = Place::new();
    let gold = json!({"next_second": state(&[])});
    place.write("s.json", json!([gold, gold, gold]).to_string());
    place.write_lines("o.jsonl", &[output("m", "S1_002", &state(&[]))]);
    place
        .judica(&(EVAL.replace("s.jsonl", "s.json") + " --task S1"))
        .exits(0)
        .says(&["samples 3, sample rejects 0"]);
}

#[test]
fn a_null_key_does_not_hide_its_other_name() {
    let place = Place::new();
    let line = json!({"sample_id": null, "id": "x", "task_id": null, "task": "S1",
                      "gold": {"next_second": null, "T+1": state(&[]), "available": true}});
    place.write_lines("s.jsonl", &[line.to_string()]);
    place.write_lines("o.jsonl", &[output("m", "x", &state(&[]))]);
    place
        .judica(&format!("{EVAL} --records jsonl --task M1"))
        .exits(0)
        .says(&["records 1 + rejects 0"]);
    let record = &place.json_lines("run/records.jsonl")[0];
    assert_eq!(record["task_id"], "S1");
    assert_eq!(record["optional_scores"]["mae"], 0.0);
}

#[test]
fn a_sample_without_gold_is_judged_but_not_scored() {
    let place = Place::new();
    let mut line: Value = serde_json::from_str(&sample("x", "S1")).expect("JSON");
    line["gold"]["available"] = json!(false);
    place.write_lines("s.jsonl", &[line.to_string()]);
    place.write_lines("o.jsonl", &[output("m", "x", &state(&[]))]);
    place.judica(&format!("{EVAL} --records jsonl")).exits(0);
    let record = &place.json_lines("run/records.jsonl")[0];
    let scores = &record["optional_scores"];
    assert_eq!(record["agent_output"]["adjudication"], "eligible");
    assert_eq!(scores["availability_score"], 100.0);
    assert_eq!(scores["conditional_error_score"], Value::Null);
    assert_eq!(scores["total_score"], Value::Null);
    assert!(
        scores["undefined"].is_string(),
        "a null score says why: {:?}",
        keys(scores)
    );
}
