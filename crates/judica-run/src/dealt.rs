//! Rows that an engine deals out to many processes, each of which makes a piece of the run.
//!
//! The engine asks in this order: where the files can be cut ([`ranges`]), how many lines
//! each range has, what each file is ([`digest`]), and which rows belong together
//! ([`scan`]). If rows that do stand in two ranges, they are moved ([`deal`]); else each
//! range is a piece as it stands ([`Dealt::piece`]).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use judica_data::chunks::{
    self, Chunk, ChunkReader, Cut, LINE_TOO_LONG, LineRange, MovedBatch, RawRecord, Rows,
};
use judica_data::source::{InputDigest, Source};
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use serde_json::Value;

use crate::pieces::{Part, Piece};

/// Why rows of a packed file, a table, a list or a document cannot be moved.
pub const NOT_LINES: &str = "it is not lines";

/// Bytes that are held at a time while rows are looked at.
const CHUNK_BYTES: usize = 4 << 20;

/// A command whose rows can be dealt out.
pub trait Dealt: Send + Sync {
    /// The files whose rows are dealt out, in their order.
    fn paths(&self) -> Vec<PathBuf>;

    /// How tables among them are read.
    fn tables(&self) -> Tables;

    /// A reader of them, as the command has it.
    fn reader(&self, target_bytes: usize) -> Result<ChunkReader, WorkError> {
        let reader = ChunkReader::new(&self.paths(), target_bytes)?;
        Ok(reader.with_tables(&self.tables()))
    }

    /// Whether a file of lines is so for the command, too, and not one document.
    fn is_lines(&self, _file: usize) -> Result<bool, WorkError> {
        Ok(true)
    }

    /// Who tells which rows belong together.
    fn keys(&self) -> Result<Box<dyn Keys + '_>, WorkError>;

    /// What a file holds whose rows stand within one document: a reader of chunks would see one
    /// row. Nothing of any other file.
    fn scan_document(
        &self,
        _file: LineRange,
        _interrupted: &AtomicBool,
    ) -> Result<Option<Scanned>, WorkError> {
        Ok(None)
    }

    /// What was found in all ranges, of what was found in each.
    fn all_facts(&self, facts: Vec<Value>) -> Result<Value, WorkError> {
        Ok(facts.into_iter().next().unwrap_or_default())
    }

    /// Makes a piece of the rows that are dealt to it, or without any of those that are its own
    /// among all rows, as with `--part`.
    fn piece(
        &self,
        part: Part,
        cut: Option<Cut>,
        facts: Value,
        interrupted: &AtomicBool,
    ) -> Result<Piece, WorkError>;
}

/// Who tells which rows belong together. Rows of one key must be in one piece, in order.
pub trait Keys {
    /// The keys of a row: none if it is refused whatever others say, and two if it belongs
    /// together with rows that do not belong together themselves.
    fn of(&mut self, chunk: &Chunk, record: &RawRecord) -> [Option<u64>; 2];

    /// What must be known of all rows before any is decided.
    fn facts(&mut self) -> Value {
        Value::Null
    }
}

/// What a range holds.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The keys of its rows, in order and each once.
    pub keys: Vec<u64>,
    /// The key of its first row that has one, and of its last.
    pub ends: Option<(u64, u64)>,
    /// Where the first row stands that has another key than the first: its offset and line.
    pub change: Option<(u64, u64)>,
    /// Whether the first key comes again behind that.
    pub returns: bool,
    /// Why its rows cannot be moved, if they cannot.
    pub held: Option<&'static str>,
    /// What must be known of all rows.
    pub facts: Value,
}

/// Cuts the files into ranges of about so many bytes, which are not numbered yet.
pub fn ranges(job: &dyn Dealt, bytes: u64) -> Result<Vec<LineRange>, WorkError> {
    let (mut all, tables) = (Vec::new(), job.tables());
    for (file, path) in job.paths().iter().enumerate() {
        let mut ranges = chunks::ranges(path, file, bytes, Some(&tables))?;
        if ranges[0].end.is_some() && !job.is_lines(file)? {
            ranges.truncate(1);
            ranges[0].end = None;
        }
        all.extend(ranges);
    }
    Ok(all)
}

/// What a file is: its hash, its length, and how it is read, where it is a table.
pub fn digest(job: &dyn Dealt, file: usize) -> Result<InputDigest, WorkError> {
    let whole = LineRange {
        file,
        start: 0,
        end: None,
        first_line: 1,
    };
    let paths = job.paths();
    let path = &paths[file];
    let is_lines = chunks::ranges(path, file, u64::MAX, Some(&job.tables()))?[0]
        .end
        .is_some();
    if is_lines {
        return Ok(Source::open(path)?.finish()?);
    }
    // How a table is read is known once it has been.
    let mut reader = job.reader(CHUNK_BYTES)?.with_hashed_cut([whole].into());
    while let Some(chunk) = reader.next_chunk()? {
        reader.recycle(chunk);
    }
    let digest = reader.digests().first();
    digest.cloned().ok_or_else(|| {
        let message = format!("{}: changed while it was read", path.display());
        WorkError::BadArtifact(message)
    })
}

