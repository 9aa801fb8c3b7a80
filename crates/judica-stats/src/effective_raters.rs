//! How many independent raters a panel is worth.
//!
//! Six raters who make the same mistakes are one rater. With ρ̄ the mean correlation of two
//! raters' errors, a panel of J is worth
//!
//! > J / (1 + (J − 1) ρ̄)
//!
//! independent raters: an average of J equally good raters has the variance of an average
//! of that many independent ones. The form is that of Kish's design effect, *Survey
//! Sampling*, 1965, section 8.2. The result is kept between 1 and J; raters whose errors
//! avoid each other do not count for more than they are. A rater with no item to look at
//! is not counted.
//!
//! A pair is **known** if the two share enough items ([`MIN_COMMON`] by default) and their
//! errors vary on these. What is not known is `None` and enters no mean: it is not 0. Where
//! less than half of the pairs are known there is no value.
//!
//! **[`against_truth`]**, where the truth is known: ρ is the correlation of the indicators
//! "was wrong" over the items that both rated.
//!
//! **[`against_panel`]**, where it is not, for two categories and three raters or more.
//! This rests on no published method, and is an experiment. Raters who are often right
//! agree often, so agreement alone is no sign of copying; what all share is taken for the
//! truth, and what some share beyond that for common error.
//!
//! 1. `shared`: the part of every rater's votes that the whole panel shares, such that
//!    what is left of a pair's correlation is common error of the two.
//! 2. `voices`: raters of whom every two err together by more than a half are one voice.
//! 3. `others`: with three voices or more, every two are compared by how they err
//!    against the majority of the *other* voices. That majority errs too, and makes even
//!    independent voices err together; how much follows from the confusion matrices of
//!    [`dawid_skene`](crate::dawid_skene), and is taken out. Where that cannot be told,
//!    what `shared` says stands.
//!
//! What votes alone can never tell: whether something that *all* raters share is the
//! truth or an error they have in common. So a panel's value without truth is an upper
//! estimate, and [`EffectiveRaters::at_least`] says what is left if all they share is
//! error. Where the panel is so close to unanimous that it could be a single rater, no
//! value is given: six excellent raters and six copies of one look the same.
//!
//! Both have an interval, by resampling items: `interval`.

mod by_panel;
mod by_truth;
mod interval;
mod others;
mod pair_tables;
mod shared;
mod voices;

use crate::agreement::{MISSING, Ratings};
use crate::dawid_skene::groups::RowGroups;
use crate::dawid_skene::{EmOptions, given};
use by_panel::ByPanel;
use by_truth::ByTruth;
pub use interval::{WorthInterval, interval_against_panel, interval_against_truth};
use pair_tables::{Correlations, PairTables};
use std::fmt;

/// How many items two raters must share for the correlation of their errors to be known.
pub const MIN_COMMON: u64 = 20;

/// The most raters: every two are compared.
pub const MOST_RATERS: usize = 1000;

/// A panel whose votes may be worth no more than this could be a single rater.
const CLOSE_TO_ONE: f64 = 1.25;

/// What errors are measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Known categories.
    Truth,
    /// The panel itself.
    Panel,
}

/// What a panel is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveRaters {
    /// So many independent raters, between 1 and `raters`.
    pub value: f64,
    /// What errors were measured against.
    pub basis: Basis,
    /// Without truth: the value if everything that the raters share is error.
    pub at_least: Option<f64>,
    /// How many raters were counted.
    pub raters: usize,
    /// How many items were used: those with a truth and a rating, or with two ratings.
    pub items: u64,
    /// How many pairs of them are known.
    pub known_pairs: usize,
    /// The mean correlation of errors over the pairs that are known.
    pub mean_correlation: f64,
    /// The correlation of errors of every two columns; `None` where it is not known.
    pub correlations: Vec<Vec<Option<f64>>>,
    /// Columns that vote as one, smallest first within and among them; without truth only.
    pub voices: Vec<Vec<usize>>,
}

/// Why a panel's worth has no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotMeasurable {
    /// Too few raters have rated anything.
    FewRaters {
        /// How many have.
        raters: usize,
        /// How many are needed.
        needed: usize,
    },
    /// More raters than can be compared pair by pair.
    ManyRaters {
        /// How many there are.
        raters: usize,
    },
    /// Nobody was ever wrong.
    NoErrors,
    /// Without truth, only two categories can be measured.
    NotTwoCategories {
        /// How many there are.
        categories: usize,
    },
    /// Less than half of the pairs of raters are known.
    FewPairs {
        /// How many are.
        known: usize,
        /// How many there are.
        pairs: usize,
        /// How many items two raters must share.
        min_common: u64,
    },
    /// The votes could be those of excellent raters or of copies of one.
    CloseToOne {
        /// What the panel is worth if everything that the raters share is error.
        at_least: f64,
    },
}

