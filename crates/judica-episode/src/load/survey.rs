//! The first pass over the predictions: which episode each row is about.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use judica_data::chunks::{Chunk, ChunkReader, RawRecord};
use judica_data::error::DataError;
use judica_data::ordered;
use judica_data::rejects::Refusal;
use judica_data::rows::Placed;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;

use super::columns::tables;
use super::fault::Fault;
use super::index::{Fingerprint, Index, RowPlace, fingerprint};
use super::store::{Stands, Store};
use super::text::name_of_row;
use super::usage::epoch_of_row;
use crate::score::Hooks;
use crate::score::refused::{Input, RefusedRow};

/// Bytes per chunk: so small that what is read is still in the cache when it is looked at.
const CHUNK_BYTES: usize = 512 << 10;

/// What the first pass found.
pub struct Survey {
    /// Where the predictions of each episode stand.
    pub index: Index,
    /// The file, to be read again.
    pub store: Store,
    /// Rows in all.
    pub rows: u64,
    /// Bytes read from the disk.
    pub bytes: u64,
    /// What the file is, if it was hashed.
    pub digest: Option<InputDigest>,
    /// How it was read, where it is a table.
    pub read_as: Option<String>,
}

/// Looks through a file of predictions. Rows that name no episode go to `refuse`, in
/// order; a copy of what cannot be read twice is made in `folder`.
pub fn survey(
    (path, placed): (&Path, &Placed),
    hashed: bool,
    (folder, stands): (&Path, &Stands),
    threads: usize,
    hooks: &Hooks,
    refuse: &mut (impl FnMut(RefusedRow) -> Result<(), WorkError> + Send),
) -> Result<Survey, WorkError> {
    let mut reader = reader(path, hashed, placed)?;
    let mut lines = Lines {
        stands,
        offset: 0,
        line: 0,
        refused: Vec::new(),
    };
    let mut first = reader.next_chunk()?.map(|chunk| lines.of(chunk));
    let store = Store::new(path, first.as_ref(), folder)?;
    let next = |done: Option<Chunk>| {
        if let Some(done) = done {
            reader.recycle(done);
        }
        let chunk = match first.take() {
            Some(first) => Ok(Some(first)),
            None => reader
                .next_chunk()
                .map(|chunk| chunk.map(|chunk| lines.of(chunk))),
        };
        (hooks.progress)(reader.raw_bytes());
        Ok(chunk?)
    };
    let (index, rows, refuse) = ordered::run(
        hooks.workers(threads),
        next,
        (Index::default(), 0, refuse),
        || Ok(()),
        |(), chunk, way| {
            store.keep(chunk).map_err(WorkError::from)?;
            let rows = Rows::find(chunk);
            way.pass(|(index, count, refuse)| rows.add(index, count, *refuse))
        },
    )?;
    reader.check_placed()?;
    let faulty = lines.refused.len() as u64;
    lines.refused.into_iter().try_for_each(refuse)?;
    Ok(Survey {
        index,
        store,
        rows: rows + faulty,
        bytes: reader.raw_bytes(),
        digest: reader.digests().first().cloned(),
        read_as: read_as(&reader),
    })
}

/// How the file was read, if it is a table.
pub fn read_as(reader: &ChunkReader) -> Option<String> {
    Some(reader.tables_read().first()?.how.clone())
}

/// A table as a file of lines that is read again.
struct Lines<'s> {
    /// Where that file ends so far.
    offset: u64,
    line: u64,
    stands: &'s Stands,
    refused: Vec<RefusedRow>,
}

impl Lines<'_> {
    /// The chunk, or what it is as lines.
    fn of(&mut self, chunk: Chunk) -> Chunk {
        if !chunk.is_table() {
            return chunk;
        }
        let lines = chunk.as_lines(self.offset, self.line);
        let mut rows = lines.records();
        for record in chunk.records() {
            match record.fault {
                Some(fault) => {
                    let refusal = fault.refusal();
                    let refused = RefusedRow::record(Input::Predictions, &record, refusal);
                    self.refused.push(refused);
                }
                None => {
                    if let Some(row) = rows.next() {
                        self.stands.add(row.offset, record.found());
                        self.line = row.line;
                    }
                }
            }
        }
        drop(rows);
        self.offset += lines.data.len() as u64;
        lines
    }
}

/// Prepares to read a file; hashing costs time, and is for runs that name their inputs by it.
pub fn reader(path: &Path, hashed: bool, placed: &Placed) -> Result<ChunkReader, DataError> {
    let paths: [PathBuf; 1] = [path.to_owned()];
    let reader = match hashed {
        true => ChunkReader::new(&paths, CHUNK_BYTES)?,
        false => ChunkReader::unhashed(&paths, CHUNK_BYTES)?,
    };
    Ok(reader.with_tables(&tables()).with_placed(placed))
}

/// The rows of a chunk.
#[derive(Default)]
struct Rows {
    named: Vec<(Fingerprint, RowPlace)>,
    /// Episodes by their first, and which repeat a row says it is.
    repeats: Vec<(Fingerprint, i32)>,
    refused: Vec<RefusedRow>,
}

impl Rows {
    fn find(chunk: &Chunk) -> Rows {
        // Mostly all of it is text, which is told fastest for all rows at once.
        let all_text = std::str::from_utf8(&chunk.data).is_ok();
        let mut rows = Rows::default();
        for record in chunk.records() {
            match name(&record, all_text) {
                Ok((name, epoch, length)) => {
                    if let Some(epoch) = epoch {
                        rows.repeats.push((fingerprint(&name, 1), epoch));
                    }
                    let RawRecord { offset, line, .. } = record;
                    let place = RowPlace {
                        offset,
                        line,
                        length,
                    };
                    let name = fingerprint(&name, epoch.unwrap_or(1));
                    rows.named.push((name, place));
                }
                Err(refusal) => {
                    rows.refused
                        .push(RefusedRow::record(Input::Predictions, &record, refusal))
                }
            }
        }
        rows
    }

    fn add(
        self,
        index: &mut Index,
        count: &mut u64,
        refuse: &mut impl FnMut(RefusedRow) -> Result<(), WorkError>,
    ) -> Result<(), WorkError> {
        *count += (self.named.len() + self.refused.len()) as u64;
        for (name, place) in self.named {
            if !index.add(name, place) {
                let message = "predictions in more than four billion pieces; sort them by episode";
                return Err(WorkError::BadInput(message.to_owned()));
            }
        }
        for (first, epoch) in self.repeats {
            index.note_repeat(first, epoch);
        }
        self.refused.into_iter().try_for_each(refuse)
    }
}

/// The episode of a row, which repeat of it that says it is, and how long it is.
type Named<'r> = (Cow<'r, str>, Option<i32>, u32);

fn name<'r>(record: &RawRecord<'r>, all_text: bool) -> Result<Named<'r>, Refusal> {
    usable(record, all_text)?;
    let name = name_of_row(record.bytes).map_err(Fault::refusal)?;
    let length = u32::try_from(record.bytes.len())
        .map_err(|_| Refusal::new("too_large", "the row is larger than 4 GiB"))?;
    Ok((name, epoch_of_row(record.bytes)?, length))
}

/// Whether a record is text in a place where a record may stand.
pub fn usable(record: &RawRecord, all_text: bool) -> Result<(), Refusal> {
    if let Some(fault) = record.fault {
        return Err(fault.refusal());
    }
    if !all_text && std::str::from_utf8(record.bytes).is_err() {
        return Err(Refusal::new("invalid_utf8", "not UTF-8"));
    }
    Ok(())
}
