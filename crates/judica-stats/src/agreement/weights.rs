//! Partial credit for near misses: how much two different categories agree.
//!
//! Gwet, *Handbook of Inter-Rater Reliability*, 4th edition, 2014, chapter 3. A weight is
//! 1 where two categories are the same and at most 1 otherwise. With categories that
//! stand for the numbers a and b, the smallest of all being `min`, the largest `max` and
//! q in all, what a weight takes from 1 is
//!
//! | weights   | lost                                                                   |
//! |-----------|------------------------------------------------------------------------|
//! | identity  | 1                                                                      |
//! | linear    | \|a − b\| / (max − min)                                                |
//! | quadratic | (a − b)² / (max − min)²                                                |
//! | ordinal   | d (d + 1) / (q (q − 1)), d the number of steps from one to the other   |
//! | radical   | √(\|a − b\| / (max − min))                                             |
//! | ratio     | ((a − b) / (a + b))² / ((max − min) / (max + min))²                    |
//! | circular  | sin²(π (a − b) / (max − min + 1)), by the largest of these             |
//! | bipolar   | (a − b)² / ((a + b − 2 min) (2 max − a − b))                           |

use super::Undefined;

/// The most categories of which every two are compared.
///
/// So many take seconds, and the time grows with their square.
pub const COMPARED_LIMIT: usize = 50_000;

/// How two different categories are credited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Only the same category is agreement.
    Identity,
    /// By the difference.
    Linear,
    /// By the squared difference.
    Quadratic,
    /// By the number of steps, whatever the numbers.
    Ordinal,
    /// By the square root of the difference.
    Radical,
    /// By the difference as a part of the sum.
    Ratio,
    /// By the difference on a circle, on which the largest is next to the smallest.
    Circular,
    /// By the difference, which means most near the ends.
    Bipolar,
}

impl Weights {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::Linear,
        Self::Quadratic,
        Self::Ordinal,
        Self::Radical,
        Self::Ratio,
        Self::Circular,
        Self::Bipolar,
    ];

    /// The name by which they are asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Linear => "linear",
            Self::Quadratic => "quadratic",
            Self::Ordinal => "ordinal",
            Self::Radical => "radical",
            Self::Ratio => "ratio",
            Self::Circular => "circular",
            Self::Bipolar => "bipolar",
        }
    }

    /// The weights with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|weights| weights.name() == name)
    }

    /// Whether it matters which numbers the categories stand for.
    pub fn read_values(self) -> bool {
        !matches!(self, Self::Identity | Self::Ordinal)
    }
}

/// The weights of every two of some categories.
#[derive(Clone, Debug)]
pub struct WeightTable {
    weights: Weights,
    values: Vec<f64>,
    /// What the raw loss of two categories is divided by.
    most: f64,
    /// The sum of all weights.
    total: f64,
}

impl WeightTable {
    /// The weights of categories that stand for `values`, which rise strictly.
    ///
    /// Undefined if there are fewer than two. Where the weights read values, also if one
    /// is not finite or too large, if two are opposite under ratio weights, and if every
    /// two would have to be compared and there are too many.
    pub fn new(weights: Weights, values: Vec<f64>) -> Result<Self, Undefined> {
        let (&min, &max) = match values.as_slice() {
            [] | [_] => return Err(Undefined::OneCategory),
            [min, .., max] => (min, max),
        };
        // The weights add up to four of them.
        let too_large = |end: f64| end.abs() > f64::MAX / 4.0;
        if weights.read_values() && (too_large(min) || too_large(max)) {
            return Err(Undefined::NotFinite);
        }
        let mut table = Self {
            weights,
            values,
            most: 1.0,
            total: 0.0,
        };
        let q = table.values.len() as f64;
        let range = max - min;
        let lost = match weights {
            Weights::Identity => q * (q - 1.0),
            // The sum over all pairs of d (d + 1) is q (q - 1) (q + 1) (q + 2) / 6.
            Weights::Ordinal => {
                table.most = q * (q - 1.0);
                (q + 1.0) * (q + 2.0) / 6.0
            }
            Weights::Linear => {
                table.most = range;
                table.sum_of_differences()
            }
            Weights::Quadratic => {
                table.most = range;
                table.sum_of_squares()
            }
            Weights::Radical => {
                table.most = range;
                table.every_two(|a, b| radical(a, b, range))?.sum
            }
            Weights::Ratio if has_opposites(&table.values) => {
                return Err(Undefined::OppositeValues);
            }
            Weights::Ratio => {
                table.most = ratio(min, max, 1.0);
                table.every_two(|a, b| ratio(a, b, table.most))?.sum
            }
            Weights::Circular => {
                let every_two = table.every_two(|a, b| circular(a, b, range, 1.0))?;
                table.most = every_two.largest;
                every_two.sum / every_two.largest
            }
            Weights::Bipolar => table.every_two(|a, b| bipolar(a, b, min, max))?.sum,
        };
        table.total = q * q - lost;
        if table.total.is_finite() {
            Ok(table)
        } else {
            Err(Undefined::NotFinite)
        }
    }

