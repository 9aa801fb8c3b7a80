//! A run, opened: its manifest, and its records column by column.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, SchemaRef};
use judica_data::guarded::{Guarded, guarded};
use judica_data::parquet::read_footer;
use judica_data::work_error::WorkError;
use judica_model::table::Table;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
    RowSelector,
};
use parquet::basic::Encoding;
use parquet::file::metadata::ParquetStatisticsPolicy;
use parquet::file::reader::Length;
use serde_json::Value;

use crate::layout::{head, head_fields, readable, with_numbered_words};
use crate::manifest::{Manifest, name, read_plain};
use crate::pages::Pages;

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

/// The table of records of a run, or another table of its rows.
#[derive(Clone)]
pub struct StoredRecords {
    path: PathBuf,
    file: Pages,
    metadata: ArrowReaderMetadata,
}

/// What is read of a table.
#[derive(Default)]
pub(crate) struct Wanted<'w> {
    /// The columns; all, if none is named.
    pub columns: &'w [&'w str],
    /// Of evidence only these.
    pub evidence: &'w [&'w str],
    /// The row groups; all, if none is said.
    pub groups: Option<Vec<usize>>,
    /// The rows of them; all, if none is said.
    pub rows: Option<RowSelection>,
    /// How many are held at a time.
    pub batch_rows: Option<usize>,
}

impl StoredRecords {
    pub(crate) fn open(path: &Path) -> Result<Self, WorkError> {
        Self::open_table(path, &head_fields())
    }

