//! An interval for a proportion.

use crate::normal::normal_quantile;

/// A closed interval, `lo <= hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

impl Interval {
    /// Both ends, as reports have them.
    pub fn ends(self) -> [f64; 2] {
        [self.lo, self.hi]
    }
}

/// The score interval for a proportion of which `successes` out of `n` were
/// seen, without continuity correction.
///
/// Wilson, "Probable Inference, the Law of Succession, and Statistical
/// Inference", *JASA* 22(158), 1927. `None` if `n` is zero, `successes`
/// exceeds it, or `confidence` is not strictly between 0 and 1.
///
/// ```
/// let i = judica_stats::wilson_interval(8, 10, 0.95).unwrap();
/// assert!((i.lo - 0.4902).abs() < 1e-4 && (i.hi - 0.9433).abs() < 1e-4);
/// ```
pub fn wilson_interval(successes: u64, n: u64, confidence: f64) -> Option<Interval> {
    if n == 0 || successes > n || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    // From the lower tail, which a double resolves better than the upper one.
    // At a confidence below 2^-53 the tail rounds to a half, and z to zero.
    let z = -normal_quantile((1.0 - confidence) / 2.0)?;
    let [lo, hi] = wilson_score(successes as f64 / n as f64, n as f64, z);
    Some(Interval { lo, hi })
}

/// Wilson's interval of a share `p` of `n` items, which need not be whole, `z` standard
/// errors wide.
pub fn wilson_score(p: f64, n: f64, z: f64) -> [f64; 2] {
    let z2 = z * z;
    let shrink = 1.0 + z2 / n;
    let centre = (p + z2 / (2.0 * n)) / shrink;
    let half = z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / shrink;
    let lo = if p <= 0.0 { 0.0 } else { centre - half };
    let hi = if p >= 1.0 { 1.0 } else { centre + half };
    [lo.max(0.0), hi.min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::wilson_interval;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // z = 1.959964, z^2 = 3.841459, 1 + z^2/10 = 1.3841459.
        // Centre (0.8 + 0.19207295) / 1.3841459 = 0.7167402.
        // Half 1.959964 * sqrt(0.016 + 0.009603647) / 1.3841459 = 0.2265787.
        let i = wilson_interval(8, 10, 0.95).unwrap();
        assert!((i.lo - 0.490_162_5).abs() < 1e-6, "{i:?}");
        assert!((i.hi - 0.943_317_8).abs() < 1e-6, "{i:?}");
    }

    #[test]
    fn the_extremes_are_exact() {
        // Nothing of 10: the upper end is z^2 / (n + z^2) = 3.841459 / 13.841459.
        let none = wilson_interval(0, 10, 0.95).unwrap();
        assert_eq!(none.lo, 0.0);
        assert!((none.hi - 0.277_532_8).abs() < 1e-6, "{none:?}");
        assert_eq!(wilson_interval(10, 10, 0.95).unwrap().hi, 1.0);
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!(wilson_interval(0, 0, 0.95), None);
        assert_eq!(wilson_interval(2, 1, 0.95), None);
        for confidence in [0.0, 1.0, -0.5, f64::NAN] {
            assert_eq!(wilson_interval(1, 2, confidence), None);
        }
    }

    proptest! {
        #[test]
        fn holds_the_proportion_and_mirrors(n in 1u64..100_000, share in 0.0f64..=1.0) {
            let successes = (share * n as f64) as u64;
            let i = wilson_interval(successes, n, 0.95).unwrap();
            let p = successes as f64 / n as f64;
            prop_assert!(0.0 <= i.lo && i.lo <= p && p <= i.hi && i.hi <= 1.0);
            let mirror = wilson_interval(n - successes, n, 0.95).unwrap();
            prop_assert!((i.lo + mirror.hi - 1.0).abs() < 1e-12);
        }

        #[test]
        fn widens_with_confidence(n in 1u64..10_000, share in 0.0f64..=1.0, c in 0.01f64..0.98) {
            let successes = (share * n as f64) as u64;
            let narrow = wilson_interval(successes, n, c).unwrap();
            let wide = wilson_interval(successes, n, c + 0.01).unwrap();
            prop_assert!(wide.lo <= narrow.lo && narrow.hi <= wide.hi);
        }
    }
}
