//! A run being written. It appears whole or not at all: every file is on disk before the
//! first has its name, and the manifest comes last.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use judica_data::atomic::{AtomicFile, RunFiles};
use judica_data::error::DataError;
use judica_data::json::json_bytes;
use judica_data::limits::{DEFAULT_LONGEST, longest};
use judica_data::parquet::{EncodedRowGroup, Encoder, TableError, TableSchema, TableWriter};
use judica_data::rejects::RejectFile;
use judica_data::work_error::WorkError;
use judica_model::run::MetricSpec;
use judica_model::table::Table;
use parquet::errors::ParquetError;
use serde::Serialize;
use serde_json::Value;

use crate::layout::Layout;
use crate::manifest::{Counts, FileEntry, InputEntry, Manifest, SCHEMA_VERSION, name};
use crate::pieces::{self, Copied, Part, Piece};

/// The option of the most bytes that a line may have, which is the same for all commands and
/// kept where it is not the usual one.
pub const MAX_LINE: &str = "max_line";

/// What a run is, known before its first record.
#[derive(Debug, Clone)]
pub struct RunSpec {
    /// The command: `match`, `agree pairs` …
    pub command: &'static str,
    /// The command's own options that shape the result.
    pub options: Value,
    /// The metrics of the records.
    pub metrics: Vec<MetricSpec>,
    /// When the run is made.
    pub created_at: String,
}

/// What a run is, known at its end only.
pub struct RunEnd<'a, R: Serialize> {
    /// Every input with its hash.
    pub inputs: Vec<InputEntry>,
    /// Rows given and used, and why others were not; records are counted by the writer.
    pub counts: Counts,
    /// What the command prints with `--json`.
    pub report: &'a R,
    /// The tables that it prints.
    pub tables: &'a [Table],
    /// What could not be used.
    pub rejects: Option<RejectFile>,
    /// What else is needed to get the same records again.
    pub trace: Option<Value>,
}

/// What a piece of a run is, known at its end only.
pub struct PieceEnd {
    /// Every input with its hash, the same in all pieces.
    pub inputs: Vec<InputEntry>,
    /// What went in of inputs that are cut, and what came of it.
    pub counts: Counts,
    /// What was found in inputs that every piece reads whole.
    pub whole: Value,
    /// What was found in the part of inputs that are cut, beyond records and rejects.
    pub cut: Value,
    /// Files that the run keeps.
    pub copied: BTreeMap<String, Copied>,
    /// What could not be used: of inputs that are cut, and of those that every piece reads
    /// whole.
    pub rejects: Vec<RejectFile>,
    /// What else is needed to get the same records again.
    pub trace: Option<Value>,
}

/// A run being written.
pub struct RunWriter {
    part: Option<Part>,
    spec: RunSpec,
    layout: Arc<Layout>,
    files: RunFiles,
    entries: BTreeMap<String, FileEntry>,
    schema: TableSchema,
    encoder: Encoder,
    table: Option<TableWriter<AtomicFile>>,
    groups: Groups,
    records: u64,
    /// Whether records come from pieces as they stand there.
    as_they_stand: bool,
}

/// Batches on their way into row groups of a fixed number of records.
pub struct Groups {
    rows: usize,
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
}

impl Groups {
    /// Nothing waits.
    pub fn new(layout: &Layout) -> Self {
        Groups {
            rows: layout.group_rows,
            waiting: Vec::new(),
            waiting_rows: 0,
        }
    }

    /// Takes a batch, in the order of the input, and gives the groups that are full.
    pub fn push(&mut self, batch: RecordBatch) -> Vec<Vec<RecordBatch>> {
        let mut full = Vec::new();
        let mut rest = batch;
        while self.waiting_rows + rest.num_rows() >= self.rows {
            let taken = self.rows - self.waiting_rows;
            self.waiting.push(rest.slice(0, taken));
            full.push(std::mem::take(&mut self.waiting));
            rest = rest.slice(taken, rest.num_rows() - taken);
            self.waiting_rows = 0;
        }
        if rest.num_rows() > 0 {
            self.waiting_rows += rest.num_rows();
            self.waiting.push(rest);
        }
        full
    }

    /// The last group, which is not full.
    pub fn rest(&mut self) -> Vec<RecordBatch> {
        self.waiting_rows = 0;
        std::mem::take(&mut self.waiting)
    }
}

