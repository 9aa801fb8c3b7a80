//! Files of people's annotations: JSON in every shape that judged files have, or a table.

use std::path::Path;

use judica_data::csv::{CsvReader, named_delimiter};
use judica_data::foreign::Reads;
use judica_data::names::{data_stem, has_lines};
use judica_data::source::InputDigest;

use super::contents::{open, take_apart};
use super::document;
use super::folder::JudgedFile;
use super::row::{self, Columns, Fault, Row};
use crate::error::AgreeError;

/// What a file says about all its rows.
#[derive(Debug, Default)]
pub(super) struct Annotated {
    /// The file of predictions.
    pub source_file: Option<String>,
    /// The run.
    pub run_name: Option<String>,
    /// The person.
    pub rater: Option<String>,
}

/// Where a row stands.
pub(super) struct Place<'a> {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its first byte.
    pub offset: u64,
    /// All of it.
    pub raw: &'a [u8],
}

/// Calls `each` with every row of a file, readable or not.
///
/// People's annotations were asked for, so a file without any is no annotation file.
pub(super) fn each_row(
    file: &JudgedFile,
    hashed: bool,
    mut each: impl FnMut(&Annotated, Place, Result<Row, Fault>),
) -> Result<InputDigest, AgreeError> {
    let path = &file.path;
    let mut source = open(path, hashed)?;
    let start = source.offset();
    let bytes = source.read_rest()?;
    if let Some(delimiter) = table(path, &bytes) {
        return each_record(CsvReader::over(source, bytes, delimiter)?, path, each);
    }
    let document = take_apart(path, &bytes, has_lines(&file.name), document::ANNOTATED)?;
    let document = document.map_err(|fault| no_annotations(path, &fault.detail))?;
    let about = Annotated {
        source_file: document.source_file,
        run_name: document.run_name,
        rater: document.rater,
    };
    for span in document.rows {
        let raw = &bytes[span.start..span.end];
        let place = Place {
            line: span.line,
            offset: start + span.start as u64,
            raw,
        };
        each(&about, place, row::read(raw));
    }
    Ok(source.finish()?)
}

/// What separates the fields of a table; `None` for JSON. The name tells which it is or,
/// where it does not, the first byte.
fn table(path: &Path, bytes: &[u8]) -> Option<u8> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begins_json = matches!(bytes.trim_ascii_start().first(), None | Some(b'{' | b'['));
    let unnamed = data_stem(&name).is_none() && !begins_json;
    named_delimiter(path).or(unnamed.then_some(b','))
}

fn each_record(
    mut reader: CsvReader,
    path: &Path,
    mut each: impl FnMut(&Annotated, Place, Result<Row, Fault>),
) -> Result<InputDigest, AgreeError> {
    let columns = Columns::new(reader.header());
    let about = Annotated::default();
    let mut rows = 0;
    while let Some(record) = reader.next_record()? {
        rows += 1;
        let place = Place {
            line: record.line,
            offset: record.offset,
            raw: record.raw,
        };
        let row = match record.fields {
            Ok(fields) => columns.read(fields.iter()),
            Err(fault) => Err(Fault::new(fault.reason, fault.detail)),
        };
        each(&about, place, row);
    }
    if rows == 0 {
        return Err(no_annotations(path, "no rows in it"));
    }
    Ok(reader.finish()?)
}

fn no_annotations(path: &Path, why: &str) -> AgreeError {
    AgreeError::BadInput(format!("{}: {why}", path.display())).explained(path, Reads::Judged)
}
