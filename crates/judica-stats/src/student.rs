//! Quantiles of Student's t distribution.

use crate::normal::normal_quantile;

/// From so many degrees of freedom an expansion around the normal quantile is as exact as
/// a double can tell, and the continued fraction slow.
const MANY: f64 = 2000.0;

/// The value below which a t variable with `degrees` degrees of freedom falls with
/// probability `p`; `None` unless `0 < p < 1` and there are degrees, which need
/// not be whole.
///
/// The distribution function through the incomplete beta function (Abramowitz and Stegun,
/// *Handbook of Mathematical Functions*, 26.7.1), inverted by halving; for many degrees the
/// expansion 26.7.5.
///
/// ```
/// let t = judica_stats::student::t_quantile(0.975, 10.0).unwrap();
/// assert!((t - 2.228138851986274).abs() < 1e-12);
/// ```
pub fn t_quantile(p: f64, degrees: f64) -> Option<f64> {
    let z = normal_quantile(p)?;
    let v = degrees;
    if v.is_nan() || v <= 0.0 {
        return None;
    }
    if v >= MANY {
        let z2 = z * z;
        let g1 = (z2 + 1.0) / 4.0;
        let g2 = ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
        let g3 = (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
        return Some(z * (1.0 + (g1 + (g2 + g3 / v) / v) / v));
    }
    if p == 0.5 {
        return Some(0.0);
    }
    let tail = p.min(1.0 - p);
    // The upper tail falls from 1/2 to 0; the end is found by doubling.
    let (mut low, mut high) = (0.0, 2.0);
    while upper_tail(high, v) > tail {
        high *= 2.0;
        if high > 1e300 {
            return None;
        }
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if upper_tail(middle, v) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = (low + high) / 2.0;
    Some(if p < 0.5 { -t } else { t })
}

/// The probability that a t variable exceeds `t`, which is not negative.
fn upper_tail(t: f64, v: f64) -> f64 {
    0.5 * incomplete_beta(v / (v + t * t), v / 2.0, 0.5)
}

/// The regularised incomplete beta function by its continued fraction (ibid. 26.5.8),
/// evaluated with the method of Lentz.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = libm::exp(
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
            + a * libm::log(x)
            + b * libm::log1p(-x),
    );
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let sure = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / sure(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        for step in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / sure(1.0 + step * d);
            c = sure(1.0 + step / c);
            result *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::t_quantile;

    /// From SciPy's `stats.t.ppf`.
    #[test]
    fn as_elsewhere() {
        for (p, degrees, expected) in [
            (0.975, 1.0, 12.706_204_736_174_694),
            (0.975, 2.0, 4.302_652_729_749_462),
            (0.95, 5.0, 2.015_048_373_333_023_3),
            (0.025, 30.0, -2.042_272_456_301_238),
            (0.995, 49.0, 2.679_951_973_631_552),
            (0.9, 199.0, 1.285_820_209_259_409_3),
            (0.975, 1999.0, 1.961_151_420_170_561_3),
            (0.975, 5000.0, 1.960_438_551_706_507_3),
        ] {
            let found = t_quantile(p, degrees).unwrap();
            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "{p} {degrees}: {found}"
            );
        }
    }

    #[test]
    fn both_ways_meet_and_nothing_is_none() {
        let (few, many) = (t_quantile(0.99, 1999.0), t_quantile(0.99, 2000.0));
        assert!((few.unwrap() - many.unwrap()).abs() < 1e-6);
        assert_eq!(t_quantile(0.5, 7.0), Some(0.0));
        assert_eq!(t_quantile(0.975, 0.0), None);
        assert_eq!(t_quantile(1.0, 3.0), None);
    }
}
