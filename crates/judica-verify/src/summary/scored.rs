//! Which samples the means of totals run over: the same for every model, or a model could
//! be compared on what the others were spared.
//!
//! A sample counts if its gold can be used and every eligible record on it has a total. The
//! second hardly ever decides (an error too large for a number, a protocol that requires no
//! field), but without it a record that fails would count where one that passes does not.
//!
//! Samples that count are ranked by their keys, so that what is drawn at random depends on
//! who they are, and not on where they stand in a file.

use super::scores::Answered;

/// What the summary must know of samples, by number.
pub trait Items: Sync {
    /// The data set and the id.
    fn key(&self, sample: u32) -> (&str, &str);
    /// Whether there is a gold value to compare with.
    fn has_gold(&self, sample: u32) -> bool;
}

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
    gold_needed: bool,
}

impl ScoredSamples {
    /// Those of the samples that were answered. A total of dimensions needs no gold.
    pub fn new(items: &dyn Items, answered: &[Answered], gold_needed: bool) -> Self {
        let (mut counting, mut left_out) = (Vec::new(), 0);
        for (sample, answered) in (0..).zip(answered) {
            if !answered.at_all || gold_needed && !items.has_gold(sample) {
                continue;
            }
            match answered.without_total {
                true => left_out += 1,
                false => counting.push(sample),
            }
        }
        // Mostly they come in order, which this finds at once.
        counting.sort_by_key(|sample| items.key(*sample));
        let mut position = vec![None; answered.len()];
        for (rank, sample) in (0..).zip(&counting) {
            position[*sample as usize] = Some(rank);
        }
        let count = counting.len();
        ScoredSamples {
            position,
            count,
            left_out,
            gold_needed,
            why_none: match (count, left_out) {
                (0, 0) if gold_needed => "no answered sample has usable gold",
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
                "{} samples {}are left out of the means for every model, because an eligible record on them has no total",
                self.left_out,
                if self.gold_needed { "with usable gold " } else { "" },
            )
        })
    }
}
