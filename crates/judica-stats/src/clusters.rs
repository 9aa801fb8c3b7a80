//! Numbers that follow from sums over clusters: a ratio, the difference of two, or any other
//! function. Items that stand or fall together are one cluster, and clusters are what varies.
//!
//! Every interval of such a number comes from [`Intervals::of`]: resampled from
//! [`RESAMPLED_FROM`] clusters on (BCa), Student's t on the jackknife below that.

use std::fmt;

use crate::exact_sum::ExactSum;
use crate::interval::Interval;
use crate::normal::{normal_cdf, normal_quantile};
use crate::quantile::quantiles;
use crate::resampled::{ResampledSums, Resampling, Terms};
use crate::student::t_quantile;

/// Below so many clusters a resample says too little.
pub const RESAMPLED_FROM: usize = 50;
/// Above so many clusters, or so many draws for one interval, resampling says nothing that
/// the jackknife does not: the interval is that of Student's t, at a fraction of the work.
pub const RESAMPLED_UP_TO: usize = 100_000;
const MOST_DRAWS: u64 = 100_000_000;
/// Values that differ by less are the same.
const TIE: f64 = 1e-12;

/// What rounding leaves of a difference that is none, between sums of so many numbers of this
/// size together: a few units in the last place of each.
pub(crate) fn rounding(count: f64, size: f64) -> f64 {
    8.0 * f64::EPSILON * count.sqrt() * size
}

/// A number that follows from sums.
pub type Function<'f> = &'f (dyn Fn(&[f64]) -> f64 + Sync);

/// Above over below.
pub fn ratio(sums: &[f64]) -> f64 {
    sums[0] / sums[1]
}

/// The ratio of b less the ratio of a: above and below of a, then of b.
pub fn difference(sums: &[f64]) -> f64 {
    sums[2] / sums[3] - sums[0] / sums[1]
}

/// Sums that do not depend on the order of clusters.
pub fn sums(terms: Terms) -> Vec<f64> {
    let mut sums = vec![ExactSum::new(); terms.width()];
    for row in terms.rows() {
        for (sum, value) in sums.iter_mut().zip(row) {
            sum.add(*value);
        }
    }
    sums.iter().map(ExactSum::value).collect()
}

/// Why a value has no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoInterval {
    /// All clusters say the same.
    NoVariation {
        /// How many there are.
        clusters: u64,
    },
    /// There is only one.
    OneCluster,
    /// Without one of the clusters there would be no value.
    OneDecides,
}

impl fmt::Display for NoInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVariation { clusters } => write!(f, "no variation among {clusters} items"),
            Self::OneCluster => write!(f, "one cluster has no interval"),
            Self::OneDecides => write!(f, "undefined without one of the clusters"),
        }
    }
}

/// A number without each cluster in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jackknife {
    /// The value over all clusters.
    pub value: f64,
    /// Its standard error; 0 where clusters do not vary.
    pub se: f64,
    /// How skewed it is: the acceleration of BCa.
    pub acceleration: f64,
    /// How many clusters there are.
    pub clusters: usize,
}

