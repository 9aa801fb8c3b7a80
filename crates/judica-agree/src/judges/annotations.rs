//! Files of people's annotations: JSON in every shape that judged files have, or a table.

use std::path::Path;

use judica_data::chunks::ChunkReader;
use judica_data::foreign::Reads;
use judica_data::names::has_lines;
use judica_data::rejects::Raw;
use judica_data::rows::text_of;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;

use super::contents::{open, tables, take_apart};
use super::document;
use super::folder::JudgedFile;
use super::row::{self, Fault, Row, RowDoor};

/// Bytes per chunk of a table.
const CHUNK_BYTES: usize = 1 << 20;

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
pub(super) struct Place {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its first byte.
    pub offset: u64,
    /// All of it.
    pub raw: Raw,
}

/// Calls `each` with every row of a file, readable or not.
///
/// People's annotations were asked for, so a file without any is no annotation file.
pub(super) fn each_row(
    file: &JudgedFile,
    hashed: bool,
    door: &RowDoor,
    mut each: impl FnMut(&Annotated, Place, Result<Row, Fault>),
) -> Result<InputDigest, WorkError> {
    let path = &file.path;
    let mut source = open(path, hashed)?;
    let start = source.offset();
    let bytes = source.read_rest()?;
    let tables = tables(door, true);
    if tables.is_table(path, &bytes) {
        source.give_back(bytes);
        let reader = ChunkReader::over(source, CHUNK_BYTES).with_tables(&tables);
        return each_record(reader, path, door, each);
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
            raw: raw.into(),
        };
        each(&about, place, row::read(raw, door));
    }
    Ok(source.finish()?)
}

fn each_record(
    mut reader: ChunkReader,
    path: &Path,
    door: &RowDoor,
    mut each: impl FnMut(&Annotated, Place, Result<Row, Fault>),
) -> Result<InputDigest, WorkError> {
    let about = Annotated::default();
    let mut rows = 0;
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records() {
            rows += 1;
            let place = Place {
                line: record.line,
                offset: record.offset,
                raw: record.raw(),
            };
            let row = text_of(&record).and_then(|()| row::read_cells(record.bytes, door));
            each(&about, place, row);
        }
        reader.recycle(chunk);
    }
    if rows == 0 {
        return Err(no_annotations(path, "no rows in it"));
    }
    // One source, read to its end.
    Ok(reader.digests().first().cloned().unwrap_or_default())
}

fn no_annotations(path: &Path, why: &str) -> WorkError {
    WorkError::BadInput(format!("{}: {why}", path.display())).explained(path, Reads::Judged)
}
