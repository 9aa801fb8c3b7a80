//! A run being written. It appears whole or not at all: every file is on disk before the
//! first has its name, and the manifest comes last.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use judica_data::atomic::{AtomicFile, RunFiles};
use judica_data::error::DataError;
use judica_data::json::json_bytes;
use judica_data::parquet::{EncodedRowGroup, Encoder, TableError, TableSchema, TableWriter};
use judica_data::rejects::RejectFile;
use judica_data::work_error::WorkError;
use judica_model::run::MetricSpec;
use judica_model::table::Table;
use serde::Serialize;
use serde_json::Value;

use crate::layout::Layout;
use crate::manifest::{Counts, FileEntry, InputEntry, Manifest, SCHEMA_VERSION, name};

/// Records per row group. It is fixed, so that the bytes do not depend on how records came.
pub const GROUP_ROWS: usize = 65_536;

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

/// A run being written.
pub struct RunWriter {
    spec: RunSpec,
    layout: Arc<Layout>,
    files: RunFiles,
    entries: BTreeMap<String, FileEntry>,
    schema: Arc<TableSchema>,
    encoder: Encoder,
    table: Option<TableWriter<AtomicFile>>,
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
    records: u64,
}

impl RunWriter {
    /// Begins a run in a folder, which is made if need be.
    pub fn create(folder: &Path, spec: RunSpec, layout: Layout) -> Result<RunWriter, WorkError> {
        let files = RunFiles::new(folder)?;
        let target = files.create_bulk(name::RECORDS)?;
        let broken = |error| broken(folder, error);
        let schema = TableSchema::new(layout.schema()).map_err(broken)?;
        let table = TableWriter::new(target, &schema).map_err(broken)?;
        Ok(RunWriter {
            spec,
            layout: Arc::new(layout),
            files,
            entries: BTreeMap::new(),
            schema: Arc::new(schema),
            encoder: Encoder::new(),
            table: Some(table),
            waiting: Vec::new(),
            waiting_rows: 0,
            records: 0,
        })
    }

    /// The columns of its records.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The same as a table, for threads that encode their own row groups.
    pub fn schema(&self) -> &Arc<TableSchema> {
        &self.schema
    }

    /// Where it goes.
    pub fn folder(&self) -> &Path {
        self.files.folder()
    }

    /// Where rows that cannot be used go.
    pub fn rejects(&self) -> PathBuf {
        self.files.folder().join(name::REJECTS)
    }

    /// Appends records. Batches come in the order of the input.
    pub fn append(&mut self, batch: RecordBatch) -> Result<(), WorkError> {
        self.records += batch.num_rows() as u64;
        self.waiting_rows += batch.num_rows();
        self.waiting.push(batch);
        while self.waiting_rows >= GROUP_ROWS {
            self.write_group(GROUP_ROWS)?;
        }
        Ok(())
    }

    /// Writes the first of the waiting records as a row group.
    fn write_group(&mut self, rows: usize) -> Result<(), WorkError> {
        let (mut group, mut wanted) = (Vec::new(), rows);
        let mut waiting = std::mem::take(&mut self.waiting).into_iter();
        while wanted > 0
            && let Some(batch) = waiting.next()
        {
            let taken = batch.num_rows().min(wanted);
            group.push(batch.slice(0, taken));
            wanted -= taken;
            if taken < batch.num_rows() {
                self.waiting
                    .push(batch.slice(taken, batch.num_rows() - taken));
            }
        }
        self.waiting.extend(waiting);
        self.waiting_rows -= rows - wanted;
        let group = concat_batches(self.layout.schema(), &group)
            .map_err(|error| TableError::Spec(error.to_string()))
            .and_then(|group| self.encoder.encode(&self.schema, &group));
        self.put(group)
    }

    fn put(&mut self, group: Result<EncodedRowGroup, TableError>) -> Result<(), WorkError> {
        let put = group.and_then(|group| match &mut self.table {
            Some(table) => table.append(group),
            None => Ok(()),
        });
        put.map_err(|error| broken(self.files.folder(), error))
    }

    /// Appends a row group that a thread has encoded, for a command whose records are large
    /// and whose groups do not depend on how the work was shared out.
    pub fn append_group(&mut self, group: EncodedRowGroup) -> Result<(), WorkError> {
        self.records += group.rows() as u64;
        self.put(Ok(group))
    }

    /// Begins another file of the run; it is to be given back to [`Self::stage`].
    pub fn begin(&self, name: &str) -> Result<AtomicFile, WorkError> {
        Ok(self.files.create_bulk(name)?)
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

    /// Ends the run: gives all files their names, the manifest last.
    pub fn finish<R: Serialize>(mut self, end: RunEnd<R>) -> Result<Manifest, WorkError> {
        if self.waiting_rows > 0 {
            self.write_group(self.waiting_rows)?;
        }
        if let Some(table) = self.table.take() {
            let written = table.finish();
            let file = written.map_err(|error| broken(self.files.folder(), error))?;
            self.stage(file, "records", true)?;
        }
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

fn broken(folder: &Path, error: TableError) -> WorkError {
    let path = folder.join(name::RECORDS);
    WorkError::Data(DataError::writing(
        &path,
        std::io::Error::other(error.to_string()),
    ))
}
