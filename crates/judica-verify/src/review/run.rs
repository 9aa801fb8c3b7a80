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
use judica_data::hex::hex;
use judica_data::json::json_bytes;
use judica_model::record::Record;
use sha2::{Digest, Sha256};

use super::choose::choose;
use super::options::{ReviewCounts, ReviewEntry};
use super::{Halt, Reviewed};
use crate::agent::EvaluatorAgent;
use crate::error::EvalError;
use crate::manifest::{MANIFEST, Manifest, REVIEWS};
use crate::render::Renderer;
use crate::stored::folder::RunFolder;
use crate::stored::record::StoredRecord;

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
    agent: &dyn EvaluatorAgent,
    interrupted: &AtomicBool,
) -> Result<ReviewOutcome, EvalError> {
    let run = RunFolder::open(folder)?;
    let options = run.manifest.options.review.as_ref().ok_or_else(|| {
        let path = folder.join(MANIFEST);
        EvalError::BadArtifact(format!("{}: names no reviewer", path.display()))
    })?;
    let chosen = choose(&run, options, interrupted)?;
    let mut pass = Pass {
        agent,
        file: ReviewFile::create(folder)?,
        counts: ReviewCounts {
            candidates: chosen.candidates,
            chosen: chosen.numbers.len() as u64,
            ..ReviewCounts::default()
        },
        batch: Vec::new(),
        halt: None,
    };
    pass.go(&run, &chosen.numbers)?;
    let (counts, halt) = (pass.counts, pass.halt);
    let (sha256, bytes) = pass.file.commit()?;
    let mut manifest = run.manifest;
    manifest.files.retain(|name| name != REVIEWS);
    manifest.files.push(REVIEWS.to_owned());
    manifest.file_bytes.insert(REVIEWS.to_owned(), bytes);
    manifest.reviews = Some(ReviewEntry {
        sha256,
        counts,
        stopped: halt.as_ref().map(|halt| halt.message.clone()),
    });
    write_atomic(&folder.join(MANIFEST), &json_bytes(&manifest))?;
    Ok(ReviewOutcome {
        manifest,
        counts,
        halt,
    })
}

/// One pass over the chosen records.
struct Pass<'a> {
    agent: &'a dyn EvaluatorAgent,
    file: ReviewFile,
    counts: ReviewCounts,
    batch: Vec<Record>,
    halt: Option<Halt>,
}

/// Why a pass ends before the records do.
enum End {
    /// Everything chosen has been asked about, or nothing more can be.
    Enough,
    Failed(EvalError),
}

impl<E: Into<EvalError>> From<E> for End {
    fn from(error: E) -> Self {
        End::Failed(error.into())
    }
}

impl Pass<'_> {
    fn go(&mut self, run: &RunFolder, chosen: &[u64]) -> Result<(), EvalError> {
        let renderer = Renderer::new(&run.protocol, &run.checks, self.agent, run.trace());
        let mut wanted = chosen.iter().peekable();
        let mut numbers = 0..;
        let ended = run.for_each(&mut |stored: &StoredRecord| {
            if wanted.peek().is_none() || self.halt.is_some() {
                return Err(End::Enough);
            }
            if wanted
                .next_if_eq(&&numbers.next().unwrap_or(u64::MAX))
                .is_some()
            {
                self.batch.push(record(&renderer, stored)?);
                if self.batch.len() == BATCH {
                    self.ask()?;
                }
            }
            Ok(())
        });
        if let Err(End::Failed(error)) = ended {
            return Err(error);
        }
        if self.halt.is_none() {
            self.ask()?;
        }
        self.counts.not_asked += wanted.count() as u64;
        Ok(())
    }

    fn ask(&mut self) -> Result<(), EvalError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let Reviewed {
            reviews,
            not_asked,
            halt,
        } = self.agent.review(&std::mem::take(&mut self.batch));
        for review in &reviews {
            self.counts.add(review);
            let mut line = serde_json::to_vec(review)
                .map_err(|error| EvalError::BadArtifact(format!("{REVIEWS}: {error}")))?;
            line.push(b'\n');
            self.file.write(&line)?;
        }
        self.counts.not_asked += not_asked;
        self.halt = halt;
        Ok(())
    }
}

fn record(renderer: &Renderer, stored: &StoredRecord) -> Result<Record, EvalError> {
    renderer.record(&stored.view()).map_err(|error| {
        let which = &stored.sample_id;
        EvalError::BadArtifact(format!("the record of sample `{which}`: {error}"))
    })
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
        Ok((hex(&self.hasher.finalize()), self.bytes))
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
