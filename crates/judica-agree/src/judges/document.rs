//! A judged file, taken apart: what it says about itself, and where its rows stand.
//!
//! A file is an object with its rows under a key, a list of rows, or rows line by line.
//! Rows are found here and read in [`row`](super::row).

use judica_data::json::{ScanError, Scanner, ValueKind};

use super::row::DEPTH;

/// Keys under which rows stand, by preference, in a judge's file.
pub(super) const JUDGED: [&str; 3] = ["detailed_results", "predictions", "annotations"];
/// The same in a file of people's annotations.
pub(super) const ANNOTATED: [&str; 3] = ["annotations", "detailed_results", "predictions"];

/// A file's contents.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// The judge it names.
    pub judge_model: Option<String>,
    /// The file of predictions it names, as it stands there.
    pub source_file: Option<String>,
    /// The run it names.
    pub run_name: Option<String>,
    /// Where its rows stand.
    pub rows: Vec<Span>,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The line it begins on, from 1.
    pub line: u64,
}

/// Why a file has no rows to read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoDocument {
    /// It is not JSON; the line where that shows.
    NotJson {
        /// The line, from 1.
        line: u64,
    },
    /// It is something else, for which there is a code and a sentence.
    Other(&'static str, &'static str),
}

/// Takes a file apart. `lines` says that its name promises rows line by line.
pub(super) fn read(bytes: &[u8], lines: bool, row_keys: [&str; 3]) -> Result<Document, NoDocument> {
    let mut scanner = Scanner::new(bytes, 0);
    let document = match scanner.peek() {
        None => return Err(NoDocument::Other("empty_file", "nothing in it")),
        Some(_) if lines => by_line(bytes),
        Some(b'[') => {
            let mut spans = Vec::new();
            let ended = elements(&mut scanner, 1, &mut spans).and_then(|()| end(&mut scanner));
            ended.map_err(|error| not_json(bytes, error))?;
            Document {
                rows: numbered(bytes, spans),
                ..Document::default()
            }
        }
        Some(_) => object(bytes, &mut scanner, row_keys)?,
    };
    if document.rows.is_empty() {
        return Err(NoDocument::Other("no_rows", "no rows in it"));
    }
    Ok(document)
}

fn object(
    bytes: &[u8],
    scanner: &mut Scanner,
    row_keys: [&str; 3],
) -> Result<Document, NoDocument> {
    let start = scanner.pos;
    let mut found = Object::default();
    let whole = found.walk(scanner, row_keys);
    whole.map_err(|error| not_json(bytes, error))?;
    let end = scanner.pos;
    // One object after the other: lines under another name.
    if !scanner.at_end() {
        return Ok(by_line(bytes));
    }
    let rows = found.rows.into_iter().flatten().next();
    match rows.or(found.is_row.then(|| vec![(start, end)])) {
        None => Err(NoDocument::Other(
            "no_rows",
            "no list of rows under `detailed_results`, `predictions` or `annotations`",
        )),
        Some(spans) => Ok(Document {
            judge_model: found.judge_model,
            source_file: found.source_file,
            run_name: found.run_name,
            rows: numbered(bytes, spans),
        }),
    }
}

/// What an object says.
#[derive(Default)]
struct Object {
    judge_model: Option<String>,
    source_file: Option<String>,
    run_name: Option<String>,
    /// Spans of rows, by preference of the key.
    rows: [Option<Vec<(usize, usize)>>; 3],
    is_row: bool,
}

impl Object {
    fn walk(&mut self, scanner: &mut Scanner, row_keys: [&str; 3]) -> Result<(), ScanError> {
        let mut buffer = Vec::new();
        scanner.expect(b'{')?;
        let mut first = true;
        while !scanner.take(b'}') {
            if !first {
                scanner.expect(b',')?;
            }
            first = false;
            let key = scanner.key()?;
            let key = key.decode(&mut buffer);
            let kind = scanner.kind()?;
            self.is_row |= key == b"correct";
            let rows = row_keys.iter().position(|name| name.as_bytes() == key);
            let text = match key {
                b"judge_model" => Some(&mut self.judge_model),
                b"source_file" => Some(&mut self.source_file),
                b"run_name" => Some(&mut self.run_name),
                _ => None,
            };
            match (text, rows, kind) {
                (Some(text), _, ValueKind::String) => {
                    let mut decoded = Vec::new();
                    scanner.string_into(&mut decoded)?;
                    let decoded = String::from_utf8_lossy(&decoded).trim().to_owned();
                    *text = Some(decoded).filter(|text| !text.is_empty());
                }
                (_, Some(at), ValueKind::Array) => {
                    let mut spans = Vec::new();
                    elements(scanner, 2, &mut spans)?;
                    self.rows[at] = Some(spans);
                }
                _ => scanner.skip_value(1, DEPTH)?,
            }
        }
        Ok(())
    }
}

