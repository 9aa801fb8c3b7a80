//! An interval for the difference of two means that were measured on different items.

use crate::interval::Interval;
use crate::student::t_quantile;

/// A value with its standard error over clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The value.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// Over how many clusters.
    pub clusters: u64,
}

/// The interval of b less a where their variances may differ: Student's t with the degrees
/// of Satterthwaite. `None` unless both sides have two clusters and one of them varies.
///
/// Welch, "The Generalization of 'Student's' Problem when Several Different Population
/// Variances are Involved", *Biometrika* 34, 1947.
pub fn welch_interval(a: Measured, b: Measured, confidence: f64) -> Option<Interval> {
    if a.clusters < 2 || b.clusters < 2 {
        return None;
    }
    let (va, vb) = (a.se * a.se, b.se * b.se);
    let variance = va + vb;
    let degrees = variance * variance
        / (va * va / (a.clusters - 1) as f64 + vb * vb / (b.clusters - 1) as f64);
    let t = t_quantile((1.0 + confidence) / 2.0, degrees)?;
    let (difference, half) = (b.value - a.value, t * variance.sqrt());
    Some(Interval {
        lo: difference - half,
        hi: difference + half,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against SciPy's `ttest_ind(b, a, equal_var=False).confidence_interval()` of
    /// a = 1, 2, 4, 7 and b = 3, 9, 11.
    #[test]
    fn welch_as_elsewhere() {
        let side = |values: &[f64]| {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
            Measured {
                value: mean,
                se: (squares / (n - 1.0) / n).sqrt(),
                clusters: values.len() as u64,
            }
        };
        let (a, b) = (side(&[1.0, 2.0, 4.0, 7.0]), side(&[3.0, 9.0, 11.0]));
        let found = welch_interval(a, b, 0.95).unwrap();
        assert!(
            (found.lo - (-4.265_088_898_791_451_5)).abs() < 1e-9,
            "{found:?}"
        );
        assert!(
            (found.hi - 12.598_422_232_124_786).abs() < 1e-9,
            "{found:?}"
        );
        let still = Measured { se: 0.0, ..a };
        assert_eq!(welch_interval(still, still, 0.95), None);
        assert_eq!(welch_interval(Measured { clusters: 1, ..a }, b, 0.95), None);
    }
}
