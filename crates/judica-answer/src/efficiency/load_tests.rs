use std::fs;

use serde_json::json;

use super::*;
use crate::decide::decide;
use crate::efficiency::facts::Verdicts;
use crate::efficiency::{By, Options, report};
use crate::judged::{JudgeInfo, assemble};
use crate::predictions::Arrays;
use crate::verdict::{ParseStatus, RowVerdict};
use judica_text::normalize::Atl;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, value: &Value) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }

    fn load(&self, change: impl Fn(&mut Inputs)) -> Result<Loaded, String> {
        let mut inputs = Inputs {
            columns: Columns::default(),
            runs: Vec::new(),
            predictions: vec![self.at("predictions")],
            judged: None,
            judge: None,
            choice: &Choice::Auto,
            strict: false,
            threads: 2,
        };
        change(&mut inputs);
        load(&inputs).map_err(|error| error.to_string())
    }
}

/// Of how many rows the judge said what; the last say how many it said nothing of.
fn verdicts(correct: u64, n: u64, missing: u64) -> Option<Verdicts> {
    Some(Verdicts {
        decided: Tally { correct, n },
        missing,
        ..Verdicts::default()
    })
}

fn row(prediction: &str) -> Value {
    json!({"input": "i", "gold": "<<A>> F p", "prediction": prediction})
}

#[test]
fn a_file_becomes_the_facts_of_a_run() {
    let folder = Folder::new();
    folder.write(
        "predictions/x.json",
        &json!({
            "run_name": "qwen_zero_shot", "model": "qwen",
            "predictions": [
                {"input": "1", "gold": "<<A>>F p", "prediction": "<<a>>fp", "latency_ms": 100, "tokens_input": 10, "tokens_output": 2},
                {"input": "2", "gold": "p", "prediction": "p", "exact_match": false, "latency_ms": 50.5},
                {"input": "3", "gold": "p && q", "prediction": "q && p", "tokens_input": 7, "latency_ms": -1},
                {"input": "4", "gold": "p", "prediction": "q", "exact_match": true, "tokens_input": 1, "tokens_output": 0},
                {"input": "5"},
            ],
        }),
    );
    let loaded = folder.load(|_| {}).unwrap();
    assert_eq!(
        loaded.facts,
        [RunFacts {
            measured: None,
            usd: Vec::new(),
            model: "qwen".into(),
            run: "qwen_zero_shot".into(),
            rows: 4,
            // The first by the normaliser, the fourth by its own word; equal as a formula
            // is not equal as text.
            exact: Tally { correct: 2, n: 4 },
            normalizer: "atl",
            judged: None,
            latencies_ms: vec![100.0, 50.5],
            tokens: Tokens {
                input: 11,
                output: 2,
                rows: 2
            },
            // The fourth has tokens and no latency.
            untimed_tokens: 1,
            stated_seconds: None,
        }]
    );
    assert_eq!((loaded.inputs, loaded.rejects.len()), (5, 1));
    let missing = "`latency_ms` of 1 row is no number from 0 on (`-1` for one), and counts as \
                   missing; numbers are written like 1234.5";
    let unused = "x.json: 1 of 5 rows cannot be used";
    assert_eq!(loaded.notes, [missing, unused]);
    let strict = folder.load(|inputs| inputs.strict = true).unwrap_err();
    assert!(strict.contains("x.json:1: missing_gold"), "{strict}");
}

#[test]
fn predictions_do_not_count_beside_the_document_that_was_judged_from_them() {
    let folder = Folder::new();
    let rows = json!({"run_id": "r", "model": "m", "predictions": [row("p")]});
    folder.write("predictions/set.json", &rows);
    let hash = judica_data::sha256::sha256_hex(rows.to_string());
    let mut verdict = row("p");
    verdict["correct"] = json!("yes");
    verdict["decision_method"] = json!("llm");
    for (key, source, twice) in [
        ("source_sha256", hash.as_str(), true),
        ("source_sha256", "0", false),
        ("source_file", "runs/set.json", true),
        ("source_file", "other.json", false),
    ] {
        let document = json!({"run_id": "r", "model": "m", "judge_model": "j", key: source,
            "detailed_results": [verdict]});
        folder.write("judged/set__judge-j.json", &document);
        let both = |inputs: &mut Inputs| inputs.predictions.push(folder.at("judged"));
        let found = folder.load(both).map(|loaded| loaded.facts.len());
        match found {
            Err(message) if twice => assert!(message.contains("count twice"), "{message}"),
            found => assert_eq!((found, twice), (Ok(2), false), "{key} {source}"),
        }
    }
}

