//! Gwet's AC1, and AC2 with partial credit: agreement that holds up when nearly all
//! ratings are the same category.
//!
//! Gwet, "Computing inter-rater reliability and its variance in the presence of high
//! agreement", *British Journal of Mathematical and Statistical Psychology* 61(1), 2008;
//! with weights and missing ratings, *Handbook of Inter-Rater Reliability*, 4th edition,
//! 2014. Observed agreement p_a is the mean weight of two ratings of an item, over the
//! items with at least two. π_k is the mean share of category k among an item's ratings,
//! over the items with at least one. Chance agrees as often as ratings given at random
//! would, on the items that are hard: p_e = T / (q (q − 1)) · Σ π_k (1 − π_k), with T the
//! sum of all weights and q the number of categories. AC = (p_a − p_e) / (1 − p_e).
//!
//! The categories are all that there are codes for, chosen or not: which ones raters could
//! choose does not depend on which items were drawn. Undefined when no item has two ratings,
//! when there is only one category, and where the weights are.

use super::patterns::is_pairable;
use super::weights::{WeightTable, Weights};
use super::{Coefficient, Estimate, Patterns, Undefined};

/// Gwet's AC1 (identity weights) or AC2 (any other).
#[derive(Clone, Debug)]
pub struct GwetAc<'a> {
    patterns: &'a Patterns,
    prepared: Result<Prepared, Undefined>,
}

#[derive(Clone, Debug)]
struct Prepared {
    /// Per pattern, the mean of what two ratings of an item lack in weight.
    lost: Vec<f64>,
    /// What Σ π (1 − π) is multiplied by.
    chance: f64,
}

impl<'a> GwetAc<'a> {
    /// The coefficient of the items in `patterns`.
    ///
    /// Category `c` stands for the number `values[c]`; they rise strictly. Identity and
    /// ordinal weights do not read them.
    ///
    /// # Panics
    ///
    /// If `values` are read and there is not one per category.
    pub fn new(patterns: &'a Patterns, weights: Weights, values: &[f64]) -> Self {
        Self {
            patterns,
            prepared: prepare(patterns, weights, values),
        }
    }

    /// Σ π² over the categories, π being the mean share of one among an item's ratings.
    fn squared_shares(&self, weights: &[u64], items: u64) -> f64 {
        let share = |p| weights[p] as f64 / f64::from(self.patterns.ratings(p));
        let squares: f64 = self.patterns.marginals().squares(share);
        squares / (items as f64 * items as f64)
    }
}

impl Coefficient for GwetAc<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let items: u64 = weights.iter().sum();
        if items == 0 {
            return Err(Undefined::NoItems);
        }
        let pairable = self.items(weights);
        if pairable == 0 {
            return Err(Undefined::NoPairs);
        }
        let prepared = self.prepared.as_ref().map_err(|&why| why)?;
        let lost = prepared.lost.iter().zip(weights);
        let lost: f64 = lost.map(|(lost, &weight)| lost * weight as f64).sum();
        // Σ π (1 − π), since Σ π is 1.
        let hard = 1.0 - self.squared_shares(weights, items);
        let not_by_chance = 1.0 - prepared.chance * hard;
        if not_by_chance <= 0.0 {
            return Err(Undefined::ChanceIsCertain);
        }
        let value = 1.0 - lost / pairable as f64 / not_by_chance;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Undefined::NotFinite)
        }
    }

    fn items(&self, weights: &[u64]) -> u64 {
        self.patterns.items_where(weights, is_pairable)
    }
}

