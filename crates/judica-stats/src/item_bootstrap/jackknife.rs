//! How skewed a coefficient is, from leaving out one item at a time.
//!
//! Let d be how far the coefficient without an item is below the mean of such values.
//! The acceleration of a BCa interval is the sum of d^3 over items, divided by 6 times
//! the power 3/2 of the sum of d^2: Efron, "Better Bootstrap Confidence Intervals",
//! *JASA* 82(397), 1987, section 10, with the jackknife for the influence of an item as
//! in Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, equation 14.15.
//!
//! Items of a group are alike, so one value serves them all and counts as often as the
//! group has items.

use super::evaluate;
use crate::agreement::Coefficient;
use crate::parallel::in_parallel;

/// The acceleration of each coefficient; `None` if leaving something out makes it
/// undefined. 0 if nothing makes a difference.
pub(super) fn accelerations(
    sizes: &[u64],
    coefficients: &[&dyn Coefficient],
    threads: usize,
) -> Vec<Option<f64>> {
    let groups = (0..sizes.len()).filter(|&group| sizes[group] > 0);
    let left_out: Vec<(u64, Vec<Option<f64>>)> = in_parallel(
        threads,
        groups,
        || sizes.to_vec(),
        |weights, group| {
            weights[group] -= 1;
            let values = evaluate(coefficients, weights);
            weights[group] += 1;
            (sizes[group], values)
        },
    );
    (0..coefficients.len())
        .map(|c| {
            let values = left_out.iter().map(|(times, row)| Some((*times, row[c]?)));
            values.collect::<Option<Vec<_>>>().map(|v| acceleration(&v))
        })
        .collect()
}

/// The acceleration from values that each count `times` times.
fn acceleration(values: &[(u64, f64)]) -> f64 {
    let weighted = |term: &dyn Fn(f64) -> f64| -> f64 {
        values
            .iter()
            .map(|&(times, value)| times as f64 * term(value))
            .sum()
    };
    let mean = weighted(&|value| value) / weighted(&|_| 1.0);
    let squares = weighted(&|value| (mean - value) * (mean - value));
    let cubes = weighted(&|value| (mean - value) * (mean - value) * (mean - value));
    if squares > 0.0 {
        cubes / (6.0 * squares * squares.sqrt())
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::Estimate;

    /// The mean over items, where all items of a group have the same value.
    struct Mean(Vec<f64>);

    impl Coefficient for Mean {
        fn estimate(&self, weights: &[u64]) -> Estimate {
            let sum: f64 = self.0.iter().zip(weights).map(|(x, &w)| x * w as f64).sum();
            Ok(sum / weights.iter().sum::<u64>() as f64)
        }
    }

    fn found(values: &[f64], sizes: &[u64]) -> f64 {
        accelerations(sizes, &[&Mean(values.to_vec())], 2)[0].unwrap()
    }

    #[test]
    fn worked_by_hand() {
        // Items 0, 0, 0, 4: means without one of them 4/3 three times and 0, whose mean
        // is 1. d = -1/3, -1/3, -1/3, 1; squares sum to 4/3, cubes to 8/9;
        // 8/9 / (6 * (4/3)^1.5) = 0.0962250.
        assert!((found(&[0.0, 4.0], &[3, 1]) - 0.096_225_0).abs() < 1e-7);
        assert!((found(&[0.0, 4.0, 7.0], &[3, 1, 0]) - 0.096_225_0).abs() < 1e-7);
        assert_eq!(found(&[2.0, 2.0], &[3, 5]), 0.0);
        assert_eq!(found(&[2.0], &[1 << 40]), 0.0);
    }
}
