//! Functions of sums over clusters: a ratio, or the difference of two. Items that stand or
//! fall together are one cluster, and clusters are what varies.

use crate::exact_sum::ExactSum;
use crate::interval::Interval;
use crate::normal::{normal_cdf, normal_quantile};
use crate::quantile::quantiles;
use crate::resample::Draws;
use crate::student::t_quantile;

/// From so many clusters resampling says nothing that the jackknife does not: the interval
/// is that of Student's t, at a fraction of the work.
pub const RESAMPLED_UP_TO: usize = 5_000;
/// Below so many clusters a resample says too little.
const RESAMPLED_FROM: usize = 50;
/// Values that differ by less are the same.
const TIE: f64 = 1e-12;

/// A number that follows from sums over clusters.
#[derive(Clone, Copy)]
pub struct Statistic<const N: usize> {
    /// The number.
    pub value: fn(&[f64; N]) -> f64,
}

/// Above over below.
pub const RATIO: Statistic<2> = Statistic {
    value: |[above, below]| above / below,
};

/// The ratio of b less the ratio of a: above and below of a, then of b.
pub const DIFFERENCE: Statistic<4> = Statistic {
    value: |[above_a, below_a, above_b, below_b]| above_b / below_b - above_a / below_a,
};

/// Sums that do not depend on the order of clusters.
pub fn sums<const N: usize>(clusters: &[[f64; N]]) -> [f64; N] {
    let mut sums: [ExactSum; N] = std::array::from_fn(|_| ExactSum::new());
    for cluster in clusters {
        for (sum, value) in sums.iter_mut().zip(cluster) {
            sum.add(*value);
        }
    }
    sums.map(|sum| sum.value())
}

/// A statistic without each cluster in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jackknife {
    /// The value over all clusters.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// How skewed it is: the acceleration of BCa.
    pub acceleration: f64,
    /// How many clusters there are.
    pub clusters: usize,
}

impl<const N: usize> Statistic<N> {
    /// Leaves out each cluster in turn. `None` with fewer than two clusters, or where the
    /// statistic is undefined without one of them.
    ///
    /// Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapters 11 and 14.
    pub fn jackknife(self, clusters: &[[f64; N]]) -> Option<Jackknife> {
        let n = clusters.len();
        if n < 2 {
            return None;
        }
        let totals = sums(clusters);
        let value = (self.value)(&totals);
        let without = |cluster: &[f64; N]| {
            let left: [f64; N] = std::array::from_fn(|at| totals[at] - cluster[at]);
            (self.value)(&left)
        };
        let mut sum = ExactSum::new();
        for cluster in clusters {
            let left = without(cluster);
            if !left.is_finite() {
                return None;
            }
            sum.add(left);
        }
        let mean = sum.value() / n as f64;
        let (mut from_value, mut squares, mut cubes) =
            (ExactSum::new(), ExactSum::new(), ExactSum::new());
        for cluster in clusters {
            let left = without(cluster);
            from_value.add((left - value).powi(2));
            let u = mean - left;
            squares.add(u * u);
            cubes.add(u * u * u);
        }
        let squares = squares.value();
        let acceleration = if squares > 0.0 {
            cubes.value() / (6.0 * squares * squares.sqrt())
        } else {
            0.0
        };
        Some(Jackknife {
            value,
            se: ((n as f64 - 1.0) / n as f64 * from_value.value()).sqrt(),
            acceleration,
            clusters: n,
        })
    }

    /// The statistic over resamples of the clusters, which are in the order of their keys.
    pub fn resamples(self, clusters: &[[f64; N]], resamples: u32, seed: u64) -> Vec<f64> {
        let n = clusters.len() as u32;
        (0..resamples)
            .map(|resample| {
                let mut draws = Draws::new(seed, u64::from(resample));
                let mut totals = [0.0; N];
                for _ in 0..n {
                    let cluster = &clusters[draws.below(n) as usize];
                    for (total, value) in totals.iter_mut().zip(cluster) {
                        *total += value;
                    }
                }
                (self.value)(&totals)
            })
            .filter(|value| value.is_finite())
            .collect()
    }
}

impl Jackknife {
    /// Student's interval, two-sided.
    pub fn student(&self, confidence: f64) -> Option<Interval> {
        let t = t_quantile((1.0 + confidence) / 2.0, self.clusters as u64 - 1)?;
        Some(Interval {
            lo: self.value - t * self.se,
            hi: self.value + t * self.se,
        })
    }

    /// Whether the interval comes from resamples.
    pub fn is_resampled(&self) -> bool {
        (RESAMPLED_FROM..=RESAMPLED_UP_TO).contains(&self.clusters)
    }