#[test]
fn what_a_file_says_about_itself_may_stand_in_an_object() {
    let folder = Folder::new();
    folder.write(
        "predictions/x.json",
        &json!({
            "metadata": {
                "model": "m", "run_id": "r", "total_seconds": 12,
                "metrics": {"total_tokens_input": 100, "total_tokens_output": 20},
            },
            "predictions": [row("p"), row("q")],
        }),
    );
    folder.write("predictions/y.json", &json!([row("p")]));
    let mut named = row("p");
    named["model"] = json!("z");
    folder.write("predictions/z.json", &json!([named]));
    let loaded = folder.load(|_| {}).unwrap();
    let [x, y, z] = loaded.facts.as_slice() else {
        panic!("{loaded:?}")
    };
    assert_eq!(z.model, "z");
    assert_eq!(
        (x.model.as_str(), x.run.as_str(), x.stated_seconds),
        ("m", "r", Some(12.0))
    );
    assert_eq!(
        x.tokens,
        Tokens {
            input: 100,
            output: 20,
            rows: 2
        }
    );
    assert_eq!(
        (y.model.as_str(), y.run.as_str(), y.tokens.rows),
        ("y", "y", 0)
    );
    assert_eq!(
        loaded.notes,
        [
            "x.json: no row has tokens; those of its `metrics` are taken",
            "y.json: names no model; it goes by the name of the file",
        ]
    );
}

#[test]
fn verdicts_are_those_of_the_chosen_judge() {
    let folder = Folder::new();
    let document = |verdicts: [Value; 3]| {
        let rows = verdicts
            .into_iter()
            .zip(["a", "b", "c"])
            .map(|(verdict, prediction)| {
                let mut row = row(prediction);
                row["correct"] = verdict;
                row
            });
        json!({"judge_model": "j", "source_sha256": "0", "detailed_results": rows.collect::<Vec<_>>()})
    };
    folder.write(
        "predictions/x.json",
        &json!({"model": "m", "predictions": [row("a"), row("b"), row("c")]}),
    );
    folder.write(
        "predictions/z.json",
        &json!({"model": "n", "predictions": [row("a")]}),
    );
    folder.write(
        "judged/j/x.json",
        &document([json!("yes"), json!("no"), json!(null)]),
    );
    folder.write(
        "judged/j/w.json",
        &document([json!("yes"), json!("no"), json!("no")]),
    );
    folder.write(
        "judged/k/x.json",
        &document([json!("yes"), json!("yes"), json!("yes")]),
    );
    let with = |judge: Option<&str>| {
        folder.load(|inputs| {
            inputs.judged = Some(folder.at("judged"));
            inputs.judge = judge.map(str::to_owned);
        })
    };
    let loaded = with(Some("j")).unwrap();
    assert_eq!(loaded.judge.as_deref(), Some("j"));
    assert_eq!(loaded.facts[0].judged, verdicts(1, 2, 1));
    assert_eq!(loaded.facts[1].judged, None);
    assert!(
        loaded.notes[0].contains("judged from other bytes"),
        "{:?}",
        loaded.notes
    );
    assert_eq!(loaded.notes[1], "judged, but not among the predictions: w");
    assert_eq!(with(Some("k")).unwrap().facts[0].judged, verdicts(3, 3, 0));
    assert!(
        with(None)
            .unwrap_err()
            .contains("verdicts of several judges (j, k)")
    );

    // Judged documents hold the predictions, too.
    let own = folder
        .load(|inputs| inputs.predictions = vec![folder.at("judged/j/x.json")])
        .unwrap();
    assert_eq!(
        (own.judge.as_deref(), own.facts[0].judged),
        (Some("j"), verdicts(1, 2, 1))
    );
}

