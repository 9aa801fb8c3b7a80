//! Items of any raters, grouped by how many raters chose which category.

use super::ratings::{MISSING, Ratings};

/// The largest table of counters that items are counted in directly.
const TABLE_LIMIT: usize = 1 << 20;

/// Groups of items on which equally many raters chose each category.
///
/// Patterns are in a fixed order that depends on what they hold and not on the order of
/// items or raters, so that sums over them do not either: more choices of the first
/// category come first, then more of the second, and so on. Items that nobody rated are
/// in no pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    raters: usize,
    categories: usize,
    /// Where the choices of pattern `p` begin: `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    /// (category, how many raters chose it), categories rising within a pattern.
    choices: Vec<(u32, u32)>,
    /// How many ratings an item of the pattern has.
    ratings: Vec<u32>,
    sizes: Vec<u64>,
}

impl Patterns {
    /// The patterns of a table of ratings.
    pub fn from_ratings(ratings: &Ratings) -> Self {
        let mut patterns = Self {
            raters: ratings.raters(),
            categories: ratings.categories(),
            starts: vec![0],
            ..Self::default()
        };
        if ratings.items() > 0 {
            match Tally::new(ratings.raters(), ratings.categories()) {
                Some(tally) => patterns.group_by_tally(ratings, &tally),
                None => patterns.group_by_sorted_row(ratings),
            }
        }
        patterns
    }

    /// How many patterns there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether nobody rated anything.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// How many raters the table had.
    pub fn raters(&self) -> usize {
        self.raters
    }

    /// How many categories there are codes for.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// What raters chose in pattern `p`: (category, how many raters), categories rising.
    pub fn choices(&self, p: usize) -> &[(u32, u32)] {
        &self.choices[self.starts[p]..self.starts[p + 1]]
    }

    /// How many ratings an item of pattern `p` has.
    pub fn ratings(&self, p: usize) -> u32 {
        self.ratings[p]
    }

    /// How many items are in each pattern.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// How many items there are when pattern `p` has `weights[p]`, over the patterns whose
    /// number of ratings `counts` lets in.
    pub(super) fn items_where(&self, weights: &[u64], counts: impl Fn(u32) -> bool) -> u64 {
        let items = self.ratings.iter().zip(weights);
        let items = items.filter(|&(&ratings, _)| counts(ratings));
        items.map(|(_, &weight)| weight).sum()
    }

    /// How often each category was chosen when pattern `p` has `weights[p]` items, over
    /// the patterns whose number of ratings `counts` lets in.
    pub(super) fn marginals(&self, weights: &[u64], counts: impl Fn(u32) -> bool) -> Vec<u64> {
        let mut chosen = vec![0; self.categories];
        for (p, &weight) in weights.iter().enumerate() {
            if weight > 0 && counts(self.ratings(p)) {
                for &(c, count) in self.choices(p) {
                    chosen[c as usize] += weight * u64::from(count);
                }
            }
        }
        chosen
    }

    /// `difference` of their categories, which does not depend on their order, summed over
    /// the ordered pairs of ratings of an item of pattern `p` that are not the same.
    pub(super) fn sum_over_pairs(&self, p: usize, difference: impl Fn(u32, u32) -> f64) -> f64 {
        let mut sum = 0.0;
        let mut choices = self.choices(p);
        while let [(c, n), rest @ ..] = choices {
            for (k, other) in rest {
                sum += f64::from(*n) * f64::from(*other) * difference(*c, *k);
            }
            choices = rest;
        }
        2.0 * sum
    }

