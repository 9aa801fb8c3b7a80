//! Tables as rows of JSON: separated values, Parquet, Arrow.
//!
//! Every reader of rows reads JSON objects. So a row of a table is written as one, into the
//! memory of its chunk, and where it stands in its file is kept beside it: readers, threads,
//! duplicates, rejects and fingerprints are the same for all formats.
//!
//! * `delimited`: records of separated values, and how they are cut from a stream
//! * `header`: which column is written under which key
//! * `typed`: Parquet and Arrow, whose readers are [`guarded`](crate::guarded)

mod arrow;
mod delimited;
mod header;
mod typed;

use std::fmt;
use std::path::Path;

use judica_model::table::counted;

use crate::chunks::ChunkReader;
use crate::elements::is_complete_object;
use crate::error::DataError;
use crate::json::Scanner;
use crate::names::{data_stem, unpacked};
use crate::rows::Field;
use crate::source::STDIN;
pub(crate) use delimited::{Delimited, Taken};
pub(crate) use typed::{RowWriter, Typed, opens, unwritable};

/// How deep JSON in a cell may be nested.
const CELL_DEPTH: usize = 64;
/// Bytes that are held of a table in which one row is looked for.
const ROW_BYTES: usize = 1 << 20;

/// How tables among the inputs are read.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// What separates fields, where the user says so: then nothing else is looked for.
    pub delimiter: Option<u8>,
    /// Whether what neither its name nor its first byte tells is a table.
    pub assumed: bool,
    /// Names that mean something to the reader: a column is written under such a name
    /// whatever its capitals are, and must not stand twice.
    pub names: Vec<String>,
    /// Columns that stand in an object of their own.
    pub nested: Vec<Nested>,
    /// What the cells of all others mean.
    pub cells: Cells,
    /// Whether a document that holds rows is given whole, to a reader that takes it apart
    /// for what else it says.
    pub whole_documents: bool,
}

impl Tables {
    /// Those whose columns are called as these fields are.
    pub fn of(fields: &[Field]) -> Self {
        let names = fields.iter().flat_map(|field| field.aliases);
        Tables {
            names: names.map(|name| (*name).to_owned()).collect(),
            ..Tables::default()
        }
    }
}

/// A column that stands in an object of its own, or holds JSON.
#[derive(Debug, Clone)]
pub struct Nested {
    /// Its names, in lower case.
    names: Vec<String>,
    /// The object, if any, and the key.
    path: (Option<String>, String),
    /// What its cells mean.
    cells: Cells,
}

impl Nested {
    /// A column of one of these names, which stands in this object, if any, under this key.
    pub fn new(names: &[&str], (object, key): (Option<&str>, &str), cells: Cells) -> Self {
        Nested {
            names: names.iter().map(|name| name.to_lowercase()).collect(),
            path: (object.map(str::to_owned), key.to_owned()),
            cells,
        }
    }
}

/// What a cell of text is written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cells {
    /// Text, whatever it is.
    #[default]
    Text,
    /// A JSON object or list is meant as one.
    Json,
    /// True and false, in capitals or not, are meant as such, too.
    Truth,
    /// Numbers, true and false are meant as such, too.
    Value,
}

impl Cells {
    /// What is written of a cell that is not meant as text.
    pub(crate) fn meant(self, cell: &[u8]) -> Option<&[u8]> {
        let is = |word: &str| {
            let cell = cell.trim_ascii();
            matches!(self, Cells::Truth | Cells::Value)
                && cell.eq_ignore_ascii_case(word.as_bytes())
        };
        match () {
            () if is("true") => Some(b"true"),
            () if is("false") => Some(b"false"),
            () => Some(cell).filter(|cell| self.means(cell)),
        }
    }

    /// Whether a cell is JSON that is not meant as text.
    fn means(self, cell: &[u8]) -> bool {
        let mut scanner = Scanner::new(cell, 0);
        let begins = match (self, cell.trim_ascii_start().first()) {
            (Cells::Text, _) | (_, None) => false,
            (_, Some(b'{' | b'[')) => true,
            (Cells::Value, Some(b'-' | b'0'..=b'9')) => {
                return scanner.number().is_ok_and(f64::is_finite) && scanner.at_end();
            }
            _ => false,
        };
        begins && scanner.skip_value(0, CELL_DEPTH).is_ok() && scanner.at_end()
    }
}

/// How a table was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRead {
    /// Which of the inputs it is.
    pub file: usize,
    /// What it is, in words: `CSV, delimiter ';'`.
    pub what: String,
    /// The same with what it holds: `CSV, delimiter ';', 5 columns, 501 rows`.
    pub how: String,
    /// The columns, under the names that rows have them.
    pub columns: Vec<String>,
}