/// Finds the elements of an array.
fn elements(
    scanner: &mut Scanner,
    depth: usize,
    spans: &mut Vec<(usize, usize)>,
) -> Result<(), ScanError> {
    scanner.expect(b'[')?;
    let mut first = true;
    while !scanner.take(b']') {
        if !first {
            scanner.expect(b',')?;
        }
        first = false;
        scanner.peek();
        let start = scanner.pos;
        scanner.skip_value(depth, DEPTH)?;
        spans.push((start, scanner.pos));
    }
    Ok(())
}

fn end(scanner: &mut Scanner) -> Result<(), ScanError> {
    if scanner.at_end() {
        Ok(())
    } else {
        scanner.fail()
    }
}

/// Every line that is not blank is a row.
fn by_line(bytes: &[u8]) -> Document {
    let mut rows = Vec::new();
    let mut start = 0;
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let row = text.trim_ascii();
        if !row.is_empty() {
            let blank = text.len() - text.trim_ascii_start().len();
            rows.push(Span {
                start: start + blank,
                end: start + blank + row.len(),
                line,
            });
        }
        start += text.len() + 1;
    }
    Document {
        rows,
        ..Document::default()
    }
}

/// Spans that rise, with their lines.
fn numbered(bytes: &[u8], spans: Vec<(usize, usize)>) -> Vec<Span> {
    let (mut at, mut line) = (0, 1);
    let number = |(start, end): (usize, usize)| {
        line += memchr::memchr_iter(b'\n', &bytes[at..start]).count() as u64;
        at = start;
        Span { start, end, line }
    };
    spans.into_iter().map(number).collect()
}

fn not_json(bytes: &[u8], error: ScanError) -> NoDocument {
    let before = &bytes[..error.position().min(bytes.len())];
    let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
    NoDocument::NotJson { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(&str, u64)> {
        let document = read(text.as_bytes(), false, JUDGED).unwrap();
        let rows = document.rows.iter();
        rows.map(|span| (&text[span.start..span.end], span.line))
            .collect()
    }

    fn refused(text: &str) -> NoDocument {
        read(text.as_bytes(), false, JUDGED).unwrap_err()
    }

    #[test]
    fn objects_lists_and_lines() {
        let text = "{\"judge_model\": \" j \", \"x\": [1,\n2], \"detailed_results\": [\n {\"a\": 1},\n7 ], \"source_file\": \"s.json\"}";
        assert_eq!(rows(text), [("{\"a\": 1}", 3), ("7", 4)]);
        let document = read(text.as_bytes(), false, JUDGED).unwrap();
        assert_eq!(document.judge_model.as_deref(), Some("j"));
        assert_eq!(document.source_file.as_deref(), Some("s.json"));
        assert_eq!(rows("\n[{}, []]"), [("{}", 2), ("[]", 2)]);
        assert_eq!(
            rows("{\"correct\": 1}\r\n\n {\"b\"} \n"),
            [("{\"correct\": 1}", 1), ("{\"b\"}", 3)]
        );
        assert_eq!(rows("\n{\"correct\":\n1}\n"), [("{\"correct\":\n1}", 2)]);
        let lines = read(b"[1]\nx", true, JUDGED).unwrap();
        assert_eq!(lines.rows.len(), 2);
    }

    #[test]
    fn the_preferred_key_counts() {
        let text = r#"{"predictions":[1],"annotations":[2],"detailed_results":[3],"run_name":"r"}"#;
        assert_eq!(rows(text), [("3", 1)]);
        let document = read(text.as_bytes(), false, ANNOTATED).unwrap();
        assert_eq!(&text[document.rows[0].start..document.rows[0].end], "2");
        assert_eq!(document.run_name.as_deref(), Some("r"));
    }

    #[test]
    fn files_without_rows_say_why() {
        for (text, expected) in [
            ("", "empty_file"),
            (" \n ", "empty_file"),
            ("[]", "no_rows"),
            ("{}", "no_rows"),
            (r#"{"detailed_results":[]}"#, "no_rows"),
            (r#"{"detailed_results":{"a":1}}"#, "no_rows"),
            (r#"{"metrics":{"accuracy":1}}"#, "no_rows"),
        ] {
            let NoDocument::Other(reason, _) = refused(text) else {
                panic!("{text}");
            };
            assert_eq!(reason, expected, "{text}");
        }
        for (text, line) in [("x", 1), ("[1,\n2", 2), ("{\"a\":\n\n}", 3), ("[] x", 1)] {
            assert_eq!(refused(text), NoDocument::NotJson { line }, "{text}");
        }
        let deep = format!("{{\"detailed_results\":[{}", "[".repeat(100_000));
        assert_eq!(refused(&deep), NoDocument::NotJson { line: 1 });
    }
}
