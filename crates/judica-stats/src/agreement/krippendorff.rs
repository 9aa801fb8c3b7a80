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

mod interval;
mod ordinal;

use super::patterns::is_pairable;
use super::weights::{COMPARED_LIMIT, has_opposites};
use super::{Coefficient, Estimate, Patterns, Undefined};
use interval::Interval;
use ordinal::Ordinal;

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

impl Level {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nominal, Self::Ordinal, Self::Interval, Self::Ratio];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Ordinal => "ordinal",
            Self::Interval => "interval",
            Self::Ratio => "ratio",
        }
    }

    /// The level with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// Krippendorff's α of the items with at least two ratings.
#[derive(Clone, Debug)]
pub struct KrippendorffAlpha<'a> {
    patterns: &'a Patterns,
    scale: Result<Scale, Undefined>,
}

/// A level with what can be prepared for it.
#[derive(Clone, Debug)]
enum Scale {
    Nominal { within: Vec<f64> },
    Ordinal(Ordinal),
    Interval(Interval),
    Ratio { within: Vec<f64>, values: Vec<f64> },
}

/// How much ratings differ: sums of δ² over ordered pairs.
struct Disagreement {
    /// Of an item, by the number of partners a rating has, summed over items.
    observed: f64,
    /// Of all ratings.
    expected: f64,
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
            Level::Ordinal => Ok(Scale::Ordinal(Ordinal::new(patterns))),
            Level::Interval => Interval::new(patterns, values).map(Scale::Interval),
            Level::Ratio => ratio_scale(patterns, values),
        };
        Self { patterns, scale }
    }

    /// How many ordered pairs of ratings are of different categories.
    fn expected_nominal(&self, weights: &[u64], ratings: u64) -> f64 {
        let weight = self.patterns.weight_where(weights, is_pairable);
        let squares: u128 = self.patterns.marginals().squares(weight);
        (u128::from(ratings).pow(2) - squares) as f64
    }
}

impl Coefficient for KrippendorffAlpha<'_> {
    fn items(&self, weights: &[u64]) -> u64 {
        self.patterns.items_where(weights, is_pairable)
    }

    fn estimate(&self, weights: &[u64]) -> Estimate {
        let ratings = self.patterns.ratings_where(weights, is_pairable);
        if ratings == 0 {
            let nothing = weights.iter().all(|&weight| weight == 0);
            return Err(if nothing {
                Undefined::NoItems
            } else {
                Undefined::NoPairs
            });
        }
        if self.patterns.is_one_category(weights, is_pairable) {
            return Err(Undefined::OneCategory);
        }
        let Disagreement { observed, expected } = match self.scale.as_ref().map_err(|&why| why)? {
            Scale::Nominal { within } => Disagreement {
                observed: weighted_sum(within, weights),
                expected: self.expected_nominal(weights, ratings),
            },
            Scale::Ordinal(ordinal) => ordinal.disagreement(self.patterns, weights, ratings),
            Scale::Interval(interval) => interval.disagreement(weights, ratings),
            Scale::Ratio { within, values } => Disagreement {
                observed: weighted_sum(within, weights),
                expected: expected_ratio(&self.patterns.chosen(weights, is_pairable), values),
            },
        };
        // The number of ratings divides both, and one less, the number of partners a
        // rating has, only the expected one.
        let alpha = 1.0 - (ratings - 1) as f64 * observed / expected;
        if alpha.is_finite() {
            Ok(alpha)
        } else {
            Err(Undefined::NotFinite)
        }
    }
}

fn ratio_scale(patterns: &Patterns, values: &[f64]) -> Result<Scale, Undefined> {
    // Beyond half the range of doubles two values could add up to infinity.
    if largest_magnitude(patterns, values)? > f64::MAX / 2.0 {
        return Err(Undefined::NotFinite);
    }
    let chosen = patterns.chosen(patterns.sizes(), is_pairable);
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
