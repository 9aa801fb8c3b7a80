//! Items of any raters, grouped by how many raters chose which category.

use super::marginals::Marginals;
use super::ratings::Ratings;
use super::table::Table;
use super::tally::Tally;
use std::collections::HashMap;

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
    marginals: Marginals,
}

impl Patterns {
    /// The patterns of a table of ratings.
    pub fn from_ratings(ratings: &Ratings) -> Self {
        Self::from_table(ratings, ratings.raters())
    }

    /// The patterns of a table in which so many raters rated anything.
    ///
    /// # Panics
    ///
    /// If there are 2^32 ratings or more.
    pub fn from_table(table: &dyn Table, raters: usize) -> Self {
        let mut patterns = Self {
            raters,
            categories: table.categories(),
            starts: vec![0],
            ..Self::default()
        };
        if table.items() > 0 {
            match Tally::new(raters, table.categories()) {
                Some(tally) => patterns.group_by_tally(table, &tally),
                None => patterns.group_by_sorted_row(table),
            }
        }
        patterns.marginals = Marginals::new(&patterns);
        patterns
    }

    /// The pattern of each item of that table; `None` of those that nobody rated.
    pub fn of_items(&self, table: &dyn Table) -> Vec<Option<u32>> {
        let numbered = (0..self.len()).map(|p| (self.choices(p), p as u32));
        let numbers: HashMap<&[(u32, u32)], u32> = numbered.collect();
        let mut of_items = Vec::with_capacity(table.items());
        let (mut codes, mut choices) = (Vec::new(), Vec::new());
        table.each_row(&mut |row| {
            codes.clear();
            codes.extend(row.iter().map(|&(_, code)| code));
            codes.sort_unstable();
            choices.clear();
            let alike = codes.chunk_by(|a, b| a == b);
            choices.extend(alike.map(|alike| (alike[0], alike.len() as u32)));
            of_items.push(numbers.get(choices.as_slice()).copied());
        });
        of_items
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

    /// How many ordered pairs of raters chose the same category on an item of pattern `p`.
    pub(super) fn agreeing_pairs(&self, p: usize) -> u64 {
        let choices = self.choices(p).iter();
        choices.map(|&(_, count)| ordered_pairs(count)).sum()
    }

    /// `weights`, but 0 for the patterns whose number of ratings `counts` does not let in.
    pub(super) fn weight_where(
        &self,
        weights: &[u64],
        counts: impl Fn(u32) -> bool,
    ) -> impl Fn(usize) -> u64 {
        move |p| {
            if counts(self.ratings(p)) {
                weights[p]
            } else {
                0
            }
        }
    }

    /// How many items there are when pattern `p` has `weights[p]`, over the patterns whose
    /// number of ratings `counts` lets in.
    pub(super) fn items_where(&self, weights: &[u64], counts: impl Fn(u32) -> bool) -> u64 {
        let items = self.ratings.iter().zip(weights);
        let items = items.map(|(&m, &weight)| if counts(m) { weight } else { 0 });
        items.sum()
    }

    /// How many ratings there are when pattern `p` has `weights[p]` items, over the
    /// patterns whose number of ratings `counts` lets in.
    pub(super) fn ratings_where(&self, weights: &[u64], counts: impl Fn(u32) -> bool) -> u64 {
        let items = self.ratings.iter().zip(weights);
        let ratings = items.map(|(&m, &weight)| if counts(m) { weight * u64::from(m) } else { 0 });
        ratings.sum()
    }

    /// How often each category was chosen when pattern `p` has `weights[p]` items, over
    /// the patterns whose number of ratings `counts` lets in. That takes a counter per
    /// category; see [`marginals`](Self::marginals) for what needs fewer.
    pub(super) fn chosen(&self, weights: &[u64], counts: impl Fn(u32) -> bool) -> Vec<u64> {
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

    /// How often categories are chosen, without a counter for each.
    pub(super) fn marginals(&self) -> &Marginals {
        &self.marginals
    }

    /// In how many patterns each category occurs.
    pub(super) fn occurrences(&self) -> Vec<u32> {
        let mut occurrences = vec![0; self.categories];
        for &(c, _) in &self.choices {
            occurrences[c as usize] += 1;
        }
        occurrences
    }

    /// Whether all ratings are of the same category when pattern `p` has `weights[p]`
    /// items, over the patterns whose number of ratings `counts` lets in.
    ///
    /// Only so many patterns as there are raters have one and the same category and no
    /// other, so the first few that are drawn tell.
    pub(super) fn is_one_category(&self, weights: &[u64], counts: impl Fn(u32) -> bool) -> bool {
        let mut drawn = (0..self.len()).filter(|&p| weights[p] > 0 && counts(self.ratings(p)));
        let mut only = None;
        drawn.all(|p| match self.choices(p) {
            [(c, _)] => *only.get_or_insert(*c) == *c,
            _ => false,
        })
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
    fn group_by_tally(&mut self, table: &dyn Table, tally: &Tally) {
        // Counters for all possible numbers cost their number, sorting costs the items.
        if tally.possible() <= table.items().min(TABLE_LIMIT) as u64 {
            let mut sizes = vec![0u64; tally.possible() as usize];
            table.each_row(&mut |row| sizes[tally.number(row) as usize] += 1);
            for (number, &size) in sizes.iter().enumerate().rev() {
                if size > 0 {
                    self.push(tally.choices(number as u64), size);
                }
            }
        } else {
            let mut numbers: Vec<u64> = Vec::with_capacity(table.items());
            table.each_row(&mut |row| numbers.push(tally.number(row)));
            numbers.sort_unstable_by(|a, b| b.cmp(a));
            for alike in numbers.chunk_by(|a, b| a == b) {
                self.push(tally.choices(alike[0]), alike.len() as u64);
            }
        }
    }

    /// Many categories, such as measured values: items with their codes in rising order
    /// are sorted. Where an item has no more codes it comes after those that have, which
    /// is the order of patterns.
    fn group_by_sorted_row(&mut self, table: &dyn Table) {
        let (mut codes, mut ends): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        table.each_row(&mut |row| {
            if row.is_empty() {
                return;
            }
            let start = codes.len();
            codes.extend(row.iter().map(|&(_, code)| code));
            codes[start..].sort_unstable();
            ends.push(u32::try_from(codes.len()).expect("fewer than 2^32 ratings"));
        });
        let row = |item: u32| {
            let start = item
                .checked_sub(1)
                .map_or(0, |before| ends[before as usize]);
            &codes[start as usize..ends[item as usize] as usize]
        };

        // As many codes of a row as fit into one number are compared at once. One that is
        // not there is written as the number of categories, which no code reaches.
        let missing = table.categories() as u64;
        let bits = u64::BITS - missing.leading_zeros();
        let ahead = self.raters.min((u64::BITS / bits) as usize);
        let head = |row: &[u32]| {
            let codes = row.iter().map(|&code| u64::from(code));
            let padded = codes.chain(std::iter::repeat(missing));
            padded.take(ahead).fold(0, |head, code| head << bits | code)
        };
        let rest = |item: u32| row(item).get(ahead..).unwrap_or_default();
        let mut order: Vec<(u64, u32)> = (0..ends.len() as u32)
            .map(|item| (head(row(item)), item))
            .collect();
        let longer_first = |a: &[u32], b: &[u32]| {
            let common = a.len().min(b.len());
            let by_code = a[..common].cmp(&b[..common]);
            by_code.then(b.len().cmp(&a.len()))
        };
        order.sort_unstable_by(|a, b| {
            let by_head = a.0.cmp(&b.0);
            by_head.then_with(|| longer_first(rest(a.1), rest(b.1)))
        });
        for alike in order.chunk_by(|a, b| a.0 == b.0 && rest(a.1) == rest(b.1)) {
            let chosen = row(alike[0].1).chunk_by(|a, b| a == b);
            let chosen = chosen.map(|same| (same[0], same.len() as u32));
            self.push(chosen, alike.len() as u64);
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

/// Whether an item with so many ratings has a pair of them.
pub(super) fn is_pairable(ratings: u32) -> bool {
    ratings >= 2
}

/// How many ordered pairs there are of so many.
pub(super) fn ordered_pairs(n: u32) -> u64 {
    u64::from(n) * u64::from(n.saturating_sub(1))
}

#[cfg(test)]
#[path = "patterns_tests.rs"]
mod tests;
