use super::*;
use judica_data::memory::Held;
use std::collections::BTreeMap;
use std::fs;

const ROWS: [&str; 3] = [r#"{"gold": 1}"#, r#"{"gold": 2}"#, r#"{"gold": 3}"#];

/// The rows of a file of that name and contents, with their lines.
fn rows_of(name: &str, contents: &str, target: usize) -> Result<Vec<(u64, String)>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, contents).unwrap();
    let read = || -> Result<_, WorkError> {
        let mut reader = PieceReader::new(&[PredictionFile::new(path)], target)?;
        let mut found = Vec::new();
        while let Some(piece) = reader.next_piece()? {
            assert_eq!(piece.file, 0);
            for row in piece.records() {
                let text = String::from_utf8_lossy(row.bytes).into_owned();
                assert!(contents[row.offset as usize..].starts_with(&text));
                found.push((row.line, text));
            }
            reader.recycle(piece);
        }
        Ok(found)
    };
    read().map_err(|error| error.to_string())
}

fn rows(name: &str, contents: &str) -> Vec<String> {
    let found = rows_of(name, contents, 1 << 20).unwrap();
    for target in [1, 7, 40] {
        assert_eq!(
            rows_of(name, contents, target).unwrap(),
            found,
            "{name} {target}"
        );
    }
    found.into_iter().map(|(_, text)| text).collect()
}

fn error(name: &str, contents: &str) -> String {
    rows_of(name, contents, 1 << 20).unwrap_err()
}

#[test]
fn every_shape_holds_the_same_rows() {
    let pretty = format!(
        "{{\n \"run_name\": \"x\",\n \"predictions\": [\n{}\n ]\n}}\n",
        ROWS.join(",\n")
    );
    let compact = format!(
        "{{\"run_name\": \"x\", \"detailed_results\": [{}]}}",
        ROWS.join(",")
    );
    let begun = format!("{{\"predictions\": [\n{}\n]}}", ROWS.join(",\n"));
    let list = format!("[{}]", ROWS.join(", "));
    let lines = ROWS.join("\r\n");
    for name in ["x.json", "x"] {
        for contents in [&pretty, &compact, &begun, &list, &lines] {
            assert_eq!(rows(name, contents), ROWS, "{name}: {contents}");
        }
    }
    assert_eq!(rows("x.jsonl", &lines), ROWS);
    assert_eq!(rows("x.jsonl", &compact), ROWS);
    assert_eq!(rows("x.json", "{\n\"gold\": 1\n}"), ["{\n\"gold\": 1\n}"]);
}

#[test]
fn a_line_in_memory_is_a_row_whatever_it_holds() {
    for row in [
        r#"{"id": "a", "predictions": [{"gold": 1}]}"#,
        r#"{"results": [{"gold": 1}]}"#,
        r#"{"q": "a", "g": "1", "p": "1"}"#,
    ] {
        let path = PathBuf::from("predictions");
        let held = Held::Lines(Arc::new(format!("{row}\n").into_bytes()));
        let inputs = Arc::new(BTreeMap::from([(path.clone(), held)]));
        memory::among(Some(inputs), || {
            let mut reader = PieceReader::new(&[PredictionFile::new(path)], 1 << 20).unwrap();
            let piece = reader.next_piece().unwrap().unwrap();
            let rows: Vec<_> = piece.records().map(|row| row.bytes.to_vec()).collect();
            assert_eq!(rows, [row.as_bytes()]);
        });
    }
}

#[test]
fn a_broken_line_is_one_row() {
    let cut = format!("{{\"gold\":\n{}\n{}\n{}", ROWS[0], ROWS[1], ROWS[2]);
    assert_eq!(rows("x.jsonl", &cut).len(), 4);
    assert_eq!(rows("x", &cut).len(), 4);
    // It cannot be told from the first line of a document until the end is seen.
    let cut_then_bad = format!("{{\"gold\":\n{}\nbad\n{}", ROWS[0], ROWS[1]);
    assert_eq!(rows("x", &cut_then_bad).len(), 4);
}

#[test]
fn a_broken_document_is_named_with_its_line() {
    let cut = "{\n\"predictions\": [\n{\"gold\": 1},\n{\"gold\":";
    assert!(error("x.json", cut).contains("x.json:4: not JSON from here on"));
    assert!(error("x", cut).contains("x:4: not JSON from here on"));
    let two = "{\"predictions\": [1]}\n{\"predictions\": [2]}\n";
    assert!(error("x.json", two).contains("x.json:2: this follows the document"));
    for none in ["{}", "{\n\"metrics\": {}\n}"] {
        assert!(error("x.json", none).contains("x.json: no rows in it; expected a list"));
    }
}

#[test]
fn nothing_gives_nothing() {
    for nothing in ["", "\n \n", "[]", "{\"predictions\": []}"] {
        assert!(rows("x.json", nothing).is_empty(), "{nothing}");
    }
}
