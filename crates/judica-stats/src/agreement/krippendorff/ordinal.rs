//! The ordinal level: two categories differ by how far apart they are in the order of all
//! ratings, squared.
//!
//! The rank of a category is how many more ratings are before it than after it. That is
//! twice its midrank, less the number of ratings, and always a whole number. So δ² is four
//! times as large, in both disagreements, and the mean rank of all ratings is zero. It
//! follows that the δ² of all pairs add up to twice the number of ratings times their
//! squared ranks: all that matters of an item is the sum of its ranks and of their squares.
//!
//! A rank depends on all ratings, so it is not known before the resample is. Categories
//! are gone through in rising order. The rank of one that is private to a pattern, as
//! `marginals.rs` has it, goes into the sums of that pattern at once; only those of shared
//! categories are kept and then looked up pattern by pattern.

use super::{Disagreement, is_pairable};
use crate::agreement::Patterns;
use std::num::NonZeroU32;

/// The order of the categories.
#[derive(Clone, Debug)]
pub(super) struct Ordinal {
    /// The categories that have pairable ratings, rising; `None` is a shared one.
    order: Vec<Option<Private>>,
}

/// A category that only one pattern has.
#[derive(Clone, Copy, Debug)]
struct Private {
    pattern: u32,
    /// How many raters chose it. Since it is not zero, `None` takes no space.
    count: NonZeroU32,
}

/// The ranks of an item's ratings.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// How many items there are like this one. It is here and not beside, so that going
    /// through the categories takes one memory access each.
    weight: i64,
    sum: f64,
    squares: f64,
}

impl Ordinal {
    /// For the items in `patterns`.
    pub(super) fn new(patterns: &Patterns) -> Self {
        let is_shared = |c| patterns.marginals().is_shared(c);
        let mut order = vec![None; patterns.categories()];
        for p in (0..patterns.len()).filter(|&p| is_pairable(patterns.ratings(p))) {
            let choices = patterns.choices(p).iter();
            for &(c, count) in choices.filter(|&&(c, _)| !is_shared(c)) {
                order[c as usize] = NonZeroU32::new(count).map(|count| Private {
                    pattern: p as u32,
                    count,
                });
            }
        }
        let order = (0..).zip(order);
        let order = order.filter(|&(c, private)| private.is_some() || is_shared(c));
        Self {
            order: order.map(|(_, private)| private).collect(),
        }
    }

    /// The disagreement when pattern `p` has `weights[p]` items, whose pairable ratings
    /// are `ratings` in all.
    pub(super) fn disagreement(
        &self,
        patterns: &Patterns,
        weights: &[u64],
        ratings: u64,
    ) -> Disagreement {
        let marginals = patterns.marginals();
        let mut items: Vec<Item> = weights.iter().map(|&weight| Item::new(weight)).collect();
        let weight = patterns.weight_where(weights, is_pairable);
        let mut shared = marginals.shared(|p| weight(p) as i64);

        let (mut before, mut after) = (0, ratings as i64);
        let mut rank = |chosen: i64| {
            after -= chosen;
            let rank = before - after;
            before += chosen;
            rank
        };
        let mut next_shared = shared.iter_mut();
        for private in &self.order {
            if let Some(Private { pattern, count }) = *private {
                let item = &mut items[pattern as usize];
                let rank = rank(item.weight * i64::from(count.get()));
                item.add(count.get(), rank);
            } else if let Some(chosen) = next_shared.next() {
                *chosen = rank(*chosen);
            }
        }
        let ranks = shared;
        for (p, choices) in marginals.shared_choices() {
            // In a copy, since each addition waits for the one before, and memory is slow.
            let mut item = items[p];
            for &(number, count) in choices {
                item.add(count, ranks[number as usize]);
            }
            items[p] = item;
        }

        let (mut observed, mut squares) = (0.0, 0.0);
        for (p, item) in items.iter().enumerate() {
            let m = patterns.ratings(p);
            if is_pairable(m) {
                let weight = item.weight as f64;
                squares += weight * item.squares;
                // Where all agree there is no difference, not even by rounding.
                if patterns.choices(p).len() > 1 {
                    observed += weight * item.within(m);
                }
            }
        }
        Disagreement {
            observed,
            expected: 2.0 * ratings as f64 * squares,
        }
    }
}

impl Item {
    fn new(weight: u64) -> Self {
        Self {
            weight: weight as i64,
            sum: 0.0,
            squares: 0.0,
        }
    }

    /// Adds `count` ratings with this rank.
    #[inline]
    fn add(&mut self, count: u32, rank: i64) {
        let rank = rank as f64;
        let sum = f64::from(count) * rank;
        self.sum += sum;
        self.squares += sum * rank;
    }

    /// δ² summed over ordered pairs of the item's `ratings`, by the number of partners a
    /// rating has.
    #[inline]
    fn within(&self, ratings: u32) -> f64 {
        let m = f64::from(ratings);
        // Ranks that are large and next to each other may come out below zero.
        let differences = (m * self.squares - self.sum * self.sum).max(0.0);
        2.0 * differences / (m - 1.0)
    }
}
