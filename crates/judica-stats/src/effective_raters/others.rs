//! How two raters err together against the majority of the others.
//!
//! The majority of the others is the reference; where it is even, an item says nothing
//! about the pair. The reference errs too, and then two raters who are right seem wrong
//! together. With the confusion matrices of Dawid and Skene, and votes independent given
//! the true category, the probability of every outcome is known: the number of votes
//! among the others is a sum of independent indicators, whose distribution is built up
//! one rater at a time. So is the correlation that independent raters would show (ρ₀),
//! and of the observed one (ρ) there is left (ρ − ρ₀) / (1 − ρ₀).

use super::given;
use super::pair_tables::{Correlations, PairTables, matrix};
use crate::agreement::Ratings;
use crate::dawid_skene::groups::RowGroups;
use crate::dawid_skene::{DawidSkene, EmOptions, of_groups};
use std::collections::BTreeMap;

/// The most steps of building distributions up. Where very many raters each miss items
/// at random there would be more; then an even selection of who-rated-what is used.
const STEPS: u64 = 2_000_000_000;
/// Where independent raters would err together completely, nothing can be left.
const COMPLETE: f64 = 1.0 - 1e-9;

/// The correlation of errors of every two raters beyond what independence gives, where
/// each row of the table stands for `weights` items.
pub(super) fn common_errors(
    ratings: &Ratings,
    weights: &[u64],
    options: &EmOptions,
) -> Correlations {
    let raters = ratings.raters();
    let counted = vec![true; raters];
    let groups = RowGroups::weighted(ratings, |row| weights[row]);
    let model = of_groups(groups.clone(), raters, ratings.categories(), options);
    let Some(model) = model else {
        return matrix(&counted, |_, _| None);
    };
    let observed = observed(&groups, raters);
    let independent = Independent::new(&model, &groups, raters);
    matrix(&counted, |i, j| {
        let (rho, chance) = (observed.correlation(i, j)?, independent.correlation(i, j)?);
        let left = (rho - chance) / (1.0 - chance);
        (chance < COMPLETE).then(|| left.clamp(-1.0, 1.0))
    })
}

/// Counts who differs from the majority of the others.
fn observed(groups: &RowGroups, raters: usize) -> PairTables {
    let mut tables = PairTables::new(raters);
    for (row, size) in groups.iter() {
        let votes: Vec<(usize, u32)> = given(row).collect();
        let yes: u32 = votes.iter().map(|&(_, said)| said).sum();
        for (at, &(i, first)) in votes.iter().enumerate() {
            for &(j, second) in &votes[at + 1..] {
                let others = votes.len() as u32 - 2;
                let yes = yes - first - second;
                if 2 * yes != others {
                    let majority = u32::from(2 * yes > others);
                    tables.add(&[(i, first != majority), (j, second != majority)], size);
                }
            }
        }
    }
    tables
}

/// What independent raters would show.
struct Independent {
    raters: usize,
    /// For every two raters the probability of: a majority of the others; that and the
    /// first differs; the second differs; both differ.
    outcomes: Vec<[f64; 4]>,
}

impl Independent {
    fn new(model: &DawidSkene, groups: &RowGroups, raters: usize) -> Self {
        let mut found = Self {
            raters,
            outcomes: vec![[0.0; 4]; raters * raters],
        };
        // The rate of saying 1 when 0 is true, and when 1 is.
        let says_one = |rater: usize| -> [f64; 2] {
            let rows = model.confusion[rater].as_ref().map(|matrix| &matrix.rows);
            [0, 1].map(|truth| {
                rows.and_then(|rows| rows[truth].as_ref())
                    .map_or(0.0, |row| row[1])
            })
        };
        let says_one: Vec<[f64; 2]> = (0..raters).map(says_one).collect();
        let mut presences: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        for (row, size) in groups.iter() {
            let present: Vec<usize> = given(row).map(|(rater, _)| rater).collect();
            // Two raters need a third.
            if present.len() > 2 {
                *presences.entry(present).or_default() += size;
            }
        }
        let steps = presences
            .keys()
            .map(|present| (present.len() as u64).pow(4));
        let stride = steps.sum::<u64>().div_ceil(STEPS).max(1) as usize;
        for (present, &size) in presences.iter().step_by(stride) {
            for (truth, prior) in model.priors.iter().enumerate() {
                let weight = prior * size as f64;
                let rates: Vec<f64> = present.iter().map(|&r| says_one[r][truth]).collect();
                found.add(present, &rates, weight);
            }
        }
        found
    }