/// A document as it is really written, with verdicts on the rows that need one.
fn judged(folder: &Folder, verdicts: Vec<Option<bool>>) -> Value {
    let file = PredictionFile::new(folder.at("predictions/x.json"));
    let found = predictions::load(&file, Arrays::Several).unwrap();
    let decisions = decide(&Atl, &found.rows, 1);
    let verdict = |correct: Option<bool>| {
        correct.map(|correct| RowVerdict {
            correct: Some(correct),
            reasoning: String::new(),
            status: ParseStatus::Ok,
            votes: Vec::new(),
        })
    };
    let info = JudgeInfo {
        judge_model: "org/j".into(),
        prompt_version: None,
        prompt_hash: None,
        votes: Some(1),
        temperature: None,
        left_out: Vec::new(),
    };
    let verdicts = verdicts.into_iter().map(verdict).collect();
    let document = assemble(found, &decisions, verdicts, &Atl, &info);
    serde_json::from_slice(&document.to_bytes()).unwrap()
}

#[test]
fn judged_documents_are_read_as_they_are_written() {
    let folder = Folder::new();
    let mut timed = row("b");
    timed["latency_ms"] = json!(5);
    folder.write(
        "predictions/x.json",
        &json!({"model": "m", "predictions": [row("<<a>>fp"), timed, row("c")]}),
    );
    folder.write(
        "judged/org_j/x.json",
        &judged(&folder, vec![None, Some(true), Some(false)]),
    );
    let loaded = folder
        .load(|inputs| inputs.judged = Some(folder.at("judged")))
        .unwrap();
    assert_eq!(loaded.facts[0].judged, verdicts(2, 3, 0));
    assert_eq!((loaded.notes.len(), loaded.rejects.len()), (0, 0));

    // The document among the predictions says the same.
    let own = folder
        .load(|inputs| inputs.predictions = vec![folder.at("judged/org_j")])
        .unwrap();
    assert_eq!(
        own.facts,
        loaded
            .facts
            .iter()
            .map(|facts| RunFacts {
                run: "x".into(),
                ..facts.clone()
            })
            .collect::<Vec<_>>()
    );
    assert_eq!(own.judge.as_deref(), Some("org/j"));

    // Without a model, what was not equal was not judged.
    folder.write(
        "judged/org_j/x.json",
        &judged(&folder, vec![None, None, None]),
    );
    let unasked = folder
        .load(|inputs| inputs.judged = Some(folder.at("judged")))
        .unwrap();
    assert_eq!((unasked.facts[0].judged, unasked.judge), (None, None));
    assert!(
        unasked.notes[0].contains("without asking a model"),
        "{:?}",
        unasked.notes
    );
}

#[test]
fn from_files_to_the_report_whatever_the_threads() {
    let folder = Folder::new();
    for (name, model, latency) in [("a", "m", 10.0), ("b", "m", 30.0), ("c", "n", 5.0)] {
        let mut row = row("<<a>>fp");
        row["latency_ms"] = json!(latency);
        folder.write(
            &format!("predictions/{name}.json"),
            &json!({"model": model, "run_name": name, "predictions": [row]}),
        );
    }
    let made = |threads| {
        let loaded = folder.load(|inputs| inputs.threads = threads).unwrap();
        let options = Options {
            rejects: loaded.rejects.len() as u64,
            notes: loaded.notes,
            ..Options::default()
        };
        report(loaded.facts, None, &options).unwrap()
    };
    let found = made(1);
    assert_eq!(found, made(3));
    assert_eq!(found.by, By::Model);
    assert_eq!((found.inputs, found.records, found.rejects), (3, 3, 0));
    assert_eq!(found.models[0].latency_ms.mean, Some(20.0));
    assert_eq!(found.rankings.fastest[0].model, "n");
}

#[test]
fn what_is_not_there_is_named() {
    let folder = Folder::new();
    assert!(folder.load(|_| {}).is_err());
    folder.write("predictions/x.json", &json!([]));
    assert_eq!(folder.load(|_| {}).unwrap().inputs, 0);
}

