//! Which quantiles of the resampled values a BCa interval lies between.

use super::tails;
use crate::normal::{normal_cdf, normal_quantile};

/// Values that differ by less are equal but for rounding. Where items are few, many
/// resamples hold the value of the estimate itself, and whether rounding puts them
/// above or below it must not move the interval.
pub(super) const ROUNDING: f64 = 1e-12;

/// The two levels, lower first; `None` if all of `values` are on the same side of
/// `estimate`, or there are none.
///
/// With z0 the normal quantile of the share of values below the estimate, where those
/// equal to it count half, and z the normal quantile of a tail, the level is that of
/// z0 + (z0 + z) / (1 - a (z0 + z)): Efron, "Better Bootstrap Confidence Intervals",
/// *JASA* 82(397), 1987, equation 2.3.
pub(super) fn levels(
    values: &[f64],
    estimate: f64,
    acceleration: f64,
    confidence: f64,
) -> Option<[f64; 2]> {
    let tie = ROUNDING * estimate.abs().max(1.0);
    let below = values.iter().filter(|&&v| v < estimate - tie).count();
    let above = values.iter().filter(|&&v| v > estimate + tie).count();
    let share = 0.5 + (below as f64 - above as f64) / (2.0 * values.len() as f64);
    let bias = normal_quantile(share)?;
    // Both from the lower tail, which a double resolves better than the upper one.
    let lower = normal_quantile(tails(confidence)[0])?;
    Some([lower, -lower].map(|z| {
        let moved = bias + z;
        let shrink = 1.0 - acceleration * moved;
        if shrink > 0.0 {
            normal_cdf(bias + moved / shrink)
        } else {
            // Past the pole the formula comes back from the other side; its limit is
            // the end that the skewness points to.
            normal_cdf(moved * f64::INFINITY)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::levels;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // Of ten values three are below 0.35, two equal to it: share 0.4, z0 = -0.2533.
        // z0 - 1.9600 = -2.2133; 1 + 0.1 * 2.2133 = 1.2213; -0.2533 - 1.8122 = -2.0655;
        // Phi = 0.0194. z0 + 1.9600 = 1.7066; 1 - 0.17066 = 0.82934;
        // -0.2533 + 2.0578 = 1.8045; Phi = 0.9644.
        let values = [0.1, 0.2, 0.3, 0.35, 0.35 + 1e-16, 0.4, 0.5, 0.6, 0.7, 0.8];
        let got = levels(&values, 0.35, 0.1, 0.95).unwrap();
        assert!((got[0] - 0.0194).abs() < 5e-5, "{got:?}");
        assert!((got[1] - 0.9644).abs() < 5e-5, "{got:?}");
    }

    #[test]
    fn without_bias_and_skewness_the_levels_are_the_tails() {
        let got = levels(&[1.0, 2.0, 3.0], 2.0, 0.0, 0.95).unwrap();
        assert!((got[0] - 0.025).abs() < 1e-15 && (got[1] - 0.975).abs() < 1e-15);
    }

    #[test]
    fn undefined_where_the_bias_cannot_be_told() {
        assert_eq!(levels(&[1.0, 2.0], 0.5, 0.0, 0.95), None);
        assert_eq!(levels(&[1.0, 2.0], 2.5, 0.0, 0.95), None);
        assert_eq!(levels(&[], 2.5, 0.0, 0.95), None);
    }

    #[test]
    fn past_the_pole_the_level_is_the_end() {
        // z0 = 0.4307; with a = 0.5, 1 - 0.5 (0.4307 + 3.29) is negative.
        let got = levels(&[0.0, 0.0, 1.0], 0.5, 0.5, 0.999).unwrap();
        assert_eq!(got[1], 1.0);
        let got = levels(&[0.0, 1.0, 1.0], 0.5, -0.5, 0.999).unwrap();
        assert_eq!(got[0], 0.0);
    }

    proptest! {
        #[test]
        fn in_order_and_mirrored(
            values in prop::collection::vec(-1.0f64..1.0, 2..60),
            acceleration in -0.17f64..0.17,
            confidence in 0.01f64..0.999,
        ) {
            let got = levels(&values, 0.0, acceleration, confidence);
            let mirrored: Vec<f64> = values.iter().map(|v| -v).collect();
            let back = levels(&mirrored, 0.0, -acceleration, confidence);
            prop_assert_eq!(got.is_some(), back.is_some());
            if let (Some([lo, hi]), Some([back_lo, back_hi])) = (got, back) {
                prop_assert!(0.0 <= lo && lo <= hi && hi <= 1.0);
                prop_assert!((lo + back_hi - 1.0).abs() < 1e-9);
                prop_assert!((hi + back_lo - 1.0).abs() < 1e-9);
            }
        }
    }
}