    /// Few categories: the whole pattern is one number, and equal numbers are counted.
    fn group_by_tally(&mut self, ratings: &Ratings, tally: &Tally) {
        let numbers = ratings.rows().map(|row| tally.number(row));
        // Counters for all possible numbers cost their number, sorting costs the items.
        if tally.possible <= ratings.items().min(TABLE_LIMIT) as u64 {
            let mut sizes = vec![0u64; tally.possible as usize];
            numbers.for_each(|number| sizes[number as usize] += 1);
            for (number, &size) in sizes.iter().enumerate().rev() {
                if size > 0 {
                    self.push(tally.choices(number as u64), size);
                }
            }
        } else {
            let mut numbers: Vec<u64> = numbers.collect();
            numbers.sort_unstable_by(|a, b| b.cmp(a));
            for alike in numbers.chunk_by(|a, b| a == b) {
                self.push(tally.choices(alike[0]), alike.len() as u64);
            }
        }
    }

    /// Many categories, such as measured values: items with their codes in rising order
    /// are sorted. [`MISSING`] is above all codes, so this is the same order of patterns.
    fn group_by_sorted_row(&mut self, ratings: &Ratings) {
        let raters = ratings.raters();
        let mut codes = ratings.codes().to_vec();
        codes
            .chunks_exact_mut(raters)
            .for_each(<[u32]>::sort_unstable);

        // As many codes of a row as fit into one number are compared at once. A missing
        // one is written as the number of categories, which no code reaches.
        let missing = ratings.categories() as u64;
        let bits = u64::BITS - missing.leading_zeros();
        let ahead = raters.min((u64::BITS / bits) as usize);
        let row = |item: usize| &codes[item * raters..][..raters];
        let mut order: Vec<(u64, usize)> = (0..ratings.items())
            .map(|item| {
                let head = row(item)[..ahead].iter();
                let head = head.fold(0, |head, &c| head << bits | u64::from(c).min(missing));
                (head, item)
            })
            .collect();
        let rest = |item: usize| &row(item)[ahead..];
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| rest(a.1).cmp(rest(b.1))));
        for alike in order.chunk_by(|a, b| a.0 == b.0 && rest(a.1) == rest(b.1)) {
            let chosen = row(alike[0].1).chunk_by(|a, b| a == b);
            let chosen = chosen.map(|same| (same[0], same.len() as u32));
            self.push(chosen.filter(|&(c, _)| c != MISSING), alike.len() as u64);
        }
    }

    /// Adds a pattern, unless nobody chose anything.
    fn push(&mut self, chosen: impl Iterator<Item = (u32, u32)>, size: u64) {
        let start = self.choices.len();
        self.choices.extend(chosen);
        if self.choices.len() > start {
            self.starts.push(self.choices.len());
            let ratings = self.choices[start..].iter().map(|&(_, count)| count);
            self.ratings.push(ratings.sum());
            self.sizes.push(size);
        }
    }
}

/// A pattern written as a number: how many chose the first category is the first digit,
/// and so on, in base raters + 1. Larger numbers are earlier patterns.
struct Tally {
    base: u64,
    /// What a choice of each category adds; last, the 0 that a missing one adds.
    places: Vec<u64>,
    /// All numbers are below.
    possible: u64,
}

impl Tally {
    /// `None` if the numbers would be too large.
    fn new(raters: usize, categories: usize) -> Option<Self> {
        let base = raters as u64 + 1;
        let possible = base.checked_pow(u32::try_from(categories).ok()?)?;
        let mut place = possible;
        let mut places = vec![0; categories + 1];
        for at in &mut places[..categories] {
            place /= base;
            *at = place;
        }
        Some(Self {
            base,
            places,
            possible,
        })
    }

    #[inline]
    fn number(&self, row: &[u32]) -> u64 {
        // No branch on what is missing, which is hard to predict.
        let last = self.places.len() - 1;
        row.iter().map(|&c| self.places[last.min(c as usize)]).sum()
    }

