//! What one run of one model did: plain numbers, wherever they come from.

use judica_stats::estimate::Kind;
use judica_stats::keyed::Keys;

/// Some of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were found correct.
    pub correct: u64,
    /// Of how many.
    pub n: u64,
}

impl Tally {
    /// Counts one more.
    pub fn count(&mut self, correct: bool) {
        self.correct += u64::from(correct);
        self.n += 1;
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            correct: self.correct + other.correct,
            n: self.n + other.n,
        }
    }
}

/// What a judge said of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// The rows that have a verdict.
    pub decided: Tally,
    /// Those of them without gold or prediction, which nobody was asked about.
    pub unmatched: Tally,
    /// Rows without a verdict: not wrong, but missing.
    pub missing: u64,
}

impl Verdicts {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            decided: self.decided.plus(other.decided),
            unmatched: self.unmatched.plus(other.unmatched),
            missing: self.missing + other.missing,
        }
    }

    /// How many rows it was asked about.
    pub fn rows(&self) -> u64 {
        self.decided.n + self.missing
    }
}

/// What a run says of its records by its primary metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The metric.
    pub metric: String,
    /// What it is, as far as its interval goes.
    pub kind: Kind,
    /// What each record that has it stands or falls with,
    pub keys: Keys,
    /// and what it adds above and below the line.
    pub terms: Vec<[f64; 2]>,
}

impl Measured {
    /// Both together, if they measure the same.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Option<Self> {
        self.keys.merge(&other.keys);
        self.terms.extend_from_slice(&other.terms);
        (self.metric == other.metric).then_some(self)
    }
}

/// Tokens used, and on how many rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// What went in.
    pub input: u64,
    /// What came out.
    pub output: u64,
    /// The rows that say so; a row that says only one of the two does not count.
    pub rows: u64,
}

impl Tokens {
    /// Both directions.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Both together. Sums stop at the largest number there is, which no run reaches.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            rows: self.rows + other.rows,
        }
    }
}

/// One run of one model: one file of predictions, or one data set of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFacts {
    /// The model.
    pub model: String,
    /// The run.
    pub run: String,
    /// How many rows it has.
    pub rows: u64,
    /// How many are equal to the gold, of those of which that is known.
    pub exact: Tally,
    /// What decided whether they are, where rows do not say so themselves.
    pub normalizer: &'static str,
    /// What the metric of a run says; `None` for a file of predictions.
    pub measured: Option<Measured>,
    /// What the judge said; `None` if it was not asked.
    pub judged: Option<Verdicts>,
    /// Milliseconds, of the rows that say so, in any order.
    pub latencies_ms: Vec<f64>,
    /// Tokens.
    pub tokens: Tokens,
    /// How many rows with tokens do not say how long they took.
    pub untimed_tokens: u64,
    /// What answers cost, of the rows that say so.
    pub usd: Vec<f64>,
    /// How many seconds the whole run took, if it says so.
    pub stated_seconds: Option<f64>,
}
