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
use super::index::{Fingerprint, Index, RowPlace, fingerprint, repeat, within};
use super::store::{Stands, Store};
use super::text::name_of_row;
use super::usage::{Told, may_tell, told};
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

/// Looks through a file of predictions. Rows that name no episode, or another model than the
/// first that is named, go to `refuse`, in order; a copy of what cannot be read twice is made
/// in `folder`.
pub fn survey(
    (path, placed): (&Path, &Placed),
    hashed: bool,
    (folder, stands): (&Path, &Stands),
    whose: Whose,
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
    let (mut sum, refuse) = ordered::run(
        hooks.workers(threads),
        next,
        (Sum::default(), refuse),
        || Ok(()),
        |(), chunk, way| {
            store.keep(chunk).map_err(WorkError::from)?;
            let rows = Rows::find(chunk, whose);
            way.pass(|(sum, refuse)| sum.add(chunk, rows, *refuse))
        },
    )?;
    reader.check_placed()?;
    sum.rows += lines.refused.len() as u64;
    lines.refused.into_iter().try_for_each(refuse)?;
    Ok(Survey {
        index: sum.index,
        store,
        rows: sum.rows,
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

/// Which of what rows say of whose they are counts.
#[derive(Clone, Copy, Debug)]
pub struct Whose {
    /// Their data set, unless the user names one for all.
    pub dataset: bool,
}

/// What a row is about.
pub struct About<'r> {
    /// The episode by its name alone.
    name: Fingerprint,
    /// The same in the data set that the row names, if it names one.
    first: Fingerprint,
    /// Which repeat it says it is.
    epoch: Option<i32>,
    /// Whose answer it says it is.
    model: Option<Cow<'r, str>>,
}

impl<'r> About<'r> {
    /// Reads no more of a row than that; `tells` is whether it may say more than its name.
    pub fn of(bytes: &'r [u8], whose: Whose, tells: bool) -> Result<About<'r>, Refusal> {
        let name = fingerprint(&name_of_row(bytes).map_err(Fault::refusal)?);
        let told = if tells { told(bytes)? } else { Told::default() };
        let dataset = told.dataset.filter(|_| whose.dataset);
        Ok(About {
            name,
            first: dataset.map_or(name, |dataset| within(name, &dataset)),
            epoch: told.epoch,
            model: told.model,
        })
    }

    /// The repeat of the episode, as the index knows it.
    pub fn key(&self) -> Fingerprint {
        repeat(self.first, self.epoch.unwrap_or(1))
    }

    /// Whether there is more to it than its key.
    fn more(&self) -> bool {
        self.first != self.name || self.epoch.is_some() || self.model.is_some()
    }
}

/// The rows of a chunk.
#[derive(Default)]
struct Rows<'r> {
    named: Vec<(Fingerprint, RowPlace)>,
    /// What rows say besides, few of them, by their places among the others.
    more: Vec<(usize, About<'r>)>,
    refused: Vec<RefusedRow>,
}

impl<'r> Rows<'r> {
    fn find(chunk: &'r Chunk, whose: Whose) -> Rows<'r> {
        // Mostly all of it is text, which is told fastest for all rows at once.
        let all_text = std::str::from_utf8(&chunk.data).is_ok();
        let tells = may_tell(&chunk.data);
        let mut rows = Rows::default();
        for record in chunk.records() {
            match about(&record, all_text, whose, tells) {
                Ok((about, length)) => {
                    let RawRecord { offset, line, .. } = record;
                    let place = RowPlace {
                        offset,
                        line,
                        length,
                    };
                    let at = rows.named.len();
                    rows.named.push((about.key(), place));
                    if about.more() {
                        rows.more.push((at, about));
                    }
                }
                Err(refusal) => {
                    rows.refused
                        .push(RefusedRow::record(Input::Predictions, &record, refusal))
                }
            }
        }
        rows
    }
}

/// What the rows come to, in their order.
#[derive(Default)]
struct Sum {
    index: Index,
    rows: u64,
    /// The first model that a row names: a run has one subject.
    model: Option<Box<str>>,
}

impl Sum {
    fn add(
        &mut self,
        chunk: &Chunk,
        rows: Rows,
        refuse: &mut impl FnMut(RefusedRow) -> Result<(), WorkError>,
    ) -> Result<(), WorkError> {
        let mut refused = rows.refused;
        self.rows += (rows.named.len() + refused.len()) as u64;
        let mut more = rows.more.into_iter().peekable();
        for (at, (key, place)) in rows.named.into_iter().enumerate() {
            if let Some((_, about)) = more.next_if(|(of, _)| *of == at) {
                if let Some(refusal) = self.of_another(&about) {
                    refused.push(refused_row(chunk, place, refusal));
                    continue;
                }
                self.note(&about);
            }
            if !self.index.add(key, place) {
                let message = "predictions in more than four billion pieces; sort them by episode";
                return Err(WorkError::BadInput(message.to_owned()));
            }
        }
        refused.sort_by_key(|refused| refused.offset);
        refused.into_iter().try_for_each(refuse)
    }

    /// Why a row cannot be of this run: it is another model's than those before it.
    fn of_another(&mut self, about: &About) -> Option<Refusal> {
        let model = about.model.as_deref()?;
        let first = self.model.get_or_insert_with(|| model.into());
        (model != &**first).then(|| {
            let detail = format!(
                "an answer of {model:?}, and the first that names its model is of {first:?}: the \
                 answers of one model at a time"
            );
            Refusal::new("other_model", detail)
        })
    }

    fn note(&mut self, about: &About) {
        if about.first != about.name {
            self.index.note_dataset(about.name, about.first);
        }
        if let Some(epoch) = about.epoch {
            self.index.note_repeat(about.first, epoch);
        }
    }
}

fn refused_row(chunk: &Chunk, place: RowPlace, refusal: Refusal) -> RefusedRow {
    let begin = (place.offset - chunk.base_offset) as usize;
    let bytes = &chunk.data[begin..begin + place.length as usize];
    let record = RawRecord::new(place.line, place.line, place.offset, bytes);
    RefusedRow::record(Input::Predictions, &record, refusal)
}

/// What a row is about, and how long it is.
fn about<'r>(
    record: &RawRecord<'r>,
    all_text: bool,
    whose: Whose,
    tells: bool,
) -> Result<(About<'r>, u32), Refusal> {
    usable(record, all_text)?;
    let about = About::of(record.bytes, whose, tells)?;
    let length = u32::try_from(record.bytes.len())
        .map_err(|_| Refusal::new("too_large", "the row is larger than 4 GiB"))?;
    Ok((about, length))
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
