//! A difference of two runs over the same episodes.
//!
//! A metric is a ratio of two sums over episodes, Σ above / Σ below: type matches and
//! steps, distances and their number, or a value and 1. Episodes, not steps, are the unit:
//! steps of one episode belong together.
//!
//! * The interval: episodes are resampled, both runs together.
//! * The test: if the runs were alike, each episode's two outcomes could as well be
//!   swapped. Let R be the metric of both runs taken together, which no swap changes. An
//!   episode's d = (above − R · below) of the second run less that of the first then only
//!   changes its sign, so a test of signs on the d is exact, whatever the sums below are.
//!   Where those are equal, d is the plain difference. For success and failure it is
//!   McNemar's exact test.

use judica_stats::agreement::{Coefficient, Estimate, Undefined};
use judica_stats::exact_sum;
use judica_stats::item_bootstrap::{IntervalMethod, ItemBootstrap};
use judica_stats::mcnemar::mcnemar;
use judica_stats::permutation::paired_permutation;

use super::CompareRequest;
use super::episodes::{Episodes, MEASURED, Term, measured};

/// Choices of signs to draw where there are too many to enumerate.
const SIGNS: usize = 10_000;
/// Fewer are drawn where that would be more signs than this in all, but never fewer than
/// [`LEAST_SIGNS`].
const MOST: usize = 200_000_000;
const LEAST_SIGNS: usize = 2_000;

/// Which episodes two runs have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Match {
    /// In both.
    pub common: u64,
    /// In the first run only.
    pub first_only: Vec<String>,
    /// In the second run only.
    pub second_only: Vec<String>,
}

/// A paired difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paired {
    /// Second less first, over the episodes in common.
    pub difference: f64,
    /// Its interval.
    pub interval: Option<[f64; 2]>,
    /// Two-sided.
    pub p_value: f64,
    /// How the p-value was found.
    pub test: &'static str,
    /// How many episodes have something to say about the metric.
    pub n: u64,
}

/// The episodes of two runs.
pub(super) fn matched(first: &Episodes, second: &Episodes) -> Match {
    let only = |these: &Episodes, those: &Episodes| {
        let ids = these.0.keys().filter(|id| !those.0.contains_key(*id));
        ids.cloned().collect::<Vec<_>>()
    };
    let first_only = only(first, second);
    Match {
        common: (first.0.len() - first_only.len()) as u64,
        first_only,
        second_only: only(second, first),
    }
}

/// The difference in every metric, or why there is none.
pub(super) fn differences(
    first: &Episodes,
    second: &Episodes,
    request: &CompareRequest,
) -> [Result<Paired, &'static str>; MEASURED] {
    let pairs: Vec<[&[Term; MEASURED]; 2]> = first
        .0
        .iter()
        .filter_map(|(id, terms)| Some([terms, second.0.get(id)?]))
        .collect();
    let columns: Vec<Column> = measured()
        .enumerate()
        .map(|(place, spec)| Column::new(&pairs, place, spec.hits.is_some() && !spec.of_steps))
        .collect();
    let coefficients: Vec<&dyn Coefficient> = columns
        .iter()
        .map(|column| column as &dyn Coefficient)
        .collect();
    let bootstrap = ItemBootstrap {
        resamples: request.resamples,
        seed: request.seed,
        confidence: request.confidence,
        method: IntervalMethod::Percentile,
    };
    let sizes = vec![1; pairs.len()];
    let intervals = bootstrap.intervals(&sizes, &coefficients, request.threads);
    std::array::from_fn(|place| {
        let interval = intervals[place].interval;
        let interval = interval.map(|interval| [interval.lo, interval.hi]);
        columns[place].paired(interval, request.seed)
    })
}

/// The terms of one metric, a pair for each episode in common.
struct Column {
    pairs: Vec<[Term; 2]>,
    /// Whether each is a yes or a no.
    is_answer: bool,
}

impl Column {
    fn new(pairs: &[[&[Term; MEASURED]; 2]], place: usize, is_answer: bool) -> Self {
        let pairs = pairs.iter().map(|[first, second]| {
            let pair = [first[place], second[place]];
            // A yes without a counterpart is no pair.
            let alone = is_answer && (pair[0][1] == 0.0 || pair[1][1] == 0.0);
            if alone { [[0.0; 2]; 2] } else { pair }
        });
        Column {
            pairs: pairs.collect(),
            is_answer,
        }
    }

    /// A sum over the episodes.
    fn sum(&self, run: usize, part: usize) -> f64 {
        let terms: Vec<f64> = self.pairs.iter().map(|pair| pair[run][part]).collect();
        exact_sum(&terms)
    }

    fn paired(&self, interval: Option<[f64; 2]>, seed: u64) -> Result<Paired, &'static str> {
        let [above, below] = [0, 1].map(|part| [self.sum(0, part), self.sum(1, part)]);
        if below[0] <= 0.0 || below[1] <= 0.0 {
            return Err("no episode in common has it");
        }
        let said = |pair: &&[Term; 2]| pair[0][1] > 0.0 || pair[1][1] > 0.0;
        let n = self.pairs.iter().filter(said).count() as u64;
        let (p_value, test) = self.test((above[0] + above[1]) / (below[0] + below[1]), seed);
        Ok(Paired {
            difference: above[1] / below[1] - above[0] / below[0],
            interval,
            p_value,
            test,
            n,
        })
    }

    /// The p-value and the name of the test, where `together` is the metric of both runs.
    fn test(&self, together: f64, seed: u64) -> (f64, &'static str) {
        if self.is_answer {
            let wins = |run: usize| {
                let won = |pair: &&[Term; 2]| pair[run][0] > pair[1 - run][0];
                self.pairs.iter().filter(won).count() as u64
            };
            let p_value = mcnemar(wins(0), wins(1)).map_or(1.0, |test| test.p_exact);
            return (p_value, "mcnemar_exact");
        }
        let swing = |[first, second]: &[Term; 2]| {
            (second[0] - first[0]) - together * (second[1] - first[1])
        };
        let swings: Vec<f64> = self.pairs.iter().map(swing).collect();
        let nonzero = swings.iter().filter(|&&d| d != 0.0).count();
        let signs = (MOST / nonzero.max(1)).clamp(LEAST_SIGNS, SIGNS) as u32;
        match paired_permutation(&swings, signs, seed) {
            Some(test) if test.exact => (test.p_value, "permutation_exact"),
            Some(test) => (test.p_value, "permutation"),
            None => (1.0, "permutation"),
        }
    }
}

impl Coefficient for Column {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let mut sums = [[0.0; 2]; 2];
        for (pair, &weight) in self.pairs.iter().zip(weights) {
            let weight = weight as f64;
            for (sum, term) in sums.iter_mut().zip(pair) {
                sum[0] += weight * term[0];
                sum[1] += weight * term[1];
            }
        }
        if sums[0][1] > 0.0 && sums[1][1] > 0.0 {
            Ok(sums[1][0] / sums[1][1] - sums[0][0] / sums[0][1])
        } else {
            Err(Undefined::NoItems)
        }
    }
}

#[cfg(test)]
#[path = "paired_tests.rs"]
mod unit;
