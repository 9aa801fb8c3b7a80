//! Intervals for agreement coefficients, by resampling items.
//!
//! Items alike are one group, and a resample is how often each group was drawn
//! ([`GroupResampler`]); a coefficient is asked for its value under these counts. Rows
//! are never touched, so the cost depends on how many different items there are.

mod bca;
mod jackknife;

use crate::agreement::Coefficient;
use crate::interval::Interval;
use crate::multinomial::GroupResampler;
use crate::parallel::in_parallel;
use crate::quantile::quantiles;

/// How an interval is read off the resampled values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalMethod {
    /// Between the quantiles `(1 - confidence) / 2` and one minus that: Efron and
    /// Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13.
    Percentile,
    /// Between quantiles that are moved for the bias and the skewness of the
    /// coefficient ("bias-corrected and accelerated"): Efron, "Better Bootstrap
    /// Confidence Intervals", *JASA* 82(397), 1987.
    Bca,
}

/// A bootstrap over items that are grouped.
///
/// ```
/// use judica_stats::agreement::{Coefficient, Estimate};
/// use judica_stats::item_bootstrap::{IntervalMethod, ItemBootstrap};
///
/// /// The share of items that are in the first of two groups.
/// struct Share;
/// impl Coefficient for Share {
///     fn estimate(&self, weights: &[u64]) -> Estimate {
///         Ok(weights[0] as f64 / (weights[0] + weights[1]) as f64)
///     }
/// }
///
/// let bootstrap = ItemBootstrap {
///     resamples: 1000,
///     seed: 1,
///     confidence: 0.95,
///     method: IntervalMethod::Percentile,
/// };
/// let share = bootstrap.intervals(&[640, 360], &[&Share], 2)[0].interval.unwrap();
/// // 0.64 - and + 1.96 standard errors of sqrt(0.64 * 0.36 / 1000) = 0.0152.
/// assert!((share.lo - 0.610).abs() < 0.005 && (share.hi - 0.670).abs() < 0.005);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemBootstrap {
    /// How many resamples.
    pub resamples: u32,
    /// What they are drawn from: the same seed gives the same resamples.
    pub seed: u64,
    /// How often the interval is to hold the true value, between 0 and 1.
    pub confidence: f64,
    /// How the interval is read off the resampled values.
    pub method: IntervalMethod,
}

/// What the resamples say about one coefficient.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ResampledInterval {
    /// The interval, where there is one.
    pub interval: Option<Interval>,
    /// In how many resamples the coefficient was undefined; they were passed over. 0
    /// where nothing was resampled.
    pub undefined_resamples: u32,
    /// Whether resampled values differ, from each other or from the value, by more than rounding.
    pub varies: bool,
}

impl ItemBootstrap {
    /// The interval of each coefficient, where group `g` holds `sizes[g]` items.
    ///
    /// Every resample is drawn once and all coefficients are asked on it, so that their
    /// intervals rest on the same resamples. The result does not depend on `threads` (0
    /// counts as 1), nor that of a coefficient on the others.
    ///
    /// Nothing is resampled, and there is no interval, for a coefficient that is
    /// undefined on the items themselves, without items or resamples, or if the
    /// confidence is not strictly between 0 and 1. There is no interval either if the
    /// coefficient is undefined in every resample.
    ///
    /// The BCa method has two reasons more to give none, for which no correction can be
    /// computed; the percentile method may still have an answer.
    ///
    /// - All resampled values are on the same side of the estimate: the bias is larger
    ///   than the resamples can tell. (Where all are equal to it, as in perfect
    ///   agreement, the interval is that one value.)
    /// - Leaving out one item makes the coefficient undefined. What matters most for the
    ///   skewness cannot be passed over.
    ///
    /// # Panics
    ///
    /// If there are more than 2^53 items.
    pub fn intervals(
        &self,
        sizes: &[u64],
        coefficients: &[&dyn Coefficient],
        threads: usize,
    ) -> Vec<ResampledInterval> {
        let mut intervals = vec![ResampledInterval::default(); coefficients.len()];
        let resampler = GroupResampler::new(sizes);
        let confident = self.confidence > 0.0 && self.confidence < 1.0;
        if resampler.items() == 0 || self.resamples == 0 || !confident {
            return intervals;
        }
        let defined: Vec<(usize, f64)> = evaluate(coefficients, sizes)
            .into_iter()
            .enumerate()
            .filter_map(|(c, estimate)| Some((c, estimate?)))
            .collect();
        if defined.is_empty() {
            return intervals;
        }
        let asked: Vec<&dyn Coefficient> = defined.iter().map(|&(c, _)| coefficients[c]).collect();

        let resampled = in_parallel(
            threads,
            0..u64::from(self.resamples),
            || vec![0; sizes.len()],
            |weights, resample| {
                resampler.fill(self.seed, resample, weights);
                evaluate(&asked, weights)
            },
        );
        let accelerations = match self.method {
            IntervalMethod::Percentile => None,
            IntervalMethod::Bca => Some(jackknife::accelerations(sizes, &asked, threads)),
        };
        for (place, &(c, estimate)) in defined.iter().enumerate() {
            let mut values: Vec<f64> = resampled.iter().filter_map(|row| row[place]).collect();
            let levels = match &accelerations {
                None => Some(tails(self.confidence)),
                Some(found) => found[place]
                    .and_then(|skewed| bca::levels(&values, estimate, skewed, self.confidence)),
            };
            let ends = levels.and_then(|levels| quantiles(&mut values, &levels));
            intervals[c] = ResampledInterval {
                interval: ends.map(|ends| Interval {
                    lo: ends[0],
                    hi: ends[1],
                }),
                undefined_resamples: self.resamples - values.len() as u32,
                varies: {
                    let least = values.iter().copied().fold(estimate, f64::min);
                    let most = values.iter().copied().fold(estimate, f64::max);
                    most - least > bca::ROUNDING * estimate.abs().max(1.0)
                },
            };
        }
        intervals
    }
}

/// The levels that leave out equally much on both sides.
fn tails(confidence: f64) -> [f64; 2] {
    let tail = (1.0 - confidence) / 2.0;
    [tail, 1.0 - tail]
}

/// The value of each coefficient, or `None` where it is undefined.
fn evaluate(coefficients: &[&dyn Coefficient], weights: &[u64]) -> Vec<Option<f64>> {
    coefficients
        .iter()
        .map(|coefficient| coefficient.estimate(weights).ok().filter(|v| v.is_finite()))
        .collect()
}
