//! What is counted over pairs. Whole numbers only, so that any split adds up the same.

use super::arbitrate::Why;
use super::label::Label;

/// Counts over the pairs that enter the measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows are the scholar's labels, columns the auditor's.
    pub confusion: [[u64; 4]; 4],
    /// How pairs were decided, in the order of [`Why::ALL`].
    pub why: [u64; 5],
}

impl Tally {
    /// Counts a pair.
    #[inline]
    pub fn add(&mut self, [scholar, auditor]: [Label; 2], why: Why) {
        self.confusion[scholar.index()][auditor.index()] += 1;
        self.why[why as usize] += 1;
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Tally) {
        let theirs = other.confusion.iter().flatten();
        for (mine, theirs) in self.confusion.iter_mut().flatten().zip(theirs) {
            *mine += theirs;
        }
        for (mine, theirs) in self.why.iter_mut().zip(&other.why) {
            *mine += theirs;
        }
    }

    /// How many pairs.
    pub fn n(&self) -> u64 {
        self.confusion.iter().flatten().sum()
    }

    /// How many on which both agree.
    pub fn agreeing(&self) -> u64 {
        (0..4).map(|i| self.confusion[i][i]).sum()
    }

    /// How often the scholar said so.
    pub fn scholar(&self, label: Label) -> u64 {
        self.confusion[label.index()].iter().sum()
    }

    /// How often the auditor said so.
    pub fn auditor(&self, label: Label) -> u64 {
        self.confusion.iter().map(|row| row[label.index()]).sum()
    }
}
