//! `judica match --run`: what is left for those who read runs.

use std::collections::BTreeSet;

use judica_model::run::Verdict;
use serde_json::{Value, json};

use crate::answers::data::{lines, row, with};
use crate::support::{MANIFEST_KEYS, Place, each_record, gzip, keys};

/// What is looked at of a record.
#[derive(Debug, PartialEq)]
struct Seen {
    key: [String; 3],
    epoch: i32,
    decision: String,
    score: Option<f64>,
    line: u64,
}

#[track_caller]
fn records(place: &Place, folder: &str) -> Vec<Seen> {
    let mut found = Vec::new();
    each_record(place, folder, &mut |record, names| {
        assert_eq!(names[..3], ["matched", "exact", "structural"]);
        let passed = record.verdict == Some(Verdict::Pass);
        assert_eq!(record.score, Some(f64::from(u8::from(passed))));
        assert_eq!(passed, record.decision != Some("undecided"));
        assert!(record.place.unwrap().hash.is_some());
        found.push(Seen {
            key: [record.dataset, record.item, record.subject].map(str::to_owned),
            epoch: record.epoch,
            decision: record.decision.unwrap().to_owned(),
            score: record.score,
            line: record.place.unwrap().line,
        });
    });
    found
}

fn key(dataset: &str, item: &str, subject: &str) -> [String; 3] {
    [dataset, item, subject].map(str::to_owned)
}

#[test]
fn rows_become_records_by_the_way_that_counts() {
    let place = Place::new();
    let formulas = [
        with(row("<<A>>F p", "<<a>> F  p"), json!({"id": "a"})),
        with(
            row("<<A>>F(p && q)", "<<A>>F(q && p)"),
            json!({"id": "b", "model": "m"}),
        ),
        with(row("p", "q"), json!({"epoch": 2, "cluster": "c"})),
        with(row("p", "p"), json!({"id": "a"})),
        json!({"input": "x"}),
    ];
    // By text the second would not match; and here the last row makes it text.
    let texts = [row("p && q", "q && p"), row("the rapist", "therapist")];
    place.write("f.jsonl", lines(&formulas));
    place.write("t.jsonl", lines(&texts));
    let ran = place
        .judica("match -p f.jsonl -p t.jsonl --run r --json")
        .exits(0);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(place.json("r/report.json"), report);
    let manifest = place.json("r/manifest.json");
    assert_eq!(keys(&manifest), MANIFEST_KEYS);
    assert_eq!(manifest["command"], "match");
    assert_eq!(manifest["options"]["normalizer"], "auto");
    assert_eq!(manifest["inputs"][1]["path"], "t.jsonl");
    assert_eq!(
        manifest["inputs"][0]["sha256"],
        report["files"][0]["sha256"]
    );
    assert_eq!(
        manifest["counts"],
        json!({
            "inputs": 7, "used": 5, "rejects": 2, "records": 5,
            "rejects_by_reason": {"duplicate_id": 1, "missing_gold": 1},
        })
    );
    let files: BTreeSet<&str> = keys(&manifest["files"]).into_iter().collect();
    assert_eq!(
        files,
        [
            "records.parquet",
            "rejects.jsonl",
            "report.json",
            "tables.json"
        ]
        .into()
    );
    assert_eq!(place.json_lines("r/rejects.jsonl").len(), 2);
    let primary: Vec<&Value> = manifest["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|metric| metric["primary"] == true)
        .collect();
    assert_eq!(primary.len(), 1);
    assert_eq!(manifest["metrics"][0]["name"], "matched");

    let found = records(&place, "r");
    let decisions: Vec<&str> = found.iter().map(|seen| seen.decision.as_str()).collect();
    assert_eq!(
        decisions,
        ["exact", "structural", "undecided", "undecided", "undecided"]
    );
    assert_eq!(found[0].key, key("f", "a", "f"));
    assert_eq!(found[1].key, key("f", "b", "m"));
    assert_eq!(
        (found[2].key.clone(), found[2].epoch),
        (key("f", ":3", "f"), 2)
    );
    assert_eq!(
        (found[4].key.clone(), found[4].line),
        (key("t", ":2", "t"), 2)
    );

    place.judica("show r b --all").exits(0).says(&[
        "<<a>>f(p&&q)",
        "<<a>>f(q&&p)",
        "decision: structural",
    ]);
    place
        .judica("show r :3")
        .exits(0)
        .says(&["as it stands in the input"]);
    place.judica("reproduce r").exits(0).says(&["identical"]);
}

/// Many formulas, so that more wait than memory holds, and files of several pieces.
#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let place = Place::new();
    let many: String = (0..30_000)
        .map(|n| {
            let said = if n % 3 == 0 { "<<A>>F p" } else { "<<A>>G p" };
            let id = if n == 20_000 { 19_999 } else { n };
            format!("{}\n", with(row("<<a>>F p", said), json!({"id": id})))
        })
        .collect();
    place.write("a.jsonl.gz", gzip(many.as_bytes()));
    let rows: Vec<Value> = (0..3000).map(|n| row("one two", n.to_string())).collect();
    place.write(
        "b.json",
        json!({"model": "m", "predictions": rows}).to_string(),
    );
    for threads in [1, 3] {
        let mut command = place.command(&format!(
            "match -p a.jsonl.gz -p b.json --run r{threads} --keep-text --threads {threads}"
        ));
        command.env("SOURCE_DATE_EPOCH", "1").assert().success();
    }
    assert_eq!(place.files("r1"), place.files("r3"));
    let found = records(&place, "r1");
    assert_eq!(found.len(), 29_999 + 3000);
    assert_eq!(
        found.iter().filter(|seen| seen.decision == "exact").count(),
        10_000
    );
    assert_eq!(found[20_000].key[1], "20001", "the second 19999 is refused");
    assert_eq!(found[29_999].key, key("b", ":1", "m"));
    place.judica("reproduce r1 --threads 2").exits(0);
}