impl fmt::Display for NotMeasurable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewRaters { raters, needed } => {
                write!(
                    f,
                    "needs {needed} raters with ratings, and there are {raters}"
                )
            }
            Self::ManyRaters { raters } => write!(
                f,
                "{raters} raters, and every two are compared: at most {MOST_RATERS}"
            ),
            Self::NoErrors => write!(f, "no rater made an error"),
            Self::NotTwoCategories { categories } => write!(
                f,
                "without known categories it is defined for two, and there are {categories}"
            ),
            Self::FewPairs {
                known,
                pairs,
                min_common,
            } => write!(
                f,
                "of {pairs} pairs of raters {known} are known, and half of them are needed: \
                 a pair must share {min_common} items on which both vary"
            ),
            Self::CloseToOne { .. } => write!(
                f,
                "the raters agree so nearly always that excellent raters and copies of one look alike; known categories are needed"
            ),
        }
    }
}

impl std::error::Error for NotMeasurable {}

/// What a panel is worth by its errors against known categories: one code per item,
/// [`MISSING`] where the category is not known. Two raters must share `min_common` items.
///
/// # Panics
///
/// If `truth` does not have one entry per item.
pub fn against_truth(
    ratings: &Ratings,
    truth: &[u32],
    min_common: u64,
) -> Result<EffectiveRaters, NotMeasurable> {
    check_size(ratings)?;
    let table = with_truth(ratings, truth);
    let groups = RowGroups::new(&table);
    ByTruth::new(&groups, ratings.raters(), min_common).measure(groups.sizes())
}

/// What a panel is worth by its own votes. Two raters must share `min_common` items.
pub fn against_panel(ratings: &Ratings, min_common: u64) -> Result<EffectiveRaters, NotMeasurable> {
    let categories = ratings.categories();
    if categories != 2 {
        return Err(NotMeasurable::NotTwoCategories { categories });
    }
    check_size(ratings)?;
    let groups = RowGroups::new(ratings);
    let em = EmOptions {
        prior: 0.0,
        ..EmOptions::default()
    };
    ByPanel::new(&groups, ratings.raters(), min_common, em).measure(groups.sizes())
}

/// The ratings of items whose truth is known, with the truth as one more column.
fn with_truth(ratings: &Ratings, truth: &[u32]) -> Ratings {
    assert_eq!(truth.len(), ratings.items(), "one truth per item");
    let known = ratings.rows().zip(truth).filter(|(_, t)| **t != MISSING);
    let rows = known.filter(|(row, _)| given(row).next().is_some());
    let codes = rows.flat_map(|(row, truth)| row.iter().chain([truth]));
    Ratings::new(
        ratings.raters() + 1,
        ratings.categories(),
        codes.copied().collect(),
    )
}

/// Which pairs share enough items, which resampling does not change.
struct Enough {
    min_common: u64,
    columns: usize,
    pairs: Vec<bool>,
}

impl Enough {
    fn new(tables: &PairTables, columns: usize, min_common: u64) -> Self {
        let mut pairs = vec![false; columns * columns];
        for (i, j) in pair_tables::every_two(columns) {
            pairs[i * columns + j] = tables.items(i, j) >= min_common.max(1);
        }
        Self {
            min_common,
            columns,
            pairs,
        }
    }

    fn of(&self, i: usize, j: usize) -> bool {
        self.pairs[i * self.columns + j]
    }
}

fn check_size(ratings: &Ratings) -> Result<(), NotMeasurable> {
    let raters = ratings.raters();
    if raters > MOST_RATERS {
        return Err(NotMeasurable::ManyRaters { raters });
    }
    Ok(())
}

/// How many raters are counted, if they are enough.
fn enough_raters(counted: &[bool], needed: usize) -> Result<usize, NotMeasurable> {
    let raters = counted.iter().filter(|counted| **counted).count();
    if raters < needed {
        return Err(NotMeasurable::FewRaters { raters, needed });
    }
    Ok(raters)
}

/// What raters with such correlations are worth.
struct Worth {
    value: f64,
    known: usize,
    mean: f64,
}

impl Worth {
    fn of(
        correlations: &Correlations,
        raters: usize,
        enough: &Enough,
    ) -> Result<Self, NotMeasurable> {
        let (mut sum, mut known) = (0.0, 0usize);
        for (_, _, rho) in pairs(correlations) {
            sum += rho;
            known += 1;
        }
        let pairs = raters * (raters - 1) / 2;
        if 2 * known < pairs || known == 0 {
            return Err(NotMeasurable::FewPairs {
                known,
                pairs,
                min_common: enough.min_common,
            });
        }
        let (j, mean) = (raters as f64, sum / known as f64);
        // Errors that avoid each other do not make more raters of these.
        let value = if mean <= 0.0 {
            j
        } else {
            (j / (1.0 + (j - 1.0) * mean)).max(1.0)
        };
        Ok(Self { value, known, mean })
    }
}

/// Every two different columns, in order, where the correlation is defined.
fn pairs(correlations: &Correlations) -> impl Iterator<Item = (usize, usize, f64)> {
    let every_two = pair_tables::every_two(correlations.len());
    every_two.filter_map(|(i, j)| correlations[i][j].map(|rho| (i, j, rho)))
}

#[cfg(test)]
mod simulation_tests;
#[cfg(test)]
mod tests;
