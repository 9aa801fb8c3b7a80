//! What is asked of rows beyond whether they match, from the columns of their records.
//!
//! * `kept`: the columns, held until the last row has come
//! * `classes`, `numbers`, `calibration`, `repeats`: a section of the report each
//! * `tables`: the same for people
//!
//! Every section is made of some of the rows, in the order of their clusters: of all of them,
//! and of each stratum. All intervals of a report use the same draws.

pub mod calibration;
pub mod classes;
mod kept;
pub mod numbers;
pub mod repeats;
pub mod tables;

use std::collections::BTreeMap;

use judica_model::metric::MetricValue;
use serde::Serialize;

pub(super) use kept::Kept;

/// More strata than this are no table, but a list of rows.
const MOST_STRATA: usize = 100;

/// What was asked, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sections {
    /// How well classes are told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Section<classes::Classes>>,
    /// How far numbers are off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<numbers::Numbers>,
    /// Whether stated confidence is what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<calibration::Calibration>,
    /// What several attempts at a question come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<repeats::Repeats>,
    /// The same for some of the rows at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
}

impl Sections {
    /// What a user named and no row has is a mistake, and no result.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(calibration) = self.calibration.as_ref().filter(|found| found.rows == 0) {
            let LeftOut { reasons, first, .. } = &calibration.left_out;
            let why: Vec<String> = reasons
                .iter()
                .map(|(why, n)| format!("{why}, {n}"))
                .collect();
            let at = first.first().map_or(String::new(), |at| format!("{at}: "));
            return Err(format!(
                "{at}--confidence: no row has a confidence that counts ({})",
                why.join("; ")
            ));
        }
        match &self.by {
            Some(By {
                column,
                strata: Section::Defined(strata),
            }) if strata.iter().all(|stratum| stratum.value.is_none()) => {
                Err(format!("--by {column}: no row has it"))
            }
            _ => Ok(()),
        }
    }
}

/// A section, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Section<T> {
    /// There is one.
    Defined(T),
    /// There is none.
    Undefined {
        /// Why.
        undefined: String,
    },
}

/// Rows told apart by a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct By {
    /// The column.
    pub column: String,
    /// The strata in the order of their names; rows without the column come last.
    pub strata: Section<Vec<Stratum>>,
}

/// The rows that have one value of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stratum {
    /// The value; null for rows without the column.
    pub value: Option<String>,
    /// How many rows.
    pub rows: u64,
    /// The share equal once normalised.
    pub exact_match: MetricValue,
    /// The share equal by structure only.
    pub structural: MetricValue,
    /// The share equal in either way.
    pub matched: MetricValue,
    /// What else was asked.
    #[serde(flatten)]
    pub sections: Sections,
}

/// Rows that a section could not use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// How many.
    pub rows: u64,
    /// Why.
    pub reasons: BTreeMap<String, u64>,
    /// Where the first of them stand.
    pub first: Vec<String>,
}
