//! How a file begins: how it is read, its first rows, their columns.
//!
//! So much of a file is read and no more, however large it is or unpacks to, and what
//! stands in it is data.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ArrowReaderOptions;

use super::json::{Member, is_surely_by_columns, rows_of, top_of};
use super::marks::{ARROW_STREAM, encoding};
use crate::chunks::{ChunkReader, DOCUMENT, layout};
use crate::error::DataError;
use crate::guarded::guarded;
use crate::json::{ScanError, Scanner, ValueKind};
use crate::names::has_lines;
use crate::parquet::read_footer;
use crate::rows::{DEPTH, Value, text_of};
use crate::source::{STDIN, Source};
use crate::table::Tables;

/// Bytes of a file that are looked at, unpacked.
pub const BYTES: usize = 1 << 20;
/// The same for a file among many.
pub const FEW_BYTES: usize = 64 << 10;
/// Rows whose values are looked at.
const ROWS: usize = 200;
/// Columns that are told about.
const COLUMNS: usize = 200;
/// Characters that are kept of a value.
const KEPT: usize = 200;

/// How a file begins.
#[derive(Debug, Default)]
pub struct Head {
    /// The file.
    pub path: PathBuf,
    /// How many bytes it has, as it lies there.
    pub bytes: Option<u64>,
    /// How it is laid out and written, in words.
    pub how: Vec<String>,
    /// Its first bytes, unpacked.
    pub start: Vec<u8>,
    /// Whether those are all.
    pub whole: bool,
    /// Whether it is a table.
    pub table: bool,
    /// Rows that were met; of a table that knows it, all it has.
    pub rows: u64,
    /// Whether there are no others.
    pub counted: bool,
    /// Rows that are no object, or broken.
    pub broken: u64,
    /// What is wrong with the first that is broken.
    pub first_broken: Option<String>,
    /// Rows whose values were looked at.
    pub looked: usize,
    /// Their columns, in the order in which they were met.
    pub columns: Vec<Column>,
    /// What stands at the top, where the file is one document.
    pub top: Vec<Member>,
    /// Under which key of the document rows stand.
    pub within: Option<String>,
}

/// A column of rows.
#[derive(Debug, Clone, Default)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The value in each row that was looked at, cut off where it is long.
    pub cells: Vec<Option<String>>,
    /// What kinds of values it holds, each once.
    pub kinds: Vec<&'static str>,
}

impl Column {
    /// Values that are there.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().flatten().map(String::as_str)
    }

    /// The different values, in their order.
    pub fn distinct(&self) -> Vec<&str> {
        let mut values: Vec<&str> = self.values().collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Whether it holds nothing else than this, and something.
    pub fn is(&self, kind: &str) -> bool {
        self.kinds == [kind]
    }

    fn put(&mut self, row: usize, value: Option<Value>) {
        // Of equal keys the last counts.
        self.cells.resize(row, None);
        self.cells.push(value.map(|value| shortened(&value.text())));
        let kind = match value {
            None => return,
            Some(value) if value.number().is_some() => "number",
            Some(Value::Text(_)) => "text",
            Some(Value::Other(kind, _)) => match kind {
                ValueKind::Object => "object",
                ValueKind::Array => "list",
                ValueKind::Boolean => "true/false",
                _ => "not a number",
            },
        };
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }
}

impl Head {
    /// Looks at so much of a file; columns of tables are called by these names where they
    /// differ in capitals alone.
    pub fn of(path: &Path, names: &[&str], bytes: usize) -> Result<Head, DataError> {
        let mut head = Head {
            path: path.to_owned(),
            ..Head::default()
        };
        if path != Path::new(STDIN) {
            let there = std::fs::metadata(path).map_err(|e| DataError::reading(path, e))?;
            head.bytes = Some(there.len());
        }
        let mut source = Source::open_unhashed(path)?;
        head.start = vec![0; bytes];
        let mut filled = 0;
        head.whole = loop {
            if filled == bytes {
                break false;
            }
            match source.read_bytes(&mut head.start[filled..]) {
                Ok(0) => break true,
                Ok(n) => filled += n,
                Err(error) => {
                    head.how.push(format!("damaged: {}", error.reason()));
                    break false;
                }
            }
        };
        head.start.truncate(filled);
        head.how
            .extend(source.written_as().into_iter().map(str::to_owned));
        let tables = Tables {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            whole_documents: true,
            ..Tables::default()
        };
        if TYPED.iter().any(|(mark, _)| head.start.starts_with(mark)) && path != Path::new(STDIN) {
            head.read(ChunkReader::unhashed(&[path.to_owned()], ROWS)?.with_tables(&tables))?;
        } else {
            let held = Source::held(path, head.start.clone());
            head.read(ChunkReader::over(held, bytes).with_tables(&tables))?;
        }
        Ok(head)
    }

