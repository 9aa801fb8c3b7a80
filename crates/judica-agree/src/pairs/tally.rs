//! What is counted over pairs. Whole numbers only, so that any split adds up the same.

use super::arbitrate::Decision;
use super::label::Label;
use super::policy::Policy;

/// Counts over the pairs that enter the measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many labels there are.
    labels: usize,
    /// Rows are the first rater's labels, columns the second's.
    confusion: Vec<u64>,
    /// How pairs were decided, in the order of the rules.
    pub why: Vec<u64>,
    /// How pairs ended, in the order of the labels.
    pub finals: Vec<u64>,
}

impl Tally {
    /// No pair yet.
    pub fn new(policy: &Policy) -> Self {
        let labels = policy.labels.len();
        Tally {
            labels,
            confusion: vec![0; labels * labels],
            why: vec![0; policy.rules().count()],
            finals: vec![0; labels],
        }
    }

    /// Counts a pair.
    #[inline]
    pub fn add(&mut self, [first, second]: [Label; 2], decision: Decision) {
        self.confusion[first.index() * self.labels + second.index()] += 1;
        self.why[decision.why.index()] += 1;
        self.finals[decision.label.index()] += 1;
    }

    fn counts(&mut self) -> impl Iterator<Item = &mut u64> {
        let decided = self.why.iter_mut().chain(&mut self.finals);
        self.confusion.iter_mut().chain(decided)
    }

    /// Forgets all pairs.
    pub fn clear(&mut self) {
        self.counts().for_each(|count| *count = 0);
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Tally) {
        let theirs = other.confusion.iter().chain(&other.why);
        let theirs = theirs.chain(&other.finals);
        for (mine, theirs) in self.counts().zip(theirs) {
            *mine += theirs;
        }
    }

    /// The confusion matrix, row after row.
    pub fn confusion(&self) -> &[u64] {
        &self.confusion
    }

    /// How many pairs.
    pub fn n(&self) -> u64 {
        self.confusion.iter().sum()
    }

    /// How many on which both agree.
    pub fn agreeing(&self) -> u64 {
        self.confusion.iter().step_by(self.labels + 1).sum()
    }

    /// How often each rater said so.
    pub fn said(&self, label: Label) -> [u64; 2] {
        let [row, column] = [label.index() * self.labels, label.index()];
        [
            self.confusion[row..row + self.labels].iter().sum(),
            self.confusion[column..].iter().step_by(self.labels).sum(),
        ]
    }
}
