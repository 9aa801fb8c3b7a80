//! How many independent raters a panel is worth.
//!
//! Six raters who make the same mistakes are one rater. With ρ the correlation of two
//! raters' errors, 1 for a rater with themselves, a panel of J is worth
//!
//! > J² / Σᵢ Σⱼ ρᵢⱼ
//!
//! independent raters: an average of J equally good raters has the variance of an average
//! of that many independent ones. The form is that of Kish's design effect, *Survey
//! Sampling*, 1965, section 8.2. The result is kept between 1 and J; raters whose errors
//! avoid each other do not count for more than they are. A correlation that is undefined
//! (one of the two never errs, or they share no item) counts as 0 and is `None` in the
//! matrix. A rater with no item to look at is not counted.
//!
//! **[`against_truth`]**, where the truth is known: ρ is the correlation of the indicators
//! "was wrong" over the items that both rated.
//!
//! **[`against_panel`]**, where it is not, for two categories and three raters or more.
//! Raters who are often right agree often, so agreement alone is no sign of copying; what
//! all share is taken for the truth, and what some share beyond that for common error.
//!
//! 1. `shared`: the part of every rater's votes that the whole panel shares, such that
//!    what is left of a pair's correlation is common error of the two.
//! 2. `voices`: raters whose errors then correlate by more than a half are one voice.
//! 3. `others`: with three voices or more, every two are compared by how they err
//!    against the majority of the *other* voices. That majority errs too, and makes even
//!    independent voices err together; how much follows from the confusion matrices of
//!    [`dawid_skene`](crate::dawid_skene), and is taken out.
//!
//! What votes alone can never tell: whether something that *all* raters share is the
//! truth or an error they have in common. So a panel's value without truth is an upper
//! estimate, and [`EffectiveRaters::at_least`] says what is left if all they share is
//! error. Where the panel is so close to unanimous that it could be a single rater, no
//! value is given: six excellent raters and six copies of one look the same.

mod others;
mod pair_tables;
mod shared;
mod voices;

