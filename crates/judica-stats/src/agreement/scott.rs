//! Scott's π: agreement of two raters who are taken to share their frequencies.
//!
//! Like Cohen's κ, but chance draws both ratings of an item from the frequencies of the
//! two raters together. With p the share of a category among all ratings: π is the share
//! of agreeing items minus Σ p², over 1 - Σ p².
//!
//! Scott, "Reliability of Content Analysis: The Case of Nominal Scale Coding", *Public
//! Opinion Quarterly* 19(3), 1955.

use super::cells::marginals;
use super::{Coefficient, Estimate, PairCells, Undefined};

/// Scott's π of two raters.
///
/// Undefined without items ([`Undefined::NoItems`]), if only one category was used
/// ([`Undefined::OneCategory`]), and beyond 2^62 items ([`Undefined::NotFinite`]).
#[derive(Clone, Debug)]
pub struct ScottPi {
    categories: usize,
    cells: Vec<(u32, u32)>,
}

impl ScottPi {
    /// π of the items in `cells`.
    pub fn new(cells: &PairCells) -> Self {
        Self {
            categories: cells.categories(),
            cells: cells.cells().to_vec(),
        }
    }
}

impl Coefficient for ScottPi {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let items: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        if items == 0 {
            return Err(Undefined::NoItems);
        }
        if items >= 1 << 62 {
            return Err(Undefined::NotFinite);
        }
        // Numbers of ordered pairs of ratings, out of all (2 · items)²: integers, so that
        // nothing is rounded before the last division.
        let pairs = 4 * items * items;
        let (first, second) = marginals(self.categories, &self.cells, weights);
        let alike: u128 = first
            .iter()
            .zip(&second)
            .map(|(&a, &b)| u128::from(a + b).pow(2))
            .sum();
        let expected = pairs - alike;
        if expected == 0 {
            return Err(Undefined::OneCategory);
        }
        let disagreeing: u128 = self
            .cells
            .iter()
            .zip(weights)
            .filter(|((a, b), _)| a != b)
            .map(|(_, &weight)| u128::from(weight))
            .sum();
        let observed = 4 * items * disagreeing;
        Ok((expected as i128 - observed as i128) as f64 / expected as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pi(categories: usize, counts: &[u64]) -> Estimate {
        let cells = PairCells::from_matrix(categories, counts);
        ScottPi::new(&cells).estimate(cells.sizes())
    }

    #[test]
    fn worked_by_hand() {
        // 50 items, 35 agree: 0.7. The first rater said yes 25 times, the second 30: 55
        // of 100 ratings. By chance 0.55² + 0.45² = 0.505. (0.7 - 0.505) / 0.495 = 13/33.
        assert_eq!(pi(2, &[20, 5, 10, 15]), Ok(13.0 / 33.0));
    }

    #[test]
    fn undefined_has_a_reason() {
        assert_eq!(pi(0, &[]), Err(Undefined::NoItems));
        assert_eq!(pi(2, &[0; 4]), Err(Undefined::NoItems));
        assert_eq!(pi(2, &[5, 0, 0, 0]), Err(Undefined::OneCategory));
        assert_eq!(pi(2, &[u64::MAX, 1, 1, 1]), Err(Undefined::NotFinite));
    }

    #[test]
    fn a_resample_may_lose_a_category() {
        let cells = PairCells::from_matrix(2, &[3, 1, 0, 2]);
        let pi = ScottPi::new(&cells);
        assert_eq!(pi.estimate(&[6, 0, 0]), Err(Undefined::OneCategory));
        // Always opposed: expected 1/2, observed 0 of agreement.
        assert_eq!(pi.estimate(&[0, 6, 0]), Ok(-1.0));
    }

    fn matrix() -> impl Strategy<Value = (usize, Vec<u64>)> {
        let count = prop_oneof![Just(0u64), 0u64..40];
        (2usize..6).prop_flat_map(move |k| (Just(k), prop::collection::vec(count.clone(), k * k)))
    }

    proptest! {
        #[test]
        fn symmetric_bounded_and_at_most_cohens(
            (k, counts) in matrix(),
        ) {
            let value = pi(k, &counts);
            let swapped: Vec<u64> = (0..k * k).map(|at| counts[at % k * k + at / k]).collect();
            let renamed: Vec<u64> = counts.iter().rev().copied().collect();
            prop_assert_eq!(value, pi(k, &swapped));
            prop_assert_eq!(value, pi(k, &renamed));
            if let Ok(value) = value {
                prop_assert!((-1.0..=1.0).contains(&value));
                // Pooling the frequencies never lowers the agreement due to chance.
                use super::super::cohen::{CohenKappa, Weighting};
                let cells = PairCells::from_matrix(k, &counts);
                let kappa = CohenKappa::new(&cells, Weighting::Unweighted);
                prop_assert!(value <= kappa.estimate(cells.sizes()).unwrap() + 1e-12);
            }
        }

        #[test]
        fn perfect_agreement_is_one(diagonal in prop::collection::vec(1u64..1000, 2..6)) {
            let k = diagonal.len();
            let mut counts = vec![0; k * k];
            (0..k).for_each(|i| counts[i * k + i] = diagonal[i]);
            prop_assert_eq!(pi(k, &counts), Ok(1.0));
        }
    }
}
