//! Logs that are broken, unfinished or hostile.

use std::io::Write;

use serde_json::{Value, json};

use crate::import::eval_log::{
    DEFLATE, PLAIN, ZSTD, Zip, document, eval, header, letters, log_of, python, sample,
};
use crate::support::Place;

fn report(place: &Place) -> Value {
    place.json("run/report.json")["logs"][0].clone()
}

#[test]
fn a_zip_that_was_cut_short_is_refused_wherever_it_was_cut() {
    let place = Place::new();
    let whole = log_of("CIC", "");
    for length in [
        4,
        30,
        100,
        whole.len() / 2,
        whole.len() - 200,
        whole.len() - 1,
    ] {
        place.write("log.eval", &whole[..length]);
        place
            .judica("import log.eval --run run")
            .exits(2)
            .complains(&["log.eval", "cut short"]);
        assert_eq!(place.names("run"), Vec::<String>::new());
    }
}

#[test]
fn a_log_without_a_header_was_only_started() {
    let place = Place::new();
    let mut zip = Zip::default();
    let start = json!({"version": 2, "eval": {"task": "t", "model": "m"}});
    zip.add("_journal/start.json", &python(&start), ZSTD);
    let sample = &letters("C")[0];
    zip.add("samples/0_epoch_1.json", &python(sample), ZSTD);
    place.write("log.eval", zip.finish());
    place
        .judica("import log.eval --run run")
        .exits(0)
        .says(&["started"]);
    assert_eq!(report(&place)["status"], "started");
}

#[test]
fn a_zip_that_is_no_log_and_a_log_without_samples() {
    let place = Place::new();
    let mut zip = Zip::default();
    zip.add("readme.txt", b"hello", DEFLATE);
    place.write("other.zip", zip.finish());
    place
        .judica("import other.zip --run run")
        .exits(2)
        .complains(&["other.zip", "inspect, lm-eval", "a zip archive"]);
    place
        .judica("import other.zip --as inspect --run run")
        .exits(2)
        .complains(&["no Inspect log"]);
    place.write(
        "empty.eval",
        eval(&header("t", "m", "", json!(null)), &[], ZSTD),
    );
    place
        .judica("import empty.eval --run run")
        .exits(2)
        .complains(&["empty.eval: there is no sample"]);
    let mut zip = Zip::default();
    zip.add("header.json", b" []", DEFLATE);
    zip.add("samples/0_epoch_1.json", &python(&letters("C")[0]), ZSTD);
    place.write("list.eval", zip.finish());
    place
        .judica("import list.eval --run run")
        .exits(2)
        .complains(&["header.json: a list, and no header"]);
    place.judica("import nowhere.eval --run run").exits(3);
    place.judica("import - --run run").exits(2);
}

#[test]
fn of_members_that_stand_twice_the_last_counts() {
    let place = Place::new();
    let mut zip = Zip::default();
    let [wrong, right] =
        ["I", "C"].map(|value| python(&sample(json!("s"), 1, json!({"match": value}), json!({}))));
    zip.add("samples/s_epoch_1.json", &wrong, ZSTD);
    zip.add("samples/s_epoch_1.json", &right, ZSTD);
    zip.add(
        "header.json",
        &python(&header("t", "m", "", json!(null))),
        ZSTD,
    );
    place.write("log.eval", zip.finish());
    place.judica("import log.eval --run run").exits(0);
    let report = report(&place);
    assert_eq!(report["counts"]["inputs"], 1);
    assert_eq!(
        report["notes"][0],
        "1 members stand there again; the last of each name counts"
    );
    place
        .judica("export run --format jsonl")
        .exits(0)
        .says(&["\"match\":1.0"]);
}

#[test]
fn one_key_under_two_names_is_a_reject() {
    let place = Place::new();
    let mut zip = Zip::default();
    let sample = python(&sample(json!("s"), 1, json!({"match": "C"}), json!({})));
    zip.add("samples/s_epoch_1.json", &sample, ZSTD);
    zip.add("samples/t_epoch_1.json", &sample, ZSTD);
    zip.add("samples/u_epoch_1.json", b"{\"id\": 1,", ZSTD);
    zip.add("samples/v_epoch_1.json", b"[]", ZSTD);
    zip.add(
        "samples/w_epoch_1.json",
        b"{\"id\": null, \"epoch\": 1}",
        ZSTD,
    );
    zip.add(
        "header.json",
        &python(&header("t", "m", "", json!(null))),
        ZSTD,
    );
    place.write("log.eval", zip.finish());
    place.judica("import log.eval --run run").exits(0);
    let manifest = place.json("run/manifest.json");
    let reasons = &manifest["counts"]["rejects_by_reason"];
    assert_eq!(
        reasons,
        &json!({"duplicate_sample": 1, "malformed_sample": 2, "missing_id": 1})
    );
    let rejects = place.json_lines("run/rejects.jsonl");
    assert!(
        rejects[1]["detail"]
            .as_str()
            .unwrap()
            .starts_with("samples/u_epoch_1.json: ")
    );
    place
        .judica("import log.eval --run other --strict")
        .exits(2)
        .complains(&["log.eval:2", "duplicate_sample"]);
}

