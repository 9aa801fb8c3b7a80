//! Cohen's κ: unweighted, linear, quadratic, and its standard error.
//!
//! Two raters sort the same items into categories. A pair of categories has a distance:
//! 1 if they differ (unweighted), the number of steps between them (linear), or its
//! square (quadratic). κ is 1 minus the mean distance between the two ratings of an item
//! over the mean distance expected if each rater kept their own frequencies and chose
//! regardless of the item. It is 1 if they always agree, 0 at the level of chance.
//!
//! Cohen, "A Coefficient of Agreement for Nominal Scales", *Educational and Psychological
//! Measurement* 20(1), 1960; with distances: Cohen, "Weighted Kappa: Nominal Scale
//! Agreement with Provision for Scaled Disagreement or Partial Credit", *Psychological
//! Bulletin* 70(4), 1968.
//!
//! Both means are ratios of integers, computed without rounding, and the time is linear
//! in the number of categories: measurements, where nearly every value is a category of
//! its own, are fine.

use super::cells::marginals;
use super::{Coefficient, Estimate, PairCells, Undefined};
use crate::ExactSum;

/// How far apart two categories are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// 1 if they differ: categories have no order.
    Unweighted,
    /// The number of steps from the one to the other.
    Linear,
    /// The number of steps, squared.
    Quadratic,
}

impl Weighting {
    fn distance(self, a: u32, b: u32) -> u64 {
        let steps = u64::from(a.abs_diff(b));
        match self {
            Self::Unweighted => steps.min(1),
            Self::Linear => steps,
            Self::Quadratic => steps * steps,
        }
    }

    /// For each category, the sum of its distances to the ratings counted in `counts`.
    fn distances(self, counts: &[u64]) -> impl Iterator<Item = u128> {
        let counts = counts.iter().map(|&count| u128::from(count));
        let ranked = counts.clone().zip(0u128..);
        let total: u128 = counts.clone().sum();
        let moment: u128 = ranked.clone().map(|(count, i)| count * i).sum();
        let second: u128 = match self {
            Self::Quadratic => ranked.clone().map(|(count, i)| count * i * i).sum(),
            Self::Unweighted | Self::Linear => 0,
        };
        // One step up brings a category one step away from the ratings below and one step
        // closer to those above.
        let (mut linear, mut below) = (moment, 0);
        ranked.map(move |(count, i)| match self {
            Self::Unweighted => total - count,
            Self::Linear => {
                let here = linear;
                below += count;
                linear = linear + 2 * below - total;
                here
            }
            Self::Quadratic => total * i * i + second - 2 * i * moment,
        })
    }
}

/// Cohen's κ of two raters.
///
/// Steps are counted along all categories that there are codes for, used or not.
///
/// Undefined without items ([`Undefined::NoItems`]); if both raters used one and the
/// same category only ([`Undefined::OneCategory`]), which is the only way in which
/// chance leaves no disagreement; and if items times categories reach 2^63
/// ([`Undefined::NotFinite`]).
#[derive(Clone, Debug)]
pub struct CohenKappa {
    weighting: Weighting,
    /// How many categories there are.
    categories: usize,
    /// As in [`PairCells`], with ranks among those categories in place of codes.
    cells: Vec<(u32, u32)>,
}

/// What κ and its standard error are made of.
struct Tally {
    items: u128,
    /// The first rater's count of each category, and the second's.
    marginals: (Vec<u64>, Vec<u64>),
    /// The sum of distances over items.
    observed: u128,
    /// The sum of distances between every rating of the first rater and every rating of
    /// the second.
    expected: u128,
}