use crate::agreement::{MISSING, Ratings};
use pair_tables::{Correlations, PairTables, matrix};
use std::fmt;

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
    /// The mean correlation of errors over the pairs where it is defined.
    pub mean_correlation: Option<f64>,
    /// The correlation of errors of every two columns; `None` where undefined.
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
    /// No two raters share items on which the votes of both vary.
    NoVariation,
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
            Self::NoVariation => write!(
                f,
                "no two raters share items on which the votes of both vary"
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
/// [`MISSING`] where the category is not known.
///
/// # Panics
///
/// If `truth` does not have one entry per item.
pub fn against_truth(ratings: &Ratings, truth: &[u32]) -> Result<EffectiveRaters, NotMeasurable> {
    assert_eq!(truth.len(), ratings.items(), "one truth per item");
    check_size(ratings)?;
    let columns = ratings.raters();
    let mut errors = PairTables::new(columns);
    let mut counted = vec![false; columns];
    let (mut items, mut any_error) = (0, false);
    let mut present: Vec<(usize, bool)> = Vec::with_capacity(columns);
    for (row, &truth) in ratings.rows().zip(truth) {
        if truth == MISSING {
            continue;
        }
        present.clear();
        present.extend(given(row).map(|(rater, said)| (rater, said != truth)));
        for &(rater, wrong) in &present {
            counted[rater] = true;
            any_error |= wrong;
        }
        items += u64::from(!present.is_empty());
        errors.add(&present, 1);
    }
    let raters = counted.iter().filter(|counted| **counted).count();
    enough(raters, 2)?;
    if !any_error {
        return Err(NotMeasurable::NoErrors);
    }
    let correlations = matrix(&counted, |i, j| errors.correlation(i, j));
    Ok(EffectiveRaters {
        value: worth(&correlations, raters),
        basis: Basis::Truth,
        at_least: None,
        raters,
        items,
        mean_correlation: mean_of_pairs(&correlations),
        correlations,
        voices: Vec::new(),
    })
}

/// What a panel is worth by its own votes.
pub fn against_panel(ratings: &Ratings) -> Result<EffectiveRaters, NotMeasurable> {
    let categories = ratings.categories();
    if categories != 2 {
        return Err(NotMeasurable::NotTwoCategories { categories });
    }
    check_size(ratings)?;
    let columns = ratings.raters();
    let mut votes = PairTables::new(columns);
    let mut counted = vec![false; columns];
    let mut items = 0;
    let mut present: Vec<(usize, bool)> = Vec::with_capacity(columns);
    for row in ratings.rows() {
        present.clear();
        present.extend(given(row).map(|(rater, said)| (rater, said == 1)));
        present.iter().for_each(|&(rater, _)| counted[rater] = true);
        items += u64::from(present.len() > 1);
        votes.add(&present, 1);
    }
    let raters = counted.iter().filter(|counted| **counted).count();
    enough(raters, 3)?;
    let agreement = matrix(&counted, |i, j| votes.agreement(i, j));
    if mean_of_pairs(&agreement).is_none() {
        return Err(NotMeasurable::NoVariation);
    }
    let at_least = worth(&agreement, raters);

    let loadings = shared::loadings(&agreement, &votes);
    let mut correlations = shared::common_errors(&agreement, &loadings);
    let voices = voices::merge(&correlations, &counted);
    if voices.len() >= 3 {
        let spoken = voices::speak(ratings, &voices);
        let between = others::common_errors(&spoken);
        for (a, first) in voices.iter().enumerate() {
            for (b, second) in voices.iter().enumerate().filter(|&(b, _)| b != a) {
                for &i in first {
                    second
                        .iter()
                        .for_each(|&j| correlations[i][j] = between[a][b]);
                }
            }
        }
    }
    let value = worth(&correlations, raters);
    let identical = pairs(&agreement).all(|(_, _, r)| shared::is_complete(r));
    if at_least < CLOSE_TO_ONE && (value > 2.0 * at_least || identical) {
        return Err(NotMeasurable::CloseToOne { at_least });
    }
    Ok(EffectiveRaters {
        value,
        basis: Basis::Panel,
        at_least: Some(at_least),
        raters,
        items,
        mean_correlation: mean_of_pairs(&correlations),
        correlations,
        voices,
    })
}

fn check_size(ratings: &Ratings) -> Result<(), NotMeasurable> {
    let raters = ratings.raters();
    if raters > MOST_RATERS {
        return Err(NotMeasurable::ManyRaters { raters });
    }
    Ok(())
}

fn enough(raters: usize, needed: usize) -> Result<(), NotMeasurable> {
    if raters < needed {
        return Err(NotMeasurable::FewRaters { raters, needed });
    }
    Ok(())
}

/// J² over the sum of all correlations, those on the diagonal being 1.
fn worth(correlations: &Correlations, raters: usize) -> f64 {
    let j = raters as f64;
    let shared: f64 = pairs(correlations).map(|(_, _, rho)| 2.0 * rho).sum();
    // Errors that avoid each other make the sum small, or negative; they do not make
    // more raters of these.
    if shared <= 0.0 {
        j
    } else {
        (j * j / (j + shared)).max(1.0)
    }
}

fn mean_of_pairs(correlations: &Correlations) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0u32);
    for (_, _, rho) in pairs(correlations) {
        sum += rho;
        n += 1;
    }
    (n > 0).then(|| sum / f64::from(n))
}

/// Every two different columns, in order, where the correlation is defined.
fn pairs(correlations: &Correlations) -> impl Iterator<Item = (usize, usize, f64)> {
    let every_two = pair_tables::every_two(correlations.len());
    every_two.filter_map(|(i, j)| correlations[i][j].map(|rho| (i, j, rho)))
}

/// The ratings that were given, with who gave them.
fn given(row: &[u32]) -> impl Iterator<Item = (usize, u32)> {
    let said = row.iter().copied().enumerate();
    said.filter(|&(_, code)| code != MISSING)
}

#[cfg(test)]
mod simulation_tests;
#[cfg(test)]
mod tests;
