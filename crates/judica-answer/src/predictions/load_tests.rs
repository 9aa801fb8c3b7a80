use super::*;
use crate::predictions::files::PredictionFile;

fn load_text(name: &str, contents: &[u8]) -> Result<Predictions, WorkError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, contents).unwrap();
    load(&PredictionFile::new(path), Arrays::Several)
}

#[test]
fn a_document_with_everything() {
    let text = br#"{"run_name": "r", "seed": 42, "metrics": {"exact_match": 0.50},
      "predictions": [
        {"input": "i", "expected": ["a", "b"], "generated": "a\nb", "id": 7, "latency_ms": 12.5,
         "tokens_input": 3, "tokens_output": 4, "exact_match": true, "cost": 0.1}]}"#;
    let found = load_text("x.json", text).unwrap();
    assert_eq!(found.metadata["run_name"], "r");
    assert_eq!(
        found.metadata.keys().collect::<Vec<_>>(),
        ["run_name", "seed", "metrics"]
    );
    assert_eq!(found.sha256.len(), 64);
    let row = &found.rows[0];
    assert_eq!(
        (row.called.id.as_deref(), row.input.as_str()),
        (Some("7"), "i")
    );
    assert_eq!(
        (row.gold.shown().as_str(), row.prediction.as_str()),
        ("a\nb", "a\nb")
    );
    assert_eq!((row.tokens_input, row.tokens_output), (Some(3), Some(4)));
    assert_eq!((row.latency_ms, row.exact_match), (Some(12.5), Some(true)));
    assert_eq!(
        (&row.keys[1][..], &row.keys[2][..], row.line),
        ("expected", "generated", 3)
    );
    assert_eq!(row.fields.len(), 9);
    assert_eq!(row.fields["cost"], 0.1);
}

#[test]
fn inputs_are_rows_and_rejects() {
    let lines: [&[u8]; 10] = [
        br#"{"input": "i", "gold": "g", "prediction": "p"}"#,
        br#"{"input": "i", "gold": "g", "prediction": "p"}"#,
        br#"{"gold": "g", "prediction": "p"}"#,
        br#"{"input": "i", "prediction": "p"}"#,
        br#"{"input": "i", "gold": "g", "prediction": null}"#,
        b"",
        br#"{"id": 1, "input": "i"}"#,
        br#"{"id": 1, "input": "i", "gold": "g", "prediction": ""}"#,
        br#"{"id": "1", "input": "j", "gold": "g", "prediction": "p"}"#,
        b"\xff",
    ];
    let found = load_text("x.jsonl", &lines.join(&b'\n')).unwrap();
    assert_eq!(
        (found.rows.len(), found.duplicates, found.inputs()),
        (3, 1, 9)
    );
    let rejects: Vec<_> = found
        .rejects
        .iter()
        .map(|r| (r.line, r.reason.as_ref()))
        .collect();
    assert_eq!(
        rejects,
        [
            (3, "missing_input"),
            (4, "missing_gold"),
            (5, "missing_prediction"),
            (7, "missing_gold"),
            (9, "duplicate_id"),
            (10, "invalid_utf8"),
        ]
    );
    assert_eq!(found.rejects[5].raw.kept(), b"\xff");
    assert!(found.rejects[0].file.ends_with("x.jsonl"));
}

#[test]
fn a_cut_list_keeps_its_whole_rows() {
    let text = br#"[{"input": 1, "gold": 2, "prediction": 2}, {"input": 1, "gold""#;
    let found = load_text("x.json", text).unwrap();
    assert_eq!((found.rows.len(), found.rejects.len()), (1, 1));
    assert_eq!(found.rejects[0].reason, "malformed_json");
}

#[test]
fn files_without_rows_are_read_and_those_that_are_not_there_are_not() {
    for nothing in ["", " \n", "[]", "{\"predictions\": []}"] {
        let found = load_text("x.json", nothing.as_bytes()).unwrap();
        assert_eq!(found.inputs(), 0, "{nothing}");
    }
    let error = load(&PredictionFile::new("/none/x.json"), Arrays::Several).unwrap_err();
    assert_eq!(
        error.to_string(),
        "SYSTEM_ERROR: /none/x.json: no such file"
    );
}
