//! A run, opened: its manifest, and its records column by column.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use judica_data::work_error::WorkError;
use judica_model::table::Table;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
    RowSelector,
};
use serde_json::Value;

use crate::layout::{head_fields, with_numbered_words};
use crate::manifest::{Manifest, name, read_plain};

/// Records that are held at a time.
const BATCH_ROWS: usize = 16_384;

/// A finished run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its folder.
    pub path: PathBuf,
    /// What it was made of.
    pub manifest: Manifest,
}

impl Run {
    /// Opens a run folder.
    pub fn open(path: &Path) -> Result<Run, WorkError> {
        let manifest = Manifest::read(path)?;
        let run = Run {
            path: path.to_owned(),
            manifest,
        };
        for (name, entry) in &run.manifest.files {
            let path = run.path.join(name);
            let wrong =
                |what: String| WorkError::BadArtifact(format!("{}: {what}", path.display()));
            let found = match std::fs::metadata(&path) {
                Ok(found) if found.is_file() => found,
                Ok(_) => return Err(wrong("not a file".to_owned())),
                Err(_) => return Err(wrong("listed in the manifest, but not there".to_owned())),
            };
            if found.len() != entry.bytes {
                return Err(wrong(format!(
                    "{} bytes long, but {} were written; the run is damaged",
                    found.len(),
                    entry.bytes
                )));
            }
        }
        Ok(run)
    }

    /// A file of the run, if it has it.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let has = self.manifest.files.contains_key(name);
        has.then(|| self.path.join(name))
    }

    /// The report as it was written.
    pub fn report(&self) -> Result<Value, WorkError> {
        self.json(name::REPORT)
    }

    /// The tables that the command printed.
    pub fn tables(&self) -> Result<Vec<Table>, WorkError> {
        self.json(name::TABLES)
    }

    fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, WorkError> {
        let path = self.path.join(name);
        serde_json::from_slice(&read_plain(&path)?)
            .map_err(|error| WorkError::BadArtifact(format!("{}: {error}", path.display())))
    }

    /// The records.
    pub fn records(&self) -> Result<StoredRecords, WorkError> {
        StoredRecords::open(&self.path.join(name::RECORDS))
    }
}

/// The table of records of a run.
pub struct StoredRecords {
    path: PathBuf,
    file: File,
    metadata: ArrowReaderMetadata,
}

impl StoredRecords {
    pub(crate) fn open(path: &Path) -> Result<Self, WorkError> {
        let wrong = |what: String| WorkError::BadArtifact(format!("{}: {what}", path.display()));
        let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::load(&file, options)
            .map_err(|error| wrong(format!("not a Parquet file of records: {error}")))?;
        // The reader takes the footer at its word, and ends the program if it cannot be true.
        let length = file.metadata().map_or(0, |file| file.len());
        let mut chunks = metadata
            .metadata()
            .row_groups()
            .iter()
            .flat_map(|g| g.columns());
        let sound = chunks.all(|chunk| {
            let pages = [
                Some(chunk.data_page_offset()),
                chunk.dictionary_page_offset(),
            ];
            pages.into_iter().flatten().all(|start| {
                let end = start.checked_add(chunk.compressed_size());
                start >= 0 && chunk.compressed_size() >= 0 && end.is_some()
            }) && chunk.byte_range().0 + chunk.byte_range().1 <= length
        });
        if !sound {
            return Err(wrong(
                "not a Parquet file of records: its footer is damaged".to_owned(),
            ));
        }
        for expected in head_fields() {
            let found = metadata.schema().field_with_name(expected.name());
            let fits =
                found.is_ok_and(|found| found.data_type().equals_datatype(expected.data_type()));
            if !fits {
                return Err(wrong(format!(
                    "not the records of a run: the column `{}` is not there, or is of another \
                     type",
                    expected.name()
                )));
            }
        }
        Ok(StoredRecords {
            path: path.to_owned(),
            file,
            metadata,
        })
    }

    /// The same, words of evidence by their numbers: there are few of them, and many atoms.
    pub(crate) fn with_numbered_words(mut self) -> Result<Self, WorkError> {
        let schema = Arc::new(with_numbered_words(self.metadata.schema()));
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_schema(schema);
        let metadata = ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options);
        self.metadata = metadata
            .map_err(|error| WorkError::BadArtifact(format!("{}: {error}", self.path.display())))?;
        Ok(self)
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        let rows = self.metadata.metadata().file_metadata().num_rows();
        u64::try_from(rows).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of all columns, in order.
    pub fn columns(&self) -> Vec<&str> {
        let fields = self.metadata.schema().fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// A batch of all columns and no record.
    pub(crate) fn no_records(&self) -> RecordBatch {
        RecordBatch::new_empty(self.metadata.schema().clone())
    }

    /// Batches of some columns (all, if none is named), in order.
    pub fn batches(
        &self,
        columns: &[&str],
    ) -> Result<impl Iterator<Item = Result<RecordBatch, WorkError>> + use<'_>, WorkError> {
        self.select(columns, None, BATCH_ROWS)
    }

    /// All columns in batches of so many records, in order.
    pub fn in_batches_of(
        &self,
        rows: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, WorkError>> + use<'_>, WorkError> {
        self.select(&[], None, rows)
    }

    /// The rows at these places, which are in ascending order.
    pub fn rows(&self, places: &[usize]) -> Result<Vec<RecordBatch>, WorkError> {
        let mut selectors = Vec::new();
        let mut next = 0;
        for place in places {
            selectors.push(RowSelector::skip(place - next));
            selectors.push(RowSelector::select(1));
            next = place + 1;
        }
        self.select(&[], Some(RowSelection::from(selectors)), BATCH_ROWS)?
            .collect()
    }

    fn select(
        &self,
        columns: &[&str],
        rows: Option<RowSelection>,
        batch_rows: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, WorkError>> + use<'_>, WorkError> {
        let wrong =
            |what: String| WorkError::BadArtifact(format!("{}: {what}", self.path.display()));
        let file = self
            .file
            .try_clone()
            .map_err(|error| wrong(error.to_string()))?;
        let mut builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                .with_batch_size(batch_rows);
        if !columns.is_empty() {
            let schema = self.metadata.metadata().file_metadata().schema_descr();
            let roots = self.metadata.schema().fields().iter().enumerate();
            let wanted = roots
                .filter(|(_, field)| columns.contains(&field.name().as_str()))
                .map(|(at, _)| at);
            builder = builder.with_projection(ProjectionMask::roots(schema, wanted));
        }
        if let Some(rows) = rows {
            builder = builder.with_row_selection(rows);
        }
        let reader = builder.build().map_err(|error| wrong(error.to_string()))?;
        Ok(reader.map(move |batch| batch.map_err(|error| wrong(error.to_string()))))
    }
}
