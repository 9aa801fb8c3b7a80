//! One judged file, read: what its rows say, without what the file is for.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use judica_data::rows::Span;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;

use super::contents::{Contents, contents, take_apart};
use super::document;
use super::items;
use super::row::{self, About, Fault, Reply, Row, RowDoor};
use super::words::shortened;

/// So much is kept of what a row says about how it was decided.
const METHOD_CHARS: usize = 40;

/// A file's rows.
#[derive(Default)]
pub(super) struct ParsedFile {
    /// The judge it names.
    pub judge_model: Option<String>,
    /// The file of predictions it names.
    pub source_file: Option<String>,
    /// The author of the answers whom it names.
    pub subject: Option<String>,
    /// Rows that can be read.
    pub rows: Vec<ParsedRow>,
    /// Rows that cannot.
    pub faults: Vec<(Span, Fault)>,
    /// The rows' texts, as parts of items.
    pub texts: Vec<u8>,
    /// How rows were decided, each way once.
    pub methods: Vec<String>,
}

/// A row that can be read.
pub(super) struct ParsedRow {
    /// Where it stands.
    pub span: Span,
    /// Its number in the file, from 1.
    pub position: u32,
    /// The data set it names.
    pub source: Option<Box<str>>,
    /// Where its texts stand.
    pub parts: Range<usize>,
    /// Whether the answer was found correct; a declined row has no verdict.
    pub correct: Option<bool>,
    /// How it was decided: its place among the file's methods.
    pub method: Option<u32>,
    /// The way without a judge that this is, if it is one.
    pub without_judge: Option<usize>,
    /// What became of the judge's reply.
    pub reply: Reply,
    /// What else it says of the answer, if anything.
    pub about: Option<Box<About>>,
    /// The tokens that went to the judge and came back.
    pub tokens: Option<[u64; 2]>,
}

/// Reads a file; the inner error says why it is passed over. The digest is for a run.
pub(super) fn parse(
    path: &Path,
    name: &str,
    hashed: bool,
    door: &RowDoor,
) -> Result<(InputDigest, Result<ParsedFile, Fault>), WorkError> {
    let Contents {
        bytes,
        digest,
        table,
        ..
    } = contents(path, hashed, door)?;
    let mut methods = HashMap::new();
    if let Some(table) = table {
        let mut parsed = ParsedFile::default();
        for (row, position) in table.into_iter().zip(1..) {
            let span = row.span;
            let json = &bytes[span.start..span.end];
            match row.fault.map_or_else(|| row::read_cells(json, door), Err) {
                Ok(row) => parsed.push(span, position, row, &mut methods),
                Err(fault) => parsed.faults.push((span, fault)),
            }
        }
        let rows = parsed.rows.len() + parsed.faults.len();
        let empty = (rows == 0).then(|| Fault::new("no_rows", "no rows in it"));
        return Ok((digest, empty.map_or(Ok(parsed), Err)));
    }
    let document = match take_apart(
        path,
        &bytes,
        judica_data::names::has_lines(name),
        document::JUDGED,
    )? {
        Ok(document) => document,
        Err(fault) => return Ok((digest, Err(fault))),
    };
    let mut parsed = ParsedFile {
        judge_model: document.judge_model,
        source_file: document.source_file,
        subject: document.subject,
        rows: Vec::with_capacity(document.rows.len()),
        ..ParsedFile::default()
    };
    for (span, position) in document.rows.into_iter().zip(1..) {
        match row::read(&bytes[span.start..span.end], door) {
            Ok(row) => parsed.push(span, position, row, &mut methods),
            Err(fault) => parsed.faults.push((span, fault)),
        }
    }
    Ok((digest, Ok(parsed)))
}

impl ParsedFile {
    fn push(&mut self, span: Span, position: u32, row: Row, methods: &mut HashMap<String, u32>) {
        let start = self.texts.len();
        items::append_row(&mut self.texts, &row);
        let method = row.method.map(|method| {
            methods.get(method.as_ref()).copied().unwrap_or_else(|| {
                let number = self.methods.len() as u32;
                self.methods.push(shortened(&method, METHOD_CHARS));
                methods.insert(method.into_owned(), number);
                number
            })
        });
        self.rows.push(ParsedRow {
            span,
            position,
            source: row.source.map(|source| source.into()),
            parts: start..self.texts.len(),
            correct: row.correct,
            method,
            without_judge: row.without_judge,
            reply: row.reply,
            about: row.about.map(Box::new),
            tokens: row.tokens,
        });
    }
}
