//! What one run of one model did: plain numbers, wherever they come from.

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

/// One run of one model: one file of predictions.
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
    /// How many the judge found correct, of those it decided; `None` if it was not asked.
    pub judged: Option<Tally>,
    /// Milliseconds, of the rows that say so, in any order.
    pub latencies_ms: Vec<f64>,
    /// Tokens.
    pub tokens: Tokens,
    /// How many seconds the whole run took, if it says so.
    pub stated_seconds: Option<f64>,
}
