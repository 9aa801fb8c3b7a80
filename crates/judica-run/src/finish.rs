//! A run made of its pieces: their records in the order of the input, in canonical row
//! groups, and the report that follows from them. The bytes are those of a run in one go.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use arrow_select::interleave::interleave_record_batch;
use judica_data::atomic::AtomicFile;
use judica_data::error::DataError;
use judica_data::fingerprint::fingerprint;
use judica_data::lines::ValueReader;
use judica_data::rejects::{Reject, RejectFile, read_rejects};
use judica_data::work_error::WorkError;
use rustc_hash::FxHashSet;

use crate::family::Family;
use crate::layout::Layout;
use crate::manifest::{Manifest, name};
use crate::open::StoredRecords;
use crate::pieces::{Pieces, WHOLE_REJECTS};
use crate::reproduce::first_differing_byte;
use crate::rows::Rows;
use crate::writer::{Groups, RunSpec, RunWriter};

/// Records of a piece that are held at a time: they may have much evidence.
const BATCH_ROWS: usize = 1024;
/// The file that has one record per line, where a command writes it.
const LINES: &str = "records.jsonl";

/// How a command ends a run whose records come from pieces.
pub trait Ending {
    /// The columns of its records.
    fn layout(&self) -> Layout;

    /// Takes the records of the next row group.
    fn take(&mut self, records: &[RecordBatch], run: &RunWriter) -> Result<(), WorkError>;

    /// Takes what could not be used of inputs that are cut, one after the other.
    fn refuse(&mut self, reject: &Reject) -> Result<(), WorkError>;

    /// Ends the run: makes the report and gives all files their names. `rejects` holds what
    /// could not be used. Says what is to be told of inputs of which nothing could be used.
    fn end(
        self: Box<Self>,
        run: RunWriter,
        pieces: &Pieces,
        rejects: RejectFile,
    ) -> Result<(Manifest, Vec<String>), WorkError>;
}

/// A run that was made of pieces.
#[derive(Debug)]
pub struct Finished {
    /// Its manifest, as written.
    pub manifest: Manifest,
    /// How many pieces there were.
    pub pieces: usize,
    /// What is to be said about inputs of which nothing could be used.
    pub unused: Vec<String>,
}

/// Makes a run of the pieces in its folder, and removes them, unless they are to be kept.
/// `threads` share the work; the result does not depend on it.
///
/// # Errors
/// A piece is missing, damaged, or of another run than the others. Then the pieces are left
/// as they were.
pub fn finish(
    families: &[&Family],
    folder: &Path,
    keep_pieces: bool,
    threads: usize,
    interrupted: &AtomicBool,
) -> Result<Finished, WorkError> {
    let pieces = Pieces::read(folder)?;
    let common = pieces.common();
    let command = |family: &&&Family| family.command == common.command;
    let found = families.iter().find(command);
    let begin = found.and_then(|family| Some((family.command, family.finish?)));
    let Some((command, begin)) = begin else {
        return Err(WorkError::BadArtifact(format!(
            "{}: pieces of the command `{}`, of which this program makes no run",
            folder.display(),
            common.command
        )));
    };
    let mut ending = begin(&pieces, threads)?;
    let spec = RunSpec {
        command,
        options: common.options.clone(),
        metrics: common.metrics.clone(),
        created_at: pieces.created_at(),
    };
    let mut run = RunWriter::create(folder, spec, ending.layout())?;
    let lines = records(&pieces, &mut run, ending.as_mut(), interrupted)?;
    if let Some(lines) = lines {
        run.stage(lines, "records", true)?;
    }
    let rejects = rejects(&pieces, &run, ending.as_mut())?;
    for (name, copied) in &common.copied {
        run.add(name, &copied.kind, copied.text.as_bytes(), true)?;
    }
    let (manifest, unused) = ending.end(run, &pieces, rejects)?;
    if !keep_pieces {
        pieces.remove();
    }
    Ok(Finished {
        manifest,
        pieces: pieces.list().len(),
        unused,
    })
}

/// Where a record stands: the number of its input, the line, and the byte.
type Place = (usize, i64, i64);

