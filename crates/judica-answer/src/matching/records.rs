//! Records in the order of the input: for a run, for what is asked of them, or both.

use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use arrow_select::filter::filter_record_batch;
use judica_data::error::DataError;
use judica_data::work_error::WorkError;
use judica_run::writer::RunWriter;
use tempfile::SpooledTempFile;

use super::record::REPEATED;
use super::sections::Kept;
use super::waiting::Waiting;

pub(super) struct Records {
    takers: Takers,
    waiting: Waiting,
    /// A file of the folder where things wait.
    beside: PathBuf,
}

/// Who takes records.
struct Takers {
    run: Option<RunWriter>,
    kept: Option<Kept>,
}

impl Takers {
    fn take(&mut self, batch: RecordBatch) -> Result<(), WorkError> {
        if let Some(kept) = &mut self.kept {
            kept.take(&batch)?;
        }
        match &mut self.run {
            Some(run) => run.append(batch),
            None => Ok(()),
        }
    }
}

impl Records {
    /// Records for a run, or for what is asked; they wait in the folder of `beside`.
    pub fn new(run: Option<RunWriter>, kept: Option<Kept>, beside: &Path) -> Self {
        // It may not be there yet.
        let folder = beside.ancestors().skip(1).find(|folder| folder.is_dir());
        Records {
            waiting: Waiting::new(folder.unwrap_or(Path::new("."))),
            takers: Takers { run, kept },
            beside: beside.to_owned(),
        }
    }

    /// Whether they are left as a run.
    pub fn are_run(&self) -> bool {
        self.takers.run.is_some()
    }

    /// Adds the records of some rows, as they are by each way of deciding; `used` tells
    /// those that count, if not all do. Of a way that cannot count any more there may be
    /// fewer.
    pub fn tell(
        &mut self,
        both: &[Option<RecordBatch>; 2],
        used: Option<&BooleanArray>,
        repeated: Option<&BooleanArray>,
    ) -> Result<(), WorkError> {
        let fits = |flags: &&BooleanArray, batch: &RecordBatch| flags.len() == batch.num_rows();
        let counted = |batch: &RecordBatch| {
            let batch = match repeated.filter(|flags| fits(flags, batch)) {
                Some(flags) => marked(batch, flags)?,
                None => batch.clone(),
            };
            match used.filter(|flags| fits(flags, &batch)) {
                Some(used) => filter_record_batch(&batch, used),
                None => Ok(batch),
            }
        };
        if let Some(way) = self.waiting.settled() {
            return match &both[way] {
                Some(batch) => {
                    let batch = counted(batch).map_err(|error| self.broken(&error))?;
                    self.takers.take(batch)
                }
                None => Ok(()),
            };
        }
        let stored = both.each_ref().map(|batch| match batch {
            Some(batch) => counted(batch).and_then(|batch| {
                let mut writer = StreamWriter::try_new(Vec::new(), batch.schema_ref())?;
                writer.write(&batch)?;
                writer.into_inner()
            }),
            None => Ok(Vec::new()),
        });
        let [one, other] = stored;
        let one = one.map_err(|error| self.broken(&error))?;
        let other = other.map_err(|error| self.broken(&error))?;
        let pushed = self.waiting.push([&one, &other]);
        pushed.map_err(|error| self.broken(&error))
    }

    /// Settles which way counts for the data set at hand.
    pub fn settle(&mut self, way: usize) -> Result<(), WorkError> {
        let takers = &mut self.takers;
        let mut appended = Ok(());
        let settled = self.waiting.settle(way, |stored| {
            let end = stored.seek(SeekFrom::End(0))?;
            stored.rewind()?;
            while stored.stream_position()? < end && appended.is_ok() {
                appended = append(takers, stored)?;
            }
            Ok(())
        });
        settled.map_err(|error| self.broken(&error))?;
        appended
    }

    /// What follows is another data set.
    pub fn next_dataset(&mut self) {
        self.waiting.next_dataset();
    }

    /// Hands over what was kept for what is asked.
    pub fn kept(&mut self) -> Option<Kept> {
        self.takers.kept.take()
    }

    /// Hands over the run, all of whose records are settled.
    pub fn into_run(self) -> Option<RunWriter> {
        self.takers.run
    }

    fn broken(&self, error: &dyn std::fmt::Display) -> WorkError {
        let error = io::Error::other(error.to_string());
        WorkError::Data(DataError::writing(&self.beside, error))
    }
}

/// Records of which some say the same as earlier ones.
fn marked(batch: &RecordBatch, repeated: &BooleanArray) -> Result<RecordBatch, ArrowError> {
    let mut columns = batch.columns().to_vec();
    columns[batch.schema_ref().index_of(REPEATED)?] = Arc::new(repeated.clone());
    RecordBatch::try_new(batch.schema(), columns)
}

/// Appends the batch that was stored next.
fn append(takers: &mut Takers, stored: &mut SpooledTempFile) -> io::Result<Result<(), WorkError>> {
    let reader = StreamReader::try_new(stored, None).map_err(io::Error::other)?;
    for batch in reader {
        let appended = takers.take(batch.map_err(io::Error::other)?);
        if appended.is_err() {
            return Ok(appended);
        }
    }
    Ok(Ok(()))
}
