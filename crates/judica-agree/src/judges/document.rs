//! A judged file, taken apart: what it says about itself, and where its rows stand.
//!
//! A file is an object with its rows under a key, a list of rows, or rows line by line.
//! Rows are found here and read in [`row`](super::row).

use judica_data::chunks::is_not_lines;
use judica_data::json::{ScanError, Scanner, ValueKind};
use judica_data::row_keys::{CORRECT, RATER, ROWS, SUBJECT};
use judica_data::rows::{self, Span, numbered};

/// Keys under which rows stand, by preference, in a judge's file; after them all others of
/// [`ROWS`], unless the object is a row itself.
pub(super) const JUDGED: &[&str] = &["detailed_results", "predictions", "annotations"];
/// The same in a file of people's annotations.
pub(super) const ANNOTATED: &[&str] = &[
    "annotations",
    "items",
    "data",
    "detailed_results",
    "predictions",
];
/// Keys under which a file of annotations says whose they all are. `name` is not among
/// them: at the top it is that of a data set.
const WHOSE: &[&str] = RATER.split_at(RATER.len() - 1).0;

/// Rows stand in a list, and that in an object.
const DEPTH: usize = rows::DEPTH + 2;

/// Which of [`SUBJECT`] is the run's name.
const RUN_NAME: usize = 3;

/// A file's contents.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// The judge it names.
    pub judge_model: Option<String>,
    /// The file of predictions it names, as it stands there.
    pub source_file: Option<String>,
    /// The run it names.
    pub run_name: Option<String>,
    /// The author of the answers whom it names.
    pub subject: Option<String>,
    /// The person it names.
    pub rater: Option<String>,
    /// Where its rows stand.
    pub rows: Vec<Span>,
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
    Other(&'static str, String),
}

/// Takes a file apart. `lines` says that its name promises rows line by line.
pub(super) fn read(bytes: &[u8], lines: bool, row_keys: &[&str]) -> Result<Document, NoDocument> {
    let mut scanner = Scanner::new(bytes, 0);
    let document = match scanner.peek() {
        None => return Err(NoDocument::Other("empty_file", "nothing in it".to_owned())),
        Some(_) if lines && !is_not_lines(bytes) => by_line(bytes),
        Some(b'[') => {
            let mut spans = Vec::new();
            let ended = elements(&mut scanner, 1, &mut spans).and_then(|()| scanner.end());
            ended.map_err(|error| not_json(bytes, error))?;
            Document {
                rows: numbered(bytes, spans, 1),
                ..Document::default()
            }
        }
        Some(_) => object(bytes, &mut scanner, row_keys)?,
    };
    if document.rows.is_empty() {
        return Err(NoDocument::Other("no_rows", "no rows in it".to_owned()));
    }
    Ok(document)
}

fn object(bytes: &[u8], scanner: &mut Scanner, row_keys: &[&str]) -> Result<Document, NoDocument> {
    let start = scanner.pos;
    let others = ROWS.iter().filter(|name| !row_keys.contains(name));
    let sure = row_keys.len();
    let row_keys: Vec<&str> = row_keys.iter().chain(others).copied().collect();
    let mut found = Object {
        rows: vec![None; row_keys.len()],
        raters: vec![None; WHOSE.len()],
        subjects: vec![None; SUBJECT.len()],
        ..Object::default()
    };
    let whole = found.walk(scanner, &row_keys);
    whole.map_err(|error| not_json(bytes, error))?;
    if found.is_row {
        found.rows.truncate(sure);
    }
    let end = scanner.pos;
    if let Some(next) = scanner.peek() {
        // One row after the other, each on its line: lines under another name.
        let has_line = |from, to| memchr::memchr(b'\n', &bytes[from..to]).is_some();
        let is_line = !has_line(start, end) && has_line(end, scanner.pos);
        return if next == b'{' && is_line && !found.is_file() {
            Ok(by_line(bytes))
        } else {
            Err(not_json(bytes, ScanError::Syntax(scanner.pos)))
        };
    }
    let rows = found.rows.into_iter().flatten().next();
    match rows.or(found.is_row.then(|| vec![(start, end)])) {
        None => Err(NoDocument::Other(
            "no_rows",
            format!("no list of rows under {}", listed(&row_keys)),
        )),
        Some(spans) => Ok(Document {
            judge_model: found.judge_model,
            source_file: found.source_file,
            run_name: found.subjects[RUN_NAME].clone(),
            subject: found.subjects.into_iter().flatten().next(),
            rater: found.raters.into_iter().flatten().next(),
            rows: numbered(bytes, spans, 1),
        }),
    }
}

/// What an object says.
#[derive(Default)]
struct Object {
    judge_model: Option<String>,
    source_file: Option<String>,
    /// Authors of the answers, by preference of the key.
    subjects: Vec<Option<String>>,
    /// Persons, by preference of the key.
    raters: Vec<Option<String>>,
    /// Spans of rows, by preference of the key.
    rows: Vec<Option<Vec<(usize, usize)>>>,
    is_row: bool,
}

impl Object {
    /// Whether it can only be a whole file, and no row of one.
    fn is_file(&self) -> bool {
        !self.is_row && self.rows.iter().any(Option::is_some)
    }

    fn walk(&mut self, scanner: &mut Scanner, row_keys: &[&str]) -> Result<(), ScanError> {
        scanner.members(|key, scanner| {
            let kind = scanner.kind()?;
            let is = |names: &[&str]| names.iter().position(|name| name.as_bytes() == key);
            self.is_row |= is(&CORRECT).is_some();
            let rows = is(row_keys);
            let text = match key {
                b"judge_model" => Some(&mut self.judge_model),
                b"source_file" => Some(&mut self.source_file),
                _ => match is(&SUBJECT) {
                    Some(at) => Some(&mut self.subjects[at]),
                    None => is(WHOSE).map(|at| &mut self.raters[at]),
                },
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
            Ok(())
        })
    }
}

/// Names in a sentence.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// Finds the elements of an array.
fn elements(
    scanner: &mut Scanner,
    depth: usize,
    spans: &mut Vec<(usize, usize)>,
) -> Result<(), ScanError> {
    scanner.elements(|_, scanner| {
        scanner.peek();
        let start = scanner.pos;
        scanner.skip_value(depth, DEPTH)?;
        spans.push((start, scanner.pos));
        Ok(())
    })
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

fn not_json(bytes: &[u8], error: ScanError) -> NoDocument {
    let before = &bytes[..error.position().min(bytes.len())];
    let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
    NoDocument::NotJson { line }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
