//! Krippendorff's α at four levels of measurement, with missing ratings.
//!
//! Krippendorff, "Computing Krippendorff's Alpha-Reliability", University of
//! Pennsylvania, 2011; Hayes and Krippendorff, "Answering the call for a standard
//! reliability measure for coding data", *Communication Methods and Measures* 1(1), 2007.
//!
//! α = 1 − D_o / D_e. Two ratings differ by δ². The observed disagreement D_o is the mean
//! δ² of two ratings of the same item: each item's pairs are averaged, and the item counts
//! as often as it has ratings. The expected disagreement D_e is the mean δ² of any two
//! ratings that are pairable, that is, of an item with at least two. With n_c pairable
//! ratings of category c, n in all:
//!
//! | level    | δ² of c and k                                                         |
//! |----------|-----------------------------------------------------------------------|
//! | nominal  | 1 unless c = k                                                        |
//! | ordinal  | (r_c − r_k)², r_c the midrank of c: the n_h before it and half of n_c |
//! | interval | (c − k)²                                                              |
//! | ratio    | ((c − k) / (c + k))²                                                  |
//!
//! Undefined when nothing is pairable and when all pairable ratings are the same. At the
//! ratio level also when two values that occur add up to zero, and when there are more of
//! them than can be compared two by two.

use super::weights::{COMPARED_LIMIT, has_opposites};
use super::{Coefficient, Estimate, Patterns, Undefined};

/// What the categories mean, and so how far apart two of them are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Names: two are the same or not.
    Nominal,
    /// Ranks: they are in an order.
    Ordinal,
    /// Numbers of which differences mean something.
    Interval,
    /// Numbers of which ratios mean something.
    Ratio,
}

/// Krippendorff's α of the items with at least two ratings.
#[derive(Clone, Debug)]
pub struct KrippendorffAlpha<'a> {
    patterns: &'a Patterns,
    scale: Result<Scale, Undefined>,
}

/// A level with what can be prepared for it: the disagreement within an item of each
/// pattern, unless it depends on all the other items, and the numbers.
#[derive(Clone, Debug)]
enum Scale {
    Nominal { within: Vec<f64> },
    Ordinal,
    Interval { within: Vec<f64>, values: Vec<f64> },
    Ratio { within: Vec<f64>, values: Vec<f64> },
}

impl<'a> KrippendorffAlpha<'a> {
    /// α of the items in `patterns`.
    ///
    /// Category `c` stands for the number `values[c]`; they rise strictly. The nominal
    /// and the ordinal level do not read them.
    ///
    /// # Panics
    ///
    /// If `values` are read and there is not one per category.
    pub fn new(patterns: &'a Patterns, level: Level, values: &[f64]) -> Self {
        let scale = match level {
            Level::Nominal => Ok(Scale::Nominal {
                within: within_items(patterns, |_, _| 1.0),
            }),
            Level::Ordinal => Ok(Scale::Ordinal),
            Level::Interval => interval_scale(patterns, values),
            Level::Ratio => ratio_scale(patterns, values),
        };
        Self { patterns, scale }
    }

    /// How many items have at least two ratings.
    pub fn items(&self) -> u64 {
        self.patterns
            .items_where(self.patterns.sizes(), is_pairable)
    }
}

impl Coefficient for KrippendorffAlpha<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let chosen = self.patterns.marginals(weights, is_pairable);
        let ratings: u64 = chosen.iter().sum();
        if ratings == 0 {
            let nothing = weights.iter().all(|&weight| weight == 0);
            return Err(if nothing {
                Undefined::NoItems
            } else {
                Undefined::NoPairs
            });
        }
        if chosen.iter().filter(|&&n| n > 0).count() == 1 {
            return Err(Undefined::OneCategory);
        }
        let (observed, expected) = match self.scale.as_ref().map_err(|&why| why)? {
            Scale::Nominal { within } => (
                weighted_sum(within, weights),
                expected_nominal(&chosen, ratings),
            ),
            Scale::Ordinal => {
                let midranks = doubled_midranks(&chosen);
                (
                    observed_ordinal(self.patterns, &midranks, weights),
                    expected_squares(&chosen, ratings, &midranks),
                )
            }
            Scale::Interval { within, values } => (
                weighted_sum(within, weights),
                expected_squares(&chosen, ratings, values),
            ),
            Scale::Ratio { within, values } => (
                weighted_sum(within, weights),
                expected_ratio(&chosen, values),
            ),
        };
        // Both are sums over ordered pairs. The number of ratings divides both, and one
        // less, the number of partners a rating has, only the expected one.
        let alpha = 1.0 - (ratings - 1) as f64 * observed / expected;
        if alpha.is_finite() {
            Ok(alpha)
        } else {
            Err(Undefined::NotFinite)
        }
    }
}

/// Whether an item with so many ratings has a pair of them.
fn is_pairable(ratings: u32) -> bool {
    ratings >= 2
}

fn interval_scale(patterns: &Patterns, values: &[f64]) -> Result<Scale, Undefined> {
    let largest = largest_magnitude(patterns, values)?;
    // α does not depend on the unit. A power of two that brings the largest value to
    // about one changes no digit and keeps the squares in range.
    let (_, exponent) = libm::frexp(largest);
    let scaled = values.iter().map(|&v| libm::scalbn(v, -exponent));
    let values: Vec<f64> = scaled.collect();
    let difference = |c: u32, k: u32| values[c as usize] - values[k as usize];
    Ok(Scale::Interval {
        within: within_items(patterns, |c, k| difference(c, k).powi(2)),
        values,
    })
}