fn prepare(patterns: &Patterns, weights: Weights, values: &[f64]) -> Result<Prepared, Undefined> {
    let categories = patterns.categories();
    let values = if weights.read_values() {
        assert_eq!(values.len(), categories, "a value per category");
        values.to_vec()
    } else {
        (0..categories).map(|c| c as f64).collect()
    };
    let table = WeightTable::new(weights, values)?;
    let lost = |p| {
        let lost = |c: u32, k: u32| table.lost(c as usize, k as usize);
        // Items with one rating have no differences; their divisor must not be zero.
        let ratings = f64::from(patterns.ratings(p).max(2));
        patterns.sum_over_pairs(p, lost) / (ratings * (ratings - 1.0))
    };
    let q = table.categories() as f64;
    Ok(Prepared {
        lost: (0..patterns.len()).map(lost).collect(),
        chance: table.total() / (q * (q - 1.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::{MISSING, Ratings};
    use proptest::prelude::*;

    const X: u32 = MISSING;

    fn ac(raters: usize, codes: &[u32], weights: Weights, values: &[f64]) -> Estimate {
        let ratings = Ratings::new(raters, values.len(), codes.to_vec());
        let patterns = Patterns::from_ratings(&ratings);
        GwetAc::new(&patterns, weights, values).estimate(patterns.sizes())
    }

    #[test]
    fn worked_by_hand() {
        // Of three items with two ratings two are agreed on, p_a = 2/3. Over four items
        // with a rating the mean shares are π = (3/8, 3/8, 1/4), Σ π (1 - π) = 21/32.
        let codes = [0, 0, 0, 1, 2, 2, 1, X, X, X];
        let values = [1.0, 2.0, 3.0];
        // p_e = 3/6 · 21/32 = 21/64, AC1 = (2/3 - 21/64) / (43/64) = 65/129.
        let ac1 = ac(2, &codes, Weights::Identity, &values).unwrap();
        assert!((ac1 - 65.0 / 129.0).abs() < 1e-15);
        // Half a credit for neighbours: p_a = 5/6, T = 3 + 4 · 1/2 = 5,
        // p_e = 5/6 · 21/32 = 35/64, AC2 = (5/6 - 35/64) / (29/64) = 55/87.
        let ac2 = ac(2, &codes, Weights::Linear, &values).unwrap();
        assert!((ac2 - 55.0 / 87.0).abs() < 1e-15);
    }

    #[test]
    fn published_example() {
        // Twelve items of which four raters rated 41 times: AC1 = 0.775.
        let rows = [
            "11x1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "x555", "xx11",
            "x3xx",
        ];
        let codes = rows
            .iter()
            .flat_map(|row| row.chars())
            .map(|c| c.to_digit(10).map_or(X, |d| d - 1));
        let codes: Vec<u32> = codes.collect();
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        let ac1 = ac(4, &codes, Weights::Identity, &values).unwrap();
        assert!((ac1 - 0.77544).abs() < 5e-6);
    }

    #[test]
    fn undefined_says_why() {
        let ac1 = |codes: &[u32]| ac(2, codes, Weights::Identity, &[0.0, 1.0, 2.0]);
        assert_eq!(ac1(&[]), Err(Undefined::NoItems));
        assert_eq!(ac1(&[X, X]), Err(Undefined::NoItems));
        assert_eq!(ac1(&[0, X, X, 1]), Err(Undefined::NoPairs));
        let one = ac(2, &[0, 0, X, 0], Weights::Identity, &[5.0]);
        assert_eq!(one, Err(Undefined::OneCategory));
        // A category that nobody chose counts as one.
        assert_eq!(ac1(&[1, 1, X, 1]), Ok(1.0));
        let ratio = ac(2, &[0, 1, 1, 1], Weights::Ratio, &[-2.0, 2.0]);
        assert_eq!(ratio, Err(Undefined::OppositeValues));
    }

    #[test]
    fn categories_stay_in_a_resample() {
        // Three categories, of which a resample has one: nobody is expected to agree by
        // chance, and everybody agrees.
        let ratings = Ratings::new(2, 3, vec![0, 0, 1, 2]);
        let patterns = Patterns::from_ratings(&ratings);
        let ac1 = GwetAc::new(&patterns, Weights::Identity, &[]);
        assert_eq!(ac1.items(patterns.sizes()), 2);
        assert_eq!(ac1.estimate(&[2, 0]), Ok(1.0));
        assert_eq!(ac1.estimate(&[0, 0]), Err(Undefined::NoItems));
    }

    proptest! {
        #[test]
        fn order_does_not_matter(
            which in 0usize..8,
            raters in 2usize..6,
            codes in prop::collection::vec(prop::option::weighted(0.8, 0u32..4), 0..100),
        ) {
            let whole = codes.len() / raters * raters;
            let codes: Vec<u32> = codes[..whole].iter().map(|c| c.unwrap_or(X)).collect();
            let value = ac(raters, &codes, Weights::ALL[which], &[1.0, 2.0, 3.5, 7.0]);
            // Items backwards, raters too.
            let moved: Vec<u32> = codes.iter().rev().copied().collect();
            prop_assert_eq!(&value, &ac(raters, &moved, Weights::ALL[which], &[1.0, 2.0, 3.5, 7.0]));
            if let Ok(value) = value {
                prop_assert!(value <= 1.0);
            }
        }

        #[test]
        fn label_names_do_not_matter_to_ac1(
            raters in 2usize..6,
            codes in prop::collection::vec(0u32..4, 0..100),
        ) {
            let codes = &codes[..codes.len() / raters * raters];
            let renamed: Vec<u32> = codes.iter().map(|c| (c * 3 + 1) % 4).collect();
            let values = [0.0, 1.0, 2.0, 3.0];
            match (ac(raters, codes, Weights::Identity, &values), ac(raters, &renamed, Weights::Identity, &values)) {
                (Ok(value), Ok(other)) => {
                    prop_assert!((value - other).abs() < 1e-12);
                    prop_assert!((-1.0 - 1e-12..=1.0).contains(&value));
                }
                (value, other) => prop_assert_eq!(value, other),
            }
        }

        #[test]
        fn perfect_agreement_is_one(
            which in 0usize..8,
            chosen in prop::collection::vec(0u32..3, 1..30),
        ) {
            let mut codes: Vec<u32> = chosen.iter().flat_map(|&c| [c, c, X, c]).collect();
            codes.extend([3; 4]);
            let value = ac(4, &codes, Weights::ALL[which], &[0.5, 2.0, 3.0, 4.0]);
            prop_assert_eq!(value, Ok(1.0));
        }
    }
}
