//! Rows are found wherever they stand in a file.

use super::*;
use std::fs;

use judica_run::dealt::{ranges, scan};

use super::super::Asked;

#[test]
fn rows_of_a_document_are_seen_as_those_of_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let rows = r#"[{"id": "a", "gold": "G(p -> F q)", "prediction": "G( p -> F q )"}, {"id": "b", "gold": "F p", "prediction": "F q"}]"#;
    let named = r#""dataset": "x""#;
    let seen = [
        rows.to_owned(),
        format!(r#"{{{named}, "predictions": {rows}}}"#),
        format!("{{\n{named},\n\"results\":\n{rows}\n}}"),
    ]
    .map(|text| {
        // The name of a file is the data set of rows that say none.
        let path = folder.path().join("x.json");
        fs::write(&path, text).unwrap();
        let job = DealtPredictions {
            request: MatchRequest {
                files: vec![PredictionFile::new(path)],
                asked: Asked::default(),
                details: None,
                rejects: folder.path().join("rejects.jsonl"),
                run: None,
                strict: false,
                threads: 1,
            },
            choice: Choice::Auto,
        };
        let ranges = ranges(&job, 16).unwrap();
        assert_eq!(ranges.len(), 1);
        let Scanned {
            keys, held, facts, ..
        } = scan(&job, ranges[0], &AtomicBool::new(false)).unwrap();
        assert!(golds(facts.clone()).unwrap()[0].are_formulas());
        (keys, held, facts)
    });
    assert_eq!(seen[0].0.len(), 2);
    assert_eq!(seen[1], seen[0]);
    assert_eq!(seen[2], seen[0]);
}