    /// Quantiles `qs` of resamples, corrected for bias and skewness (BCa).
    pub fn bca(&self, resampled: &mut [f64], qs: &[f64]) -> Option<Vec<f64>> {
        if resampled.is_empty() {
            return None;
        }
        let below = resampled.iter().filter(|&&v| v < self.value - TIE).count();
        let ties = resampled
            .iter()
            .filter(|&&v| (v - self.value).abs() <= TIE)
            .count();
        let share = (below as f64 + ties as f64 / 2.0) / resampled.len() as f64;
        let z0 = normal_quantile(share)?;
        let corrected: Option<Vec<f64>> = qs
            .iter()
            .map(|q| {
                let z = z0 + normal_quantile(*q)?;
                Some(normal_cdf(z0 + z / (1.0 - self.acceleration * z)))
            })
            .collect();
        quantiles(resampled, &corrected?)
    }
}

/// The standard error of the difference of two ratios over clusters, as cluster-robust
/// least squares has it: the root of G/(G−1) · Σψ².
pub fn difference_se(clusters: &[[f64; 4]]) -> Option<f64> {
    let n = clusters.len() as f64;
    if clusters.len() < 2 {
        return None;
    }
    let [above_a, below_a, above_b, below_b] = sums(clusters);
    let (a, b) = (above_a / below_a, above_b / below_b);
    let mut squares = ExactSum::new();
    for [above_x, below_x, above_y, below_y] in clusters {
        let psi = (above_y - b * below_y) / below_b - (above_x - a * below_x) / below_a;
        squares.add(psi * psi);
    }
    let se = (n / (n - 1.0) * squares.value()).sqrt();
    se.is_finite().then_some(se)
}

/// What flipping whole clusters between the sides changes: (A − R̄B) of b less that of a,
/// with the ratio R̄ of both sides together, which no flip changes.
pub fn flips(clusters: &[[f64; 4]]) -> Vec<f64> {
    let [above_a, below_a, above_b, below_b] = sums(clusters);
    let both = (above_a + above_b) / (below_a + below_b);
    let differences: Vec<f64> = clusters
        .iter()
        .map(|[a, b, x, y]| (x - both * y) - (a - both * b))
        .collect();
    let total: f64 = differences.iter().map(|d| d.abs()).sum();
    let nothing = 1e-9 * total;
    differences
        .into_iter()
        .map(|d| if d.abs() <= nothing { 0.0 } else { d })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three clusters, 1 of 2, 3 of 3, 0 of 1: R = 4/6. Without each: 3/4, 1/3, 4/5.
    #[test]
    fn worked_by_hand() {
        let clusters = [[1.0, 2.0], [3.0, 3.0], [0.0, 1.0]];
        let found = RATIO.jackknife(&clusters).unwrap();
        let r: f64 = 4.0 / 6.0;
        let left = [0.75, 1.0 / 3.0, 0.8];
        let squares: f64 = left.iter().map(|l| (l - r) * (l - r)).sum();
        assert!((found.se - (2.0 / 3.0 * squares).sqrt()).abs() < 1e-15);
        assert_eq!(found.value, r);
    }

    /// Two runs over single items: the standard error is that of the mean difference.
    #[test]
    fn single_items_are_the_plain_case() {
        let a = [1.0, 0.0, 1.0, 1.0];
        let b = [1.0, 1.0, 0.0, 0.5];
        let clusters: Vec<[f64; 4]> = a.iter().zip(b).map(|(a, b)| [*a, 1.0, b, 1.0]).collect();
        let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
        let mean = d.iter().sum::<f64>() / 4.0;
        let variance: f64 = d.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 3.0;
        let se = difference_se(&clusters).unwrap();
        assert!((se - (variance / 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(flips(&clusters), d);
        let jackknife = DIFFERENCE.jackknife(&clusters).unwrap();
        assert!((jackknife.se - se).abs() < 1e-12 && (jackknife.value - mean).abs() < 1e-15);
    }

    #[test]
    fn resamples_are_the_documented_draws() {
        let clusters = [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [4.0, 1.0]];
        // Draws(0, 0) below 4 are 0, 3, 3, 2: (1 + 4 + 4 + 3) / 4.
        assert_eq!(RATIO.resamples(&clusters, 1, 0), [3.0]);
    }

    #[test]
    fn one_cluster_has_no_error() {
        assert_eq!(RATIO.jackknife(&[[1.0, 2.0]]), None);
        assert_eq!(difference_se(&[[1.0, 1.0, 1.0, 1.0]]), None);
        // Without the first nothing is left below the line.
        assert_eq!(RATIO.jackknife(&[[1.0, 1.0], [0.0, 0.0]]), None);
    }
}
