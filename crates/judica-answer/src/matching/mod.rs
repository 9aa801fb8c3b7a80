//! Files of predictions of any size, held against their gold while they are read.
//!
//! * `batch`: a run of rows, decided on one thread
//! * [`tally`]: what rows add up to, in any split
//! * `sum`, `outputs`, `details`: runs come together in the order of the input; the files
//!   beside it
//! * [`report`], [`mod@tables`]: the report and its tables
//!
//! A row without `input` counts here, since nothing is asked; judges refuse it.
//!
//! Memory does not grow with the number of rows, but for 16 bytes each that tell
//! duplicates; a file that is one JSON object is held whole.

mod batch;
mod details;
mod outputs;
pub mod report;
mod sum;
pub mod tables;
pub mod tally;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use judica_data::ordered::{self, Workers};
use judica_data::rejects::Given;

use crate::error::AnswerError;
use crate::normalize::Choice;
use crate::predictions::PredictionFile;
use crate::predictions::load::no_rows;
use crate::predictions::pieces::{Piece, PieceReader};
use batch::{Batch, Task};
use outputs::Outputs;
pub use report::{MatchReport, MatchedFile};
use sum::Sum;
pub use tables::tables;

/// Bytes of input per run of rows: so small that what is read is still in the cache when it
/// is parsed.
const PIECE_BYTES: usize = 512 << 10;

/// What is to be matched, and where files go.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// The predictions.
    pub files: Vec<PredictionFile>,
    /// A line for each row, if wanted.
    pub details: Option<PathBuf>,
    /// What could not be used; written only if there is any.
    pub rejects: PathBuf,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
    /// How many threads work; the result does not depend on it.
    pub threads: usize,
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
    let paths: Vec<PathBuf> = request.files.iter().map(|file| file.path.clone()).collect();
    let names: Vec<String> = request.files.iter().map(PredictionFile::shown).collect();
    // Missing inputs are told before anything is written.
    let mut reader = PieceReader::new(&paths, PIECE_BYTES)?;
    let outputs = Outputs::create(request, &names)?;
    let task = Task {
        choice,
        names: &names,
        details: request.details.is_some(),
        are_text: names.iter().map(|_| AtomicBool::new(false)).collect(),
    };
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
        Sum::new(names.len(), choice, outputs),
        || Ok(Batch::default()),
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
    let given: Vec<Given> = request
        .files
        .iter()
        .zip(&names)
        .zip(&tallies)
        .map(|((file, name), tally)| Given {
            path: &file.path,
            name,
            used: tally.inputs() - tally.rejects(),
        })
        .collect();
    let unused = outputs.commit(&given)?;
    let counted = request.files.iter().zip(reader.digests()).zip(golds);
    let files = counted.zip(&tallies);
    let files = files.map(|(((file, digest), golds), tally)| {
        MatchedFile::new(file, digest, choice, golds, tally)
    });
    Ok(MatchReport {
        unused,
        ..MatchReport::new(files.collect(), &tallies)
    })
}

#[cfg(test)]
mod tests;
