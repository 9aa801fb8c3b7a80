//! The groups of items that all coefficients of a table are resampled over.
//!
//! What two raters said tells items apart that count the same for most coefficients: (yes,
//! no) and (no, yes) are one pattern. Would each coefficient be resampled over groups of its
//! own, Scott's π and Fleiss' κ of two complete raters were one number with two intervals.
//! So of two raters the groups are always those of [`PairCells`], and of more the patterns.

use super::cells::PairCells;
use super::patterns::Patterns;
use super::table::Table;
use super::{Coefficient, Estimate, ShareTerms};
use crate::clusters::NoInterval;
use crate::interval::Interval;

/// Items in groups.
#[derive(Clone, Debug)]
pub struct Grouping {
    patterns: Patterns,
    /// Of two raters: the cells, and the pattern of each.
    cells: Option<(PairCells, Vec<u32>)>,
}

impl Grouping {
    /// The groups of a table in which the raters of these columns rated anything.
    pub fn new(table: &dyn Table, columns: &[usize]) -> Self {
        let patterns = Patterns::from_table(table, columns.len());
        let cells = match *columns {
            [first, _] => {
                let cells = PairCells::with_missing(table, first);
                let of_cells = patterns_of(&cells);
                Some((cells, of_cells))
            }
            _ => None,
        };
        Self { patterns, cells }
    }

    /// The items by how many raters chose which category: what coefficients are made of.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// How many items are in each group.
    pub fn sizes(&self) -> &[u64] {
        match &self.cells {
            Some((cells, _)) => cells.sizes(),
            None => self.patterns.sizes(),
        }
    }

    /// The group of each item; `None` of those that nobody rated.
    pub fn of_items(&self, table: &dyn Table, columns: &[usize]) -> Vec<Option<u32>> {
        match (&self.cells, columns) {
            (Some((cells, _)), [first, ..]) => cells.of_items_with_missing(table, *first),
            _ => self.patterns.of_items(table),
        }
    }

    /// A coefficient of the patterns as one of the groups.
    pub fn coefficient<'a, C: Coefficient + 'a>(&'a self, of_patterns: C) -> Grouped<'a, C> {
        Grouped {
            of_patterns,
            grouping: self,
        }
    }

    /// Of two raters the cells, in which the number of categories stands for nothing said.
    pub fn cells(&self) -> Option<&PairCells> {
        self.cells.as_ref().map(|(cells, _)| cells)
    }
}

/// Patterns are in the order of their codes, where nothing said comes last.
fn patterns_of(cells: &PairCells) -> Vec<u32> {
    let sorted = |&(a, b): &(u32, u32)| (a.min(b), a.max(b));
    let mut order: Vec<(u32, u32)> = cells.cells().iter().map(sorted).collect();
    order.sort_unstable();
    order.dedup();
    let place = |cell| order.partition_point(|known| *known < sorted(cell)) as u32;
    cells.cells().iter().map(place).collect()
}

/// A coefficient that is prepared from patterns and asked by groups.
#[derive(Clone, Debug)]
pub struct Grouped<'a, C> {
    of_patterns: C,
    grouping: &'a Grouping,
}

impl<C> Grouped<'_, C> {
    fn with<T>(&self, weights: &[u64], ask: impl FnOnce(&C, &[u64]) -> T) -> T {
        let Some((_, of_cells)) = &self.grouping.cells else {
            return ask(&self.of_patterns, weights);
        };
        let mut sums = vec![0; self.grouping.patterns.len()];
        for (&pattern, weight) in of_cells.iter().zip(weights) {
            sums[pattern as usize] += weight;
        }
        ask(&self.of_patterns, &sums)
    }
}

impl<C: Coefficient> Coefficient for Grouped<'_, C> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        self.with(weights, C::estimate)
    }

    fn items(&self, weights: &[u64]) -> u64 {
        self.with(weights, C::items)
    }

    fn share_terms(&self, group: usize) -> Option<ShareTerms> {
        let pattern = match &self.grouping.cells {
            Some((_, of_cells)) => of_cells[group] as usize,
            None => group,
        };
        self.of_patterns.share_terms(pattern)
    }

    fn share_interval(
        &self,
        weights: &[u64],
        confidence: f64,
    ) -> Option<Result<Interval, NoInterval>> {
        self.with(weights, |coefficient, weights| {
            coefficient.share_interval(weights, confidence)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::fleiss::FleissKappa;
    use crate::agreement::scott::ScottPi;
    use crate::agreement::{MISSING, Ratings};
    use crate::item_bootstrap::{IntervalMethod, ItemBootstrap};
    use proptest::prelude::*;

    #[test]
    fn equal_numbers_have_equal_intervals() {
        let codes: Vec<u32> = (0..240).map(|i: u32| i * i % 7 % 3).collect();
        let ratings = Ratings::new(2, 3, codes);
        let grouping = Grouping::new(&ratings, &[0, 1]);
        let cells = PairCells::from_table(&ratings, 0, 1);
        assert_eq!(grouping.sizes(), cells.sizes());
        let fleiss = grouping.coefficient(FleissKappa::new(grouping.patterns()));
        let bootstrap = ItemBootstrap {
            resamples: 500,
            seed: 3,
            confidence: 0.95,
            method: IntervalMethod::Bca,
        };
        let [pi, kappa] = [&ScottPi::new(&cells) as &dyn Coefficient, &fleiss].map(|asked| {
            let value = asked.estimate(grouping.sizes()).unwrap();
            let found = bootstrap.intervals(grouping.sizes(), &[asked], 1)[0];
            let ends = found.interval.unwrap();
            [value, ends.lo, ends.hi]
        });
        for (pi, kappa) in pi.iter().zip(kappa) {
            assert!((pi - kappa).abs() < 1e-12, "{pi} {kappa}");
        }
    }

    proptest! {
        #[test]
        fn cells_add_up_to_patterns(
            categories in prop::sample::select(vec![4usize, 1 << 20]),
            rows in prop::collection::vec([prop::option::of(0u32..4), prop::option::of(0u32..4)], 0..60),
        ) {
            let codes = rows.as_flattened().iter().map(|code| code.unwrap_or(MISSING));
            let ratings = Ratings::new(2, categories, codes.collect());
            let grouping = Grouping::new(&ratings, &[0, 1]);
            let patterns = grouping.patterns();
            let (cells, of_cells) = grouping.cells.as_ref().unwrap();
            let mut sizes = vec![0; patterns.len()];
            for ((cell, &pattern), size) in cells.cells().iter().zip(of_cells).zip(cells.sizes()) {
                sizes[pattern as usize] += size;
                let said: u32 = patterns.choices(pattern as usize).iter().map(|c| c.1).sum();
                let given = [cell.0, cell.1].iter().filter(|c| **c < categories as u32).count();
                prop_assert_eq!(said as usize, given);
            }
            prop_assert_eq!(sizes, patterns.sizes());
        }
    }
}
