//! Two or more evaluations against each other.
//!
//! The first is the baseline. Where the details of the episodes are at hand and episodes
//! match, runs are compared episode by episode, which says far more than two rates side by
//! side; otherwise by the numbers of the eval files alone.
//!
//! * `side`, `episodes`: what is compared: a file, its label, its episodes
//! * `unpaired`, `paired`: a difference with its interval and its test
//! * `holm`: p-values of many tests at once
//! * `verdict`: what it comes to, in words
//! * [`report`], [`mod@tables`]: the report and its tables

mod episodes;
mod holm;
mod measure;
mod paired;
pub mod report;
mod side;
pub mod tables;
mod unpaired;
mod verdict;

use std::path::PathBuf;

use crate::error::EpisodeError;
pub use report::{CompareReport, Difference, Estimate, MetricComparison, SideInfo};
pub use tables::tables;
pub use verdict::Verdict;

/// A comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareRequest {
    /// Eval files, or files of episode details; the first is the baseline.
    pub files: Vec<PathBuf>,
    /// A label for each file; none for labels made of the files' names.
    pub labels: Vec<String>,
    /// Episode details for each eval file, in the same order; none to compare unpaired.
    pub details: Vec<PathBuf>,
    /// The coverage intervals aim at; one minus it is the level of the tests.
    pub confidence: f64,
    /// Resamples of the bootstrap.
    pub resamples: u32,
    /// What they are drawn from.
    pub seed: u64,
    /// Threads; the report does not depend on it.
    pub threads: usize,
}

impl CompareRequest {
    /// Files with nothing out of the ordinary.
    pub fn new(files: Vec<PathBuf>) -> Self {
        CompareRequest {
            files,
            labels: Vec::new(),
            details: Vec::new(),
            confidence: 0.95,
            resamples: 1000,
            seed: 20_250_119,
            threads: 1,
        }
    }
}

/// Compares evaluations.
pub fn compare(request: &CompareRequest) -> Result<CompareReport, EpisodeError> {
    if !(request.confidence > 0.0 && request.confidence < 1.0) {
        let message = format!(
            "a confidence is between 0 and 1, and this is {}",
            request.confidence
        );
        return Err(EpisodeError::BadInput(message));
    }
    let sides = side::load(request)?;
    Ok(measure::measure(request, &sides))
}

#[cfg(test)]
mod tests;
