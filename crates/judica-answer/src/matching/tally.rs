//! What rows add up to. Sums of counts only, so that any split and order give the same.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::decide::Decision;

/// A row that can be used, as far as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// How it was decided, as far as that is in question: as text and as formulas, until it
    /// is known what the golds are; else twice the same.
    pub decisions: [Decision; 2],
    /// Tokens of the question, if the row says.
    pub tokens_input: Option<u64>,
    /// Tokens of the answer, if the row says.
    pub tokens_output: Option<u64>,
    /// Whether its gold holds nothing.
    pub blank_gold: bool,
}

/// What rows add up to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows that can be used.
    pub rows: u64,
    /// How many of them equal their gold, as [`Counted::decisions`] has it.
    pub equal: [Equal; 2],
    /// Tokens of questions.
    pub tokens_input: Tokens,
    /// Tokens of answers.
    pub tokens_output: Tokens,
    /// Rows that have both.
    pub tokens_rows: u64,
    /// Rows without an id that say the same as an earlier one.
    pub duplicates: u64,
    /// Rows whose gold holds nothing.
    pub blank_gold: u64,
    /// Rows that cannot be used, by reason.
    pub refused: BTreeMap<Cow<'static, str>, u64>,
}

/// Rows that equal their gold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Equal {
    /// Once normalised.
    pub exact: u64,
    /// By structure only.
    pub structural: u64,
}

impl Equal {
    fn add(&mut self, decision: Decision) {
        match decision {
            Decision::Exact => self.exact += 1,
            Decision::Structural => self.structural += 1,
            Decision::Undecided => {}
        }
    }

    fn merge(&mut self, other: Equal) {
        self.exact += other.exact;
        self.structural += other.structural;
    }
}

/// Tokens over the rows that count them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// How many rows count them.
    pub rows: u64,
    /// How many tokens; stops at the largest count there is.
    pub total: u64,
}

impl Tokens {
    fn add(&mut self, rows: u64, tokens: u64) {
        self.rows += rows;
        self.total = self.total.saturating_add(tokens);
    }
}

impl Tally {
    /// Adds a row.
    pub fn add(&mut self, row: Counted) {
        self.rows += 1;
        for (equal, decision) in self.equal.iter_mut().zip(row.decisions) {
            equal.add(decision);
        }
        self.blank_gold += u64::from(row.blank_gold);
        let both = row.tokens_input.is_some() && row.tokens_output.is_some();
        self.tokens_rows += u64::from(both);
        if let Some(tokens) = row.tokens_input {
            self.tokens_input.add(1, tokens);
        }
        if let Some(tokens) = row.tokens_output {
            self.tokens_output.add(1, tokens);
        }
    }

    /// Adds a row that cannot be used.
    pub fn refuse(&mut self, reason: Cow<'static, str>) {
        *self.refused.entry(reason).or_default() += 1;
    }

    /// Adds what other rows add up to.
    pub fn merge(&mut self, other: &Tally) {
        self.rows += other.rows;
        for (equal, other) in self.equal.iter_mut().zip(other.equal) {
            equal.merge(other);
        }
        self.tokens_input
            .add(other.tokens_input.rows, other.tokens_input.total);
        self.tokens_output
            .add(other.tokens_output.rows, other.tokens_output.total);
        self.tokens_rows += other.tokens_rows;
        self.duplicates += other.duplicates;
        self.blank_gold += other.blank_gold;
        for (reason, count) in &other.refused {
            *self.refused.entry(reason.clone()).or_default() += count;
        }
    }

    /// Settles which of the two ways to decide counts.
    pub fn settle(&mut self, way: usize) {
        self.equal = [self.equal[way]; 2];
    }

    /// Rows that cannot be used.
    pub fn rejects(&self) -> u64 {
        self.refused.values().sum()
    }

    /// All rows.
    pub fn inputs(&self) -> u64 {
        self.rows + self.rejects()
    }
}
