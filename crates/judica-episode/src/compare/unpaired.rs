//! A difference of two numbers that were measured apart.
//!
//! * Of two rates: the interval by combining Wilson's intervals of both: Newcombe,
//!   "Interval Estimation for the Difference Between Independent Proportions: Comparison of
//!   Eleven Methods", *Statistics in Medicine* 17(8), 1998, method 10; and the score test
//!   for equal proportions.
//! * Of two means whose intervals are known: the same combination of those, which asks for
//!   nothing else: Zou and Donner, "Construction of Confidence Limits About Effect
//!   Measures: A General Approach", *Statistics in Medicine* 27(10), 2008.

use judica_stats::normal::normal_cdf;
use judica_stats::wilson_interval;

/// A rate: hits and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    /// How many are hits.
    pub hits: u64,
    /// Of how many.
    pub n: u64,
}

impl Rate {
    /// The rate that a value over `n` items is, where it is one: values may be rounded to
    /// three decimals.
    pub(super) fn from_value(value: f64, n: u64) -> Option<Rate> {
        let hits = (value * n as f64).round();
        let off = (value * n as f64 - hits).abs();
        let is_share = n > 0 && (0.0..=n as f64).contains(&hits);
        // With many items any value is near a whole number of hits, as it should be.
        (is_share && off <= 0.000_5 * n as f64 + 1e-9).then_some(Rate {
            hits: hits as u64,
            n,
        })
    }

    fn value(self) -> f64 {
        self.hits as f64 / self.n as f64
    }
}

/// A value and its interval.
pub(super) type Estimated = (f64, [f64; 2]);

/// The interval of `second - first`, from the interval of each.
pub(super) fn combined((a, [a_lo, a_hi]): Estimated, (b, [b_lo, b_hi]): Estimated) -> [f64; 2] {
    let difference = b - a;
    let below = (b - b_lo).hypot(a_hi - a);
    let above = (b_hi - b).hypot(a - a_lo);
    [difference - below, difference + above]
}

/// The interval of the difference of two rates.
pub(super) fn newcombe(first: Rate, second: Rate, confidence: f64) -> Option<[f64; 2]> {
    let estimated = |rate: Rate| {
        let interval = wilson_interval(rate.hits, rate.n, confidence)?;
        Some((rate.value(), [interval.lo, interval.hi]))
    };
    let [lo, hi] = combined(estimated(first)?, estimated(second)?);
    Some([lo.max(-1.0), hi.min(1.0)])
}

/// The two-sided p-value of the score test for equal proportions, without continuity
/// correction; 1 if all are hits or none is.
pub(super) fn score_test(first: Rate, second: Rate) -> f64 {
    let (n, m) = (first.n as f64, second.n as f64);
    let pooled = (first.hits as f64 + second.hits as f64) / (n + m);
    let variance = pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m);
    if variance <= 0.0 {
        return 1.0;
    }
    let z = (second.value() - first.value()) / variance.sqrt();
    2.0 * normal_cdf(-z.abs())
}

/// Whether so few episodes on either side can show a difference at this level at all.
///
/// A resampled interval of one or two episodes has hardly any width, and of episodes that
/// are alike it has none: it knows nothing of what it has not seen. But were both sides the
/// same, even the most extreme of all ways to deal `n + m` episodes to them would come up
/// with the probability 2 / C(n + m, n). What is likelier than the level shows nothing.
pub(super) fn can_show(n: u64, m: u64, level: f64) -> bool {
    let needed = 2.0 / level;
    let mut ways = 1.0;
    for drawn in 1..=n.min(m) {
        ways *= (n.max(m) + drawn) as f64 / drawn as f64;
        if ways >= needed {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod unit {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn newcombe_s_own_examples() {
        // Table II of the paper, method 10: 56/70 - 48/80, 9/10 - 3/10, 10/10 - 0/20.
        for (first, second, lo, hi) in [
            ((48, 80), (56, 70), 0.0524, 0.3339),
            ((3, 10), (9, 10), 0.1705, 0.8090),
            ((0, 20), (10, 10), 0.6791, 1.0),
            ((0, 10), (10, 10), 0.6075, 1.0),
        ] {
            let rate = |(hits, n)| Rate { hits, n };
            let found = newcombe(rate(first), rate(second), 0.95).unwrap();
            assert!(
                (found[0] - lo).abs() < 5e-5 && (found[1] - hi).abs() < 5e-5,
                "{found:?}"
            );
        }
    }

    #[test]
    fn the_score_test_by_hand() {
        // 30/100 and 50/100: pooled 0.4, variance 0.24 · 0.02, z = 0.2 / 0.0692820 = 2.886751,
        // and 2 · (1 - Φ(2.886751)) = 0.0038924.
        let rate = |hits| Rate { hits, n: 100 };
        assert!((score_test(rate(30), rate(50)) - 0.003_892_4).abs() < 1e-6);
        assert_eq!(score_test(rate(100), rate(100)), 1.0);
        assert_eq!(score_test(rate(0), Rate { hits: 0, n: 1 }), 1.0);
    }

    #[test]
    fn how_many_episodes_can_show_anything() {
        // C(6, 3) = 20, C(7, 3) = 35, C(8, 4) = 70, C(40, 1) = 40, C(41, 2) = 820.
        for (n, m, can) in [
            (0, 1000, false),
            (1, 1, false),
            (3, 3, false),
            (3, 4, false),
            (4, 4, true),
            (39, 1, true),
            (1, 38, false),
            (2, 39, true),
            (u64::MAX / 2, 32, true),
        ] {
            assert_eq!(can_show(n, m, 0.05), can, "{n} and {m}");
            assert_eq!(can_show(m, n, 0.05), can, "{m} and {n}");
        }
        assert!(!can_show(4, 4, 0.01));
    }

    #[test]
    fn a_value_is_a_rate_if_some_hits_give_it() {
        let rate = |value, n| Rate::from_value(value, n).map(|rate| rate.hits);
        assert_eq!(rate(18.0 / 19.0, 19), Some(18));
        assert_eq!(rate(0.469, 224), Some(105));
        assert_eq!(rate(0.5, 5), None);
        assert_eq!(rate(0.5, 0), None);
        assert_eq!(rate(1.2, 5), None);
    }

    proptest! {
        #[test]
        fn holds_the_difference_and_mirrors(
            n in 1u64..500, m in 1u64..500, a in 0.0f64..=1.0, b in 0.0f64..=1.0,
        ) {
            let first = Rate { hits: (a * n as f64) as u64, n };
            let second = Rate { hits: (b * m as f64) as u64, n: m };
            let [lo, hi] = newcombe(first, second, 0.95).unwrap();
            let difference = second.value() - first.value();
            prop_assert!(-1.0 <= lo && lo <= difference && difference <= hi && hi <= 1.0);
            let [back_lo, back_hi] = newcombe(second, first, 0.95).unwrap();
            prop_assert!((lo + back_hi).abs() < 1e-12 && (hi + back_lo).abs() < 1e-12);
            prop_assert!((0.0..=1.0).contains(&score_test(first, second)));
            prop_assert!((score_test(first, second) - score_test(second, first)).abs() < 1e-12);
        }
    }
}