impl Jackknife {
    /// Leaves out each cluster in turn. Fails with fewer than two clusters, or where there is
    /// no value without one of them.
    ///
    /// Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapters 11 and 14.
    pub fn new(terms: Terms, function: Function) -> Result<Self, NoInterval> {
        let n = terms.clusters();
        if n < 2 {
            return Err(NoInterval::OneCluster);
        }
        let totals = sums(terms);
        let value = function(&totals);
        let mut left = totals.clone();
        let mut without = |row: &[f64]| {
            for ((left, total), value) in left.iter_mut().zip(&totals).zip(row) {
                *left = total - value;
            }
            function(&left)
        };
        let mut sum = ExactSum::new();
        for row in terms.rows() {
            let left = without(row);
            if !left.is_finite() {
                return Err(NoInterval::OneDecides);
            }
            sum.add(left);
        }
        let mean = sum.value() / n as f64;
        let (mut from_value, mut squares, mut cubes) =
            (ExactSum::new(), ExactSum::new(), ExactSum::new());
        for row in terms.rows() {
            let left = without(row);
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
        let se = ((n as f64 - 1.0) / n as f64 * from_value.value()).sqrt();
        let mut rows = terms.rows();
        let first = rows.next();
        let alike = rows.all(|row| Some(row) == first);
        let found = Jackknife {
            value,
            se: if alike { 0.0 } else { se },
            acceleration,
            clusters: n,
        };
        Ok(found.made_of(value.abs()))
    }

    /// The same of a value that is made of numbers of this size: their rounding is no variation.
    #[must_use]
    pub fn made_of(self, size: f64) -> Self {
        let se = match self.se <= rounding(self.clusters as f64, size) {
            true => 0.0,
            false => self.se,
        };
        Jackknife { se, ..self }
    }

    /// Student's interval, two-sided.
    fn student(&self, confidence: f64) -> Option<Interval> {
        let t = t_quantile((1.0 + confidence) / 2.0, self.clusters as f64 - 1.0)?;
        Some(Interval {
            lo: self.value - t * self.se,
            hi: self.value + t * self.se,
        })
    }

    /// Between quantiles of resamples, corrected for bias and skewness (BCa): Efron, "Better
    /// Bootstrap Confidence Intervals", *JASA* 82(397), 1987. `None` where all resamples are
    /// on one side of the value.
    pub fn bca(&self, resampled: &mut [f64], confidence: f64) -> Option<Interval> {
        if resampled.is_empty() {
            return None;
        }
        let below = resampled.iter().filter(|&&v| v < self.value - TIE).count();
        let ties = resampled.iter().filter(|v| (**v - self.value).abs() <= TIE);
        let share = (below as f64 + ties.count() as f64 / 2.0) / resampled.len() as f64;
        let z0 = normal_quantile(share)?;
        let corrected = |tail: f64| {
            let z = z0 + normal_quantile(tail)?;
            Some(normal_cdf(z0 + z / (1.0 - self.acceleration * z)))
        };
        let tail = (1.0 - confidence) / 2.0;
        let ends = quantiles(resampled, &[corrected(tail)?, corrected(1.0 - tail)?])?;
        Some(Interval {
            lo: ends[0],
            hi: ends[1],
        })
    }
}

/// How intervals are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    /// How often an interval is to hold the true value, between 0 and 1.
    pub confidence: f64,
    /// Resamples, and what they are drawn from.
    pub resampling: Resampling,
}

impl Default for Intervals {
    fn default() -> Self {
        Intervals {
            confidence: 0.95,
            resampling: Resampling {
                resamples: 1000,
                seed: 20_250_119,
                threads: 1,
            },
        }
    }
}

impl Intervals {
    /// The usual ones, made on so many threads; the result does not depend on them.
    pub fn on_threads(threads: usize) -> Self {
        let mut intervals = Intervals::default();
        intervals.resampling.threads = threads;
        intervals
    }

    /// Whether an interval over so many clusters is resampled.
    pub fn resamples(&self, clusters: usize) -> bool {
        let draws = clusters as u64 * u64::from(self.resampling.resamples);
        (RESAMPLED_FROM..=RESAMPLED_UP_TO).contains(&clusters) && (1..=MOST_DRAWS).contains(&draws)
    }

    /// The interval of a function of sums.
    pub fn of(&self, terms: Terms, function: Function) -> Result<Interval, NoInterval> {
        let jackknife = Jackknife::new(terms, function)?;
        self.around(&jackknife, terms, function)
    }

    /// The same where the jackknife has been made.
    pub fn around(
        &self,
        jackknife: &Jackknife,
        terms: Terms,
        function: Function,
    ) -> Result<Interval, NoInterval> {
        let resampled = self.resamples(jackknife.clusters);
        let sums = resampled.then(|| self.resampling.sums(terms));
        self.read(jackknife, sums.as_ref(), function)
    }

    /// The same where sums have been resampled, at least as many times as wanted, or there is
    /// nothing to be resampled.
    pub fn read(
        &self,
        jackknife: &Jackknife,
        sums: Option<&ResampledSums>,
        function: Function,
    ) -> Result<Interval, NoInterval> {
        if jackknife.se == 0.0 {
            let clusters = jackknife.clusters as u64;
            return Err(NoInterval::NoVariation { clusters });
        }
        let resampled = sums.and_then(|sums| {
            let mut values = sums.values(self.resampling.resamples, function);
            jackknife.bca(&mut values, self.confidence)
        });
        // Where nearly all resamples have one value, quantiles meet; no interval is a point.
        resampled
            .filter(|found| found.lo < found.hi)
            .or_else(|| jackknife.student(self.confidence))
            .ok_or(NoInterval::OneCluster)
    }
}

/// The standard error of a ratio over clusters, as cluster-robust least squares has it: the
/// root of G/(G−1) · Σ(A − R·B)² / (ΣB)².
pub fn ratio_se(terms: Terms) -> Option<f64> {
    let sums = sums(terms);
    let [above, below] = sums[..] else {
        return None;
    };
    robust(terms, |row| (row[0] - above / below * row[1]) / below)
}

