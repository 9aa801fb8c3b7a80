//! The run folder's files, filled in input order.

use std::io::Write;
use std::path::PathBuf;

use judica_data::atomic::{AtomicFile, RunFiles};
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::parquet::{CompiledSpec, TableWriter};
use judica_data::rejects::{ByFile, Given, Reject, RejectWriter};
use judica_model::record::Trace;

use crate::error::EvalError;
use crate::eval::{EvalRequest, Hooks, InputFile, Progress};
use crate::manifest::{MANIFEST, RECORDS_JSONL, RECORDS_PARQUET, REJECTS};
use crate::pipeline::{ChunkResult, Sink};
use crate::protocol::Protocol;
use crate::samples::Samples;
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
    /// Records made of each file of outputs.
    records_by_file: Vec<u64>,
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
            records_by_file: vec![0; request.outputs.len()],
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

    /// Whether any of the samples was used: see [`ByFile::check`].
    pub fn check_samples(
        &mut self,
        files: &[InputFile],
        samples: &Samples,
    ) -> Result<Vec<String>, EvalError> {
        let used: Vec<u64> = (0..files.len()).map(|file| samples.of_file(file)).collect();
        self.check(files, &used)
    }

    /// Whether any of the outputs was used.
    pub fn check_outputs(&mut self, files: &[InputFile]) -> Result<Vec<String>, EvalError> {
        let used = self.records_by_file.clone();
        self.check(files, &used)
    }

    /// Fails if none of the files was used. What was refused is kept, unless the folder holds
    /// a run, which must not be mixed with another.
    fn check(&mut self, files: &[InputFile], used: &[u64]) -> Result<Vec<String>, EvalError> {
        let given: Vec<Given> = files
            .iter()
            .zip(used)
            .map(|(file, &used)| Given {
                path: &file.path,
                name: &file.name,
                used,
            })
            .collect();
        let none = ByFile::default();
        let by_file = self.rejects.as_ref().map_or(&none, RejectWriter::by_file);
        let path = self.folder.join(REJECTS);
        let mut message = match by_file.check(&given, Reads::Json, Some(&path)) {
            Ok(unused) => return Ok(unused),
            Err(message) => message,
        };
        if let Some(rejects) = self.rejects.take() {
            if self.folder.join(MANIFEST).exists() {
                let kept = format!("refused rows: {}", path.display());
                message = message.replace(&kept, "the run in the folder is left as it was");
            } else {
                rejects.into_inner().commit()?;
            }
        }
        Err(EvalError::BadInput(message))
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
        let records = result.evaluated.records.len() as u64;
        self.counts.records += records;
        self.records_by_file[result.file] += records;
        self.counts.rejects += result.rejects.len() as u64;
        (self.hooks.progress)(Progress {
            records: self.counts.records,
            rejects: self.counts.rejects,
        });
        Ok(())
    }
}
