//! Which samples the means of totals run over: the same for every model, or a model could
//! be compared on what the others were spared.
//!
//! A sample counts if its gold can be used and every eligible record on it has a total. The
//! second hardly ever decides (an error too large for a number, a protocol that requires no
//! field), but without it a record that fails would count where one that passes does not.

use super::scores::Answered;
use crate::samples::Samples;

/// The samples that the means of totals run over.
pub struct ScoredSamples {
    /// Positions, without gaps, of those that count; by sample.
    position: Vec<Option<u32>>,
    /// How many count.
    pub count: usize,
    /// How many have usable gold, and still do not count.
    pub left_out: u64,
    /// Why a model without a mean has none.
    why_none: &'static str,
}

impl ScoredSamples {
    /// Those of the samples that were answered.
    pub fn new(samples: &Samples, answered: &[Answered]) -> Self {
        Self::of(answered, |sample| samples.has_gold(sample))
    }

    pub(super) fn of(answered: &[Answered], has_gold: impl Fn(u32) -> bool) -> Self {
        let (mut count, mut left_out) = (0, 0);
        let position = (0..).zip(answered).map(|(sample, answered)| {
            if !answered.at_all || !has_gold(sample) {
                return None;
            }
            if answered.without_total {
                left_out += 1;
                return None;
            }
            count += 1;
            Some(count - 1)
        });
        let position: Vec<Option<u32>> = position.collect();
        ScoredSamples {
            position,
            count: count as usize,
            left_out,
            why_none: match (count, left_out) {
                (0, 0) => "no answered sample has usable gold",
                (0, _) => "no sample on which every eligible record has a total",
                _ => "no record on a sample that is scored",
            },
        }
    }

    /// The position of a sample among those that count, if it does.
    pub fn position(&self, sample: u32) -> Option<usize> {
        self.position
            .get(sample as usize)
            .copied()
            .flatten()
            .map(|position| position as usize)
    }

    /// Why a model that has no mean has none.
    pub fn why_none(&self) -> &'static str {
        self.why_none
    }

    /// What must be said if samples with gold do not count.
    pub fn note(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            format!(
                "{} samples with usable gold are left out of the means for every model, because an eligible record on them has no total",
                self.left_out
            )
        })
    }
}
