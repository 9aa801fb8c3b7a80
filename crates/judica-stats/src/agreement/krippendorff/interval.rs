//! The interval level: two numbers differ by their squared difference.
//!
//! Over all ordered pairs of some numbers, the squared differences add up to twice how many
//! numbers there are times the sum of their squared deviations from the mean. For all
//! ratings that sum has two parts, as in an analysis of variance: how far ratings are from
//! the mean of their item, and how far that is from the mean of all. So of an item it is
//! enough to know how many ratings it has, their mean and how far they are from it. Which
//! numbers occur, and how often, is never asked: they may all be different.

use super::{Disagreement, is_pairable, largest_magnitude};
use crate::agreement::{Patterns, Undefined};

/// The ratings of an item of each pattern.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    items: Vec<Item>,
}

/// The ratings of an item.
#[derive(Clone, Copy, Debug, Default)]
struct Item {
    /// How many.
    ratings: f64,
    /// The smallest. The mean is told as this and what it is more, because the sum would
    /// lose digits where differences are small.
    first: f64,
    /// The mean, less the smallest.
    beyond: f64,
    /// The squared deviation from the mean, summed.
    squares: f64,
    /// The squared difference summed over ordered pairs, by the number of partners a
    /// rating has.
    within: f64,
}

impl Interval {
    /// Category `c` stands for the number `values[c]`.
    pub(super) fn new(patterns: &Patterns, values: &[f64]) -> Result<Self, Undefined> {
        let largest = largest_magnitude(patterns, values)?;
        // α does not depend on the unit. A power of two that brings the largest value to
        // about one changes no digit and keeps the squares in range.
        let (_, exponent) = libm::frexp(largest);
        let value = |c: u32| libm::scalbn(values[c as usize], -exponent);
        let item = |p| {
            if is_pairable(patterns.ratings(p)) {
                Item::new(patterns.choices(p), f64::from(patterns.ratings(p)), value)
            } else {
                Item::default()
            }
        };
        Ok(Self {
            items: (0..patterns.len()).map(item).collect(),
        })
    }

    /// The disagreement when pattern `p` has `weights[p]` items, which have `ratings` in
    /// all.
    pub(super) fn disagreement(&self, weights: &[u64], ratings: u64) -> Disagreement {
        let n = ratings as f64;
        let items = || self.items.iter().zip(weights.iter().map(|&w| w as f64));
        let sum = items().map(|(item, weight)| weight * item.ratings * (item.first + item.beyond));
        let mean = sum.sum::<f64>() / n;
        let (mut rest, mut squares, mut observed) = (0.0, 0.0, 0.0);
        for (item, weight) in items() {
            let deviation = (item.first - mean) + item.beyond;
            let sum = item.ratings * deviation;
            rest += weight * sum;
            squares += weight * (item.squares + sum * deviation);
            observed += weight * item.within;
        }
        Disagreement {
            observed,
            // Deviations from the exact mean would add up to zero.
            expected: 2.0 * (n * squares - rest * rest),
        }
    }
}

impl Item {
    fn new(choices: &[(u32, u32)], ratings: f64, value: impl Fn(u32) -> f64) -> Self {
        let first = choices.first().map_or(0.0, |&(c, _)| value(c));
        let choices = choices.iter();
        let beyond_first = || {
            let choices = choices.clone();
            choices.map(|&(c, n)| (f64::from(n), value(c) - first))
        };
        let beyond = beyond_first().map(|(n, v)| n * v).sum::<f64>() / ratings;
        let (mut rest, mut squares) = (0.0, 0.0);
        for (n, v) in beyond_first() {
            let deviation = v - beyond;
            rest += n * deviation;
            squares += n * deviation * deviation;
        }
        let squares = squares - rest * rest / ratings;
        Self {
            ratings,
            first,
            beyond,
            squares,
            within: 2.0 * ratings * squares / (ratings - 1.0),
        }
    }
}