/// The standard error of the difference of two ratios over clusters, likewise.
pub fn difference_se(terms: Terms) -> Option<f64> {
    let sums = sums(terms);
    let [above_a, below_a, above_b, below_b] = sums[..] else {
        return None;
    };
    let (a, b) = (above_a / below_a, above_b / below_b);
    robust(terms, |row| {
        (row[2] - b * row[3]) / below_b - (row[0] - a * row[1]) / below_a
    })
}

/// The root of G/(G−1) · Σψ².
fn robust(terms: Terms, psi: impl Fn(&[f64]) -> f64) -> Option<f64> {
    let n = terms.clusters();
    if n < 2 {
        return None;
    }
    let mut squares = ExactSum::new();
    for row in terms.rows() {
        let psi = psi(row);
        squares.add(psi * psi);
    }
    let n = n as f64;
    let se = (n / (n - 1.0) * squares.value()).sqrt();
    se.is_finite().then_some(se)
}

/// What flipping whole clusters between the sides changes: (A − R̄B) of b less that of a,
/// with the ratio R̄ of both sides together, which no flip changes.
pub fn flips(clusters: &[[f64; 4]]) -> Vec<f64> {
    let sums = sums(Terms::new(clusters));
    let both = (sums[0] + sums[2]) / (sums[1] + sums[3]);
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

    const INTERVALS: Intervals = Intervals {
        confidence: 0.95,
        resampling: Resampling {
            resamples: 1000,
            seed: 1,
            threads: 2,
        },
    };

    /// Three clusters, 1 of 2, 3 of 3, 0 of 1: R = 4/6. Without each: 3/4, 1/3, 4/5.
    #[test]
    fn worked_by_hand() {
        let clusters = [[1.0, 2.0], [3.0, 3.0], [0.0, 1.0]];
        let found = Jackknife::new(Terms::new(&clusters), &ratio).unwrap();
        let r: f64 = 4.0 / 6.0;
        let left = [0.75, 1.0 / 3.0, 0.8];
        let squares: f64 = left.iter().map(|l| (l - r) * (l - r)).sum();
        assert!((found.se - (2.0 / 3.0 * squares).sqrt()).abs() < 1e-15);
        assert_eq!(found.value, r);
        // A − R·B are −1/3, 1 and −2/3, of 6 together.
        let robust = (1.5 * (1.0 / 9.0 + 1.0 + 4.0 / 9.0) / 36.0_f64).sqrt();
        assert!((ratio_se(Terms::new(&clusters)).unwrap() - robust).abs() < 1e-15);
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
        let terms = Terms::new(&clusters);
        let se = difference_se(terms).unwrap();
        assert!((se - (variance / 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(flips(&clusters), d);
        let jackknife = Jackknife::new(terms, &difference).unwrap();
        assert!((jackknife.se - se).abs() < 1e-12 && (jackknife.value - mean).abs() < 1e-15);
    }

    #[test]
    fn what_has_no_interval_says_why() {
        let of = |rows: &[[f64; 2]]| INTERVALS.of(Terms::new(rows), &ratio).unwrap_err();
        assert_eq!(of(&[[1.0, 2.0]]), NoInterval::OneCluster);
        // Without the first nothing is left below the line.
        assert_eq!(of(&[[1.0, 1.0], [0.0, 0.0]]), NoInterval::OneDecides);
        assert_eq!(
            of(&[[0.1, 1.0]; 60]),
            NoInterval::NoVariation { clusters: 60 }
        );
        assert_eq!(
            of(&[[0.1, 1.0], [0.2, 2.0], [0.3, 3.0]]),
            NoInterval::NoVariation { clusters: 3 }
        );
        assert_eq!(difference_se(Terms::new(&[[1.0; 4]])), None);
    }

    #[test]
    fn few_clusters_are_students_and_more_are_resampled() {
        let rows: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i * i % 17), 1.0]).collect();
        let few = Terms::new(&rows[..10]);
        let jackknife = Jackknife::new(few, &ratio).unwrap();
        let found = INTERVALS.of(few, &ratio).unwrap();
        assert!((found.hi - jackknife.value - 2.262_157_162_798_205 * jackknife.se).abs() < 1e-12);
        let many = INTERVALS.of(Terms::new(&rows), &ratio).unwrap();
        assert!(many.lo < 7.5 && 7.5 < many.hi, "{many:?}");
        assert!(INTERVALS.resamples(100_000) && !INTERVALS.resamples(100_001));
    }
}
