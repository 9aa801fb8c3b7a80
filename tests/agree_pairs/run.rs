//! The run that `--run` leaves.

use serde_json::{Value, json};

use crate::agree_pairs::data::{judgment, merged, pair, pair_with, report, ten};
use crate::run_folder::{WITH_REJECTS, as_reported, recomputed, records, same_run};
use crate::support::Place;

const RUN: &str = "agree pairs --pairs p.jsonl --run run --resamples 50 --allow-undefined";

/// Ten pairs and what can go wrong: of another author, of a second repeat, once more, of an
/// unknown label, in no repeat at all.
fn mixed() -> Vec<String> {
    let mut lines = ten();
    lines.extend([
        pair_with(
            "q01",
            "VALID",
            "REJECT",
            json!({"model": "m", "cluster": "c"}),
        ),
        pair_with(
            "q01",
            "ABSTAIN",
            "ABSTAIN",
            json!({"epoch": 2, "usd": 0.5, "dataset": "d"}),
        ),
        pair("q02", "VALID", "VALID"),
        pair_with("q01", "VALID", "VALID", json!({"model_name": "m"})),
        pair("q11", "GOOD", "VALID"),
        pair_with("q12", "VALID", "VALID", json!({"epoch": "later"})),
        "oops".to_owned(),
    ]);
    lines
}

