//! The records of a run, in the order of the input.

use std::io::{self, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use arrow_select::filter::filter_record_batch;
use judica_data::error::DataError;
use judica_data::work_error::WorkError;
use judica_run::writer::{RunEnd, RunWriter};
use serde::Serialize;
use tempfile::SpooledTempFile;

use super::record::REPEATED;
use super::waiting::Waiting;

pub(super) struct Records {
    run: RunWriter,
    waiting: Waiting,
}

impl Records {
    pub fn new(run: RunWriter) -> Self {
        let rejects = run.rejects();
        let folder = rejects.parent().unwrap_or(&rejects);
        Records {
            waiting: Waiting::new(folder),
            run,
        }
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
                    self.run.append(batch)
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
        let run = &mut self.run;
        let mut appended = Ok(());
        let settled = self.waiting.settle(way, |stored| {
            let end = stored.seek(SeekFrom::End(0))?;
            stored.rewind()?;
            while stored.stream_position()? < end && appended.is_ok() {
                appended = append(run, stored)?;
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

    /// Hands over the run, all of whose records are settled.
    pub fn into_run(self) -> RunWriter {
        self.run
    }

    /// Ends the run.
    pub fn finish<R: Serialize>(self, end: RunEnd<R>) -> Result<(), WorkError> {
        self.run.finish(end).map(|_| ())
    }

    fn broken(&self, error: &dyn std::fmt::Display) -> WorkError {
        let error = io::Error::other(error.to_string());
        WorkError::Data(DataError::writing(&self.run.rejects(), error))
    }
}

/// Records of which some say the same as earlier ones.
fn marked(batch: &RecordBatch, repeated: &BooleanArray) -> Result<RecordBatch, ArrowError> {
    let mut columns = batch.columns().to_vec();
    columns[batch.schema_ref().index_of(REPEATED)?] = Arc::new(repeated.clone());
    RecordBatch::try_new(batch.schema(), columns)
}

/// Appends the batch that was stored next.
fn append(run: &mut RunWriter, stored: &mut SpooledTempFile) -> io::Result<Result<(), WorkError>> {
    let reader = StreamReader::try_new(stored, None).map_err(io::Error::other)?;
    for batch in reader {
        let appended = run.append(batch.map_err(io::Error::other)?);
        if appended.is_err() {
            return Ok(appended);
        }
    }
    Ok(Ok(()))
}