/// Writes the records of all pieces in their order. Gives the file of lines, if there is one.
fn records(
    pieces: &Pieces,
    run: &mut RunWriter,
    ending: &mut dyn Ending,
    interrupted: &AtomicBool,
) -> Result<Option<AtomicFile>, WorkError> {
    let layout = run.layout().clone();
    let mut tables = Vec::new();
    for piece in pieces.list() {
        let path = pieces.file(piece, name::RECORDS).unwrap_or_default();
        let table = StoredRecords::open(&path)?;
        let expected = layout.schema().fields().iter().map(|field| field.name());
        if !table.columns().into_iter().eq(expected) || table.len() != piece.counts.records {
            return Err(WorkError::BadArtifact(format!(
                "{}: not the records of its piece: other columns, or another number of them",
                path.display()
            )));
        }
        tables.push(match layout.words {
            Some(_) => table.with_numbered_words(&[])?,
            None => table,
        });
    }
    let mut lines = Lines::new(pieces, run)?;
    let mut cursors = Vec::new();
    let mut heap = BinaryHeap::new();
    for (at, table) in tables.iter().enumerate() {
        let mut cursor = Cursor {
            batches: Box::new(table.in_batches_of(BATCH_ROWS)?),
            batch: table.no_records(),
            places: Vec::new(),
            row: 0,
        };
        if let Some(place) = cursor.next(pieces, at)? {
            heap.push(Reverse((place, at)));
        }
        cursors.push(cursor);
    }
    let mut merged = Merged {
        pieces,
        groups: Groups::new(&layout),
        run,
        ending,
        layout: &layout,
        keys: FxHashSet::default(),
        last: None,
    };
    let mut rows: Vec<(usize, usize)> = Vec::new();
    while let Some(Reverse((place, at))) = heap.pop() {
        merged.follows(place, at)?;
        rows.push((at, cursors[at].row));
        lines.copy(at)?;
        if cursors[at].is_last() {
            // What was chosen so far points into batches that are about to go.
            if interrupted.load(Ordering::Relaxed) {
                return Err(WorkError::Interrupted);
            }
            merged.write(&cursors, &rows)?;
            rows.clear();
        }
        if let Some(next) = cursors[at].next(pieces, at)? {
            heap.push(Reverse((next, at)));
        }
    }
    merged.write(&cursors, &rows)?;
    let rest = merged.groups.rest();
    merged.group(&rest)?;
    lines.finish()
}

/// A piece being read.
struct Cursor<'t> {
    batches: Box<dyn Iterator<Item = Result<RecordBatch, WorkError>> + 't>,
    batch: RecordBatch,
    /// Where its records stand.
    places: Vec<Place>,
    row: usize,
}

impl Cursor<'_> {
    fn is_last(&self) -> bool {
        self.row + 1 >= self.places.len()
    }

    /// Goes to the next record, and says where it stands.
    fn next(&mut self, pieces: &Pieces, at: usize) -> Result<Option<Place>, WorkError> {
        self.row += 1;
        while self.row >= self.places.len() {
            let Some(batch) = self.batches.next() else {
                return Ok(None);
            };
            self.batch = batch?;
            self.places = places(&self.batch, pieces, at)?;
            self.row = 0;
        }
        Ok(Some(self.places[self.row]))
    }
}

/// Where the records of a batch stand.
fn places(batch: &RecordBatch, pieces: &Pieces, at: usize) -> Result<Vec<Place>, WorkError> {
    let rows = Rows::new(batch);
    let mut last: Option<(String, usize)> = None;
    let places = (0..batch.num_rows()).map(|row| {
        let place = rows.place(row)?;
        let input = match &last {
            Some((name, input)) if name == place.file => *input,
            _ => {
                let mut inputs = pieces.common().inputs.iter();
                inputs.position(|input| input.path == place.file)?
            }
        };
        last = Some((place.file.to_owned(), input));
        Some((input, place.line as i64, place.offset.unwrap_or(0) as i64))
    });
    places.collect::<Option<_>>().ok_or_else(|| {
        let path = pieces.file(&pieces.list()[at], name::RECORDS);
        WorkError::BadArtifact(format!(
            "{}: holds a record of an input that the run does not have",
            path.unwrap_or_default().display()
        ))
    })
}

/// The run as far as it is written.
struct Merged<'m> {
    pieces: &'m Pieces,
    groups: Groups,
    run: &'m mut RunWriter,
    ending: &'m mut dyn Ending,
    layout: &'m Layout,
    /// Fingerprints of the keys so far.
    keys: FxHashSet<u128>,
    /// Where the last record stands, and in which piece.
    last: Option<(Place, usize)>,
}

