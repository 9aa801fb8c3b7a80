use super::*;
use crate::judged::{Expected, Freshness, up_to_date};
use crate::predictions::{Arrays, PredictionFile, load};
use crate::verdict::{Call, Vote};
use judica_text::normalize::{Atl, Number, Tolerance};
use serde_json::Value;
use std::path::Path;

const SOURCE: &str = r#"{"run_name": "r", "temperature": 0.7, "metrics": {"exact_match": 0.820},
 "judge_model": "earlier", "predictions": [
  {"input": "i1", "expected": "p", "generated": "P", "id": 1, "latency_ms": 5},
  {"input": "i2", "gold": ["a", "b"], "prediction": "x", "correct": "maybe", "call": 3},
  {"input": "i3", "gold": "g", "model_output": "", "tokens_input": 9},
  {"input": "i4", "gold": "g"}]}"#;

fn predictions(folder: &Path) -> Predictions {
    let path = folder.join("r.json");
    std::fs::write(&path, SOURCE).unwrap();
    load(&PredictionFile::new(path), Arrays::Several).unwrap()
}

fn info() -> JudgeInfo {
    JudgeInfo {
        judge_model: "gpt".to_owned(),
        prompt_version: Some("judge-v1".to_owned()),
        prompt_hash: Some("0123456789abcdef".to_owned()),
        votes: Some(1),
        temperature: Some(0.0),
        left_out: Vec::new(),
    }
}

fn vote(correct: Option<bool>, status: ParseStatus, from_cache: bool) -> Vote {
    Vote {
        correct,
        reasoning: "because".to_owned(),
        status,
        raw_reply: correct.map(|_| "{}".to_owned()),
        tokens_input: Some(10),
        tokens_output: Some(2),
        served_by: Some("gpt-1".to_owned()),
        call: Some(Call {
            from_cache,
            latency_ms: Some(7),
            attempts: Some(1),
        }),
    }
}

fn verdict(votes: Vec<Vote>) -> RowVerdict {
    RowVerdict {
        correct: votes[0].correct,
        reasoning: votes[0].reasoning.clone(),
        status: votes[0].status,
        votes,
    }
}

fn judged(folder: &Path, verdicts: Vec<Option<RowVerdict>>) -> JudgedDataset {
    let decisions = [Decision::Exact, Decision::Undecided, Decision::Undecided];
    assemble(predictions(folder), &decisions, verdicts, &Atl, &info())
}

fn yes(status: ParseStatus) -> Option<RowVerdict> {
    Some(verdict(vec![vote(Some(true), status, false)]))
}

