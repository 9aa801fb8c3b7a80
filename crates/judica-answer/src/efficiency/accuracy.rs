//! How many answers are correct, and who says so.

use judica_stats::wilson_interval;
use serde::Serialize;

use super::facts::Tally;

/// Who says whether an answer is correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccuracySource {
    /// A judge, who also knows what is equal without asking a model.
    Judge,
    /// Equality with the gold.
    ExactMatch,
}

impl AccuracySource {
    /// What it is called in reports.
    pub fn name(self) -> &'static str {
        match self {
            AccuracySource::Judge => "judge",
            AccuracySource::ExactMatch => "exact_match",
        }
    }
}

/// The share of correct answers with its interval.
pub(super) fn share(tally: Tally) -> Option<(f64, [f64; 2])> {
    let interval = wilson_interval(tally.correct, tally.n, 0.95)?;
    let share = tally.correct as f64 / tally.n as f64;
    Some((share, [interval.lo, interval.hi]))
}
