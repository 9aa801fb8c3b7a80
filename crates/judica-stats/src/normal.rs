//! The standard normal distribution: its quantiles and its distribution function.

/// The value below which a standard normal variable falls with probability
/// `p`; `None` unless `0 < p < 1`.
///
/// Algorithm AS 241, routine PPND16, of Wichura, "The Percentage Points of the
/// Normal Distribution", *Applied Statistics* 37(3), 1988: accurate to about
/// one part in 10^16. The logarithm is that of `libm`, the same on every
/// platform.
///
/// ```
/// let z = judica_stats::normal_quantile(0.975).unwrap();
/// assert!((z - 1.959963984540054).abs() < 1e-15);
/// ```
pub fn normal_quantile(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return Some(q * polynomial(&CENTRE.0, r) / polynomial(&CENTRE.1, r));
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = (-libm::log(tail)).sqrt();
    let z = if r <= 5.0 {
        polynomial(&SHOULDER.0, r - 1.6) / polynomial(&SHOULDER.1, r - 1.6)
    } else {
        polynomial(&TAIL.0, r - 5.0) / polynomial(&TAIL.1, r - 5.0)
    };
    Some(if q < 0.0 { -z } else { z })
}

/// The probability that a standard normal variable is at most `z`.
///
/// Through the complementary error function, so that small probabilities keep their
/// digits. NaN only for NaN.
///
/// ```
/// assert_eq!(judica_stats::normal::normal_cdf(0.0), 0.5);
/// ```
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// Horner's rule, lowest coefficient first.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Numerator and denominator.
type Rational = ([f64; 8], [f64; 8]);

#[expect(clippy::excessive_precision, reason = "as printed in the paper")]
const CENTRE: Rational = (
    [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ],
    [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ],
);

#[expect(clippy::excessive_precision, reason = "as printed in the paper")]
const SHOULDER: Rational = (
    [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ],
    [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ],
);

#[expect(clippy::excessive_precision, reason = "as printed in the paper")]
const TAIL: Rational = (
    [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::{normal_cdf, normal_quantile};
    use proptest::prelude::*;

    #[test]
    fn worked_in_the_paper() {
        // The three checks that come with AS 241, one per range.
        for (p, z) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_408),
        ] {
            let got = normal_quantile(p).unwrap();
            assert!((got / z - 1.0).abs() < 1e-15, "{p}: {got} {z}");
        }
        assert_eq!(normal_quantile(0.5), Some(0.0));
    }

    #[test]
    fn undefined_outside_the_open_unit_interval() {
        for p in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert_eq!(normal_quantile(p), None);
        }
    }

    #[test]
    fn probabilities_of_whole_deviations() {
        // To 16 digits: Phi(1) and Phi(-2), and a tail that 1 - Phi(8) would lose.
        for (z, p) in [
            (1.0, 0.841_344_746_068_542_9),
            (-2.0, 0.022_750_131_948_179_21),
            (-8.0, 6.220_960_574_271_785e-16),
            (f64::INFINITY, 1.0),
            (f64::NEG_INFINITY, 0.0),
        ] {
            assert!(
                (normal_cdf(z) - p).abs() <= 1e-14 * p,
                "{z}: {}",
                normal_cdf(z)
            );
        }
    }

    proptest! {
        #[test]
        fn inverts_the_distribution(p in prop_oneof![1e-12f64..1e-3, 0.001f64..0.999]) {
            let z = normal_quantile(p).unwrap();
            let back = normal_cdf(z);
            prop_assert!((back / p - 1.0).abs() < 1e-13, "{} {}", p, back);
        }

        #[test]
        fn increases(p in 0.0f64..0.5, step in 1e-6f64..0.4) {
            prop_assume!(p > 0.0);
            prop_assert!(normal_quantile(p) < normal_quantile(p + step));
        }
    }
}