#[test]
fn the_documents_shape() {
    let folder = tempfile::tempdir().unwrap();
    let no = verdict(vec![vote(Some(false), ParseStatus::Invalid, true)]);
    let repaired = vec![None, yes(ParseStatus::Repaired), Some(no.clone())];
    let repaired = judged(folder.path(), repaired);
    assert_eq!(
        (repaired.judge.n_repaired, repaired.judge.n_invalid),
        (1, 1)
    );
    assert_eq!(repaired.judge_metrics.correct, 2);
    let dataset = judged(folder.path(), vec![None, yes(ParseStatus::Ok), Some(no)]);
    assert_eq!(dataset.judge.n_repaired, 0);
    let text = String::from_utf8(dataset.to_bytes()).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<_> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let source = ["run_name", "temperature", "metrics", "source_judge_model"];
    assert_eq!(keys[..4], source);
    // Columns are told only where somebody named them, and what is left out only where
    // anything is.
    let ours: Vec<&str> = OURS
        .into_iter()
        .filter(|key| !matches!(*key, "source_columns" | "judge_left_out"))
        .collect();
    assert_eq!(keys[4..], ours);
    assert_eq!(json["metrics"].to_string(), r#"{"exact_match":0.82}"#);
    assert_eq!(json["source_file"], "r.json");
    assert_eq!(
        json["detailed_results"][0].to_string(),
        r#"{"input":"i1","gold":"p","prediction":"P","id":1,"latency_ms":5,"correct":"yes","reasoning":"Exact match (normalized).","decision_method":"exact"}"#
    );
    assert_eq!(
        json["detailed_results"][1].to_string(),
        r#"{"input":"i2","gold":["a","b"],"prediction":"x","source_correct":"maybe","source_call":3,"correct":"yes","reasoning":"because","decision_method":"llm","parse_status":"ok","raw_reply":"{}","judge_tokens_input":10,"judge_tokens_output":2,"judge_served_by":"gpt-1","call":{"from_cache":false,"latency_ms":7,"attempts":1}}"#
    );
    assert_eq!(json["detailed_results"][2]["prediction"], "");
    assert_eq!(json["detailed_results"][2]["parse_status"], "invalid");
    let counts = &dataset.judge;
    assert_eq!((counts.n_rows, counts.n_exact, counts.n_asked), (3, 1, 2));
    assert_eq!(
        (counts.n_invalid, counts.n_from_cache, counts.n_rejects),
        (1, 1, 1)
    );
    assert_eq!(
        (counts.tokens_input, counts.tokens_output),
        (Some(20), Some(4))
    );
    assert_eq!(json["judge_metrics"]["accuracy"], 2.0 / 3.0);
}

#[test]
fn without_a_model_the_undecided_are_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = judged(folder.path(), Vec::new());
    let row = &dataset.detailed_results[1];
    assert_eq!(
        (row.correct, row.decision_method),
        (Some("no"), DecisionMethod::NoLlm)
    );
    assert_eq!(dataset.judge_metrics.no_llm_fallback_count, 2);
    assert_eq!(
        (dataset.judge.n_no_llm, dataset.judge.tokens_input),
        (2, None)
    );
}

#[test]
fn several_votes_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let votes = [Some(true), Some(false), None].map(|said| {
        let status = said.map_or(ParseStatus::Error, |_| ParseStatus::Ok);
        vote(said, status, true)
    });
    let both = verdict(votes.to_vec());
    let dataset = judged(folder.path(), vec![None, Some(both.clone()), Some(both)]);
    let row = serde_json::to_value(&dataset.detailed_results[1]).unwrap();
    assert_eq!(row["votes"].as_array().map(Vec::len), Some(3));
    assert_eq!(row["votes"][1]["correct"], "no");
    assert!(row["votes"][2]["correct"].is_null() && row["votes"][2].get("raw_reply").is_none());
    assert_eq!(row["judge_tokens_input"], 30);
    assert!(row.get("call").is_none() && row.get("raw_reply").is_none());
    assert_eq!(dataset.judge.n_from_cache, 6);
}

#[test]
fn a_row_without_a_reply_has_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let failed = verdict(vec![vote(None, ParseStatus::Error, false)]);
    let dataset = judged(
        folder.path(),
        vec![None, Some(failed), yes(ParseStatus::Ok)],
    );
    let row = serde_json::to_value(&dataset.detailed_results[1]).unwrap();
    assert!(row["correct"].is_null());
    assert_eq!(
        (dataset.judge.n_errors, dataset.judge_metrics.undecided),
        (1, 1)
    );
    assert_eq!(dataset.judge_metrics.total_evaluated, 2);
}

#[test]
fn a_judged_document_can_be_judged_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = judged(folder.path(), Vec::new());
    let path = folder.path().join("again.json");
    std::fs::write(&path, first.to_bytes()).unwrap();
    let again = load(&PredictionFile::new(path), Arrays::Several).unwrap();
    assert_eq!((again.rows.len(), again.rejects.len()), (3, 0));
    let second = assemble(again, &[], Vec::new(), &Atl, &info());
    let row = serde_json::to_value(&second.detailed_results[1]).unwrap();
    assert_eq!(row["source_decision_method"], "no_llm");
    assert_eq!(row["source_source_correct"], "no");
    assert_eq!(row["source_correct"], "maybe");
    assert_eq!(
        second.metadata.get("source_source_judge_model").unwrap(),
        "gpt"
    );
}