impl RunWriter {
    /// Begins a run in a folder, which is made if need be.
    pub fn create(folder: &Path, spec: RunSpec, layout: Layout) -> Result<RunWriter, WorkError> {
        RunWriter::begin_as(folder, spec, layout, None)
    }

    /// Begins a run, or a piece of one.
    pub fn begin_as(
        folder: &Path,
        mut spec: RunSpec,
        layout: Layout,
        part: Option<Part>,
    ) -> Result<RunWriter, WorkError> {
        // Another limit refuses other rows. What is put together has that of its pieces.
        if longest() != DEFAULT_LONGEST
            && let Some(options) = spec.options.as_object_mut()
        {
            options.entry(MAX_LINE).or_insert(longest().into());
        }
        let files = match part {
            None => RunFiles::new(folder)?,
            Some(_) => RunFiles::new(&folder.join(pieces::FOLDER))?,
        };
        let target = files.create_bulk(&file(part, name::RECORDS))?;
        let broken = |error| broken(folder, error);
        let schema = TableSchema::new(layout.schema()).map_err(broken)?;
        let table = TableWriter::new(target, &schema).map_err(broken)?;
        Ok(RunWriter {
            part,
            spec,
            groups: Groups::new(&layout),
            layout: Arc::new(layout),
            files,
            entries: BTreeMap::new(),
            schema,
            encoder: Encoder::new(),
            table: Some(table),
            records: 0,
            as_they_stand: false,
        })
    }

    /// The columns of its records.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Where it goes.
    pub fn folder(&self) -> &Path {
        self.files.folder()
    }

    /// Where rows that cannot be used go.
    pub fn rejects(&self) -> PathBuf {
        self.path(name::REJECTS)
    }

    /// Where a file of the run goes.
    pub fn path(&self, name: &str) -> PathBuf {
        self.files.folder().join(file(self.part, name))
    }

    /// Appends records. Batches come in the order of the input.
    pub fn append(&mut self, batch: RecordBatch) -> Result<(), WorkError> {
        let full = self.groups.push(batch);
        full.iter().try_for_each(|group| self.write_group(group))
    }

    /// Appends records that are a row group of their own.
    pub(crate) fn write_group(&mut self, batches: &[RecordBatch]) -> Result<(), WorkError> {
        let group = self.encoder.encode(&self.schema, batches);
        let group = group.map_err(|error| broken(self.files.folder(), error))?;
        self.append_group(group)
    }

    /// Appends a row group that a thread has encoded, for a command whose records are large;
    /// see [`Groups`].
    pub fn append_group(&mut self, group: EncodedRowGroup) -> Result<(), WorkError> {
        self.records += group.rows() as u64;
        let put = match &mut self.table {
            Some(table) => table.append(group),
            None => Ok(()),
        };
        put.map_err(|error| broken(self.files.folder(), error))
    }

    /// Appends the records of a piece as they stand: the bytes of the table are no longer those
    /// of a run in one go.
    pub(crate) fn append_table(&mut self, path: &Path) -> Result<(), WorkError> {
        self.as_they_stand = true;
        if let Some(table) = &mut self.table {
            let rows = table.append_table(path);
            self.records += rows.map_err(|error| broken(self.files.folder(), error))?;
        }
        Ok(())
    }

    /// Begins another file of the run; it is to be given back to [`Self::stage`].
    pub fn begin(&self, name: &str) -> Result<AtomicFile, WorkError> {
        Ok(self.files.create_bulk(&file(self.part, name))?)
    }

    /// Takes a file that is fully written.
    pub fn stage(
        &mut self,
        file: AtomicFile,
        kind: &str,
        reproducible: bool,
    ) -> Result<(), WorkError> {
        self.files.stage(file)?;
        self.list_last(kind, reproducible);
        Ok(())
    }

    /// Lists the file that was staged last.
    fn list_last(&mut self, kind: &str, reproducible: bool) {
        if let Some((name, bytes)) = self.files.lengths().last() {
            let entry = FileEntry {
                kind: kind.to_owned(),
                bytes,
                reproducible,
            };
            self.entries.insert(name, entry);
        }
    }

    /// Adds a small file.
    pub fn add(
        &mut self,
        name: &str,
        kind: &str,
        bytes: &[u8],
        reproducible: bool,
    ) -> Result<(), WorkError> {
        self.files.stage_bytes(name, bytes)?;
        self.list_last(kind, reproducible);
        Ok(())
    }