    fn read(&mut self, mut reader: ChunkReader) -> Result<(), DataError> {
        let typed = TYPED.iter().find(|(mark, _)| self.start.starts_with(mark));
        // The last row of what was cut off is cut off, too.
        let mut last: Option<(Vec<u8>, bool)> = None;
        let ended = loop {
            let chunk = match reader.next_chunk() {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break Ok(true),
                Err(error) => break Err(error),
            };
            for record in chunk.records() {
                let wrong = text_of(&record).err();
                let row = (record.bytes.to_vec(), wrong.is_some());
                if let (None, Some(wrong)) = (&self.first_broken, wrong) {
                    self.first_broken = Some(format!("line {}: {}", record.line, wrong.detail));
                }
                if let Some((row, broken)) = last.replace(row) {
                    self.row(&row, broken);
                }
            }
            if typed.is_some() && self.looked >= ROWS {
                break Ok(false);
            }
        };
        let read = reader.tables_read().first();
        let layout = layout(&self.path, &self.start);
        self.table = read.is_some() || typed.is_some() && self.looked > 0;
        let how = match (read, typed) {
            (Some(read), _) => read.what.clone(),
            (None, Some((_, what))) if self.table => (*what).to_owned(),
            _ => layout.to_owned(),
        };
        self.how.insert(0, how);
        if let Some(read) = read.filter(|_| self.columns.is_empty()) {
            let named = |name: &String| Column {
                name: shortened(name),
                ..Column::default()
            };
            self.columns = read.columns.iter().take(COLUMNS).map(named).collect();
        }
        // A first row that is longer than what was looked at is told by its keys, too.
        let cut = !self.whole && self.looked == 0;
        // One line is a document as well, of a file that is called after its lines only where
        // it can be nothing else.
        let is_lines = || has_lines(&self.path.to_string_lossy());
        let only = self.whole && self.rows == 0 && (!is_lines() || is_no_row(&self.start));
        let is_object = self.start.trim_ascii_start().starts_with(b"{");
        if !self.table && is_object && (layout == DOCUMENT || cut || only) {
            self.how[0] = DOCUMENT.to_owned();
            self.document();
        } else if let Some((row, broken)) = last.filter(|_| self.whole || typed.is_some()) {
            self.row(&row, broken);
        }
        self.counted = match (typed, &ended) {
            (Some(_), Ok(false)) => self.count_rows(),
            (_, ended) => ended.is_ok() && (self.whole || typed.is_some()),
        };
        for column in &mut self.columns {
            column.cells.resize(self.looked, None);
        }
        match ended {
            // What was cut off lacks its end, which is no fault.
            // Of what is no UTF-8 that is said.
            Err(error)
                if self.whole
                    && self.looked == 0
                    && self.top.is_empty()
                    && encoding(&self.start).is_none() =>
            {
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// How many rows a Parquet table has, as it says itself.
    fn count_rows(&mut self) -> bool {
        let footer = File::open(&self.path).ok().and_then(|file| {
            let read = guarded(|| read_footer(&file, ArrowReaderOptions::new()));
            read.ok()
        });
        let rows = footer.map(|footer| footer.metadata().file_metadata().num_rows());
        let rows = rows.and_then(|rows| u64::try_from(rows).ok());
        self.rows = rows.unwrap_or(self.rows);
        rows.is_some()
    }

    /// Takes a document apart: what stands at its top, and the rows in the first list of it.
    fn document(&mut self) {
        let start = std::mem::take(&mut self.start);
        self.top = top_of(&start);
        self.rows = 0;
        let others = || self.top.iter().find(|member| member.of_objects);
        let list = rows_of(&self.top).or_else(others);
        if let Some((name, at)) = list.map(|list| (list.name.clone(), list.at)) {
            let walked: Result<(), ScanError> = Scanner::new(&start, at).elements(|_, scanner| {
                let begins = scanner.pos;
                scanner.skip_value(2, DEPTH)?;
                self.row(scanner.slice(begins, scanner.pos), false);
                Ok(())
            });
            self.whole &= walked.is_ok();
            self.within = Some(name);
        } else if self.whole {
            // Its keys are its columns.
            self.row(&start, false);
        }
        self.start = start;
    }

    fn row(&mut self, bytes: &[u8], broken: bool) {
        self.rows += 1;
        if broken {
            self.broken += 1;
        }
        if broken || self.looked >= ROWS {
            return;
        }
        let mut found: Vec<(String, Option<Value>)> = Vec::new();
        let mut scanner = Scanner::new(bytes, 0);
        let walked: Result<(), ScanError> = scanner.members(|key, scanner| {
            let value = Value::scan(scanner, 1, DEPTH)?;
            found.push((shortened(&String::from_utf8_lossy(key)), value));
            Ok(())
        });
        if walked.is_err() || !scanner.at_end() {
            self.broken += 1;
            return;
        }
        for (name, value) in found {
            let known = self.columns.iter().position(|column| column.name == name);
            if known.is_none() {
                if self.columns.len() >= COLUMNS {
                    continue;
                }
                self.columns.push(Column {
                    name,
                    ..Column::default()
                });
            }
            let at = known.unwrap_or(self.columns.len() - 1);
            self.columns[at].put(self.looked, value);
        }
        self.looked += 1;
    }
}

/// Whether the only line of a file is none of its rows, but holds them.
fn is_no_row(line: &[u8]) -> bool {
    let holds_rows = rows_of(&top_of(line)).is_some_and(|list| list.name == "predictions");
    holds_rows || is_surely_by_columns(line)
}

/// Tables that are no text.
const TYPED: [(&[u8], &str); 3] = [
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Arrow"),
    (ARROW_STREAM, "an Arrow stream"),
];

/// The first characters of a text.
fn shortened(text: &str) -> String {
    text.chars().take(KEPT).collect()
}
