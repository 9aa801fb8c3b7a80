//! Files that are not JSON lines.

use super::ChunkReader;
use super::tests::{Row, read};
use crate::elements::{MISSING_COMMA, NOT_CLOSED};
use crate::error::DataErrorKind;
use crate::source::tests::gzip;
use crate::table::Tables;
use proptest::prelude::*;
use serde_json::Value;

fn row(line: u64, offset: u64, text: &str) -> Row {
    (line, offset, text.into(), None)
}

#[test]
fn elements_know_their_place() {
    let text = "\u{feff}\n[\n  {\"a\":\n 1},\n  2, \"]\\\"\"\n]\n";
    for target in 1..40 {
        let (rows, error) = read("a.json", text.as_bytes(), target);
        assert!(error.is_none());
        assert_eq!(
            rows,
            [
                row(3, 8, "{\"a\":\n 1}"),
                row(5, 21, "2"),
                row(5, 24, "\"]\\\"\""),
            ]
        );
    }
}

#[test]
fn the_name_jsonl_wins() {
    let text = b"[1]\n[2]\n";
    let lines = [row(1, 0, "[1]"), row(2, 4, "[2]")];
    assert_eq!(read("a.jsonl", text, 9).0, lines);
    assert_eq!(read("a.jsonl.gz", &gzip(text), 9).0, lines);
    assert_ne!(read("a.json", text, 9).0, lines);
}

#[test]
fn objects_in_json_files() {
    let lines = "{\"a\":1}\r\n{\"a\":2}\n";
    assert_eq!(
        read("a.json", lines.as_bytes(), 5).0,
        [row(1, 0, "{\"a\":1}"), row(2, 9, "{\"a\":2}")]
    );
    let document = "\n {\n  \"a\": 1\n}\n";
    let one = [row(2, 2, "{\n  \"a\": 1\n}")];
    assert_eq!(read("a.json", document.as_bytes(), 5).0, one);
    assert_eq!(read("a.json.gz", &gzip(document.as_bytes()), 5).0, one);
    assert_eq!(read("a.txt", document.as_bytes(), 5).0, one);
    assert_eq!(read("a.jsonl", document.as_bytes(), 5).0, one);
    // A first line longer than what is looked at before the line is needed.
    let long = format!("{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(400_000));
    assert_eq!(read("a.json", long.as_bytes(), 5).0.len(), 2);
}

/// The same for a reader of rows.
fn rows(name: &str, text: &str, target: usize) -> Vec<(u64, u64, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let reader = ChunkReader::new(&[path], target).unwrap();
    let mut reader = reader.with_tables(&Tables::default());
    let mut rows = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        rows.extend(chunk.records().map(|record| {
            let text = String::from_utf8_lossy(record.bytes).into_owned();
            (record.line, record.offset, text)
        }));
    }
    rows
}

#[test]
fn the_rows_of_a_document_are_its_records() {
    let text = "{\"model\": \"]\",\n \"x\": [{}],\n \"results\": [{\"a\": 1},\n {\"a\": [2]}\n],\n \
                \"n\": [1, {\"b\": 2}]}\n";
    let expected = [(3, 40, "{\"a\": 1}"), (4, 51, "{\"a\": [2]}")];
    let expected = expected.map(|(line, at, row)| (line, at, row.to_owned()));
    for target in 1..text.len() + 2 {
        for name in ["a.json", "a.txt"] {
            assert_eq!(rows(name, text, target), expected, "{target}");
        }
    }
    let line = "{\"data\": [{\"a\": 1}, {\"a\": 2}]}";
    assert_eq!(rows("a.json", line, 9).len(), 2);
    let long = format!("{{\"rows\": [{}{{}}]}}", "{\"a\": 1}, ".repeat(20_000));
    assert_eq!(rows("a.json", &long, 1 << 16).len(), 20_001);
}

#[test]
fn what_only_holds_a_list_is_one_record() {
    for text in [
        // Lines, each with a list of its own.
        "{\"data\": [{\"a\": 1}, {}]}\n{\"data\": [{\"a\": 2}, {}]}",
        // A name that says nothing, no objects, a log, a pandas frame.
        "{\"mine\": [{\"a\": 1}, {\"a\": 2}]}",
        "{\"data\": [1, 2]}",
        "{\"evalId\": \"e\", \"results\": [{}, {}]}",
        "{\"schema\": {\"fields\": []}, \"data\": [{\"a\": 1}, {\"a\": 2}]}",
        // A row of its own kind.
        "{\"gold\": 1, \"prediction\": 2, \"items\": [{}, {}]}",
    ] {
        assert_eq!(
            rows("a.json", text, 9).len(),
            text.lines().count(),
            "{text}"
        );
    }
    let line = "{\"data\": [{\"a\": 1}, {\"a\": 2}]}";
    assert_eq!(rows("a.jsonl", line, 9).len(), 1);
}