    fn stage_records(&mut self) -> Result<(), WorkError> {
        let rest = self.groups.rest();
        self.write_group(&rest)?;
        if let Some(table) = self.table.take() {
            let written = table.finish();
            let file = written.map_err(|error| broken(self.files.folder(), error))?;
            self.stage(file, "records", !self.as_they_stand)?;
        }
        Ok(())
    }

    /// Ends a piece: gives its files their names, what says what it is last.
    pub fn finish_piece(mut self, part: Part, mut end: PieceEnd) -> Result<Piece, WorkError> {
        self.stage_records()?;
        for rejects in std::mem::take(&mut end.rejects) {
            if let Some(file) = rejects.into_file() {
                self.stage(file, "rejects", true)?;
            }
        }
        let files = self.entries.into_iter();
        let files: BTreeMap<String, u64> = files.map(|(name, entry)| (name, entry.bytes)).collect();
        for left in [name::REJECTS, pieces::WHOLE_REJECTS] {
            if !files.contains_key(&part.file(left)) {
                self.files.discard(&part.file(left));
            }
        }
        let piece = Piece::new(part, self.spec, files, self.records, end);
        let mut file = self.files.create(&part.file(name::MANIFEST))?;
        let written = file.write_all(&json_bytes(&piece));
        written.map_err(|error| DataError::writing(file.final_path(), error))?;
        self.files.commit(file)?;
        Ok(piece)
    }

    /// Ends the run: gives all files their names, the manifest last.
    pub fn finish<R: Serialize>(mut self, end: RunEnd<R>) -> Result<Manifest, WorkError> {
        self.stage_records()?;
        self.add(name::REPORT, "report", &json_bytes(end.report), true)?;
        // Not forced to disk: the report says the same, and waiting costs more than all else.
        let mut tables = self.begin(name::TABLES)?;
        let written = tables.write_all(&json_bytes(&end.tables));
        written.map_err(|error| DataError::writing(tables.final_path(), error))?;
        self.stage(tables, "tables", true)?;
        if let Some(file) = end.rejects.and_then(RejectFile::into_file) {
            self.stage(file, "rejects", true)?;
        }
        let manifest = Manifest {
            schema_version: SCHEMA_VERSION.to_owned(),
            command: self.spec.command.to_owned(),
            judica_version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: self.spec.created_at,
            inputs: end.inputs,
            options: self.spec.options,
            counts: Counts {
                records: self.records,
                ..end.counts
            },
            metrics: self.spec.metrics,
            files: self.entries,
            trace: end.trace,
        };
        // Nothing in the folder may contradict its manifest: what an earlier run left there
        // goes, and what is no run's stays.
        if let Ok(earlier) = Manifest::read(self.files.folder()) {
            for name in earlier.files.keys() {
                if !manifest.files.contains_key(name) {
                    self.files.discard(name);
                }
            }
        }
        if !manifest.files.contains_key(name::REJECTS) {
            self.files.discard(name::REJECTS);
        }
        let mut file = self.files.create(name::MANIFEST)?;
        let written = file.write_all(&json_bytes(&manifest));
        written.map_err(|error| DataError::writing(file.final_path(), error))?;
        self.files.commit(file)?;
        Ok(manifest)
    }
}

/// What a file of a run is called in it, or in a piece of it.
fn file(part: Option<Part>, name: &str) -> String {
    part.map_or_else(|| name.to_owned(), |part| part.file(name))
}

fn broken(folder: &Path, error: TableError) -> WorkError {
    let path = folder.join(name::RECORDS);
    WorkError::Data(DataError::writing(&path, refusal(error)))
}

/// What the system said, where a table only passes it on.
fn refusal(error: TableError) -> io::Error {
    match error {
        TableError::Io(error) => error,
        TableError::Parquet(ParquetError::External(inner)) => inner
            .downcast::<io::Error>()
            .map_or_else(io::Error::other, |error| *error),
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_with_the_file_once() {
        let full = || DataError::DiskFull {
            path: "run/records.parquet".into(),
        };
        let parquet = ParquetError::External(Box::new(io::Error::from(full())));
        for error in [TableError::Parquet(parquet), TableError::Io(full().into())] {
            let told = broken(Path::new("run"), error).to_string();
            assert_eq!(told.matches("run/records.parquet: disk full").count(), 1);
            assert!(
                !told.contains("External") && !told.contains("cannot write"),
                "{told}"
            );
        }
    }
}
