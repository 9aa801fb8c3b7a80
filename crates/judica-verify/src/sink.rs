//! The run folder's files, filled in input order.

use std::io::Write;
use std::path::PathBuf;

use judica_data::atomic::{AtomicFile, RunFiles};
use judica_data::error::DataError;
use judica_data::parquet::{CompiledSpec, TableWriter};
use judica_data::rejects::{Reject, RejectWriter};
use judica_model::record::Trace;

use crate::error::EvalError;
use crate::eval::{EvalRequest, Hooks, Progress};
use crate::manifest::{RECORDS_JSONL, RECORDS_PARQUET, REJECTS};
use crate::pipeline::{ChunkResult, Sink};
use crate::protocol::Protocol;
use crate::sheet;
use crate::summary::report::Counts;
use crate::summary::scores::ScoreLog;
use crate::summary::state::SummaryState;

/// Writes what comes out of the pipeline to the run folder's files.
pub struct FileSink<'a> {
    folder: PathBuf,
    hooks: &'a Hooks<'a>,
    table: Option<TableWriter<AtomicFile>>,
    lines: Option<AtomicFile>,
    rejects: Option<RejectWriter<AtomicFile>>,
    /// Counts per group.
    pub state: SummaryState,
    /// Scores per group.
    pub scores: ScoreLog,
    /// What went in and out.
    pub counts: Counts,
}

impl<'a> FileSink<'a> {
    /// Files in `files`, none of them named yet.
    pub fn new(
        request: &EvalRequest,
        hooks: &'a Hooks<'a>,
        files: &RunFiles,
    ) -> Result<Self, EvalError> {
        let lines = request
            .options
            .records
            .jsonl()
            .then(|| files.create_bulk(RECORDS_JSONL))
            .transpose()?;
        Ok(FileSink {
            folder: request.out.clone(),
            hooks,
            table: None,
            lines,
            rejects: None,
            state: SummaryState::default(),
            scores: ScoreLog::new(request.out.clone()),
            counts: Counts::default(),
        })
    }

    /// Begins the table.
    pub fn open_table(
        &mut self,
        files: &RunFiles,
        table: &CompiledSpec,
        protocol: &Protocol,
        trace: &Trace,
    ) -> Result<(), EvalError> {
        let metadata = sheet::metadata_of(protocol, trace);
        self.table = Some(TableWriter::new(
            files.create_bulk(RECORDS_PARQUET)?,
            table,
            &metadata,
        )?);
        Ok(())
    }

    /// Rejects get a file only if there are any.
    pub fn reject(&mut self, reject: &Reject) -> Result<(), EvalError> {
        let path = self.folder.join(REJECTS);
        let writer = match &mut self.rejects {
            Some(writer) => writer,
            None => self
                .rejects
                .insert(RejectWriter::new(AtomicFile::create(&path)?)),
        };
        writer
            .write(reject)
            .map_err(|error| DataError::writing(&path, error))?;
        *self
            .counts
            .rejects_by_reason
            .entry(reject.reason.to_string())
            .or_default() += 1;
        Ok(())
    }

    /// Hands the finished files over; returns their names.
    pub fn stage(self, files: &mut RunFiles) -> Result<Vec<String>, EvalError> {
        let mut names = Vec::new();
        if let Some(table) = self.table {
            files.stage(table.finish()?)?;
            names.push(RECORDS_PARQUET.to_owned());
        }
        if let Some(lines) = self.lines {
            files.stage(lines)?;
            names.push(RECORDS_JSONL.to_owned());
        }
        if let Some(rejects) = self.rejects {
            files.stage(rejects.into_inner())?;
            names.push(REJECTS.to_owned());
        }
        Ok(names)
    }
}

impl Sink for FileSink<'_> {
    fn take(&mut self, result: &mut ChunkResult) -> Result<(), EvalError> {
        if let (Some(table), Some(group)) = (&mut self.table, result.row_group.take()) {
            table.append(group)?;
        }
        if let (Some(file), Some(lines)) = (&mut self.lines, &result.lines) {
            file.write_all(lines)
                .map_err(|error| DataError::writing(file.final_path(), error))?;
        }
        for reject in &result.rejects {
            self.reject(reject)?;
        }
        self.state.merge(&result.state);
        self.scores
            .add(&result.evaluated)
            .map_err(EvalError::Temporary)?;
        self.counts.outputs += result.inputs;
        self.counts.records += result.evaluated.records.len() as u64;
        self.counts.rejects += result.rejects.len() as u64;
        (self.hooks.progress)(Progress {
            records: self.counts.records,
            rejects: self.counts.rejects,
        });
        Ok(())
    }
}
