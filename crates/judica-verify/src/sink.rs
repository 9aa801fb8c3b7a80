//! The run folder's files, filled in input order.

use std::collections::BTreeMap;
use std::io::Write;

use judica_data::atomic::AtomicFile;
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::parquet::TableWriter;
use judica_data::rejects::{Given, Reject, RejectFile};
use judica_data::work_error::WorkError;
use judica_run::manifest::Counts;
use judica_run::pieces::{Part, WHOLE_REJECTS};
use judica_run::writer::RunWriter;

use crate::columns::write::{RowGroups, Tables};
use crate::error::temporary;
use crate::eval::{EvalRequest, Hooks, InputFile, Progress};
use crate::options::{FAILURES, RECORDS_JSONL};
use crate::pipeline::{ChunkResult, Sink};
use crate::samples::Samples;
use crate::summary::scores::ScoreLog;
use crate::summary::state::SummaryState;

/// Writes what comes out of the pipeline to the run folder's files.
pub struct FileSink<'a> {
    run: RunWriter,
    hooks: &'a Hooks<'a>,
    /// Not of a part, unless it stands in the run as it is: they follow from the records.
    failures: Option<TableWriter<AtomicFile>>,
    lines: Option<AtomicFile>,
    rejects: RejectFile,
    /// Those of samples, where they have a file of their own: every part has the same.
    of_samples: Option<RejectFile>,
    /// Counts per group.
    pub state: SummaryState,
    scores: ScoreLog,
    /// What became of outputs.
    pub counts: Counts,
    /// Why samples were refused.
    pub sample_rejects: BTreeMap<String, u64>,
    /// Records made of each file of outputs.
    records_by_file: Vec<u64>,
}

impl<'a> FileSink<'a> {
    /// The files of a run, or of a part of it, none of them named yet.
    pub fn new(
        run: RunWriter,
        request: &EvalRequest,
        hooks: &'a Hooks<'a>,
        tables: &Tables,
        part: Option<Part>,
        in_order: bool,
    ) -> Result<Self, WorkError> {
        let lines = request.options.jsonl.then(|| run.begin(RECORDS_JSONL));
        let failures = match part {
            Some(_) if !in_order => None,
            _ => Some(TableWriter::new(run.begin(FAILURES)?, &tables.failures)?),
        };
        Ok(FileSink {
            failures,
            rejects: RejectFile::new(&run.rejects()),
            of_samples: part.map(|_| RejectFile::new(&run.path(WHOLE_REJECTS))),
            run,
            hooks,
            lines: lines.transpose()?,
            state: SummaryState::default(),
            scores: ScoreLog::new(request.out.clone()),
            counts: Counts::default(),
            sample_rejects: BTreeMap::new(),
            records_by_file: vec![0; request.outputs.len()],
        })
    }

    /// Keeps a sample that cannot be used. Rejects get a file only if there are any.
    pub fn reject_sample(&mut self, reject: &Reject) -> Result<(), WorkError> {
        let file = self.of_samples.as_mut().unwrap_or(&mut self.rejects);
        file.write(reject)?;
        let reason = reject.reason.to_string();
        *self.sample_rejects.entry(reason).or_default() += 1;
        Ok(())
    }

    /// Hands over the scores.
    pub fn take_scores(&mut self) -> ScoreLog {
        let none = ScoreLog::new(self.run.folder().to_owned());
        std::mem::replace(&mut self.scores, none)
    }

    /// Whether any of the samples was used: see [`judica_data::rejects::ByFile::check`].
    pub fn check_samples(
        &mut self,
        files: &[InputFile],
        samples: &Samples,
    ) -> Result<Vec<String>, WorkError> {
        let used: Vec<u64> = (0..files.len()).map(|file| samples.of_file(file)).collect();
        self.check(files, &used)
    }

    /// Whether any of the outputs was used.
    pub fn check_outputs(&mut self, files: &[InputFile]) -> Result<Vec<String>, WorkError> {
        let used = self.records_by_file.clone();
        self.check(files, &used)
    }

    /// Fails if none of the files was used. What was refused is kept, unless the folder holds
    /// a run, which must not be mixed with another.
    fn check(&mut self, files: &[InputFile], used: &[u64]) -> Result<Vec<String>, WorkError> {
        let given: Vec<Given> = files
            .iter()
            .zip(used)
            .map(|(file, &used)| Given {
                path: &file.path,
                name: &file.name,
                used,
            })
            .collect();
        let none = RejectFile::new(&self.run.rejects());
        let file = self.of_samples.as_mut().unwrap_or(&mut self.rejects);
        let (rejects, unused) = std::mem::replace(file, none).usable(&given, Reads::JsonOrTable)?;
        *file = rejects;
        Ok(unused)
    }

    /// Hands over the run with its finished files, and the rejects.
    pub fn finish(self) -> Result<(RunWriter, RejectFile), WorkError> {
        let (run, rejects, _) = self.finish_part()?;
        Ok((run, rejects))
    }

    /// The same of a part, and the rejects of samples.
    pub fn finish_part(self) -> Result<(RunWriter, RejectFile, Option<RejectFile>), WorkError> {
        let mut run = self.run;
        if let Some(failures) = self.failures {
            run.stage(failures.finish()?, "failures", true)?;
        }
        if let Some(lines) = self.lines {
            run.stage(lines, "records", true)?;
        }
        Ok((run, self.rejects, self.of_samples))
    }
}

impl Sink for FileSink<'_> {
    fn put(&mut self, groups: RowGroups) -> Result<(), WorkError> {
        self.run.append_group(groups.records)?;
        if let Some(failures) = &mut self.failures {
            failures.append(groups.failures)?;
        }
        Ok(())
    }

    fn take(&mut self, result: &mut ChunkResult) -> Result<(), WorkError> {
        if let (Some(file), Some(lines)) = (&mut self.lines, &result.lines) {
            file.write_all(lines)
                .map_err(|error| DataError::writing(file.final_path(), error))?;
        }
        for reject in &result.rejects {
            self.rejects.write(reject)?;
            let reason = reject.reason.to_string();
            *self.counts.rejects_by_reason.entry(reason).or_default() += 1;
        }
        self.state.merge(&result.state);
        let added = self.scores.add(&result.evaluated, &result.clusters);
        added.map_err(temporary)?;
        self.counts.inputs += result.inputs;
        let records = result.evaluated.records.len() as u64;
        self.counts.used += records;
        self.records_by_file[result.file] += records;
        self.counts.rejects += result.rejects.len() as u64;
        (self.hooks.progress)(Progress {
            records: self.counts.used,
            rejects: self.counts.rejects,
        });
        Ok(())
    }
}
