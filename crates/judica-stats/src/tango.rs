//! An interval for the difference of two paired rates.

use crate::interval::Interval;
use crate::normal::normal_quantile;

/// Tango's score interval for the rate of b less the rate of a over `n` items, of which
/// `only_b` were right by b alone and `only_a` by a alone. It exists also where no item
/// tells the sides apart. `None` without items.
///
/// Tango, "Equivalence Test and Confidence Interval for the Difference in Proportions for
/// the Paired-Sample Design", *Statistics in Medicine* 17, 1998.
pub fn tango_interval(only_b: u64, only_a: u64, n: u64, confidence: f64) -> Option<Interval> {
    if n == 0 || only_a.checked_add(only_b)? > n || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let z = -normal_quantile((1.0 - confidence) / 2.0)?;
    let (x, y, n) = (only_b as f64, only_a as f64, n as f64);
    let score = |delta: f64| {
        let beta = -x - y + (2.0 * n - x + y) * delta;
        let gamma = -y * delta * (1.0 - delta);
        let q = ((beta * beta - 8.0 * n * gamma).max(0.0).sqrt() - beta) / (4.0 * n);
        let variance = n * (2.0 * q + delta * (1.0 - delta));
        let above = x - y - n * delta;
        if above == 0.0 {
            0.0
        } else if variance > 0.0 {
            above / variance.sqrt()
        } else {
            above * f64::INFINITY
        }
    };
    // The score falls with the difference, so each bound is found by halving.
    let bound = |wanted: f64| {
        let (mut low, mut high) = (-1.0, 1.0);
        while high - low > 1e-14 {
            let middle = (low + high) / 2.0;
            let found = score(middle);
            if found > wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low + high) / 2.0
    };
    let difference = (x - y) / n;
    Some(Interval {
        lo: bound(z).clamp(-1.0, difference),
        hi: bound(-z).clamp(difference, 1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::tango_interval;
    use proptest::prelude::*;

    /// Against the restricted likelihood, maximised by brute force.
    #[test]
    fn as_by_brute_force() {
        for (x, y, n, lo, hi) in [
            (1, 0, 44, -0.059_393_231, 0.118_077_097),
            (12, 2, 50, 0.061_112_407, 0.344_708_748),
            (10, 5, 100, -0.028_619_555, 0.133_471_311),
        ] {
            let found = tango_interval(x, y, n, 0.95).unwrap();
            assert!((found.lo - lo).abs() < 1e-7, "{found:?}");
            assert!((found.hi - hi).abs() < 1e-7, "{found:?}");
        }
    }

    #[test]
    fn sides_that_never_differ_have_one_too() {
        let found = tango_interval(0, 0, 50, 0.95).unwrap();
        assert!((found.hi + found.lo).abs() < 1e-9 && found.hi > 0.0);
        // q = 0: n δ² = z² (δ (1 − δ)) gives δ = z² / (n + z²).
        let z2 = 1.959_963_984_540_054_f64.powi(2);
        assert!((found.hi - z2 / (50.0 + z2)).abs() < 1e-9, "{found:?}");
        assert_eq!(tango_interval(0, 0, 0, 0.95), None);
        assert_eq!(tango_interval(3, 3, 5, 0.95), None);
    }

    proptest! {
        #[test]
        fn holds_the_difference_and_mirrors(n in 1u64..2000, b in 0.0f64..1.0, a in 0.0f64..1.0) {
            let x = (b * n as f64) as u64;
            let y = (a * (n - x) as f64) as u64;
            let found = tango_interval(x, y, n, 0.95).unwrap();
            let difference = (x as f64 - y as f64) / n as f64;
            prop_assert!(found.lo <= difference && difference <= found.hi);
            let mirror = tango_interval(y, x, n, 0.95).unwrap();
            prop_assert!((found.lo + mirror.hi).abs() < 1e-9);
        }
    }
}
