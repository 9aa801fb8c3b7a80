//! How often categories are chosen, without a counter for each of them.
//!
//! A measured value is rarely measured twice. Such a category is private to the one
//! pattern that has it: it is chosen as often as the pattern has items, times a constant,
//! and needs no counter. Counters for 500,000 different values would not fit a cache, and
//! they would be written at random places, a thousand times over in a bootstrap. Left to
//! count are the categories that several patterns share.

use super::Patterns;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// The choices of all patterns, those of private categories and those of shared ones
/// apart. Patterns rise in both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marginals {
    private: Vec<Private>,
    shared: Vec<Shared>,
    /// (number among the shared categories, how many raters chose it), pattern by
    /// pattern.
    choices: Vec<(u32, u32)>,
    /// Per category its number among the shared ones, or [`PRIVATE`]. Numbers rise.
    numbers: Vec<u32>,
    shared_categories: usize,
}

/// Stands for the number of a category that is not shared.
const PRIVATE: u32 = u32::MAX;

/// The private categories of a pattern that equally many raters chose.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Private {
    pattern: usize,
    categories: u32,
    /// How many raters chose each.
    count: u32,
}

/// A pattern with shared categories.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shared {
    pattern: usize,
    /// Where its choices end; those of the one before end where they begin.
    end: usize,
}

/// What categories are counted in: items, or shares of items.
pub(super) trait Amount:
    Copy + Default + From<u32> + Mul<Output = Self> + AddAssign
{
}

impl Amount for u64 {}
impl Amount for i64 {}
impl Amount for f64 {}

impl Marginals {
    /// The choices of `patterns`.
    pub(super) fn new(patterns: &Patterns) -> Self {
        let mut marginals = Self::default();
        marginals.number_shared(patterns);
        let mut private_counts = Vec::new();
        for pattern in 0..patterns.len() {
            let start = marginals.choices.len();
            for &(c, count) in patterns.choices(pattern) {
                match marginals.numbers[c as usize] {
                    PRIVATE => private_counts.push(count),
                    number => marginals.choices.push((number, count)),
                }
            }
            let end = marginals.choices.len();
            if end > start {
                marginals.shared.push(Shared { pattern, end });
            }
            private_counts.sort_unstable();
            for same in private_counts.chunk_by(|a, b| a == b) {
                marginals.private.push(Private {
                    pattern,
                    categories: same.len() as u32,
                    count: same[0],
                });
            }
            private_counts.clear();
        }
        marginals
    }

    /// Decides which categories are shared.
    fn number_shared(&mut self, patterns: &Patterns) {
        let occurrences = patterns.occurrences();
        let private = occurrences.iter().filter(|&&n| n == 1).count();
        let choices = occurrences.iter().map(|&n| n as usize).sum::<usize>();
        // To tell the two apart takes time as well: unless it spares most of the counting,
        // all count as shared. So do they where patterns cannot be told by 32 bits.
        let apart = private > choices / 2 && u32::try_from(patterns.len()).is_ok();
        let least = if apart { 2 } else { 1 };
        let mut next = 0;
        self.numbers = occurrences;
        for number in &mut self.numbers {
            let is_shared = *number >= least;
            *number = if is_shared { next } else { PRIVATE };
            next += u32::from(is_shared);
        }
        self.shared_categories = next as usize;
    }

    /// Whether category `c` is counted, unlike one that is private or does not occur.
    pub(super) fn is_shared(&self, c: u32) -> bool {
        self.numbers[c as usize] != PRIVATE
    }

    /// The square of how often a category was chosen, summed over all categories, when
    /// pattern `p` has `weight(p)`.
    pub(super) fn squares<T, S>(&self, weight: impl Fn(usize) -> T) -> S
    where
        T: Amount,
        S: From<T> + From<u32> + Add<Output = S> + Mul<Output = S> + Sum,
    {
        let square = |chosen: T| S::from(chosen) * S::from(chosen);
        let private = self.private.iter().map(|private| {
            let chosen = weight(private.pattern) * T::from(private.count);
            square(chosen) * S::from(private.categories)
        });
        let private: S = private.sum();
        private + self.shared(&weight).into_iter().map(square).sum()
    }

