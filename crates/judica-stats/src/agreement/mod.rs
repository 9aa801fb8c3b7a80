//! Agreement between raters: how much of it is more than chance.
//!
//! Every coefficient reads items that are grouped by what raters said about them: two
//! raters as [`PairCells`], any number of raters as [`Patterns`]. A group has a size, the
//! number of items alike; a bootstrap resample is the same groups with other sizes. So a
//! coefficient is prepared once from the groups and then asked for its value under any
//! weights ([`Coefficient::estimate`]), which is what makes a thousand resamples of a
//! million items cheap.
//!
//! | file                   | what is in it                                            |
//! |------------------------|----------------------------------------------------------|
//! | [`ratings`]            | who said what about which item, as codes                 |
//! | [`table`]              | the same item by item, however it is kept                |
//! | [`cells`]              | items of two raters, grouped by the pair of categories   |
//! | [`patterns`]           | items of any raters, grouped by how many chose what      |
//! | [`grouping`]           | the groups that all coefficients of a table are drawn from |
//! | `tally`                | how many chose what, as one number                       |
//! | `marginals`            | how often categories are chosen                          |
//! | [`percent`]            | percent agreement                                        |
//! | [`cohen`]              | Cohen's κ: unweighted, linear, quadratic, standard error |
//! | [`scott`]              | Scott's π                                                |
//! | [`fleiss`]             | Fleiss' κ                                                |
//! | [`krippendorff`]       | Krippendorff's α at four levels of measurement           |
//! | [`weights`]            | partial credit for near misses                           |
//! | [`gwet`]               | Gwet's AC1 and AC2                                       |

pub mod cells;
pub mod clusters;
pub mod cohen;
pub mod fleiss;
pub mod grouping;
pub mod gwet;
pub mod krippendorff;
mod marginals;
pub mod patterns;
pub mod percent;
pub mod ratings;
pub mod scott;
pub mod table;
mod tally;
pub mod weights;

use std::fmt;

use crate::clusters::NoInterval;
use crate::interval::Interval;

pub use cells::PairCells;
pub use clusters::ClusterKinds;
pub use grouping::Grouping;
pub use patterns::Patterns;
pub use ratings::{MISSING, Ratings};
pub use table::{Given, Table};

/// Where so many categories stand on a scale: at the numbers that they are, if each is larger
/// than the one before, else at 1, 2, 3.
pub fn scale(numbers: Option<Vec<f64>>, count: usize) -> Vec<f64> {
    let rising = numbers.filter(|numbers| numbers.is_sorted_by(|a, b| a < b));
    rising.unwrap_or_else(|| (1..=count).map(|rank| rank as f64).collect())
}

/// A coefficient's value, or why it has none.
pub type Estimate = Result<f64, Undefined>;

/// A coefficient that is prepared from groups of items and can be asked for its value
/// when the groups have other sizes.
pub trait Coefficient: Sync {
    /// The value when group `g` holds `weights[g]` items.
    ///
    /// `weights` has one entry per group of what the coefficient was prepared from;
    /// entries may be 0.
    fn estimate(&self, weights: &[u64]) -> Estimate;

    /// On how many items the value then rests.
    fn items(&self, weights: &[u64]) -> u64 {
        weights.iter().sum()
    }

    /// How many of what a resample draws there are: items, unless clusters of them are.
    fn drawn(&self, weights: &[u64]) -> u64 {
        self.items(weights)
    }

    /// What an item of a group adds to a share; `None` of anything else.
    fn share_terms(&self, _group: usize) -> Option<ShareTerms> {
        None
    }

    /// The interval of a share, which needs no resamples; `None` of anything else.
    fn share_interval(
        &self,
        _weights: &[u64],
        _confidence: f64,
    ) -> Option<Result<Interval, NoInterval>> {
        None
    }
}

/// What an item adds to a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareTerms {
    /// Above the line.
    pub above: f64,
    /// Below it.
    pub below: f64,
    /// How many times two ratings of it are compared.
    pub compared: u64,
}

/// Why a coefficient has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// Nothing was rated.
    NoItems,
    /// Every item has fewer than two ratings, so nobody can agree with anybody.
    NoPairs,
    /// Defined for two raters only.
    NotTwoRaters {
        /// How many there are.
        raters: usize,
    },
    /// Fewer than two raters.
    OneRater,
    /// The two raters rated different items.
    NoCommonItems,
    /// Defined for equally many ratings of every item.
    UnequalRatings {
        /// How many ratings an item has at least.
        least: u32,
        /// And at most.
        most: u32,
    },
    /// Only one category was used, or there is only one: agreement by chance is certain, so
    /// there is nothing beyond chance to measure.
    OneCategory,
    /// Agreement expected by chance is complete although several categories occur.
    ChanceIsCertain,
    /// At the ratio level two different values add up to zero.
    OppositeValues,
    /// The level of measurement compares every two of the different values, and there
    /// are too many of them.
    TooManyCategories {
        /// How many there are.
        categories: usize,
        /// How many are possible.
        limit: usize,
    },
    /// The arithmetic left the range of doubles.
    NotFinite,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoItems => write!(f, "no item was rated"),
            Self::NoPairs => write!(f, "no item has two ratings"),
            Self::NotTwoRaters { raters } => {
                write!(f, "defined for two raters, and there are {raters}")
            }
            Self::OneRater => write!(f, "needs at least two raters"),
            Self::NoCommonItems => write!(f, "no item was rated by both raters"),
            Self::UnequalRatings { least, most } => write!(
                f,
                "needs equally many ratings of every item, and there are {least} to {most}"
            ),
            Self::OneCategory => write!(f, "only one category was used"),
            Self::ChanceIsCertain => write!(f, "agreement expected by chance is complete"),
            Self::OppositeValues => write!(
                f,
                "two different values add up to zero, which the ratio level cannot compare"
            ),
            Self::TooManyCategories { categories, limit } => write!(
                f,
                "{categories} different values, and every two are compared: at most {limit}"
            ),
            Self::NotFinite => write!(f, "the values are too large for the arithmetic"),
        }
    }
}

impl std::error::Error for Undefined {}

#[cfg(test)]
mod tests {
    use super::Undefined;

    #[test]
    fn reasons_read_as_sentences_without_a_stop() {
        for reason in [
            Undefined::NoItems,
            Undefined::NotTwoRaters { raters: 3 },
            Undefined::TooManyCategories {
                categories: 9,
                limit: 5,
            },
        ] {
            let text = reason.to_string();
            assert!(!text.is_empty() && !text.ends_with('.'), "{text}");
        }
    }
}
