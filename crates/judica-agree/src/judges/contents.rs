//! Whole files, and rows fetched from their places.

use std::path::Path;

use judica_data::chunks::{ChunkReader, Found, RawRecord};
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::rejects::Raw;
use judica_data::rows::{Span, text_of};
use judica_data::source::{InputDigest, Source, gives_once};
use judica_data::table::Tables;
use judica_data::work_error::WorkError;

use super::document::{self, Document, NoDocument};
use super::folder::JudgedFile;
use super::row::{Fault, RowDoor};

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The number of its file.
    pub file: u32,
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// The line it begins on, from 1.
    pub line: u64,
}

/// Takes a file apart; a file that is no JSON ends the measurement, one without rows is
/// passed over.
pub(super) fn take_apart(
    path: &Path,
    bytes: &[u8],
    lines: bool,
    row_keys: &[&str],
) -> Result<Result<Document, Fault>, WorkError> {
    match document::read(bytes, lines, row_keys) {
        Ok(document) => Ok(Ok(document)),
        Err(NoDocument::Other(reason, detail)) => Ok(Err(Fault::new(reason, detail))),
        Err(NoDocument::NotJson { line }) => {
            let message = format!("{}:{line}: not JSON from here on", path.display());
            Err(WorkError::BadArtifact(message).explained(path, Reads::Judged))
        }
    }
}

/// A whole file, decompressed.
pub(super) struct Contents {
    /// Its bytes, without a byte order mark.
    pub bytes: Vec<u8>,
    /// Where the first of them stands.
    pub offset: u64,
    /// The digest of the file, if it was to be hashed.
    pub digest: InputDigest,
    /// The rows of a table: they stand in the bytes as objects, one after the other.
    pub table: Option<Vec<TableRow>>,
}

/// A row of a table.
pub(super) struct TableRow {
    /// Where it stands in the bytes.
    pub span: Span,
    /// Why it cannot be used.
    pub fault: Option<Fault>,
    found: Found,
    raw: Raw,
}

/// A row that was looked up.
pub(super) struct Fetched<'a> {
    /// The row as an object.
    pub json: &'a [u8],
    /// Where the row begins in its file, unless that is no text.
    pub offset: u64,
    row: Option<&'a TableRow>,
}

impl Fetched<'_> {
    /// Where it can be found again.
    pub fn found(&self) -> Found {
        match self.row {
            Some(row) => row.found,
            None => RawRecord::new(0, 0, self.offset, self.json).found(),
        }
    }

    /// As it stands in its file.
    pub fn raw(&self) -> Raw {
        match self.row {
            Some(row) => row.raw.clone(),
            None => self.json.into(),
        }
    }
}

/// Bytes per chunk of a table.
const CHUNK_BYTES: usize = 1 << 20;

/// How tables are read.
pub(super) fn tables(door: &RowDoor, assumed: bool) -> Tables {
    Tables {
        assumed,
        names: door.names(),
        ..Tables::default()
    }
}

fn table(source: Source, tables: &Tables) -> Result<Contents, WorkError> {
    let mut reader = ChunkReader::over(source, CHUNK_BYTES).with_tables(tables);
    let (mut bytes, mut rows) = (Vec::new(), Vec::new());
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records() {
            let start = bytes.len();
            bytes.extend_from_slice(record.bytes);
            rows.push(TableRow {
                span: Span {
                    start,
                    end: bytes.len(),
                    line: record.line,
                },
                fault: text_of(&record).err(),
                found: record.found(),
                raw: record.raw(),
            });
        }
        reader.recycle(chunk);
    }
    Ok(Contents {
        bytes,
        offset: 0,
        // One source, read to its end.
        digest: reader.digests().first().cloned().unwrap_or_default(),
        table: Some(rows),
    })
}

/// Reads a whole file. What it holds may be looked up again later, which a pipe would be
/// waited for in vain.
pub(super) fn contents(path: &Path, hashed: bool, door: &RowDoor) -> Result<Contents, WorkError> {
    if gives_once(path) {
        let message = format!(
            "{}: a judged file is read more than once; put what this pipe or device gives into \
             a file",
            path.display()
        );
        return Err(WorkError::BadInput(message));
    }
    let mut source = open(path, hashed)?;
    let offset = source.offset();
    let bytes = source.read_rest()?;
    let tables = tables(door, false);
    if tables.is_table(path, &bytes) {
        source.give_back(bytes);
        return table(source, &tables);
    }
    let digest = source.finish()?;
    Ok(Contents {
        bytes,
        offset,
        digest,
        table: None,
    })
}

/// The digest of a file that is read elsewhere.
pub(super) fn digest(path: &Path) -> Result<InputDigest, WorkError> {
    Ok(Source::open(path)?.finish()?)
}

/// Opens a file, whose bytes are hashed for the manifest of a run.
pub(super) fn open(path: &Path, hashed: bool) -> Result<Source, DataError> {
    match hashed {
        true => Source::open(path),
        false => Source::open_unhashed(path),
    }
}

/// Calls `each` with every place and the row that stands there. Places must
/// be in order, so that no file is read twice.
pub(super) fn fetch(
    files: &[JudgedFile],
    places: impl IntoIterator<Item = Place>,
    door: &RowDoor,
    mut each: impl FnMut(Place, Fetched),
) -> Result<(), WorkError> {
    let mut open: Option<(u32, Contents)> = None;
    for place in places {
        let path = &files[place.file as usize].path;
        if open.as_ref().is_none_or(|(file, _)| *file != place.file) {
            open = Some((place.file, contents(path, false, door)?));
        }
        let row = open.as_ref().and_then(|(_, contents)| {
            let start = place.start as usize;
            let json = contents.bytes.get(start..place.end as usize)?;
            let Some(table) = &contents.table else {
                return Some(Fetched {
                    json,
                    offset: contents.offset + place.start,
                    row: None,
                });
            };
            let row = table.binary_search_by_key(&start, |row| row.span.start);
            let row = &table[row.ok()?];
            Some(Fetched {
                json,
                offset: row.found.offset.unwrap_or_default(),
                row: Some(row),
            })
        });
        let Some(row) = row else {
            let message = format!("{}: changed while it was being read", path.display());
            return Err(WorkError::BadArtifact(message));
        };
        each(place, row);
    }
    Ok(())
}