    /// How often each shared category was chosen, when pattern `p` has `weight(p)`;
    /// categories rise.
    pub(super) fn shared<T: Amount>(&self, weight: impl Fn(usize) -> T) -> Vec<T> {
        let mut chosen = vec![T::default(); self.shared_categories];
        for (pattern, choices) in self.shared_choices() {
            // Of a resample a third of the patterns have no items, at random places: to
            // add zeros is quicker than a branch.
            let weight = weight(pattern);
            for &(number, count) in choices {
                chosen[number as usize] += weight * T::from(count);
            }
        }
        chosen
    }

    /// The patterns that have shared categories, with their choices of these: (number of
    /// the category, how many raters).
    pub(super) fn shared_choices(&self) -> impl Iterator<Item = (usize, &[(u32, u32)])> {
        let mut start = 0;
        self.shared.iter().map(move |shared| {
            let choices = &self.choices[start..shared.end];
            start = shared.end;
            (shared.pattern, choices)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MISSING, Ratings};
    use super::*;
    use proptest::prelude::*;

    fn patterns(raters: usize, categories: usize, codes: Vec<u32>) -> Patterns {
        Patterns::from_ratings(&Ratings::new(raters, categories, codes))
    }

    #[test]
    fn worked_by_hand() {
        // Only category 2 is in two patterns. {0,0,1} has two categories of its own, of
        // which one was chosen twice; {2,3,4} has two, {2,2,2} none.
        let patterns = patterns(3, 5, vec![0, 0, 1, 2, 3, 4, 2, 2, 2]);
        let marginals = Marginals::new(&patterns);
        let private: Vec<_> = marginals
            .private
            .iter()
            .map(|p| (p.pattern, p.categories, p.count))
            .collect();
        // {2,2,2} comes before {2,3,4}.
        assert_eq!(private, [(0, 1, 1), (0, 1, 2), (2, 2, 1)]);
        let shared: Vec<_> = marginals.shared_choices().collect();
        assert_eq!(shared, [(1, &[(0, 3)][..]), (2, &[(0, 1)][..])]);
        // With 2, 3 and 5 items the categories are chosen 4, 2, 14, 5 and 5 times.
        let weights = [2u64, 3, 5];
        assert_eq!(marginals.shared(|p| weights[p]), [14]);
        let squares: u128 = marginals.squares(|p| weights[p]);
        assert_eq!(squares, 16 + 4 + 196 + 25 + 25);
    }

    #[test]
    fn counts_may_be_huge() {
        let patterns = patterns(2, 3, vec![0, 0, 1, 2]);
        let weights = [1u64 << 53; 2];
        let squares: u128 = patterns.marginals().squares(|p| weights[p]);
        assert_eq!(squares, (4 + 1 + 1) << 106);
    }

    proptest! {
        #[test]
        fn squares_are_those_of_all_counters(
            raters in 1usize..6,
            categories in prop::sample::select(vec![3u32, 30, 1000]),
            codes in prop::collection::vec(prop::option::weighted(0.8, 0u32..1000), 0..100),
            weights in prop::collection::vec(0u64..4, 100),
        ) {
            let codes = codes[..codes.len() / raters * raters].iter();
            let codes = codes.map(|c| c.map_or(MISSING, |c| c % categories)).collect();
            let patterns = patterns(raters, categories as usize, codes);
            let pairable = |m| m >= 2;
            let chosen = patterns.chosen(&weights[..patterns.len()], pairable);
            let weight = |p| if pairable(patterns.ratings(p)) { weights[p] } else { 0 };
            let squares: u128 = patterns.marginals().squares(weight);
            prop_assert_eq!(squares, chosen.iter().map(|&n| u128::from(n * n)).sum());
            let halves: f64 = patterns.marginals().squares(|p| weight(p) as f64 / 2.0);
            prop_assert_eq!(halves, squares as f64 / 4.0);
        }
    }
}
