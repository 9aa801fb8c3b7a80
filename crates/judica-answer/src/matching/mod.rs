//! Files of predictions of any size, held against their gold while they are read.
//!
//! * `batch`: a run of rows, decided on one thread
//! * [`tally`]: what rows add up to, in any split
//! * `record`: a row as a record of a run
//! * `sum`, `outputs`, `details`, `records`, `waiting`: runs come together in the order of
//!   the input; the files that are written
//! * [`report`], [`mod@tables`]: the report and its tables
//!
//! A row without `input` counts here, since nothing is asked; judges refuse it.
//!
//! Memory does not grow with the number of rows, but for 16 bytes each that tell
//! duplicates; a file that is one JSON object is held whole.

mod batch;
mod details;
mod outputs;
mod record;
mod records;
pub mod report;
mod sum;
pub mod tables;
pub mod tally;
mod waiting;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use judica_data::ordered::{self, Workers};
use judica_data::source::read_as;
use judica_data::work_error::WorkError;
use judica_run::family::{Family, Rerun, describe_nothing};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::writer::{RunSpec, RunWriter};
use serde::{Deserialize, Serialize};

use crate::error::AnswerError;
use crate::normalize::{Choice, Tolerance};
use crate::predictions::load::no_rows;
use crate::predictions::pieces::{Piece, PieceReader};
use crate::predictions::{FilesRead, PredictionFile};
use batch::{Batch, Task};
use outputs::Outputs;
pub use report::{MatchReport, MatchedFile};
use sum::Sum;
pub use tables::tables;

/// Bytes of input per run of rows: so small that what is read is still in the cache when it
/// is parsed.
const PIECE_BYTES: usize = 512 << 10;

/// What its inputs are used as.
const ROLE: &str = "predictions";

/// The command in runs.
pub static FAMILY: Family = Family {
    command: "match",
    rerun,
    describe: describe_nothing,
    json: None,
    finish: None,
};

/// What is to be matched, and where files go.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// The predictions.
    pub files: Vec<PredictionFile>,
    /// A line for each row, if wanted.
    pub details: Option<PathBuf>,
    /// What could not be used; written only if there is any, and with a run into its folder.
    pub rejects: PathBuf,
    /// The run that is left, if one is.
    pub run: Option<RunTarget>,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
    /// How many threads work; the result does not depend on it.
    pub threads: usize,
}

/// What shapes a run, as its manifest keeps it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct MatchOptions {
    normalizer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tolerance: Option<Tolerance>,
    #[serde(flatten)]
    files: FilesRead,
    #[serde(flatten)]
    run: RunOptions,
}

/// Holds predictions against their gold.
///
/// `progress` is told how many bytes have been read; `interrupted` stops the run.
pub fn run(
    request: &MatchRequest,
    choice: &Choice,
    progress: &(dyn Fn(u64) + Sync),
    interrupted: &AtomicBool,
) -> Result<MatchReport, AnswerError> {
    // Missing inputs are told before anything is written.
    let mut reader = PieceReader::new(&request.files, PIECE_BYTES)?;
    let run = request.run.as_ref();
    let run = run.map(|target| begin(target, request, choice));
    let run = run.transpose()?;
    let layout = run.as_ref().map(|run| run.layout().clone());
    let open = RunOptions::default();
    let task = Task {
        choice,
        files: &request.files,
        details: request.details.is_some(),
        options: request.run.as_ref().map_or(&open, |run| &run.options),
        layout: layout.as_ref(),
        are_text: request
            .files
            .iter()
            .map(|_| AtomicBool::new(false))
            .collect(),
    };
    let outputs = Outputs::create(request, run)?;
    let next = |done: Option<Piece>| {
        if let Some(done) = done {
            reader.recycle(done);
        }
        let piece = reader.next_piece();
        progress(reader.raw_bytes());
        piece
    };
    let workers = Workers {
        threads: request.threads,
        interrupted,
    };
    let sum = ordered::run(
        workers,
        next,
        Sum::new(&task, outputs),
        || Ok(Batch::new(layout.as_ref())),
        |batch, piece, way| {
            batch.read(piece, &task);
            way.pass(|sum| sum.take(batch, piece))
        },
    )?;
    let (tallies, golds, outputs) = sum.finish()?;
    for (file, tally) in request.files.iter().zip(&tallies) {
        if tally.inputs() == 0 {
            return Err(no_rows(file));
        }
    }
    let counted = request.files.iter().zip(reader.digests()).zip(golds);
    let files = counted.zip(&tallies);
    let files = files.map(|(((file, digest), golds), tally)| {
        MatchedFile::new(file, digest, choice, golds, tally)
    });
    let mut report = MatchReport::new(files.collect(), &tallies);
    report.read = read_as(reader.digests());
    outputs.commit(&mut report, reader.digests())?;
    Ok(report)
}

fn begin(
    target: &RunTarget,
    request: &MatchRequest,
    choice: &Choice,
) -> Result<RunWriter, WorkError> {
    let options = MatchOptions {
        normalizer: choice.name().to_owned(),
        tolerance: choice.tolerance(),
        files: FilesRead::of(&request.files),
        run: target.options.clone(),
    };
    let spec = RunSpec {
        command: FAMILY.command,
        options: serde_json::json!(options),
        metrics: record::metrics(),
        created_at: target.created_at.clone(),
    };
    RunWriter::create(
        &target.folder,
        spec,
        record::layout(target.options.keep_text),
    )
}

/// Makes a run again.
fn rerun(again: &Rerun) -> Result<(), WorkError> {
    let options: MatchOptions = again.manifest.options()?;
    let choice = Choice::by_name(&options.normalizer, options.tolerance.unwrap_or_default());
    let choice = choice.map_err(|error| WorkError::BadArtifact(error.to_string()))?;
    let request = MatchRequest {
        files: options.files.files(again.role(ROLE))?,
        details: None,
        rejects: again.folder.to_owned(),
        run: Some(RunTarget {
            folder: again.folder.to_owned(),
            created_at: again.manifest.created_at.clone(),
            options: options.run,
        }),
        strict: false,
        threads: again.threads,
    };
    run(&request, &choice, &|_| (), again.interrupted).map(|_| ())
}

#[cfg(test)]
mod tests;
