//! A run made of its pieces: their records in the order of the input, in canonical row
//! groups, and the report that follows from them. The bytes are those of a run in one go.

mod as_they_stand;
mod columns;
mod lines;
mod merge;
mod order;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::RecordBatch;
use judica_data::atomic::AtomicFile;
use judica_data::lines::ValueReader;
use judica_data::ordered::{self, Told, Workers};
use judica_data::parquet::{Encoder, TableError, TableSchema, TableWriter};
use judica_data::rejects::{Reject, RejectFile, read_rejects};
use judica_data::work_error::WorkError;

use crate::family::Family;
use crate::layout::{Layout, head};
use crate::manifest::{Manifest, name};
use crate::open::StoredRecords;
use crate::pieces::{Pieces, WHOLE_REJECTS};
use crate::reproduce::first_differing_byte;
use crate::writer::{RunSpec, RunWriter};
pub use columns::{Columns, odd};
use lines::Lines;
use merge::Merge;

/// How a command ends a run whose records come from pieces.
pub trait Ending: Send {
    /// The columns of its records.
    fn layout(&self) -> Layout;

    /// The columns that it counts: no evidence, and no texts.
    fn columns(&self) -> Vec<String> {
        let layout = self.layout();
        let names = layout.schema().fields().iter().map(|field| field.name());
        let counts = |name: &&String| *name != head::EVIDENCE;
        names.filter(counts).cloned().collect()
    }

    /// Counts the next records.
    fn take(&mut self, records: &[RecordBatch]) -> Result<(), WorkError>;

    /// A table that follows from the records, where the run has one.
    fn derived(&self) -> Option<Derived> {
        None
    }

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

/// A table that follows from the records.
pub struct Derived {
    /// Its file.
    pub file: &'static str,
    /// What it is.
    pub kind: &'static str,
    /// Its columns.
    pub schema: Arc<TableSchema>,
    /// Its rows, of some records.
    pub rows: fn(&RecordBatch) -> Result<RecordBatch, TableError>,
}

/// How a run is made of its pieces.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// Whether the pieces stay.
    pub keep_pieces: bool,
    /// Whether the records of pieces that stand one behind the other are taken as they stand:
    /// they equal those of a run in one go, and their bytes do not.
    pub as_they_stand: bool,
    /// Who shares the work; the result does not depend on it.
    pub threads: usize,
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

/// Makes a run of the pieces in its folder; `told` counts records.
///
/// # Errors
/// A piece is missing, damaged, or of another run than the others. Then the pieces are left
/// as they were.
pub fn finish(
    families: &[&Family],
    folder: &Path,
    how: How,
    told: &Told,
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
    let mut ending = begin(&pieces, how.threads)?;
    let spec = RunSpec {
        command,
        options: common.options.clone(),
        metrics: common.metrics.clone(),
        created_at: pieces.created_at(),
    };
    let mut run = RunWriter::create(folder, spec, ending.layout())?;
    let layout = run.layout().clone();
    let tables = merge::tables(&pieces, &layout)?;
    let lines = Lines::new(&pieces, &run)?;
    let derived = ending.derived();
    let other = match &derived {
        Some(derived) => Some(TableWriter::new(run.begin(derived.file)?, &derived.schema)?),
        None => None,
    };
    let mut made = Made {
        pieces: &pieces,
        run: &mut run,
        derived: derived.as_ref(),
        other,
        ending: ending.as_mut(),
        records: 0,
        told,
        workers: Workers {
            threads: how.threads,
            interrupted,
        },
    };
    let lines = match how.as_they_stand {
        true => made.take_as_they_stand(&tables, lines)?,
        false => made.merge(&layout, tables, lines)?,
    };
    let other = made.other.take();
    if let Some(lines) = lines {
        run.stage(lines, "records", true)?;
    }
    if let (Some(other), Some(derived)) = (other, derived) {
        run.stage(other.finish()?, derived.kind, !how.as_they_stand)?;
    }
    let rejects = rejects(&pieces, &run, ending.as_mut())?;
    for (name, copied) in &common.copied {
        run.add(name, &copied.kind, copied.text.as_bytes(), true)?;
    }
    let (manifest, unused) = ending.end(run, &pieces, rejects)?;
    if !how.keep_pieces {
        pieces.remove();
    }
    Ok(Finished {
        manifest,
        pieces: pieces.list().len(),
        unused,
    })
}

/// A run as far as it is made.
struct Made<'m> {
    pieces: &'m Pieces,
    run: &'m mut RunWriter,
    /// What follows from the records, and how far it is written.
    derived: Option<&'m Derived>,
    other: Option<TableWriter<AtomicFile>>,
    ending: &'m mut dyn Ending,
    /// How many records it has.
    records: u64,
    told: &'m Told<'m>,
    workers: Workers<'m>,
}

impl Made<'_> {
    /// Puts the records of all pieces in order, into groups of the size that they have in a run
    /// in one go.
    fn merge(
        &mut self,
        layout: &Layout,
        tables: Vec<StoredRecords>,
        lines: Lines,
    ) -> Result<Option<AtomicFile>, WorkError> {
        let tables: Vec<StoredRecords> = match layout.words {
            Some(_) => {
                let numbered = tables.iter().map(|table| table.with_numbered_words(&[]));
                numbered.collect::<Result<_, _>>()?
            }
            None => tables,
        };
        let mut merge = Merge::new(self.pieces, layout, &tables, lines)?;
        let schema = TableSchema::new(layout.schema())?;
        let (workers, derived) = (self.workers, self.derived);
        let pieces = self.pieces.list().iter();
        let all: u64 = pieces.map(|piece| piece.counts.records).sum();
        ordered::run(
            workers,
            |_| merge.next(),
            self,
            || Ok(Encoder::new()),
            |encoder, group, way| {
                let records = encoder.encode(&schema, group).map_err(WorkError::from)?;
                let other = derived.map(|derived| {
                    let rows: Result<Vec<_>, _> = group.iter().map(derived.rows).collect();
                    encoder.encode(&derived.schema, &rows?)
                });
                let other = other.transpose().map_err(WorkError::from)?;
                way.pass(|made| {
                    made.records += records.rows() as u64;
                    (made.told)(made.records, Some(all));
                    made.run.append_group(records)?;
                    if let (Some(table), Some(other)) = (&mut made.other, other) {
                        table.append(other)?;
                    }
                    made.ending.take(group)
                })
            },
        )?;
        Ok(merge.into_lines().into_file())
    }

    /// Takes the records of pieces that stand one behind the other as they stand.
    fn take_as_they_stand(
        &mut self,
        tables: &[StoredRecords],
        mut lines: Lines,
    ) -> Result<Option<AtomicFile>, WorkError> {
        as_they_stand::count(self.pieces, tables, self.ending, self.workers)?;
        for (at, piece) in self.pieces.list().iter().enumerate() {
            let file = |name: &str| self.pieces.file(piece, name).unwrap_or_default();
            self.run.append_table(&file(name::RECORDS))?;
            lines.copy_all(at)?;
            if let (Some(table), Some(derived)) = (&mut self.other, self.derived) {
                table.append_table(&file(derived.file))?;
            }
        }
        Ok(lines.into_file())
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