    /// Adds items that these raters rated and on which they say 1 at these rates.
    fn add(&mut self, present: &[usize], rates: &[f64], weight: f64) {
        let mut others = Vec::with_capacity(rates.len());
        for a in 0..present.len() {
            for b in a + 1..present.len() {
                others.clear();
                let chosen = rates
                    .iter()
                    .enumerate()
                    .filter(|&(at, _)| at != a && at != b);
                others.extend(chosen.map(|(_, &rate)| rate));
                let outcomes = &mut self.outcomes[present[a] * self.raters + present[b]];
                let [zero, one] = majority(&others);
                // Differing from a majority of 0 is saying 1.
                for (chance, first, second) in [
                    (zero, rates[a], rates[b]),
                    (one, 1.0 - rates[a], 1.0 - rates[b]),
                ] {
                    let chance = weight * chance;
                    outcomes[0] += chance;
                    outcomes[1] += chance * first;
                    outcomes[2] += chance * second;
                    outcomes[3] += chance * first * second;
                }
            }
        }
    }

    fn correlation(&self, i: usize, j: usize) -> Option<f64> {
        let [all, first, second, both] = self.outcomes[i * self.raters + j];
        if all <= 0.0 {
            return None;
        }
        let (first, second, both) = (first / all, second / all, both / all);
        let variances = first * (1.0 - first) * second * (1.0 - second);
        // Below that a rate is 0 or 1 but for rounding.
        (variances > 1e-18).then(|| ((both - first * second) / variances.sqrt()).clamp(-1.0, 1.0))
    }
}

/// The probabilities that most say 0, and that most say 1, if they say 1 at these rates.
fn majority(rates: &[f64]) -> [f64; 2] {
    // The probability of each number of ones.
    let mut ones = vec![0.0; rates.len() + 1];
    ones[0] = 1.0;
    for (known, rate) in rates.iter().enumerate() {
        for at in (0..=known).rev() {
            ones[at + 1] += ones[at] * rate;
            ones[at] *= 1.0 - rate;
        }
    }
    let few = ones.iter().take(rates.len().div_ceil(2)).sum();
    let many = ones.iter().skip(rates.len() / 2 + 1).sum();
    [few, many]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn majorities_worked_by_hand() {
        // Two raters at 1/2 and 1/4: both 0 with 1/2 · 3/4 = 3/8, both 1 with 1/8.
        assert_eq!(majority(&[0.5, 0.25]), [0.375, 0.125]);
        // Three at 1/2: two or three of them, either way.
        assert_eq!(majority(&[0.5; 3]), [0.5, 0.5]);
        assert_eq!(majority(&[]), [0.0, 0.0]);
        assert_eq!(majority(&[1.0]), [0.0, 1.0]);
    }

    #[test]
    fn a_pair_worked_by_hand() {
        // One other rater, always right; the two are wrong at 1/4, independently.
        let mut independent = Independent {
            raters: 3,
            outcomes: vec![[0.0; 4]; 9],
        };
        independent.add(&[0, 1, 2], &[0.25, 0.25, 0.0], 1.0);
        assert_eq!(independent.outcomes[1], [1.0, 0.25, 0.25, 0.0625]);
        assert_eq!(independent.correlation(0, 1), Some(0.0));
        // The third as reference of the first two; the second errs, the first looks wrong:
        // 0 and 2 against 1, which says 1 at 1/4: differ together with 3/4 · 0 + 1/4 · 3/4.
        let [all, first, second, both] = independent.outcomes[2];
        assert_eq!([all, first, second, both], [1.0, 0.375, 0.25, 0.1875]);
        // Covariance 0.1875 - 0.09375 over the root of 0.234375 · 0.1875.
        let expected = 0.09375 / (0.234375f64 * 0.1875).sqrt();
        assert!((independent.correlation(0, 2).unwrap() - expected).abs() < 1e-15);
    }
}
