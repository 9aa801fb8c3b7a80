//! Logs that are not whole, alone and among others, and rows that cannot be used.

use serde_json::json;

use crate::import::eval_log::{document, header, letters, log_of, results, sample};
use crate::support::Place;

const DEEPEVAL: &str = r#"{"testRunData":{"testCases":[{"input":"q","actualOutput":"a","success":true,"order":0,"metricsData":[{"name":"M","threshold":0.5,"success":true,"score":1.0}]},{"name":"y","inp"#;

#[test]
fn a_document_that_is_cut_short_is_refused_with_its_place() {
    let place = Place::new();
    place.write("cut.json", DEEPEVAL);
    let place_told = format!("ends within the document, after byte {}", DEEPEVAL.len());
    place
        .judica("import cut.json --run run")
        .exits(2)
        .complains(&["cut.json: not a whole log", &place_told]);
    assert_eq!(place.names("run"), Vec::<String>::new());
}

#[test]
fn a_broken_log_among_others_is_left_out_and_told() {
    let place = Place::new();
    let whole = log_of("CIC", "2026-11-15T10:00:00+00:00");
    place.write("logs/ok.eval", &whole);
    place.write("logs/half.eval", &whole[..whole.len() / 2]);
    place.write("logs/cut.json", DEEPEVAL);
    let json = document(&header("t", "m", "", json!(null)), &letters("CI"));
    place.write("logs/short.json", &json[..json.len() - 50]);
    let told = ["logs/half.eval", "logs/cut.json", "logs/short.json"];
    place
        .judica("import logs --run run")
        .exits(0)
        .says(&["inputs 3 = records 3 + rejects 0", "left out"])
        .complains(&told)
        .complains(&["left out, the others count"]);
    let report = place.json("run/report.json");
    assert_eq!(report["logs"].as_array().unwrap().len(), 1);
    assert_eq!(report["left_out"].as_array().unwrap().len(), 3);
    assert_eq!(
        place.json("run/manifest.json")["inputs"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    place.judica("reproduce run").exits(0);
    place
        .judica("import logs --run strict --strict")
        .exits(2)
        .complains(&["logs/cut.json"]);
    // Where none is whole, nothing is left.
    std::fs::remove_file(place.path("logs/ok.eval")).unwrap();
    place.judica("import logs --run none").exits(2);
    assert_eq!(place.names("none"), Vec::<String>::new());
}

#[test]
fn one_odd_sample_of_a_document_is_one_reject() {
    let place = Place::new();
    let mut samples = letters("CI");
    samples.insert(1, json!({"id": "odd", "epoch": "first"}));
    samples.push(letters("I").remove(0));
    let numbers = results(2, "match", json!({"accuracy": 0.5}));
    let log = document(&header("t", "m", "", numbers), &samples);
    place.write("log.json", &log);
    place.judica("import log.json --run run").exits(0);
    let rejects = place.json_lines("run/rejects.jsonl");
    let reasons: Vec<&str> = rejects
        .iter()
        .map(|r| r["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["malformed_sample", "duplicate_sample"]);
    assert_eq!(rejects[0]["line"], 2);
    let detail = rejects[0]["detail"].as_str().unwrap();
    assert!(detail.contains("expected a whole number"), "{detail}");
    for reject in &rejects {
        let offset = reject["byte_offset"].as_u64().unwrap() as usize;
        let raw = reject["raw"].as_str().unwrap();
        assert!(!raw.is_empty() && log[offset..].starts_with(raw.as_bytes()));
    }
    // What is refused is in no number.
    let aggregates = &place.json("run/report.json")["logs"][0]["aggregates"];
    assert!(
        !aggregates.to_string().contains("different"),
        "{aggregates}"
    );
}

#[test]
fn long_ids_and_endless_values_are_what_they_are() {
    let place = Place::new();
    let one = |id: u64, value: f64| sample(json!(id), 1, json!({"s": value}), json!({}));
    let samples = [one(1 << 60, 1.5), one(1_152_921_504_606_847_000, 2.5)];
    let numbers = results(2, "s", json!({"mean": "ENDLESS"}));
    let log = document(&header("t", "m", "", numbers), &samples);
    let log = String::from_utf8(log).unwrap();
    let log = log
        .replace("\"ENDLESS\"", "Infinity")
        .replace("2.5", "Infinity");
    place.write("log.json", log);
    place
        .judica("import log.json --run run")
        .exits(0)
        .says(&["inputs 2 = records 2 + rejects 0"]);
    let report = place.json("run/report.json")["logs"][0].clone();
    assert!(!report.to_string().contains("different"), "{report}");
    assert!(!report["notes"].to_string().contains("words"), "{report}");
    let shown = place.judica("export run --format jsonl").exits(0).stdout;
    assert!(shown.contains("\"1152921504606846976\"") && shown.contains("\"Infinity\""));
}

#[test]
fn refused_rows_of_a_table_keep_their_place_and_text() {
    let place = Place::new();
    place.write(
        "s.csv",
        "id,epoch,acc\na,0,1\na,1,0\n,1,1\na,1,1\na,one,1\n",
    );
    place
        .judica("import s.csv --as table --item id --metric acc --run run")
        .exits(0);
    let rejects = place.json_lines("run/rejects.jsonl");
    let told = rejects.iter().map(|reject| {
        let word = |key: &str| reject[key].to_string().replace('"', "");
        format!(
            "{} {} {} {}",
            word("line"),
            word("byte_offset"),
            word("reason"),
            word("raw")
        )
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "2 13 bad_epoch a,0,1",
            "4 25 missing_item ,1,1",
            "5 30 duplicate_sample a,1,1",
            "6 36 bad_epoch a,one,1",
        ]
    );
}

#[test]
fn a_table_that_is_none_is_named() {
    let place = Place::new();
    place.write("e.csv", "");
    place.write(
        "w.xlsx",
        b"PK\x03\x04\x14\0\0\0\0\0xxxxxxxxxxxxxxxxxx[Content_Types].xml xl/workbook.xml",
    );
    place.write(
        "o.json",
        r#"{"columns": ["id"], "index": [0], "data": [["a"]]}"#,
    );
    for (name, words) in [
        ("e.csv", "it seems to be empty"),
        ("w.xlsx", "it seems to be an Excel workbook"),
        ("o.json", "a pandas frame, split"),
    ] {
        place
            .judica(&format!(
                "import {name} --as table --item id --metric acc --run run"
            ))
            .exits(2)
            .complains(&[name, words]);
    }
}