impl Tally {
    /// How much one more item in a cell moves κ, without its sign and up to a factor that
    /// all cells share, given the distance within the cell and the sum of distances from
    /// each of its two categories to the other rater's ratings.
    ///
    /// That is observed · by_chance / expected - distance - observed / items.
    fn influence(&self, distance: u128, by_chance: u128) -> f64 {
        let Self {
            items,
            observed,
            expected,
            ..
        } = *self;
        // As a ratio of integers while they fit, so that none at all is exactly 0.
        let more = (items * observed).checked_mul(by_chance);
        let less = (items * distance + observed).checked_mul(expected);
        let (items, expected) = (items as f64, expected as f64);
        if let (Some(more), Some(less)) = (more, less) {
            return more.abs_diff(less) as f64 / (items * expected);
        }
        let observed = observed as f64;
        (observed * (by_chance as f64 / expected) - distance as f64 - observed / items).abs()
    }
}

impl CohenKappa {
    /// κ of the items in `cells`.
    pub fn new(cells: &PairCells, weighting: Weighting) -> Self {
        // Where only same or different counts, categories that nobody used need no room.
        let mut used = vec![weighting != Weighting::Unweighted; cells.categories()];
        for &(a, b) in cells.cells() {
            used[a as usize] = true;
            used[b as usize] = true;
        }
        let mut categories = 0;
        let ranks: Vec<u32> = used
            .iter()
            .map(|&used| {
                let rank = categories;
                categories += u32::from(used);
                rank
            })
            .collect();
        let rank = |&(a, b): &(u32, u32)| (ranks[a as usize], ranks[b as usize]);
        Self {
            weighting,
            categories: categories as usize,
            cells: cells.cells().iter().map(rank).collect(),
        }
    }

    /// The standard error of κ in large samples, whatever the true κ.
    ///
    /// By the delta method: Fleiss, Cohen and Everitt, "Large Sample Standard Errors of
    /// Kappa and Weighted Kappa", *Psychological Bulletin* 72(5), 1969. One more item in
    /// a cell moves κ by that cell's influence; the variance is the mean square of the
    /// influences over the number of items. Their formula subtracts two nearly equal
    /// numbers where this one sums squares. Undefined where κ is.
    pub fn standard_error(&self, weights: &[u64]) -> Estimate {
        let tally = self.tally(weights)?;
        let to_first: Vec<u128> = self.weighting.distances(&tally.marginals.0).collect();
        let to_second: Vec<u128> = self.weighting.distances(&tally.marginals.1).collect();
        let mut squares = ExactSum::new();
        for (&(a, b), &weight) in self.cells.iter().zip(weights) {
            let by_chance = to_second[a as usize] + to_first[b as usize];
            let distance = u128::from(self.weighting.distance(a, b));
            let influence = tally.influence(distance, by_chance);
            squares.add(weight as f64 * influence * influence);
        }
        Ok(tally.items as f64 / tally.expected as f64 * squares.value().sqrt())
    }

    fn tally(&self, weights: &[u64]) -> Result<Tally, Undefined> {
        let items: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        if items == 0 {
            return Err(Undefined::NoItems);
        }
        // Items times categories below 2^63 keep the square, and so every number below,
        // within 2^126.
        if items.saturating_mul(self.categories as u128) >= 1 << 63 {
            return Err(Undefined::NotFinite);
        }
        let marginals = marginals(self.categories, &self.cells, weights);
        let observed = self
            .cells
            .iter()
            .zip(weights)
            .map(|(&(a, b), &weight)| {
                u128::from(self.weighting.distance(a, b)) * u128::from(weight)
            })
            .sum();
        let expected = marginals
            .0
            .iter()
            .zip(self.weighting.distances(&marginals.1))
            .map(|(&count, distance)| u128::from(count) * distance)
            .sum();
        if expected == 0 {
            return Err(Undefined::OneCategory);
        }
        Ok(Tally {
            items,
            marginals,
            observed,
            expected,
        })
    }
}

impl Coefficient for CohenKappa {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let tally = self.tally(weights)?;
        let beyond_chance = tally.expected as i128 - (tally.items * tally.observed) as i128;
        Ok(beyond_chance as f64 / tally.expected as f64)
    }
}

#[cfg(test)]
#[path = "cohen_tests.rs"]
mod tests;
