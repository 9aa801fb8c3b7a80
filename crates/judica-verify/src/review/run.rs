//! The reviews of a run folder: a second pass over its records.
//!
//! The run is complete before the first question is asked, and stays so: whatever becomes
//! of the reviews, the folder holds the rules' result. They are added at the end, first
//! the file, then the manifest that names it.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use judica_data::atomic::{AtomicFile, write_atomic};
use judica_data::error::DataError;
use judica_data::json::json_bytes;
use judica_data::sha256::Sha256;
use judica_data::work_error::WorkError;
use judica_model::record::Record;
use judica_run::manifest::{FileEntry, Manifest, name};
use judica_run::open::Run;
use judica_run::rows::{Rows, Scratch};
use serde_json::Value;

use super::choose::choose;
use super::options::{ReviewCounts, ReviewEntry};
use super::{Halt, LlmAgent, Reviewed};
use crate::options::{REVIEWS, Recorded};
use crate::stored::RecordReader;

/// Records that an agent is given at once. Enough to keep many calls on their way, few
/// enough to hold with all their evidence.
const BATCH: usize = 256;

/// What came of the reviews.
#[derive(Debug)]
pub struct ReviewOutcome {
    /// The manifest, as written.
    pub manifest: Manifest,
    /// How many there are of each kind.
    pub counts: ReviewCounts,
    /// Why asking ended early, if it did.
    pub halt: Option<Halt>,
}

/// Has an agent review the records of a run that was made for it, and writes what it says
/// beside them.
pub fn review_run(
    folder: &Path,
    agent: &LlmAgent,
    interrupted: &AtomicBool,
) -> Result<ReviewOutcome, WorkError> {
    let run = Run::open(folder)?;
    let reader = RecordReader::of(&run)?;
    let recorded: Recorded = run.manifest.options()?;
    let options = recorded.options.review.as_ref().ok_or_else(|| {
        let path = folder.join(name::MANIFEST);
        WorkError::BadArtifact(format!("{}: names no reviewer", path.display()))
    })?;
    let chosen = choose(&run, options, interrupted)?;
    let mut file = ReviewFile::create(folder)?;
    let mut counts = ReviewCounts {
        candidates: chosen.candidates,
        chosen: chosen.numbers.len() as u64,
        ..ReviewCounts::default()
    };
    let mut halt = None;
    let records = run.records()?;
    for numbers in chosen.numbers.chunks(BATCH) {
        if halt.is_some() {
            counts.not_asked += numbers.len() as u64;
            continue;
        }
        let mut batch: Vec<Record> = Vec::with_capacity(numbers.len());
        for rows in records.rows(&[], numbers)? {
            let rows = Rows::new(&rows);
            for row in 0..rows.len() {
                let mut scratch = Scratch::default();
                batch.push(reader.record(&rows.get(row, &mut scratch))?);
            }
        }
        let Reviewed {
            reviews,
            not_asked,
            halt: halted,
        } = agent.review(&batch);
        for review in &reviews {
            counts.add(review);
            let mut line = serde_json::to_vec(review)
                .map_err(|error| WorkError::BadArtifact(format!("{REVIEWS}: {error}")))?;
            line.push(b'\n');
            file.write(&line)?;
        }
        counts.not_asked += not_asked;
        halt = halted;
    }
    let (sha256, bytes) = file.commit()?;
    let entry = ReviewEntry {
        sha256,
        counts,
        stopped: halt.as_ref().map(|halt: &Halt| halt.message.clone()),
    };
    Ok(ReviewOutcome {
        manifest: note_reviews(run.manifest, folder, entry, bytes)?,
        counts,
        halt,
    })
}

/// Writes into a run's manifest what came of its reviews.
pub(crate) fn note_reviews(
    mut manifest: Manifest,
    folder: &Path,
    reviews: ReviewEntry,
    bytes: u64,
) -> Result<Manifest, WorkError> {
    let entry = FileEntry {
        kind: "reviews".to_owned(),
        bytes,
        reproducible: false,
    };
    manifest.files.insert(REVIEWS.to_owned(), entry);
    if let Some(Value::Object(trace)) = &mut manifest.trace {
        trace.insert(
            "reviews".to_owned(),
            serde_json::to_value(reviews).unwrap_or_default(),
        );
    }
    write_atomic(&folder.join(name::MANIFEST), &json_bytes(&manifest))?;
    Ok(manifest)
}

/// `reviews.jsonl`, being written.
struct ReviewFile {
    file: AtomicFile,
    hasher: Sha256,
    bytes: u64,
}

impl ReviewFile {
    fn create(folder: &Path) -> Result<Self, DataError> {
        Ok(ReviewFile {
            file: AtomicFile::create(&folder.join(REVIEWS))?,
            hasher: Sha256::new(),
            bytes: 0,
        })
    }

    fn write(&mut self, line: &[u8]) -> Result<(), DataError> {
        self.hasher.update(line);
        self.bytes += line.len() as u64;
        let written = self.file.write_all(line);
        written.map_err(|error| DataError::writing(self.file.final_path(), error))
    }

    /// Its hash and its length.
    fn commit(self) -> Result<(String, u64), DataError> {
        self.file.commit()?;
        Ok((self.hasher.finish_hex(), self.bytes))
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