/// Looks at every row of a range.
pub fn scan(
    job: &dyn Dealt,
    range: LineRange,
    interrupted: &AtomicBool,
) -> Result<Scanned, WorkError> {
    let mut keys = job.keys()?;
    let mut scanned = Scanned::default();
    if range.end.is_none() {
        if let Some(scanned) = job.scan_document(range, interrupted)? {
            return Ok(scanned);
        }
        scanned.held = Some(NOT_LINES);
    }
    let mut last = None;
    each_row(job, range, interrupted, |chunk, record| {
        let of = keys.of(chunk, record);
        if of.iter().all(Option::is_some) {
            scanned.held = Some("rows without an id stand in several files");
        }
        if record
            .fault
            .is_some_and(|fault| fault.refusal().reason == LINE_TOO_LONG)
        {
            scanned.held = Some("a line is too long to be moved");
        }
        for key in of.into_iter().flatten() {
            // Rows that belong together mostly stand together.
            if last.replace(key) == Some(key) {
                continue;
            }
            scanned.keys.push(key);
            match scanned.ends {
                None => scanned.ends = Some((key, key)),
                Some((first, _)) => {
                    if scanned.change.is_none() {
                        scanned.change = Some((record.offset, record.line));
                    }
                    scanned.returns |= key == first;
                    scanned.ends = Some((first, key));
                }
            }
        }
        Ok(())
    })?;
    scanned.keys.sort_unstable();
    scanned.keys.dedup();
    scanned.facts = keys.facts();
    Ok(scanned)
}

/// Deals the rows of a range out to so many pieces: hands over batches of rows, each with the
/// number of its piece from 0.
pub fn deal(
    job: &dyn Dealt,
    range: LineRange,
    pieces: u32,
    interrupted: &AtomicBool,
    mut give: impl FnMut(u32, RecordBatch) -> Result<(), WorkError>,
) -> Result<(), WorkError> {
    const HELD: usize = 1 << 20;
    let mut keys = job.keys()?;
    let mut waiting: Vec<MovedBatch> = (0..pieces).map(|_| MovedBatch::default()).collect();
    each_row(job, range, interrupted, |chunk, record| {
        let [key, _] = keys.of(chunk, record);
        // What belongs to nobody is the first one's.
        let piece = key.map_or(0, |key| key % u64::from(pieces)) as usize;
        waiting[piece].push(chunk.file, record);
        match waiting[piece].bytes() >= HELD {
            true => give(piece as u32, waiting[piece].take()),
            false => Ok(()),
        }
    })?;
    let mut rest = (0..).zip(&mut waiting);
    rest.try_for_each(|(piece, rows)| give(piece, rows.take()))
}

fn each_row(
    job: &dyn Dealt,
    range: LineRange,
    interrupted: &AtomicBool,
    mut each: impl FnMut(&Chunk, &RawRecord) -> Result<(), WorkError>,
) -> Result<(), WorkError> {
    let cut = Cut {
        rows: Rows::Ranges([range].into()),
        digests: Vec::new(),
    };
    let mut reader = job.reader(CHUNK_BYTES)?.with_cut(cut);
    while let Some(chunk) = reader.next_chunk()? {
        if interrupted.load(Ordering::Relaxed) {
            return Err(WorkError::Interrupted);
        }
        for record in chunk.records() {
            each(&chunk, &record)?;
        }
        reader.recycle(chunk);
    }
    Ok(())
}

/// Moves the cuts between ranges to where the key changes, so that rows that belong and stand
/// together are in one range; says whether rows that belong together still stand in two.
pub fn settle(ranges: &[LineRange], scanned: &mut [Scanned]) -> (Vec<LineRange>, bool) {
    let mut settled: Vec<LineRange> = Vec::new();
    let mut keys: Vec<u64> = Vec::new();
    // The key with which the ranges so far end.
    let mut last = None;
    for (range, scanned) in ranges.iter().zip(scanned) {
        let mut range = *range;
        if let (Some((first, end)), Some(before)) = (scanned.ends, settled.last_mut())
            && last == Some(first)
            && before.file == range.file
            && let (Some(ends), Some(until)) = (&mut before.end, range.end)
        {
            match scanned.change {
                // All of it is the end of what came before.
                None => {
                    *ends = until;
                    continue;
                }
                Some((offset, line)) => {
                    *ends = offset;
                    (range.start, range.first_line) = (offset, line);
                }
            }
            if !scanned.returns {
                scanned.keys.retain(|key| *key != first);
            }
            last = Some(end);
        } else if let Some((_, end)) = scanned.ends {
            last = Some(end);
        }
        keys.append(&mut scanned.keys);
        settled.push(range);
    }
    keys.sort_unstable();
    let meet = keys.windows(2).any(|two| two[0] == two[1]);
    (settled, meet)
}

#[cfg(test)]
#[path = "dealt_tests.rs"]
mod tests;