#[test]
fn a_member_that_was_damaged_is_a_reject() {
    let place = Place::new();
    let samples = letters("CIC");
    let mut bytes = eval(&header("t", "m", "", json!(null)), &samples, PLAIN);
    let at = bytes
        .windows(10)
        .position(|part| part == b"question 1")
        .unwrap();
    bytes[at] = b'Q';
    place.write("log.eval", bytes);
    place.judica("import log.eval --run run").exits(0);
    let counts = &report(&place)["counts"];
    assert_eq!(
        (&counts["used"], &counts["rejects"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn an_unknown_version_is_read_as_far_as_it_is_known() {
    let place = Place::new();
    let mut header = header("t", "m", "", json!(null));
    header["version"] = json!(3);
    header["new"] = json!({"x": []});
    place.write("log.eval", eval(&header, &letters("C"), ZSTD));
    place
        .judica("import log.eval --run run")
        .exits(0)
        .says(&["where 2 was expected"]);
}

/// What unpacks to far more than it is, is passed over without being held.
#[test]
fn a_bomb_takes_time_and_no_memory() {
    let place = Place::new();
    let mut zip = Zip::default();
    let begin = b"{\"id\": \"s\", \"epoch\": 1, \"events\": \"".to_vec();
    let end = b"\", \"scores\": {\"match\": {\"value\": \"C\"}}}";
    // 80 MB that are passed over.
    let long = [begin, vec![b' '; 80 << 20], end.to_vec()].concat();
    zip.add("samples/s_epoch_1.json", &long, ZSTD);
    // A text that is needed and too long.
    let begin = b"{\"id\": \"t\", \"epoch\": 1, \"input\": \"".to_vec();
    let long = [begin, vec![b' '; 80 << 20], end.to_vec()].concat();
    zip.add("samples/t_epoch_1.json", &long, DEFLATE);
    // One that says it is short.
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..80 {
        packer.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let stored = packer.finish().unwrap();
    zip.add_stored("samples/u_epoch_1.json", &stored, DEFLATE, 0, 10);
    zip.add(
        "header.json",
        &python(&header("t", "m", "", json!(null))),
        ZSTD,
    );
    place.write("log.eval", zip.finish());
    place
        .judica("import log.eval --run run --max-line 1MiB")
        .exits(0);
    let counts = place.json("run/manifest.json")["counts"].clone();
    assert_eq!(counts["records"], 1);
    assert_eq!(
        counts["rejects_by_reason"],
        json!({"malformed_sample": 1, "text_too_long": 1})
    );
}

#[test]
fn a_long_sample_is_found_behind_a_byte_order_mark() {
    let place = Place::new();
    let long = json!({"events": ["x".repeat(50_000)]});
    let one = |id: u64| sample(json!(id), 1, json!({"match": "C"}), long.clone());
    let log = document(&header("t", "m", "", json!(null)), &[one(0), one(1)]);
    for mark in ["", "\u{feff}"] {
        place.write("log.json", [mark.as_bytes(), &log].concat());
        place
            .judica("import log.json --run run --max-line 32KiB")
            .exits(0)
            .says(&["inputs 2 = records 2 + rejects 0"]);
    }
}

#[test]
fn a_document_that_is_cut_short_is_refused() {
    let place = Place::new();
    let whole =
        crate::import::eval_log::document(&header("t", "m", "", json!(null)), &letters("CIC"));
    place.write("log.json", &whole[..whole.len() - 100]);
    place
        .judica("import log.json --run run")
        .exits(2)
        .complains(&["log.json: not a whole log: it ends within the document"]);
    assert_eq!(place.names("run"), Vec::<String>::new());
}

#[test]
fn values_under_thousands_of_names_are_no_scorers() {
    let place = Place::new();
    let values: serde_json::Map<String, Value> =
        (0..5000).map(|n| (format!("k{n}"), json!(n))).collect();
    let samples = [sample(json!("s"), 1, json!({"many": values}), json!({}))];
    let header = header("t", "m", "", json!(null));
    place.write("log.eval", eval(&header, &samples, ZSTD));
    place
        .judica("import log.eval --run run")
        .exits(2)
        .complains(&["log.eval: more than 4096 scorers"]);
}

#[test]
fn a_log_that_is_of_another_harness_is_told() {
    let place = Place::new();
    let header = header("t", "m", "", json!(null));
    place.write("late.json", document(&header, &letters("CI")));
    place.write("notes.pdf", "%PDF-1.7 notes");
    for (said, words) in [
        (
            "late.json --as helm",
            "neither a log of HELM nor a file of one",
        ),
        ("late.json --as promptfoo", "there is no sample"),
        ("late.json --as openai-evals", "there is no sample"),
    ] {
        let other = "it seems to be a log of Inspect: --as inspect";
        place
            .judica(&format!("import {said} --run run"))
            .exits(2)
            .complains(&["late.json: ", words, other]);
    }
    place
        .judica("import notes.pdf --as openai-evals --run run")
        .exits(2)
        .complains(&["there is no sample", "it seems to be a PDF"]);
}
