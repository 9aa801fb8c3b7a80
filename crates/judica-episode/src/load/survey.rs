//! The first pass over the predictions: which episode each row is about.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use judica_data::chunks::{Chunk, ChunkReader, RawRecord};
use judica_data::error::DataError;
use judica_data::rejects::Refusal;
use judica_data::turnstile::Turnstile;

use super::fault::Fault;
use super::index::{Fingerprint, Index, RowPlace, fingerprint};
use super::store::Store;
use super::text::name_of_row;
use crate::error::EpisodeError;
use crate::score::parallel::{First, Workers};
use crate::score::refused::{Input, Refused};

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
}

/// Looks through a file of predictions. Rows that name no episode go to `refuse`, in
/// order; a copy of what cannot be read twice is made in `folder`.
pub fn survey(
    path: &Path,
    folder: &Path,
    workers: &Workers,
    refuse: &mut (impl FnMut(Refused) -> Result<(), EpisodeError> + Send),
) -> Result<Survey, EpisodeError> {
    let paths: [PathBuf; 1] = [path.to_owned()];
    let mut reader = ChunkReader::unhashed(&paths, CHUNK_BYTES)?;
    let first = reader.next_chunk()?;
    let store = Store::new(path, first.as_ref(), folder)?;
    let queue = Mutex::new((reader, first));
    let sum = Turnstile::new((Index::default(), 0, refuse));
    let failure = First::default();
    workers.run(|| {
        let outcome = look(&queue, &store, workers, &sum);
        if let Err((chunk, error)) = outcome {
            failure.note(chunk, error);
            sum.close();
        }
    });
    failure.check()?;
    let bytes = queue
        .into_inner()
        .unwrap_or_else(|p| p.into_inner())
        .0
        .raw_bytes();
    let (index, rows, _) = sum.into_inner();
    Ok(Survey {
        index,
        store,
        rows,
        bytes,
    })
}

type Sum<'r, R> = (Index, u64, &'r mut R);

fn look<R: FnMut(Refused) -> Result<(), EpisodeError>>(
    queue: &Mutex<(ChunkReader, Option<Chunk>)>,
    store: &Store,
    workers: &Workers,
    sum: &Turnstile<Sum<'_, R>>,
) -> Result<(), (u64, EpisodeError)> {
    let mut done = None;
    loop {
        let chunk = {
            let mut queue = queue.lock().unwrap_or_else(|p| p.into_inner());
            let (reader, first) = &mut *queue;
            if let Some(done) = done.take() {
                reader.recycle(done);
            }
            workers.go_on().map_err(|error| (u64::MAX, error))?;
            let chunk = match first.take() {
                Some(first) => Some(first),
                None => reader.next_chunk().map_err(after_all)?,
            };
            (workers.progress)(reader.raw_bytes());
            match chunk {
                Some(chunk) => chunk,
                None => return Ok(()),
            }
        };
        let number = chunk.index;
        store.keep(&chunk).map_err(|error| (number, error.into()))?;
        let rows = Rows::find(&chunk);
        match sum.pass(number, |(index, count, refuse)| {
            rows.add(index, count, *refuse)
        }) {
            Some(Ok(())) => done = Some(chunk),
            Some(Err(error)) => return Err((number, error)),
            None => return Ok(()),
        }
    }
}

/// A failure to read comes after all that was read before it.
fn after_all(error: DataError) -> (u64, EpisodeError) {
    (u64::MAX - 1, error.into())
}

/// The rows of a chunk.
#[derive(Default)]
struct Rows {
    named: Vec<(Fingerprint, RowPlace)>,
    refused: Vec<Refused>,
}

impl Rows {
    fn find(chunk: &Chunk) -> Rows {
        // Mostly all of it is text, which is told fastest for all rows at once.
        let all_text = std::str::from_utf8(&chunk.data).is_ok();
        let mut rows = Rows::default();
        for record in chunk.records() {
            match name(&record, all_text) {
                Ok((name, length)) => {
                    let RawRecord { offset, line, .. } = record;
                    let place = RowPlace {
                        offset,
                        line,
                        length,
                    };
                    rows.named.push((name, place));
                }
                Err(refusal) => {
                    rows.refused
                        .push(Refused::record(Input::Predictions, &record, refusal))
                }
            }
        }
        rows
    }

    fn add(
        self,
        index: &mut Index,
        count: &mut u64,
        refuse: &mut impl FnMut(Refused) -> Result<(), EpisodeError>,
    ) -> Result<(), EpisodeError> {
        *count += (self.named.len() + self.refused.len()) as u64;
        for (name, place) in self.named {
            if !index.add(name, place) {
                let message = "predictions in more than four billion pieces; sort them by episode";
                return Err(EpisodeError::BadInput(message.to_owned()));
            }
        }
        self.refused.into_iter().try_for_each(refuse)
    }
}

fn name(record: &RawRecord, all_text: bool) -> Result<(Fingerprint, u32), Refusal> {
    usable(record, all_text)?;
    let name = name_of_row(record.bytes).map_err(Fault::refusal)?;
    let length = u32::try_from(record.bytes.len())
        .map_err(|_| Refusal::new("too_large", "the row is larger than 4 GiB"))?;
    Ok((fingerprint(&name), length))
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
