//! Which rows a normaliser decides, so that no judge need be asked.

use judica_data::parallel::parallel_map;
use serde::Serialize;

use crate::predictions::PredictionRow;
use judica_text::gold::Gold;
use judica_text::normalize::{Matched, Normalizer};

/// Rows given to a thread at a time.
const ROWS: usize = 1024;

/// A longer prediction is no answer to anything, and normalising it takes several times its
/// length.
const LONGEST: usize = 16 << 20;

/// What a normaliser makes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Prediction and gold are equal once normalised.
    Exact,
    /// They are not, but mean the same by their structure.
    Structural,
    /// Neither: wrong, or right in other words.
    Undecided,
}

impl Decision {
    /// What a normaliser makes of a prediction.
    pub fn of(normalizer: &dyn Normalizer, gold: &Gold, prediction: &str) -> Self {
        if !Decision::looks_at(prediction) {
            return Decision::Undecided;
        }
        if let Gold::Any(golds) = gold {
            let each = golds.iter().map(|gold| Gold::one(gold));
            let each = each.map(|gold| Decision::of(normalizer, &gold, prediction));
            return each.min().unwrap_or(Decision::Undecided);
        }
        match normalizer.compare(gold, prediction) {
            Matched::Exact => Decision::Exact,
            Matched::Structural => Decision::Structural,
            Matched::No => Decision::Undecided,
        }
    }

    /// Whether a prediction is short enough to be normalised at all.
    pub(crate) fn looks_at(prediction: &str) -> bool {
        prediction.len() <= LONGEST
    }

    /// Whether the prediction is correct without anybody being asked.
    pub fn is_match(self) -> bool {
        self != Decision::Undecided
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Exact => "exact",
            Decision::Structural => "structural",
            Decision::Undecided => "undecided",
        }
    }
}

/// Decides rows, in their order.
pub fn decide(
    normalizer: &dyn Normalizer,
    rows: &[PredictionRow],
    threads: usize,
) -> Vec<Decision> {
    let runs: Vec<&[PredictionRow]> = rows.chunks(ROWS).collect();
    let decided = parallel_map(&runs, threads, |run| {
        let decide = |row: &PredictionRow| Decision::of(normalizer, &row.gold, &row.prediction);
        run.iter().map(decide).collect::<Vec<_>>()
    });
    decided.into_iter().flatten().collect()
}