fn ratio_scale(patterns: &Patterns, values: &[f64]) -> Result<Scale, Undefined> {
    // Beyond half the range of doubles two values could add up to infinity.
    if largest_magnitude(patterns, values)? > f64::MAX / 2.0 {
        return Err(Undefined::NotFinite);
    }
    let chosen = patterns.marginals(patterns.sizes(), is_pairable);
    let occurring: Vec<f64> = occurring(&chosen, values).map(|(_, v)| v).collect();
    if has_opposites(&occurring) {
        return Err(Undefined::OppositeValues);
    }
    if occurring.len() > COMPARED_LIMIT {
        return Err(Undefined::TooManyCategories {
            categories: occurring.len(),
            limit: COMPARED_LIMIT,
        });
    }
    Ok(Scale::Ratio {
        within: within_items(patterns, |c, k| {
            ratio_difference(values[c as usize], values[k as usize])
        }),
        values: values.to_vec(),
    })
}

/// The largest absolute value, or that some value is no number.
fn largest_magnitude(patterns: &Patterns, values: &[f64]) -> Result<f64, Undefined> {
    assert_eq!(values.len(), patterns.categories(), "a value per category");
    if values.iter().all(|v| v.is_finite()) {
        Ok(values.iter().fold(0.0, |largest, v| v.abs().max(largest)))
    } else {
        Err(Undefined::NotFinite)
    }
}

/// The categories that were chosen: how often, and their values.
fn occurring(chosen: &[u64], values: &[f64]) -> impl Iterator<Item = (u64, f64)> {
    let all = chosen.iter().copied().zip(values.iter().copied());
    all.filter(|&(n, _)| n > 0)
}

/// δ² at the ratio level of two different values.
#[inline]
fn ratio_difference(a: f64, b: f64) -> f64 {
    let share = (a - b) / (a + b);
    share * share
}

/// δ² summed over the ordered pairs of ratings of an item, by the number of partners a
/// rating has; one per pattern.
fn within_items(patterns: &Patterns, difference: impl Fn(u32, u32) -> f64) -> Vec<f64> {
    let within = |p| {
        // Items with one rating have no differences; their divisor must not be zero.
        let partners = patterns.ratings(p).max(2) - 1;
        patterns.sum_over_pairs(p, &difference) / f64::from(partners)
    };
    (0..patterns.len()).map(within).collect()
}

fn weighted_sum(within: &[f64], weights: &[u64]) -> f64 {
    let terms = within.iter().zip(weights);
    terms.map(|(within, &weight)| within * weight as f64).sum()
}

/// How many ordered pairs of ratings are of different categories.
fn expected_nominal(chosen: &[u64], ratings: u64) -> f64 {
    let squares = chosen.iter().map(|&n| u128::from(n).pow(2)).sum::<u128>();
    (u128::from(ratings).pow(2) - squares) as f64
}

/// Twice the midrank of each category, which is a whole number.
fn doubled_midranks(chosen: &[u64]) -> Vec<f64> {
    let mut before = 0;
    let midranks = chosen.iter().map(|&n| {
        let midrank = 2 * before + n;
        before += n;
        midrank as f64
    });
    midranks.collect()
}

/// What [`within_items`] is summed over all items, for the midranks of these items.
fn observed_ordinal(patterns: &Patterns, midranks: &[f64], weights: &[u64]) -> f64 {
    let mut observed = 0.0;
    for (p, &weight) in weights.iter().enumerate() {
        let choices = patterns.choices(p);
        // Items on which all agree, and those with one rating, have no differences.
        if weight == 0 || choices.len() == 1 {
            continue;
        }
        // Counted from the first, midranks are not negative, and the subtraction below
        // loses no more digits than the number of ratings has.
        let first = midranks[choices[0].0 as usize];
        let (mut sum, mut squares) = (0.0, 0.0);
        for &(c, n) in choices {
            let midrank = midranks[c as usize] - first;
            sum += f64::from(n) * midrank;
            squares += f64::from(n) * midrank * midrank;
        }
        let ratings = f64::from(patterns.ratings(p));
        let within = 2.0 * (ratings * squares - sum * sum) / (ratings - 1.0);
        observed += within * weight as f64;
    }
    observed
}

/// The squared difference of values, summed over the ordered pairs of ratings: twice
/// the number of ratings times their squared deviation from the mean.
fn expected_squares(chosen: &[u64], ratings: u64, values: &[f64]) -> f64 {
    let n = ratings as f64;
    // Most values may not occur, at random places: 0 of them is quicker than a branch.
    let terms = || chosen.iter().map(|&n| n as f64).zip(values);
    let mean = terms().map(|(n, v)| n * v).sum::<f64>() / n;
    let (mut rest, mut squares) = (0.0, 0.0);
    for (n, v) in terms() {
        let deviation = v - mean;
        rest += n * deviation;
        squares += n * deviation * deviation;
    }
    // Deviations from the exact mean would add up to zero.
    2.0 * (n * squares - rest * rest)
}

/// δ² at the ratio level, summed over the ordered pairs of ratings.
fn expected_ratio(chosen: &[u64], values: &[f64]) -> f64 {
    let (counts, values): (Vec<f64>, Vec<f64>) = occurring(chosen, values)
        .map(|(n, v)| (n as f64, v))
        .unzip();
    let mut expected = 0.0;
    for (c, (&n, &v)) in counts.iter().zip(&values).enumerate() {
        let others = counts[c + 1..].iter().zip(&values[c + 1..]);
        let differences = others.map(|(other, &w)| other * ratio_difference(v, w));
        expected += n * differences.sum::<f64>();
    }
    2.0 * expected
}

#[cfg(test)]
#[path = "krippendorff_tests.rs"]
mod tests;