/// Four questions to each of two models, whose answers and verdicts are alike.
fn of_two(more: Value) -> Value {
    let rows = (0..4).flat_map(|at| ["a", "b"].map(|model| (at, model)));
    let row = |(at, model): (usize, &str)| {
        let correct = [json!("yes"), json!("yes"), json!("no"), json!(null)];
        json!({"id": at, "model": model, "input": at, "gold": "x", "prediction": "x",
            "correct": &correct[at], "decision_method": "llm"})
    };
    let mut document = more;
    document["detailed_results"] = rows.map(row).collect();
    document
}

#[test]
fn what_a_file_says_of_itself_goes_for_every_model_in_it() {
    let folder = Folder::new();
    let document = of_two(json!({"judge_model": "j", "run_name": "nightly"}));
    folder.write("predictions/both.json", &document);
    let own = folder.load(|_| {}).unwrap();
    assert_eq!(own.judge.as_deref(), Some("j"));
    // The same where the document lies in the folder of the judge, whatever it is called.
    let mut unjudged = document.clone();
    for row in unjudged["detailed_results"].as_array_mut().unwrap() {
        row.as_object_mut().unwrap().remove("correct");
    }
    folder.write("predictions/both.json", &unjudged);
    folder.write("judged/j/both.json", &document);
    let beside = folder.load(|inputs| inputs.judged = Some(folder.at("judged")));
    let beside = beside.unwrap();
    for (at, model) in ["a", "b"].into_iter().enumerate() {
        for facts in [&own.facts[at], &beside.facts[at]] {
            let said = (facts.model.as_str(), facts.run.as_str(), facts.judged);
            assert_eq!(said, (model, "nightly", verdicts(2, 3, 1)));
        }
    }
    assert!(beside.notes.is_empty(), "{:?}", beside.notes);

    // Rows that somebody else calls otherwise keep their models in the document, too.
    let text = |value: &Value| value.to_string().replace("\"model\":", "\"who\":");
    for (path, value) in [
        ("predictions/both.json", &unjudged),
        ("judged/j/both.json", &document),
    ] {
        fs::write(folder.at(path), text(value)).unwrap();
    }
    let called = folder.load(|inputs| {
        inputs.judged = Some(folder.at("judged"));
        inputs.columns = Columns::new(&["subject=who".to_owned()]).unwrap();
    });
    assert_eq!(called.unwrap().facts, beside.facts);
}

#[test]
fn totals_of_several_models_are_nobodys() {
    let folder = Folder::new();
    let metrics = json!({"total_tokens_input": 4000, "total_tokens_output": 400});
    let document = of_two(json!({"hours_used": 1, "metrics": metrics}));
    folder.write("predictions/both.json", &document);
    let loaded = folder.load(|_| {}).unwrap();
    for facts in &loaded.facts {
        assert_eq!((facts.tokens.rows, facts.stated_seconds), (0, None));
    }
    let totals = ["the tokens in its `metrics`", "the time it states"];
    assert_eq!(loaded.notes.len(), 2);
    for (note, total) in loaded.notes.iter().zip(totals) {
        assert!(note.contains(total), "{note}");
    }
}

#[test]
fn tokens_are_set_against_the_time_of_the_same_rows_only() {
    let folder = Folder::new();
    for (name, shifted, same) in [("x", 0, true), ("y", 1, false)] {
        let rows = (0..4).map(|at| {
            let mut row = row("p");
            if at < 2 {
                row["tokens_input"] = json!(10);
                row["tokens_output"] = json!(5);
            }
            if (shifted..shifted + 2).contains(&at) {
                row["latency_ms"] = json!(1000);
            }
            row
        });
        let document = json!({"model": name, "predictions": rows.collect::<Vec<_>>()});
        folder.write("predictions/x.json", &document);
        let facts = folder.load(|_| {}).unwrap().facts;
        let found = report(facts, None, &Options::default()).unwrap();
        let throughput = &found.models[0].throughput;
        assert_eq!(throughput.tokens_per_second, same.then_some(15.0));
        let why = throughput.tokens_per_second_undefined.as_deref();
        let expected = "tokens are known of 2 rows and time of 2, but not of the same";
        assert_eq!(why, (!same).then_some(expected));
    }
}