impl Merged<'_> {
    /// Each record stands behind the one before.
    fn follows(&mut self, place: Place, at: usize) -> Result<(), WorkError> {
        if let Some((before, other)) = self.last.replace((place, at))
            && place <= before
        {
            let [one, two] = [other, at].map(|at| self.pieces.list()[at].part);
            return Err(WorkError::BadArtifact(match other == at {
                true => format!(
                    "{}: the records of part {two} are not in the order of the input",
                    self.pieces.folder.display()
                ),
                false => format!(
                    "{}: part {one} and part {two} both hold line {} of {}",
                    self.pieces.folder.display(),
                    place.1,
                    self.pieces.common().inputs[place.0].path
                ),
            }));
        }
        Ok(())
    }

    fn write(&mut self, cursors: &[Cursor], rows: &[(usize, usize)]) -> Result<(), WorkError> {
        if rows.is_empty() {
            return Ok(());
        }
        let odd = |what: String| {
            WorkError::BadArtifact(format!("{}: {what}", self.pieces.folder.display()))
        };
        let batches: Vec<&RecordBatch> = cursors.iter().map(|cursor| &cursor.batch).collect();
        let batch = interleave_record_batch(&batches, rows).map_err(|e| odd(e.to_string()))?;
        let batch = self.layout.numbered(batch).map_err(odd)?;
        let (names, mut key) = (Rows::new(&batch), Vec::new());
        for row in 0..names.len() {
            key.clear();
            for name in names.names(row) {
                key.extend_from_slice(name.as_bytes());
                // No text holds this byte.
                key.push(0xff);
            }
            key.extend_from_slice(&names.epoch(row).to_le_bytes());
            let low = u128::from(fingerprint(&key));
            key.push(0xff);
            if !self.keys.insert(u128::from(fingerprint(&key)) << 64 | low) {
                let [_, item, subject] = names.names(row);
                return Err(odd(format!(
                    "two pieces hold a record of item {item} of {subject}; all outputs of one \
                     subject and data set belong into one piece"
                )));
            }
        }
        let full = self.groups.push(batch);
        full.iter().try_for_each(|group| self.group(group))
    }

    fn group(&mut self, group: &[RecordBatch]) -> Result<(), WorkError> {
        self.run.write_group(group)?;
        self.ending.take(group, self.run)
    }
}

/// Records as lines, where pieces have them: each comes with its record.
struct Lines {
    target: Option<AtomicFile>,
    readers: Vec<BufReader<File>>,
    line: Vec<u8>,
}

impl Lines {
    fn new(pieces: &Pieces, run: &RunWriter) -> Result<Self, WorkError> {
        let paths = pieces.list().iter().map(|piece| pieces.file(piece, LINES));
        let paths: Option<Vec<_>> = paths.collect();
        let mut readers = Vec::new();
        for path in paths.iter().flatten() {
            let file = File::open(path).map_err(|error| DataError::reading(path, error))?;
            readers.push(BufReader::with_capacity(1 << 16, file));
        }
        let target = paths.map(|_| run.begin(LINES)).transpose()?;
        Ok(Lines {
            target,
            readers,
            line: Vec::new(),
        })
    }

    /// Copies the next line of a piece.
    fn copy(&mut self, piece: usize) -> Result<(), WorkError> {
        let Some(target) = &mut self.target else {
            return Ok(());
        };
        self.line.clear();
        let read = self.readers[piece].read_until(b'\n', &mut self.line);
        read.map_err(|error| DataError::writing(target.final_path(), error))?;
        let written = target.write_all(&self.line);
        written.map_err(|error| DataError::writing(target.final_path(), error))?;
        Ok(())
    }

    fn finish(self) -> Result<Option<AtomicFile>, WorkError> {
        Ok(self.target)
    }
}

/// What could not be used: of inputs that every piece reads whole once, then of the others in
/// the order of the input.
fn rejects(
    pieces: &Pieces,
    run: &RunWriter,
    ending: &mut dyn Ending,
) -> Result<RejectFile, WorkError> {
    let mut all = RejectFile::new(&run.rejects());
    let mut whole = pieces
        .list()
        .iter()
        .map(|piece| pieces.file(piece, WHOLE_REJECTS));
    if let Some(first) = whole.next() {
        for other in whole {
            let same = match (&first, &other) {
                (None, None) => true,
                (Some(one), Some(other)) => first_differing_byte(one, other)?.is_none(),
                _ => false,
            };
            if !same {
                return Err(WorkError::BadArtifact(format!(
                    "{}: the pieces do not agree on what could not be used of inputs that each \
                     of them reads whole",
                    pieces.folder.display()
                )));
            }
        }
        if let Some(path) = first {
            for reject in read_rejects(&path)? {
                all.write(&reject?)?;
            }
        }
    }
    let mut readers: Vec<ValueReader<Reject>> = Vec::new();
    for piece in pieces.list() {
        if let Some(path) = pieces.file(piece, name::REJECTS) {
            readers.push(read_rejects(&path)?);
        }
    }
    let place = |reject: &Reject| {
        let mut inputs = pieces.common().inputs.iter();
        (
            inputs.position(|input| input.path == reject.file),
            reject.byte_offset,
            // Of a table that is no text all rows begin where it does.
            reject.line,
        )
    };
    let mut waiting: Vec<Option<Reject>> = Vec::new();
    for reader in &mut readers {
        waiting.push(reader.next().transpose()?);
    }
    loop {
        let there = waiting.iter().enumerate();
        let there = there.filter_map(|(at, reject)| Some((place(reject.as_ref()?), at)));
        let Some((_, at)) = there.min() else {
            return Ok(all);
        };
        if let Some(reject) = waiting[at].take() {
            all.write(&reject)?;
            ending.refuse(&reject)?;
        }
        waiting[at] = readers[at].next().transpose()?;
    }
}