    /// How many categories there are.
    pub fn categories(&self) -> usize {
        self.values.len()
    }

    /// The sum of the weights of every category with every category.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// What the weight of categories `k` and `l` is below 1.
    pub fn lost(&self, k: usize, l: usize) -> f64 {
        if k == l {
            return 0.0;
        }
        let (a, b) = (self.values[k], self.values[l]);
        let last = self.values.len() - 1;
        let (min, max) = (self.values[0], self.values[last]);
        match self.weights {
            Weights::Identity => 1.0,
            Weights::Linear => (a - b).abs() / self.most,
            Weights::Quadratic => ((a - b) / self.most).powi(2),
            Weights::Ordinal => {
                let steps = k.abs_diff(l) as f64;
                steps * (steps + 1.0) / self.most
            }
            Weights::Radical => radical(a, b, self.most),
            Weights::Ratio => ratio(a, b, self.most),
            Weights::Circular => circular(a, b, max - min, self.most),
            Weights::Bipolar => bipolar(a, b, min, max),
        }
    }

    /// The loss of every category with every category, under linear weights.
    fn sum_of_differences(&self) -> f64 {
        // The value at place i is the larger one of i pairs and the smaller one of the
        // pairs with all that follow.
        let last = self.values.len() as f64 - 1.0;
        let mut place = 0.0;
        let mut sum = 0.0;
        for v in &self.values {
            sum += (2.0 * place - last) * ((v - self.values[0]) / self.most);
            place += 1.0;
        }
        2.0 * sum
    }

    /// The loss of every category with every category, under quadratic weights.
    fn sum_of_squares(&self) -> f64 {
        let q = self.values.len() as f64;
        let parts = || self.values.iter().map(|v| (v - self.values[0]) / self.most);
        let mean = parts().sum::<f64>() / q;
        2.0 * q * parts().map(|part| (part - mean).powi(2)).sum::<f64>()
    }

    /// What every two different categories lose.
    fn every_two(&self, lost: impl Fn(f64, f64) -> f64) -> Result<EveryTwo, Undefined> {
        let q = self.values.len();
        if q > COMPARED_LIMIT {
            return Err(Undefined::TooManyCategories {
                categories: q,
                limit: COMPARED_LIMIT,
            });
        }
        let mut found = EveryTwo {
            sum: 0.0,
            largest: 0.0,
        };
        for (k, &a) in self.values.iter().enumerate() {
            for &b in &self.values[k + 1..] {
                let lost = lost(a, b);
                found.sum += 2.0 * lost;
                found.largest = found.largest.max(lost);
            }
        }
        Ok(found)
    }
}

struct EveryTwo {
    /// Over all ordered pairs.
    sum: f64,
    largest: f64,
}

#[inline]
fn radical(a: f64, b: f64, range: f64) -> f64 {
    ((a - b).abs() / range).sqrt()
}

#[inline]
fn ratio(a: f64, b: f64, most: f64) -> f64 {
    ((a - b) / (a + b)).powi(2) / most
}

#[inline]
fn circular(a: f64, b: f64, range: f64, most: f64) -> f64 {
    let part = (a - b) / (range + 1.0);
    libm::sin(std::f64::consts::PI * part).powi(2) / most
}

/// The largest is that of the ends, 1.
#[inline]
fn bipolar(a: f64, b: f64, min: f64, max: f64) -> f64 {
    let (up, down) = ((a - min) + (b - min), (max - a) + (max - b));
    (a - b) / up * ((a - b) / down)
}

/// Whether two different ones of the rising `values` add up to zero.
pub(super) fn has_opposites(mut values: &[f64]) -> bool {
    while let [low, .., high] = values {
        if low + high == 0.0 {
            return true;
        }
        // The one of larger magnitude has no opposite among those between.
        values = if -low > *high {
            &values[1..]
        } else {
            &values[..values.len() - 1]
        };
    }
    false
}

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;