    /// A table that has these columns.
    pub(crate) fn open_table(path: &Path, fields: &[Field]) -> Result<Self, WorkError> {
        let wrong = |what: String| WorkError::BadArtifact(format!("{}: {what}", path.display()));
        let file = File::open(path).and_then(Pages::new);
        let file = file.map_err(|error| wrong(error.to_string()))?;
        // Nobody asks for what columns hold at most, of which there are many in a long table.
        let nothing = ParquetStatisticsPolicy::SkipAll;
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_column_stats_policy(nothing.clone())
            .with_size_stats_policy(nothing.clone())
            .with_encoding_stats_policy(nothing);
        let metadata = guarded(|| read_footer(&file, options))
            .map_err(|error| wrong(format!("not a Parquet file of records: {error}")))?;
        // The reader takes the footer at its word, and ends the program if it cannot be true.
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
            let mut encodings = chunk.encodings();
            let numbered = encodings.any(|encoding| encoding == Encoding::RLE_DICTIONARY);
            let has_words = !numbered || chunk.dictionary_page_offset().is_some();
            has_words
                && pages.into_iter().flatten().all(|start| {
                    let end = start.checked_add(chunk.compressed_size());
                    start >= 0 && chunk.compressed_size() >= 0 && end.is_some()
                })
                && chunk.byte_range().0 + chunk.byte_range().1 <= file.len()
        });
        let groups = metadata.metadata().row_groups();
        let rows = groups.iter().map(|group| group.num_rows());
        let rows = rows.map(|rows| u64::try_from(rows).ok());
        let rows: Option<u64> = rows
            .into_iter()
            .try_fold(0_u64, |sum, rows| sum.checked_add(rows?));
        let told = u64::try_from(metadata.metadata().file_metadata().num_rows()).ok();
        if !sound || rows.is_none() || rows != told {
            return Err(wrong(
                "not a Parquet file of records: its footer is damaged".to_owned(),
            ));
        }
        for expected in fields {
            let found = metadata.schema().field_with_name(expected.name());
            let fits = found.is_ok_and(|found| readable(found.data_type(), expected.data_type()));
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

    /// The same, words of evidence and of these columns by their numbers: there are few of
    /// them, and many atoms and records.
    pub(crate) fn with_numbered_words(&self, columns: &[&str]) -> Result<Self, WorkError> {
        let schema = Arc::new(with_numbered_words(self.metadata.schema(), columns));
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_schema(schema);
        let metadata = ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options);
        Ok(StoredRecords {
            metadata: metadata.map_err(|error| self.wrong(error))?,
            ..self.clone()
        })
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
        let fields = self.schema().fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// The columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// A batch of all columns and no record.
    pub(crate) fn no_records(&self) -> RecordBatch {
        RecordBatch::new_empty(self.metadata.schema().clone())
    }

    /// The rows of each row group.
    pub(crate) fn groups(&self) -> Vec<Range<u64>> {
        let mut start = 0;
        let groups = self.metadata.metadata().row_groups().iter();
        let groups = groups.map(|group| {
            let rows = start..start + u64::try_from(group.num_rows()).unwrap_or(0);
            start = rows.end;
            rows
        });
        groups.collect()
    }

    /// How many bytes a column has, as its footer says.
    pub(crate) fn bytes_of(&self, column: &str) -> u64 {
        let groups = self.metadata.metadata().row_groups().iter();
        let chunks = groups.flat_map(|group| group.columns());
        let chunks = chunks.filter(|chunk| chunk.column_path().parts() == [column]);
        let bytes = chunks.map(|chunk| u64::try_from(chunk.uncompressed_size()).unwrap_or(0));
        bytes.fold(0, u64::saturating_add)
    }

    /// Batches of some columns (all, if none is named), in order.
    pub fn batches(
        &self,
        columns: &[&str],
    ) -> Result<impl Iterator<Item = Result<RecordBatch, WorkError>> + use<'_>, WorkError> {
        self.read(Wanted {
            columns,
            ..Wanted::default()
        })
    }

    /// All columns in batches of so many records, in order.
    pub fn in_batches_of(
        &self,
        rows: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, WorkError>> + use<'_>, WorkError> {
        self.read(Wanted {
            batch_rows: Some(rows),
            ..Wanted::default()
        })
    }

    /// Some columns of the rows at these places, which are in ascending order.
    pub fn rows(&self, columns: &[&str], places: &[u64]) -> Result<Vec<RecordBatch>, WorkError> {
        let mut groups = Vec::new();
        let mut selectors = Vec::new();
        let mut rest = places;
        for (at, group) in self.groups().into_iter().enumerate() {
            let (here, behind) = rest.split_at(rest.partition_point(|place| *place < group.end));
            rest = behind;
            if here.is_empty() {
                continue;
            }
            groups.push(at);
            let mut next = group.start;
            for place in here {
                selectors.push(RowSelector::skip((place - next) as usize));
                selectors.push(RowSelector::select(1));
                next = place + 1;
            }
            selectors.push(RowSelector::skip((group.end - next) as usize));
        }
        self.read(Wanted {
            columns,
            groups: Some(groups),
            rows: Some(RowSelection::from(selectors)),
            ..Wanted::default()
        })?
        .collect()
    }

    /// Batches of what is wanted.
    pub(crate) fn read(
        &self,
        wanted: Wanted,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, WorkError>> + use<'_>, WorkError> {
        let file = self.file.clone();
        let mut builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                .with_batch_size(wanted.batch_rows.unwrap_or(BATCH_ROWS));
        if !wanted.columns.is_empty() {
            let schema = self.metadata.metadata().file_metadata().schema_descr();
            let is_wanted = |path: &[String]| {
                let [root, .., part] = path else {
                    return path
                        .iter()
                        .all(|name| wanted.columns.contains(&name.as_str()));
                };
                let whole = root != head::EVIDENCE || wanted.evidence.is_empty();
                wanted.columns.contains(&root.as_str())
                    && (whole || wanted.evidence.contains(&part.as_str()))
            };
            let leaves = schema.columns().iter().enumerate();
            let leaves = leaves.filter(|(_, leaf)| is_wanted(leaf.path().parts()));
            let leaves = leaves.map(|(at, _)| at);
            builder = builder.with_projection(ProjectionMask::leaves(schema, leaves));
        }
        if let Some(groups) = wanted.groups {
            builder = builder.with_row_groups(groups);
        }
        if let Some(rows) = wanted.rows {
            builder = builder.with_row_selection(rows);
        }
        let reader = guarded(|| builder.build()).map_err(|error| self.wrong(error))?;
        Ok(Guarded(reader).map(|batch| batch.map_err(|error| self.wrong(error))))
    }

    fn wrong(&self, what: impl std::fmt::Display) -> WorkError {
        WorkError::BadArtifact(format!("{}: {what}", self.path.display()))
    }
}
