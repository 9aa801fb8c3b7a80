use super::*;
use crate::predictions::{Arrays, load};
use serde_json::json;
use std::path::Path;

fn write(folder: &Path, name: &str, value: &Value) -> PredictionFile {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, value.to_string()).unwrap();
    PredictionFile::new(path)
}

fn document(rows: Value) -> Document {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "x.json", &json!({"detailed_results": rows}));
    Document::read(&file).unwrap()
}

#[test]
fn every_row_counts_or_is_missing() {
    let rows = json!([
        {"id": 1, "correct": "yes", "decision_method": "exact"},
        {"id": 2, "correct": "No", "decision_method": "llm", "judge_parse_status": "invalid"},
        {"id": 3, "correct": "no", "decision_method": "content_filtered"},
        {"id": 4, "correct": "no", "decision_method": "unmatched", "gold": "", "prediction": ""},
        {"id": 5, "correct": null, "decision_method": "llm", "parse_status": "error"},
        {"id": 6, "correct": "no", "parse_status": "error"},
        {"id": 7, "correct": "maybe"},
        {"id": 8},
        7,
        {"id": 1, "correct": "no"},
        {"label": 1},
        {"id": 9, "correct": "yes", "decision_method": "llm", "parse_status": "repaired"},
    ]);
    let found = document(rows);
    let verdicts = found.verdicts.unwrap()["x"];
    assert_eq!((verdicts.decided.correct, verdicts.decided.n), (3, 6));
    assert_eq!((verdicts.unmatched.correct, verdicts.unmatched.n), (0, 1));
    assert_eq!((verdicts.missing, found.repeated), (5, 1));
    let unasked = document(json!([{"correct": "no", "decision_method": "no_llm"}]));
    assert_eq!(unasked.verdicts, None);
}

#[test]
fn what_a_document_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let row = json!({"input": "i", "gold": "p", "prediction": "p", "correct": "yes"});
    let about = json!({"metadata": {"run_id": "r-1"}, "predictions": [row]});
    let file = write(folder, "preds/seed/run.json", &about);
    let found = load(&file, Arrays::Several).unwrap();
    let way = |name: &str, about: Value| {
        let mut whole = json!({"detailed_results": [row]});
        let members = about.as_object().unwrap().clone();
        whole.as_object_mut().unwrap().extend(members);
        let file = write(folder, name, &whole);
        Document::read(&file).unwrap().about(&file, &found)
    };
    assert_eq!(way("a/run.json", json!({})), Some(0));
    let other = "x.json";
    assert_eq!(way(other, json!({"source_sha256": found.sha256})), Some(1));
    assert_eq!(way(other, json!({"source_file": "run.json"})), Some(2));
    assert_eq!(
        way(other, json!({"source_file": "a\\b/run.json.gz"})),
        Some(2)
    );
    assert_eq!(way("run__judge-gpt.json", json!({})), Some(3));
    assert_eq!(way(other, json!({"run_id": "r-1"})), Some(4));
    assert_eq!(
        way(other, json!({"run_id": "r-1", "source_file": "y.json"})),
        None
    );
    assert_eq!(way(other, json!({"run_id": "r-2"})), None);
    assert_eq!(way(other, json!({"source_file": "run-2.json"})), None);
}