#[test]
fn what_makes_a_document_stale() {
    let folder = tempfile::tempdir().unwrap();
    let write = |dataset: &JudgedDataset| {
        let path = folder.path().join("out.json");
        std::fs::write(&path, dataset.to_bytes()).unwrap();
        path
    };
    let good = judged(
        folder.path(),
        vec![None, yes(ParseStatus::Ok), yes(ParseStatus::Refused)],
    );
    let expected = Expected {
        judge_model: "gpt".to_owned(),
        prompt_hash: info().prompt_hash,
        normalizer: "atl".to_owned(),
        tolerance: None,
        votes: Some(1),
        temperature: Some(0.0),
        source_sha256: good.source_sha256.clone(),
        source_columns: Vec::new(),
    };
    let path = write(&good);
    assert_eq!(up_to_date(&path, &expected).unwrap(), Freshness::Current);
    let none = folder.path().join("none.json");
    assert_eq!(up_to_date(&none, &expected).unwrap(), Freshness::Missing);

    let stale = |path: &Path, expected: &Expected| match up_to_date(path, expected).unwrap() {
        Freshness::Stale(why) => why,
        other => panic!("{other:?}"),
    };
    type Change = fn(&mut Expected);
    let changes: [(&str, Change); 6] = [
        ("judge", |e| e.judge_model.push('x')),
        ("prompt", |e| e.prompt_hash = Some("other".to_owned())),
        ("source", |e| e.source_sha256.clear()),
        ("normalizer", |e| e.normalizer = "text".to_owned()),
        ("votes", |e| e.votes = Some(3)),
        ("temperature", |e| e.temperature = Some(1.0)),
    ];
    for (what, change) in changes {
        let mut other = expected.clone();
        change(&mut other);
        assert!(stale(&path, &other).contains(what), "{what}");
    }

    // Who asks nobody does not put nobody's verdicts in the place of a model's.
    let nobody = Expected {
        prompt_hash: None,
        temperature: None,
        votes: None,
        ..expected.clone()
    };
    assert_eq!(up_to_date(&path, &nobody).unwrap(), Freshness::Current);
    let mut unasked = good.clone();
    unasked.prompt_hash = None;
    unasked.judge_temperature = None;
    unasked.votes = None;
    unasked.judge_model = NO_MODEL.to_owned();
    let path = write(&unasked);
    assert_eq!(up_to_date(&path, &nobody).unwrap(), Freshness::Current);

    // What a server does not take it will not take the next time.
    let left_out = JudgeInfo {
        left_out: vec!["temperature".to_owned()],
        ..info()
    };
    let verdicts = vec![None, yes(ParseStatus::Ok), yes(ParseStatus::Ok)];
    let decisions = [Decision::Exact, Decision::Undecided, Decision::Undecided];
    let found = predictions(folder.path());
    let warm = assemble(found, &decisions, verdicts, &Atl, &left_out);
    assert_eq!(warm.judge_temperature, None);
    assert_eq!(warm.judge_left_out, ["temperature"]);
    let path = write(&warm);
    assert_eq!(up_to_date(&path, &expected).unwrap(), Freshness::Current);

    let failed = Some(verdict(vec![vote(None, ParseStatus::Error, false)]));
    let path = write(&judged(
        folder.path(),
        vec![None, yes(ParseStatus::Ok), failed],
    ));
    assert_eq!(stale(&path, &expected), "1 of its rows got no reply");
    let path = write(&judged(folder.path(), Vec::new()));
    assert_eq!(stale(&path, &expected), "no model was asked for it");
    let whole = good.to_bytes();
    for cut in [0, 1, whole.len() / 2, whole.len() - 3] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(
            stale(&path, &expected).starts_with("it is not a whole"),
            "{cut}"
        );
    }
    std::fs::write(&path, r#"{"detailed_results": []}"#).unwrap();
    assert_eq!(
        stale(&path, &expected),
        "it was not written by this program"
    );
}