#[test]
fn names_are_the_users_first_and_no_key_stands_twice() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        lines(&[row("x y", "x y"), with(row("x", "y"), json!({"id": 1}))]),
    );
    place.write(
        "b.jsonl",
        lines(&[row("x z", "x"), with(row("x", "x"), json!({"id": 1}))]),
    );
    let both = "match -p a.jsonl -p b.jsonl";
    place
        .judica(&format!("{both} --run r --dataset d"))
        .exits(0);
    let subjects: Vec<[String; 3]> = records(&place, "r")
        .into_iter()
        .map(|seen| seen.key)
        .collect();
    assert_eq!(
        subjects,
        [
            key("d", ":1", "a"),
            key("d", "1", "a"),
            key("d", ":1", "b"),
            key("d", "1", "b")
        ]
    );
    place
        .judica(&format!("{both} --run r --dataset d --subject s"))
        .exits(0)
        .complains(&["b.jsonl", "duplicate_key"]);
    assert_eq!(records(&place, "r").len(), 2);
    let reasons: Vec<Value> = place
        .json_lines("r/rejects.jsonl")
        .into_iter()
        .map(|reject| reject["reason"].clone())
        .collect();
    assert_eq!(reasons, ["duplicate_key", "duplicate_id"]);
    place.judica("reproduce r").exits(0);
    place
        .judica(&format!("{both} --run r --dataset d --subject s --strict"))
        .exits(2);
}

#[test]
fn what_cannot_be_used_leaves_rejects_and_no_run() {
    let place = Place::new();
    place.write("bad.jsonl", "{\"id\": 1}\n");
    place
        .judica("match -p bad.jsonl --run r")
        .exits(2)
        .complains(&["refused rows: r/rejects.jsonl"]);
    assert_eq!(place.names("r"), ["rejects.jsonl"]);
    place.judica("show r").exits(3);
    place.write("empty.jsonl", "");
    place.judica("match -p empty.jsonl --run e").exits(2);
    assert!(!place.path("e").exists());
    place.judica("match -p none.jsonl --run e").exits(3);
    assert!(!place.path("e").exists());
    place
        .judica("match -p bad.jsonl --run r --rejects x.jsonl")
        .exits(2);
    place.judica("match -p bad.jsonl --subject s").exits(2);
    place.judica("match -p bad.jsonl --keep-text").exits(2);
}

#[test]
fn a_run_can_travel_without_its_inputs_and_seeds_spellings_are_known() {
    let place = Place::new();
    place.write("preds/x.jsonl", lines(&[row("two words", "Two  words")]));
    place
        .judica("match --predictions_dir preds --run r --keep-text --output m.json")
        .exits(0);
    place.judica("match --datasets preds --run s").exits(0);
    assert_eq!(place.json("m.json"), place.json("r/report.json"));
    std::fs::remove_file(place.path("preds/x.jsonl")).unwrap();
    place
        .judica("show r :1")
        .exits(0)
        .says(&["expected:\ntwo words", "answered:\nTwo  words"]);
    place
        .judica("show s :1")
        .exits(0)
        .says(&["not shown from preds/x.jsonl"]);
    place.judica("reproduce r").exits(3);
}

#[test]
fn standard_input_is_found_again_by_its_bytes() {
    let place = Place::new();
    let text = lines(&[row("a b", "a b"), row("a b", "c")]);
    place
        .judica_with_stdin("match -p - --run r", text.clone())
        .exits(0);
    assert_eq!(records(&place, "r")[1].key, key("stdin", ":2", "stdin"));
    place.judica("reproduce r").exits(3);
    place.write("kept/any-name.txt", text);
    place.judica("reproduce r --inputs kept").exits(0);
}