    fn choices(&self, number: u64) -> impl Iterator<Item = (u32, u32)> {
        let places = self.places.iter().take_while(|&&place| place > 0);
        (0..).zip(places).filter_map(move |(c, place)| {
            let count = (number / place % self.base) as u32;
            (count > 0).then_some((c, count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const X: u32 = MISSING;

    #[test]
    fn worked_by_hand() {
        // Items {0,0,1}, {2}, {1,0,0}, {}, {2,2}: the first and third are alike.
        let codes = vec![0, 0, 1, X, 2, X, 1, 0, 0, X, X, X, 2, X, 2];
        let patterns = Patterns::from_ratings(&Ratings::new(3, 3, codes));
        assert_eq!((patterns.raters(), patterns.categories()), (3, 3));
        assert_eq!(patterns.sizes(), [2, 1, 1]);
        assert_eq!(patterns.choices(0), [(0, 2), (1, 1)]);
        assert_eq!(patterns.choices(1), [(2, 2)]);
        assert_eq!(patterns.choices(2), [(2, 1)]);
        assert_eq!([0, 1, 2].map(|p| patterns.ratings(p)), [3, 2, 1]);
    }

    #[test]
    fn nothing_rated_is_no_pattern() {
        for (raters, categories, codes) in [
            (0, 0, vec![]),
            (0, 3, vec![]),
            (3, 0, vec![X; 6]),
            (3, 2, vec![X; 6]),
            (3, 1 << 20, vec![X; 6]),
        ] {
            let patterns = Patterns::from_ratings(&Ratings::new(raters, categories, codes));
            assert!(patterns.is_empty());
            assert_eq!(patterns.len(), 0);
        }
    }

    /// How many items have which counts, negated so that more choices come first.
    fn counted(ratings: &Ratings) -> Vec<(Vec<(u32, u32)>, u64)> {
        let mut found = BTreeMap::new();
        for row in ratings.rows() {
            let mut counts = vec![0i64; ratings.categories()];
            for &c in row.iter().filter(|&&c| c != MISSING) {
                counts[c as usize] -= 1;
            }
            *found.entry(counts).or_insert(0) += 1;
        }
        let choices = |counts: Vec<i64>| {
            let counts = (0..).zip(counts).filter(|(_, count)| *count < 0);
            counts.map(|(c, count)| (c, -count as u32)).collect()
        };
        let patterns = found.into_iter().map(|(counts, n)| (choices(counts), n));
        patterns
            .filter(|(choices, _): &(Vec<_>, _)| !choices.is_empty())
            .collect()
    }

    proptest! {
        // 2 categories are counted in a table, 20 as sorted numbers and 70 as sorted
        // rows, of which up to 9 codes are compared at once.
        #[test]
        fn groups_what_is_alike_in_any_order(
            raters in 1usize..14,
            categories in prop::sample::select(vec![1usize, 2, 5, 20, 70, 300]),
            codes in prop::collection::vec(prop::option::weighted(0.8, 0u32..300), 0..400),
            turn in 0usize..14,
        ) {
            let whole = codes.len() / raters * raters;
            let codes = codes[..whole].iter();
            let codes: Vec<u32> = codes.map(|c| c.map_or(X, |c| c % categories as u32 % 40)).collect();
            let ratings = Ratings::new(raters, categories, codes.clone());
            let patterns = Patterns::from_ratings(&ratings);
            let found: Vec<_> = (0..patterns.len())
                .map(|p| (patterns.choices(p).to_vec(), patterns.sizes()[p]))
                .collect();
            prop_assert_eq!(found, counted(&ratings));
            for p in 0..patterns.len() {
                let ratings: u32 = patterns.choices(p).iter().map(|choice| choice.1).sum();
                prop_assert_eq!(patterns.ratings(p), ratings);
            }
            let moved = codes.chunks(raters).rev().flat_map(|row| {
                let mut row = row.to_vec();
                row.rotate_left(turn % raters);
                row
            });
            let moved = Ratings::new(raters, categories, moved.collect());
            prop_assert_eq!(Patterns::from_ratings(&moved), patterns);
        }
    }
}
