//! The run that `--run` leaves.

use serde_json::{Value, json};

use crate::agree_judges::data::{
    judge, panel, report, row, row_with, rows, three, three_annotations,
};
use crate::run_folder::{WITH_REJECTS, as_reported, recomputed, records, same_run};
use crate::support::Place;

const RUN: &str = "agree judges --eval-dir eval --run run --resamples 20";

/// Insists that every coefficient among the metrics is what the report says.
#[track_caller]
fn all_as_reported(place: &Place) -> usize {
    let report = place.json("run/report.json");
    let found = recomputed(&place.path("run"));
    for (name, value) in &found {
        let reported = match name.split_once(':') {
            None => &report["overall"][name],
            Some(("judges_only", name)) => &report["judges_only"][name],
            Some(("people", name)) => &report["human"]["agreement"][name],
            Some((_, judge)) => {
                let judges = report["human"]["accuracy"].as_array().expect("judges");
                let theirs = judges.iter().find(|found| found["judge"] == judge);
                &theirs.expect("the judge")["kappa"]
            }
        };
        as_reported(name, value, reported);
    }
    found.len()
}

#[test]
fn every_item_is_a_record() {
    let place = three();
    judge(
        &place,
        "dot",
        "two",
        &[row(0, "yes"), row(0, "no"), row(1, "maybe")],
    );
    let shown = place.judica(&format!("{RUN} --json")).exits(0);
    assert_eq!(place.names("run"), WITH_REJECTS);
    assert_eq!(place.names("."), ["eval", "run"]);
    assert_eq!(place.json("run/report.json"), report(&shown));
    let manifest = place.json("run/manifest.json");
    assert_eq!(
        manifest["counts"],
        json!({"inputs": 31, "used": 29, "rejects": 2, "records": 10, "rejects_by_reason": {
            "conflicting_row": 1, "unknown_verdict": 1}})
    );
    let inputs = manifest["inputs"].as_array().expect("inputs");
    assert_eq!(inputs.len(), 7);
    assert_eq!(inputs[0]["path"], "eval/ana/one.json");
    let records = records(&place);
    assert_eq!(records.len(), 10);
    let first = &records[2];
    for (key, value) in [
        ("dataset", json!("one")),
        ("item", json!(":3")),
        ("subject", json!("qwen-3b")),
        ("epoch", json!(1)),
        ("verdict", json!("pass")),
        ("decision", json!("yes")),
        ("ratings", json!(3)),
        ("input_file", json!("eval/ana/one.json")),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
    assert_eq!(first["agreement"], 1.0 / 3.0);
    assert_eq!(
        first["labels"],
        json!([{"rater": "ana", "value": "yes"}, {"rater": "ben", "value": "no"},
            {"rater": "cal", "value": "yes"}])
    );
    place
        .judica("show run :3 --dataset one")
        .exits(0)
        .says(&["input 2"]);
}

#[test]
fn coefficients_follow_from_the_labels() {
    let place = three();
    // Also where items of two data sets are called alike.
    for command in [RUN, &format!("{RUN} --dataset d")] {
        place.judica(command).exits(0);
        assert_eq!(all_as_reported(&place), 5, "{command}");
    }
    place.write("human.json", three_annotations().to_string());
    place.judica(&format!("{RUN} --human human.json")).exits(0);
    assert_eq!(all_as_reported(&place), 5 + 5 + 3);
    // Two judges and two people, who are called alike.
    let place = panel(&[("human:ana", "yynnyn"), ("joe", "yynyy-")]);
    let said = ["ana", "ben"].map(|who| {
        let named = rows("yyn-yn")
            .into_iter()
            .enumerate()
            .map(move |(at, mut row)| {
                row["annotator"] = who.into();
                if at == 1 && who == "ben" {
                    row["correct"] = "no".into();
                }
                row
            });
        named.collect::<Vec<Value>>()
    });
    place.write("human.json", json!(said.concat()).to_string());
    same_run(&place, &format!("{RUN} --human human.json"), 0);
    assert_eq!(all_as_reported(&place), 5 + 9 + 2 + 9);
    let record = &records(&place)[1];
    let raters: Vec<&str> = record["labels"]
        .as_array()
        .expect("labels")
        .iter()
        .filter_map(|label| label["rater"].as_str())
        .collect();
    // They are of two minds, so that there is nothing to hold judges against.
    assert_eq!(raters, ["human:ana", "joe", "human:ana'", "human:ben"]);
    assert_eq!(record["human_accuracy:joe"], json!(null));
    assert_eq!(records(&place)[0]["human_accuracy:joe"], 1.0);
}

#[test]
fn the_same_bytes_with_any_threads_and_again() {
    let place = three();
    let nothing = json!([{"input": "i", "correct": "perhaps"}]).to_string();
    place.write("eval/ana/odd.jsonl", "{\"correct\":1}\noops\n");
    place.write("eval/ana/notes.md", "mine");
    place.write("eval/ben/none.json", nothing);
    let stray =
        json!({"judge_model": "eve", "source_file": "one.json", "detailed_results": rows("yn")});
    place.write("eval/stray.json", stray.to_string());
    place.write("eval/human/one.json", json!(rows("yny")).to_string());
    let more = "--aggregate dawid-skene --include-deterministic --keep-text --drop-invalid";
    same_run(&place, &format!("{RUN} {more}"), 0);
    let manifest = place.json("run/manifest.json");
    let roles: Vec<&str> = manifest["inputs"]
        .as_array()
        .expect("inputs")
        .iter()
        .filter_map(|input| input["role"].as_str())
        .collect();
    assert_eq!(roles.len(), 10);
    assert_eq!(roles[0], "judged_file");
    assert!(roles[1..].iter().all(|role| *role == "judged"));
    let record = &records(&place)[0];
    assert_eq!(
        (&record["input"], &record["target"]),
        (&json!("input 0"), &json!("<<A>>F p0"))
    );
    // People's verdicts in files of their own, of which each is one person's.
    let place = three();
    place.write("h/ann.json", json!(rows("yynnn")).to_string());
    place.write(
        "h/bob.csv",
        "input,gold,prediction,correct\ninput 0,<<A>>F p0,<<A>>G p0,yes\n",
    );
    same_run(
        &place,
        &format!("{RUN} --human h/ann.json --human h/bob.csv --subject us --dataset d"),
        0,
    );
    let records = records(&place);
    assert!(
        records
            .iter()
            .all(|record| record["dataset"] == "d" && record["subject"] == "us")
    );
    // Items of both data sets that are called alike are repeats.
    let repeats = records.iter().filter(|record| record["epoch"] == 2);
    assert_eq!(repeats.count(), 4);
    // Prices are an input like any other.
    place.write("prices.yaml", "ana-model:\n  price_input_per_1k: 1.0\n");
    same_run(
        &place,
        &format!("{RUN} --human h/ann.json --prices prices.yaml --prior 0.5"),
        0,
    );
    let manifest = place.json("run/manifest.json");
    let inputs = manifest["inputs"].as_array().expect("inputs");
    assert_eq!(inputs.last().expect("an input")["role"], "prices");
    // Files that name people as their judge are read once.
    let place = three();
    let people = json!({"judge_model": "human", "detailed_results": rows("yy")});
    place.write("eval/one.json", people.to_string());
    same_run(&place, RUN, 0);
}

#[test]
fn answers_to_one_question_are_repeats_of_it() {
    let place = Place::new();
    let other = |item, correct: &str| {
        row_with(
            item,
            correct,
            json!({"id": "q", "prediction": format!("other {item}")}),
        )
    };
    for (name, said) in [("a", "yes"), ("b", "no")] {
        judge(&place, name, "one", &[other(1, "yes"), other(2, said)]);
    }
    place.judica(RUN).exits(0);
    let records = records(&place);
    let keys: Vec<_> = records
        .iter()
        .map(|record| (record["item"].as_str(), record["epoch"].as_i64()))
        .collect();
    assert_eq!(keys, [(Some("q"), Some(1)), (Some("q"), Some(2))]);
    assert_eq!(records[1]["verdict"], "undecided");
    assert_eq!(records[1]["decision"], json!(null));
}

/// Of questions without ids only the place in some judge's file is known.
#[test]
fn questions_at_one_place_are_not_one_question() {
    let place = Place::new();
    for (name, question, said) in [
        ("a", 1, "yes"),
        ("b", 1, "yes"),
        ("c", 2, "yes"),
        ("d", 2, "no"),
    ] {
        let other = row_with(question, "yes", json!({"prediction": "other"}));
        let named = row_with(3, said, json!({"id": ":1"}));
        let all = [row(question, said), other, named];
        judge(
            &place,
            name,
            "one",
            if question == 1 { &all } else { &all[..2] },
        );
    }
    place.judica(RUN).exits(0);
    assert_eq!(all_as_reported(&place), 5);
    let found = records(&place);
    let keys = found
        .iter()
        .map(|of| (of["item"].as_str().unwrap_or(""), &of["epoch"]));
    let keys: Vec<String> = keys
        .map(|(item, epoch)| format!("{item} {epoch}"))
        .collect();
    assert_eq!(keys, [":1 1", ":1 2", ":1#2 1", ":1#3 1", ":1#3 2"]);
}

#[test]
fn a_run_that_cannot_be_is_none() {
    let place = Place::new();
    judge(&place, "a", "one", &[row(0, "perhaps")]);
    place.judica(RUN).exits(2);
    assert_eq!(place.names("run"), ["rejects.jsonl"]);
    place.judica(&format!("{RUN} --rejects x.jsonl")).exits(2);
    place.judica("agree judges --eval-dir eval").exits(2);
    place
        .judica("agree judges --eval-dir eval --run eval/run")
        .exits(2);
    assert_eq!(place.names("."), ["eval", "run"]);
}