/// A table that is being read.
pub(crate) enum Table {
    Delimited(Delimited),
    Typed(Typed),
}

impl Table {
    /// What it is.
    pub fn what(&self) -> String {
        match self {
            Table::Delimited(table) => table.to_string(),
            Table::Typed(table) => table.to_string(),
        }
    }

    /// How it was read.
    pub fn how(&self) -> String {
        let what = self.what();
        let rows = match self {
            Table::Delimited(table) => table.rows,
            Table::Typed(table) => table.rows,
        };
        let columns = counted(self.columns().len() as u64, ["column", "columns"]);
        format!("{what}, {columns}, {}", counted(rows, ["row", "rows"]))
    }
}

impl Table {
    /// Its columns, under the names that rows have them, in its order.
    pub fn columns(&self) -> Vec<String> {
        let columns = match self {
            Table::Delimited(table) => table.columns(),
            Table::Typed(table) => table.columns(),
        };
        let mut columns: Vec<_> = columns.iter().map(|c| (c.at, c.key.clone())).collect();
        columns.sort_unstable();
        columns.into_iter().map(|(_, key)| key).collect()
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.how())
    }
}

/// Formats of tables that are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypedFormat {
    Parquet,
    ArrowFile,
    ArrowStream,
    /// A table in memory.
    Held,
}

impl TypedFormat {
    /// What a file is that begins so.
    pub(crate) fn told(start: &[u8]) -> Option<TypedFormat> {
        let marks = [
            (&b"PAR1"[..], TypedFormat::Parquet),
            (b"ARROW1", TypedFormat::ArrowFile),
            (b"\xff\xff\xff\xff", TypedFormat::ArrowStream),
        ];
        let found = marks.iter().find(|(mark, _)| start.starts_with(mark));
        found.map(|(_, format)| *format)
    }
}

/// What a file's beginning and name tell of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// No table.
    Other,
    /// Separated values.
    Delimited,
    /// Something else.
    Typed(TypedFormat),
}

impl Tables {
    /// Whether a file that begins so is read as a table.
    pub fn is_table(&self, path: &Path, start: &[u8]) -> bool {
        self.tell(path, start) != Told::Other
    }

    /// What a file is that begins so.
    pub(crate) fn tell(&self, path: &Path, start: &[u8]) -> Told {
        if let Some(format) = TypedFormat::told(start) {
            return Told::Typed(format);
        }
        let named = named(path);
        let visible = start.trim_ascii_start();
        let delimited = match named {
            _ if visible.is_empty() => false,
            // Bytes that no text has; what it is will be said.
            _ if start.contains(&0) => false,
            _ if self.delimiter.is_some() => true,
            // No header is an object of JSON, whatever the file is called.
            Named::Delimited(_) => !is_complete_object(first_line(visible)),
            Named::Json => false,
            Named::Other => {
                !matches!(visible.first(), Some(b'{' | b'['))
                    && (self.assumed || delimited::is_plain(visible))
            }
        };
        match delimited {
            true => Told::Delimited,
            false => Told::Other,
        }
    }

    /// The table of a file that begins so and is told to be of separated values.
    pub(crate) fn delimited(&self, path: &Path, start: &[u8]) -> Delimited {
        let preferred = match named(path) {
            Named::Delimited(delimiter) => delimiter,
            Named::Json | Named::Other => b',',
        };
        Delimited::new(self.clone(), path, preferred, start)
    }
}

pub(crate) fn first_line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    &text[..end.unwrap_or(text.len())]
}

/// What a name says, compression aside.
enum Named {
    Delimited(u8),
    Json,
    Other,
}

fn named(path: &Path) -> Named {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    if path == Path::new(STDIN) {
        return Named::Other;
    }
    let name = unpacked(&name);
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("csv") => Named::Delimited(b','),
        Some("tsv" | "tab") => Named::Delimited(b'\t'),
        Some("psv") => Named::Delimited(b'|'),
        _ if data_stem(name).is_some() => Named::Json,
        _ => Named::Other,
    }
}

/// A row of a table that is no text, by its number from 1, under the names that its columns
/// have; empty if there is none.
pub fn read_row(path: &Path, number: u64) -> Result<Vec<u8>, DataError> {
    let reader = ChunkReader::unhashed(&[path.to_owned()], ROW_BYTES)?;
    let mut reader = reader.with_tables(&Tables::default());
    while let Some(chunk) = reader.next_chunk()? {
        let mut records = chunk.records();
        if let Some(record) = records.find(|record| record.line == number) {
            return Ok(record.bytes.to_vec());
        }
    }
    Ok(Vec::new())
}

/// The error of a table that cannot be read at all.
fn unreadable(path: &Path, offset: Option<u64>, why: impl fmt::Display) -> DataError {
    DataError::malformed(path, offset, why.to_string())
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod typed_tests;
