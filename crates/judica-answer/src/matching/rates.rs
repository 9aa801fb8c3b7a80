//! The shares of rows that match, with their intervals over clusters of rows.
//!
//! A row takes eight bytes: a fingerprint of what it stands or falls with, and in its last
//! bits how it was decided. Shares of clusters need no draws, so that the order of rows does
//! not matter.

use arrow_array::BooleanArray;
use judica_model::metric::MetricValue;
use judica_run::values::metric_value;
use judica_stats::clusters::Intervals;
use judica_stats::estimate::plain_rate;
use serde::Serialize;

use super::tally::Equal;
use crate::decide::Decision;
use crate::metrics::share_over;

/// Bits for a decision.
const BITS: u32 = 2;
const DECISION: u64 = (1 << BITS) - 1;

/// The rows of a file, or of a part of it.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// Of each row: what it stands or falls with, then the decisions by either way.
    rows: Vec<u64>,
    /// The subject and the data set of its rows.
    of: [String; 2],
    /// Whether there are several data sets.
    several: bool,
    /// Whether two rows may stand or fall together.
    mixed: bool,
}

impl Clusters {
    /// Adds a row; `alone` tells whether it has no cluster of its own and is no repeat.
    pub fn add(&mut self, print: u64, alone: bool, of: [&str; 2], decisions: [Decision; 2]) {
        let [one, other] = decisions.map(code);
        self.see(of, !alone);
        self.rows
            .push(print >> (2 * BITS) << (2 * BITS) | other << BITS | one);
    }

    fn see(&mut self, of: [&str; 2], mixed: bool) {
        self.mixed |= mixed;
        if self.of != of {
            self.mixed |= !self.rows.is_empty();
            self.several |= !self.rows.is_empty() && self.of[1] != of[1];
            self.of = of.map(str::to_owned);
        }
    }

    /// Adds the rows of another part, or those of them that count.
    pub fn merge(&mut self, other: &Clusters, used: Option<&BooleanArray>) {
        if !other.rows.is_empty() {
            self.see(other.of.each_ref().map(String::as_str), other.mixed);
            self.several |= other.several;
        }
        match used {
            None => self.rows.extend_from_slice(&other.rows),
            Some(used) => {
                let rows = other.rows.iter().zip(used.values());
                self.rows
                    .extend(rows.filter(|(_, used)| *used).map(|(row, _)| *row));
            }
        }
    }

    /// Settles which of the two ways to decide counts.
    pub fn settle(&mut self, way: usize) {
        for row in &mut self.rows {
            let decision = *row >> (way as u32 * BITS) & DECISION;
            *row = *row >> (2 * BITS) << (2 * BITS) | decision;
        }
    }

    /// Nothing again.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.mixed = false;
        self.several = false;
    }

    /// The data set, where all rows are of one.
    pub fn dataset(&self) -> Option<&str> {
        (!self.rows.is_empty() && !self.several).then_some(&*self.of[1])
    }
}

fn code(decision: Decision) -> u64 {
    match decision {
        Decision::Undecided => 0,
        Decision::Exact => 1,
        Decision::Structural => 2,
    }
}

/// The shares of rows, with their intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rates {
    /// The confidence of intervals.
    pub confidence: f64,
    /// Of `exact_match`.
    pub exact_match: MetricValue,
    /// Of `structural`.
    pub structural: MetricValue,
    /// Of `matched`.
    pub matched: MetricValue,
}

/// Why there are no shares.
pub(super) const NO_ROWS: &str = "no row can be used";

impl Rates {
    /// The shares over some files, whose rows are `equal` to their gold so often.
    pub(super) fn of(files: &[&Clusters], equal: Equal, rows: u64) -> Self {
        let Intervals { confidence, .. } = Intervals::default();
        let groups = groups(files);
        let rate = |hits: u64, counts: fn(u64) -> bool| match &groups {
            None => metric_value(plain_rate(hits, rows, confidence), NO_ROWS),
            Some(rows) => {
                let rows = rows.iter();
                let rows = rows.map(|row| (row >> (2 * BITS), counts(row & DECISION)));
                share_over(rows, NO_ROWS)
            }
        };
        Rates {
            confidence,
            exact_match: rate(equal.exact, |code| code == 1),
            structural: rate(equal.structural, |code| code == 2),
            matched: rate(equal.exact + equal.structural, |code| code > 0),
        }
    }
}

/// Rows in the order of their clusters; `None` where each is one of its own.
fn groups(files: &[&Clusters]) -> Option<Vec<u64>> {
    let mut datasets: Vec<&str> = files.iter().map(|file| &*file.of[1]).collect();
    datasets.sort_unstable();
    datasets.dedup();
    if datasets.len() == files.len() && files.iter().all(|file| !file.mixed) {
        return None;
    }
    let rows = files.iter().flat_map(|file| &file.rows).copied();
    let mut rows: Vec<u64> = rows.collect();
    rows.sort_unstable();
    let same = |pair: &[u64]| (pair[0] ^ pair[1]) >> (2 * BITS) == 0;
    rows.windows(2).any(same).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decision::{Exact, Structural, Undecided};

    fn of(rows: &[(u64, Decision)]) -> Rates {
        let mut file = Clusters::default();
        let mut equal = Equal::default();
        for (cluster, decision) in rows {
            equal.exact += u64::from(*decision == Exact);
            equal.structural += u64::from(*decision == Structural);
            file.add(cluster << 32, false, ["m", "d"], [*decision; 2]);
        }
        file.settle(1);
        Rates::of(&[&file], equal, rows.len() as u64)
    }

    fn ci(value: &MetricValue) -> [f64; 2] {
        let MetricValue::Defined { ci: Some(ci), .. } = value else {
            panic!("{value:?}");
        };
        *ci
    }

    #[test]
    fn repeats_are_no_more_rows() {
        let alone = of(&[(1, Exact), (2, Exact), (3, Undecided), (4, Structural)]);
        let twice = of(&[
            (1, Exact),
            (4, Structural),
            (2, Exact),
            (3, Undecided),
            (3, Undecided),
            (4, Structural),
            (1, Exact),
            (2, Exact),
        ]);
        for (one, other) in [
            (&alone.exact_match, &twice.exact_match),
            (&alone.matched, &twice.matched),
        ] {
            assert_eq!(one.value(), other.value());
            let ([lo, hi], [lower, higher]) = (ci(one), ci(other));
            // Student's t of three instead of the normal quantile.
            assert!(lower < lo && hi < higher, "{one:?} {other:?}");
        }
        // Eight rows that are right, of four items.
        let right = of(&[1, 2, 3, 4, 1, 2, 3, 4].map(|item| (item, Exact)));
        assert!(ci(&right.exact_match)[0] < 0.52, "{right:?}");
        assert_eq!(Rates::of(&[], Equal::default(), 0).matched.value(), None);
    }
}
