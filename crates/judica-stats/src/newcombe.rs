//! An interval for the difference of two numbers that were measured apart.
//!
//! * Of two rates: Wilson's intervals of both, combined: Newcombe, "Interval Estimation for
//!   the Difference Between Independent Proportions: Comparison of Eleven Methods",
//!   *Statistics in Medicine* 17(8), 1998, method 10.
//! * Of any two numbers whose intervals are known: the same combination of those, which asks
//!   for nothing else: Zou and Donner, "Construction of Confidence Limits About Effect
//!   Measures: A General Approach", *Statistics in Medicine* 27(10), 2008.

/// A value and its interval.
pub type Estimated = (f64, [f64; 2]);

/// The interval of `b - a`, from the interval of each.
pub fn combined((a, [a_lo, a_hi]): Estimated, (b, [b_lo, b_hi]): Estimated) -> [f64; 2] {
    let difference = b - a;
    let below = (b - b_lo).hypot(a_hi - a);
    let above = (b_hi - b).hypot(a - a_lo);
    [difference - below, difference + above]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wilson_interval;
    use proptest::prelude::*;

    fn newcombe(a: [u64; 2], b: [u64; 2], confidence: f64) -> Option<[f64; 2]> {
        let estimated = |[hits, n]: [u64; 2]| {
            let interval = wilson_interval(hits, n, confidence)?;
            Some((hits as f64 / n as f64, [interval.lo, interval.hi]))
        };
        let [lo, hi] = combined(estimated(a)?, estimated(b)?);
        Some([lo.max(-1.0), hi.min(1.0)])
    }

    #[test]
    fn newcombe_s_own_examples() {
        // Table II of the paper, method 10: 56/70 - 48/80, 9/10 - 3/10, 10/10 - 0/20.
        for (a, b, lo, hi) in [
            ([48, 80], [56, 70], 0.0524, 0.3339),
            ([3, 10], [9, 10], 0.1705, 0.8090),
            ([0, 20], [10, 10], 0.6791, 1.0),
            ([0, 10], [10, 10], 0.6075, 1.0),
        ] {
            let found = newcombe(a, b, 0.95).unwrap();
            assert!(
                (found[0] - lo).abs() < 5e-5 && (found[1] - hi).abs() < 5e-5,
                "{found:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn holds_the_difference_and_mirrors(
            n in 1u64..500, m in 1u64..500, a in 0.0f64..=1.0, b in 0.0f64..=1.0,
        ) {
            let a = [(a * n as f64) as u64, n];
            let b = [(b * m as f64) as u64, m];
            let [lo, hi] = newcombe(a, b, 0.95).unwrap();
            let difference = b[0] as f64 / b[1] as f64 - a[0] as f64 / a[1] as f64;
            prop_assert!(-1.0 <= lo && lo <= difference && difference <= hi && hi <= 1.0);
            let [back_lo, back_hi] = newcombe(b, a, 0.95).unwrap();
            prop_assert!((lo + back_hi).abs() < 1e-12 && (hi + back_lo).abs() < 1e-12);
        }
    }
}