#[test]
fn numbers_are_written_as_they_stood() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n.json");
    let source = r#"{"temperature": 0.70, "predictions": [
        {"input": 1e5, "gold": 1.10, "prediction": 12345678901234567890123, "usd": 2.50},
        {"input": "1.10", "gold": [1.10, 2], "prediction": 1.5, "votes": -0}]}"#;
    std::fs::write(&path, source).unwrap();
    let written = |columns: &[&str], path: &Path| {
        let columns: Vec<String> = columns.iter().map(|said| said.to_string()).collect();
        let columns = crate::predictions::Columns::new(&columns).unwrap();
        let files = crate::predictions::list_with(&[path.to_owned()], columns, &Default::default())
            .unwrap();
        let found = load(&files[0], Arrays::Several).unwrap();
        let document = assemble(found, &[], Vec::new(), &Atl, &info());
        String::from_utf8(document.to_bytes()).unwrap()
    };
    let text = written(&[], &path);
    for number in [
        "\"temperature\": 0.70,",
        "\"input\": 1e5,",
        "\"gold\": 1.10,",
        "\"prediction\": 12345678901234567890123,",
        "\"usd\": 2.50,",
        "\"input\": \"1.10\",",
        "\"gold\": [1.10, 2],",
        "\"prediction\": 1.5,",
        "\"source_votes\": -0,",
    ] {
        assert!(text.contains(number), "{number}: {text}");
    }
    // The same, where they stand inside of others.
    let source = r#"{"q/r": {"a/b": [1.10, "1.10"]}, "prediction": 1}"#;
    let path = folder.path().join("p.jsonl");
    std::fs::write(&path, source).unwrap();
    let text = written(&["gold=/q~1r/a~1b/0", "input=/q~1r/a~1b/1"], &path);
    assert!(text.contains("\"gold\": 1.10,"), "{text}");
    assert!(text.contains("\"input\": \"1.10\","), "{text}");
}

#[test]
fn another_tolerance_makes_a_document_stale() {
    let folder = tempfile::tempdir().unwrap();
    let wide = Tolerance {
        absolute: 0.1,
        relative: 1e-9,
    };
    let path = folder.path().join("out.json");
    let document = |tolerance| {
        let verdicts = vec![None, yes(ParseStatus::Ok), yes(ParseStatus::Ok)];
        let decisions = [Decision::Exact, Decision::Undecided, Decision::Undecided];
        let number = Number(tolerance);
        assemble(
            predictions(folder.path()),
            &decisions,
            verdicts,
            &number,
            &info(),
        )
    };
    let fresh = |tolerance| {
        let expected = Expected {
            judge_model: "gpt".to_owned(),
            prompt_hash: info().prompt_hash,
            normalizer: "number".to_owned(),
            tolerance: Some(tolerance),
            votes: Some(1),
            temperature: Some(0.0),
            source_sha256: document(tolerance).source_sha256,
            source_columns: Vec::new(),
        };
        up_to_date(&path, &expected).unwrap()
    };
    let stale = Freshness::Stale("the tolerance has changed".to_owned());
    std::fs::write(&path, document(wide).to_bytes()).unwrap();
    assert_eq!(fresh(wide), Freshness::Current);
    assert_eq!(fresh(Tolerance::default()), stale);
    // A document from before tolerances were kept stands for the usual one.
    let mut old: Value = serde_json::from_slice(&document(wide).to_bytes()).unwrap();
    old.as_object_mut().unwrap().remove("tolerance");
    std::fs::write(&path, old.to_string()).unwrap();
    assert_eq!(fresh(Tolerance::default()), Freshness::Current);
    assert_eq!(fresh(wide), stale);
}

#[test]
fn a_row_has_one_name_for_each_thing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n.json");
    let source = r#"[{"id": 1, "nl": "i", "expected": "p\nq", "expected_options": ["p", "q"],
        "gold": "x", "generated": "q\np", "output": "o"}]"#;
    std::fs::write(&path, source).unwrap();
    let found = load(&PredictionFile::new(path), Arrays::Several).unwrap();
    let judged = assemble(found, &[Decision::Exact], Vec::new(), &Atl, &info());
    assert_eq!(
        serde_json::to_string(&judged.detailed_results[0]).unwrap(),
        r#"{"input":"i","gold":["p","q"],"prediction":"q\np","id":1,"source_expected":"p\nq","source_gold":"x","source_output":"o","correct":"yes","reasoning":"Exact match (normalized).","decision_method":"exact"}"#
    );
}