#[test]
fn empty_ones() {
    for text in ["[]", " [ ]\n", "", " \n "] {
        assert!(read("a.json", text.as_bytes(), 1).0.is_empty(), "{text:?}");
    }
}

#[test]
fn an_open_array_ends_in_a_fault() {
    for target in 1..20 {
        let (rows, _) = read("a.json", b"[{}, {}", target);
        assert_eq!(rows[..2], [row(1, 1, "{}"), row(1, 5, "{}")]);
        assert_eq!(rows[2..], [(1, 7, Vec::new(), Some(NOT_CLOSED))]);
        let (rows, _) = read("a.json", b"[{} {\n}]", target);
        assert_eq!(rows[1], (1, 4, b"{\n}".to_vec(), Some(MISSING_COMMA)));
    }
}

#[test]
fn a_cut_archive_gives_its_whole_elements() {
    let elements: Vec<_> = (0..300).map(|i| format!("{{\"id\":\n{i}}}")).collect();
    let text = format!("[{}]", elements.join(","));
    let expected = read("a.json", text.as_bytes(), 64).0;
    assert_eq!(expected.len(), 300);
    let raw = gzip(text.as_bytes());
    let mut most = 0;
    for cut in 0..raw.len() {
        let (rows, error) = read("a.json.gz", &raw[..cut], 64);
        assert_eq!(error.unwrap().kind(), DataErrorKind::Malformed);
        assert_eq!(rows, expected[..rows.len()]);
        most = most.max(rows.len());
    }
    assert_eq!(most, 300);
    let document = gzip(b"{\n\"a\":1\n}");
    let (rows, error) = read("a.json.gz", &document[..document.len() - 1], 64);
    assert!(rows.is_empty() && error.is_some());
}

#[test]
fn a_huge_element() {
    let long = format!("\"{}\"", "[\\\"".repeat(2 << 20));
    let text = format!("[1,\n{long},\n2]");
    let rows = read("a.json", text.as_bytes(), 4096).0;
    assert_eq!(
        rows,
        [
            row(1, 1, "1"),
            row(2, 4, &long),
            row(3, 6 + long.len() as u64, "2")
        ]
    );
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a\\[\\]{},\"\\\\\n ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a\"\\]]{0,3}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn arrays_are_their_elements(
        values in prop::collection::vec((json(), any::<bool>(), "[ \n\t\r]{0,3}"), 0..12),
        target in 1usize..100,
    ) {
        let mut text = "[".to_owned();
        let mut expected = Vec::new();
        for (i, (value, pretty, space)) in values.iter().enumerate() {
            text += if i > 0 { "," } else { "" };
            text += space;
            let element = if *pretty { format!("{value:#}") } else { value.to_string() };
            let line = text.matches('\n').count() as u64 + 1;
            expected.push(row(line, text.len() as u64, &element));
            text += &element;
            text += space;
        }
        text += "]\n";
        prop_assert_eq!(read("a.json", text.as_bytes(), target).0, expected);
    }

    #[test]
    fn broken_arrays_lose_no_byte(
        text in "\\[[\\[\\]{},\":\\\\1a \n]{0,60}",
        target in 1usize..70,
    ) {
        let rows = read("a", text.as_bytes(), target).0;
        prop_assert_eq!(&rows, &read("a", text.as_bytes(), 1 << 20).0);
        let mut outside = text.clone().into_bytes();
        let mut reached = 0;
        for (line, offset, bytes, _) in &rows {
            let start = *offset as usize;
            prop_assert!(start >= reached);
            reached = start + bytes.len();
            prop_assert_eq!(&text.as_bytes()[start..reached], &bytes[..]);
            prop_assert_eq!(*line, text[..start].matches('\n').count() as u64 + 1);
            outside[start..reached].fill(b' ');
        }
        prop_assert!(outside.iter().all(|b| b" \n[],".contains(b)));
        // Whatever serde accepts as an array gives just its elements.
        if let Ok(Value::Array(values)) = serde_json::from_str(&text) {
            prop_assert_eq!(rows.len(), values.len());
            prop_assert!(rows.iter().all(|r| r.3.is_none()));
        }
    }
}