#[test]
fn every_counted_pair_is_a_record() {
    let place = merged(&mixed());
    let shown = place.judica(&format!("{RUN} --json")).exits(1);
    assert_eq!(place.names("run"), WITH_REJECTS);
    assert_eq!(place.json("run/report.json"), report(&shown));
    // Nothing is left anywhere else.
    assert_eq!(place.names("."), ["p.jsonl", "run"]);
    let manifest = place.json("run/manifest.json");
    assert_eq!(manifest["command"], "agree pairs");
    assert_eq!(manifest["inputs"][0]["role"], "pairs");
    assert_eq!(
        manifest["counts"],
        json!({"inputs": 17, "used": 12, "rejects": 5, "records": 12, "rejects_by_reason": {
            "bad_epoch": 1, "duplicate_qid": 2, "malformed_json": 1, "unknown_label": 1}})
    );
    let records = records(&place);
    assert_eq!(records.len(), 12);
    let first = &records[1];
    for (key, value) in [
        ("dataset", json!("p")),
        ("item", json!("q02")),
        ("subject", json!("answers")),
        ("epoch", json!(1)),
        ("verdict", json!("fail")),
        ("decision", json!("REJECT")),
        ("score", json!(0.0)),
        ("agree", json!(0.0)),
        ("why", json!("auditor_veto")),
        ("input_file", json!("p.jsonl")),
        ("input_line", json!(2)),
        ("evidence", json!([])),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
    assert_eq!(
        first["labels"],
        json!([{"rater": "scholar", "value": "VALID"}, {"rater": "auditor", "value": "REJECT"}])
    );
    let (author, repeat) = (&records[10], &records[11]);
    assert_eq!(
        (&author["subject"], &author["cluster"]),
        (&json!("m"), &json!("c"))
    );
    assert_eq!((&repeat["epoch"], &repeat["usd"]), (&json!(2), &json!(0.5)));
    assert_eq!(repeat["dataset"], "d");
}

#[test]
fn kappa_follows_from_the_labels() {
    let place = merged(&mixed());
    place.judica(RUN).exits(1);
    let found = recomputed(&place.path("run"));
    assert_eq!(found.len(), 1);
    let reported = &place.json("run/report.json")["metrics"]["kappa"];
    as_reported("cohen_kappa", &found["cohen_kappa"], reported);
}

#[test]
fn kappa_has_the_interval_of_the_same_labels_as_ratings() {
    let labels = ["VALID", "NOT_IN_CONTEXT", "ABSTAIN", "REJECT"];
    let said = (0..60).map(|i| {
        let other = if i % 3 == 0 { i / 3 } else { i };
        (format!("q{i}"), [labels[i % 4], labels[other % 4]])
    });
    let said: Vec<(String, [&str; 2])> = said.collect();
    let pairs: Vec<String> = said.iter().map(|(q, [a, b])| pair(q, a, b)).collect();
    let place = merged(&pairs);
    let rating = |q: &str, rater: &str, value: &str| {
        json!({"item": q, "rater": rater, "value": value}).to_string()
    };
    let ratings = said
        .iter()
        .flat_map(|(q, [a, b])| [rating(q, "scholar", a), rating(q, "auditor", b)]);
    place.write_lines("r.jsonl", &ratings.collect::<Vec<_>>());
    place.judica(RUN).exits(1);
    let found = &place.json("run/report.json")["metrics"]["kappa"];
    let ratings = "agree ratings --input r.jsonl --level nominal --resamples 50 --json";
    let expected = &report(&place.judica(ratings).exits(0))["cohen_kappa"];
    assert!(expected["ci"].is_array());
    for key in ["n", "ci"] {
        assert_eq!(found[key], expected[key], "{key}");
    }
    as_reported(
        "cohen_kappa",
        &recomputed(&place.path("run"))["cohen_kappa"],
        found,
    );
}

#[test]
fn the_same_bytes_with_any_threads_and_again() {
    let mut lines = mixed();
    lines.extend((0..9000).map(|i| pair_with(
        &format!("n{}", i % 8990),
        ["VALID", "REJECT"][i % 2],
        ["VALID", "NOT_IN_CONTEXT", "ABSTAIN"][i % 3],
        json!({"retrieved_ids": ["p1#2", "p2#2", "p3#2"], "flags": {"provenance_violation": i % 7 == 0}}),
    )));
    let place = merged(&lines);
    same_run(&place, RUN, 1);
    same_run(
        &place,
        &format!("{RUN} --hygiene --keep-text --subject us --dataset d"),
        1,
    );
}

#[test]
fn the_users_names_are_everybodys() {
    let place = merged(&mixed());
    place
        .judica(&format!("{RUN} --subject us --dataset ours"))
        .exits(1);
    let records = records(&place);
    let theirs = |record: &Value| record["subject"] == "us" && record["dataset"] == "ours";
    assert!(records.iter().all(theirs));
    // Two answers to one question of one author are one too many.
    assert_eq!(records.len(), 11);
}

#[test]
fn findings_and_texts_stand_with_the_record() {
    let more = json!({"question": "Which?", "answer_json": {"claim": "X."}});
    let mut line: Value =
        serde_json::from_str(&pair_with("q", "VALID", "VALID", more)).expect("JSON");
    line["scholar"]["reason"] = json!("r".repeat(201));
    let place = merged(&[line.to_string()]);
    place
        .judica(&format!("{RUN} --hygiene --keep-text"))
        .exits(0);
    let record = &records(&place)[0];
    assert_eq!(record["evidence"][0]["rule"], "hygiene.reason_length");
    assert_eq!(record["evidence"][0]["observed"], 201.0);
    assert_eq!(record["evidence"][0]["limit"], 200.0);
    assert_eq!(record["input"], "Which?");
    assert_eq!(record["output"], r#"{"claim":"X."}"#);
    assert_eq!(place.names("."), ["p.jsonl", "run"]);
}

#[test]
fn separate_files_name_an_author_together_or_not_at_all() {
    let place = Place::new();
    let by =
        |line: String, model: &str| line.replacen('{', &format!("{{\"model\":\"{model}\","), 1);
    place.write_lines(
        "s.jsonl",
        &[
            by(judgment("b", "VALID"), "m"),
            by(judgment("a", "VALID"), "scholar-7b"),
        ],
    );
    place.write_lines(
        "a.jsonl",
        &[
            by(judgment("a", "REJECT"), "auditor-7b"),
            by(judgment("b", "VALID"), "m"),
        ],
    );
    let run = "agree pairs --scholar s.jsonl --auditor a.jsonl --run run --resamples 20";
    same_run(&place, run, 1);
    let records = records(&place);
    let named = |at: usize| (&records[at]["item"], &records[at]["subject"]);
    assert_eq!(named(0), (&json!("a"), &json!("answers")));
    assert_eq!(named(1), (&json!("b"), &json!("m")));
    let manifest = place.json("run/manifest.json");
    assert_eq!(manifest["inputs"][1]["role"], "auditor");
    assert_eq!(manifest["counts"]["used"], 4);
}

#[test]
fn a_run_that_cannot_be_is_none() {
    let place = merged(&["oops", "[1]"]);
    place.judica(RUN).exits(2);
    assert_eq!(place.names("run"), ["rejects.jsonl"]);
    let place = merged(&ten());
    place.judica(&format!("{RUN} --rejects r.jsonl")).exits(2);
    place
        .judica("agree pairs --pairs p.jsonl --subject us")
        .exits(2)
        .complains(&["--run"]);
    assert_eq!(place.names("."), ["p.jsonl"]);
    place.judica(&format!("{RUN} --tsv d.tsv")).exits(1);
    assert_eq!(place.names("."), ["d.tsv", "p.jsonl", "run"]);
}
