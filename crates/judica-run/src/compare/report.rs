//! The report of a comparison (`judica.compare/1`).

use judica_data::work_error::WorkError;
use judica_model::run::{Direction, MetricKind, MetricSpec, Range};
use serde::Serialize;

use super::difference::Measured;
use super::pairs::{Pairs, item};
use super::sides::Side;

/// The version of the report's shape.
pub(super) const SCHEMA_VERSION: &str = "judica.compare/1";
/// How many items of one side only are named.
const NAMED: usize = 10;

/// Two or more sides against each other.
#[derive(Debug, Clone, Serialize)]
pub struct CompareReport {
    /// Version of this shape.
    pub schema_version: &'static str,
    /// What is compared, the first being what the others are held against.
    pub sides: Vec<SideInfo>,
    /// The coverage of intervals.
    pub confidence: f64,
    /// How differences are corrected, in words.
    pub correction: String,
    /// Whether two sides have no item in common, so that nothing is paired.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unpaired: bool,
    /// Which two those are.
    #[serde(skip)]
    pub apart: Vec<[String; 2]>,
    /// Items of the first two sides.
    pub items: Items,
    /// The same of all further comparisons, where there are any, in the order of rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_items: Vec<Items>,
    /// Each metric, over everything and in each data set.
    pub metrics: Vec<MetricRow>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One side.
#[derive(Debug, Clone, Serialize)]
pub struct SideInfo {
    /// Its run.
    pub run: String,
    /// Its subject; null where it has several.
    pub subject: Option<String>,
    /// Those, where it has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
}

impl SideInfo {
    /// What it is called.
    pub fn shown(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{} ({subject})", self.run),
            None => self.run.clone(),
        }
    }

    pub(super) fn of(side: &Side) -> Self {
        let several = side.subjects.len() > 1;
        SideInfo {
            run: side.run_name(),
            subject: side.subjects.first().filter(|_| !several).cloned(),
            subjects: match several {
                true => side.subjects.clone(),
                false => Vec::new(),
            },
        }
    }
}

/// How items of two sides meet.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Items {
    /// On both sides.
    pub common: u64,
    /// Of the first only.
    pub only_a: u64,
    /// Of the other only.
    pub only_b: u64,
    /// The first of those that are of one side only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Items {
    /// Counts and names them.
    pub(super) fn of(pairs: &Pairs, a: &Side, b: &Side) -> Result<Items, WorkError> {
        let mut left_out = Vec::new();
        let of_a = pairs.only_a.iter().map(|row| (a, row));
        let of_b = pairs.only_b.iter().map(|row| (b, row));
        for (side, row) in of_a.take(NAMED / 2).chain(of_b.take(NAMED / 2)) {
            left_out.push(item(side, *row)?);
        }
        Ok(Items {
            common: pairs.len() as u64,
            only_a: pairs.only_a.len() as u64,
            only_b: pairs.only_b.len() as u64,
            left_out,
        })
    }
}

/// A value of one side.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SideValue {
    /// The value over common items.
    pub value: Option<f64>,
    /// Of how many records.
    pub n: u64,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_undefined: Option<String>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// The difference of two sides.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Difference {
    /// b less a, in the metric's own sign.
    pub value: Option<f64>,
    /// Its standard error.
    pub se: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub se_undefined: Option<String>,
    /// How many times larger its variance is for clusters of several pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design_effect: Option<f64>,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_undefined: Option<String>,
    /// Why there is no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// Whether b is no worse than a by more than a margin.
#[derive(Debug, Clone, Serialize)]
pub struct NoWorseThan {
    /// The margin.
    pub margin: f64,
    /// The one-sided lower bound of how much better b is.
    pub lower: Option<f64>,
    /// Whether that clears the margin; null where there is no bound.
    pub pass: Option<bool>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// What a difference comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Finding {
    /// b is better.
    #[serde(rename = "better")]
    Better,
    /// b is worse.
    #[serde(rename = "worse")]
    Worse,
    /// Nothing that could not be chance.
    #[serde(rename = "no difference")]
    NoDifference,
    /// There is nothing to tell.
    #[serde(rename = "undefined")]
    Undefined,
}

impl Finding {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Finding::Better => "better",
            Finding::Worse => "worse",
            Finding::NoDifference => "no difference",
            Finding::Undefined => "undefined",
        }
    }
}

/// One metric of two sides.
#[derive(Debug, Clone, Serialize)]
pub struct MetricRow {
    /// The metric.
    pub metric: String,
    /// In which data set; null for all together.
    pub dataset: Option<String>,
    /// Which side is b, where there are more than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<usize>,
    /// Which side is a, where that is not always the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<usize>,
    /// Whether it decides.
    pub primary: bool,
    /// What kind of number it is.
    pub kind: MetricKind,
    /// Which way is better.
    pub direction: Direction,
    /// Pairs of records; where nothing is paired, records of both sides.
    pub n: u64,
    /// Clusters of them, likewise.
    pub clusters: usize,
    /// The first side.
    pub a: SideValue,
    /// The other.
    pub b: SideValue,
    /// b less a.
    pub difference: Difference,
    /// Which test.
    pub test: Option<&'static str>,
    /// Its p-value.
    pub p: Option<f64>,
    /// The same, corrected for the number of tests.
    pub p_adjusted: Option<f64>,
    /// What it comes to for b.
    pub verdict: Finding,
    /// Whether test and interval do not say the same.
    pub borderline: bool,
    /// The smallest difference that would have been seen four times out of five.
    pub smallest_detectable: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_detectable_undefined: Option<String>,
    /// Why the test cannot show anything, if it cannot.
    #[serde(skip)]
    pub(crate) out_of_reach: Option<String>,
    /// How many clusters it needs to show anything.
    #[serde(skip)]
    pub(crate) needed: u64,
    /// The difference that was asked about.
    #[serde(skip)]
    pub(super) asked: Option<f64>,
    /// How many items would be needed to see it.
    pub items_needed: Option<u64>,
    /// Why it is not known, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_needed_undefined: Option<String>,
    /// Whether b is no worse than the margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_worse_than: Option<NoWorseThan>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip)]
    pub(super) at: (usize, usize),
    /// What values can be.
    #[serde(skip)]
    pub(super) range: Option<Range>,
    /// Whether it is the primary row by another name, and so is corrected as that is.
    #[serde(skip)]
    pub(super) repeats_primary: bool,
}

impl MetricRow {
    /// What it comes to, in words.
    pub(super) fn words(&self) -> String {
        let words = self.verdict.words();
        match self.borderline {
            true => format!("{words} (borderline)"),
            false => words.to_owned(),
        }
    }

    /// Why there is no difference, if there is none.
    pub(super) fn why_undefined(&self) -> &str {
        self.difference.undefined.as_deref().unwrap_or_default()
    }

    /// A row that has been measured, and not yet judged; `at` are its sides, a and b.
    pub fn begin(
        at: (usize, usize),
        spec: &MetricSpec,
        dataset: Option<String>,
        primary: bool,
        measured: Measured,
    ) -> (MetricRow, Measured) {
        let row = MetricRow {
            metric: spec.name.clone(),
            dataset,
            side: None,
            against: None,
            primary,
            kind: spec.kind,
            direction: spec.direction,
            n: measured.n,
            clusters: measured.clusters,
            a: SideValue::default(),
            b: SideValue::default(),
            difference: Difference::default(),
            test: measured.test,
            p: measured.p,
            p_adjusted: None,
            verdict: Finding::Undefined,
            borderline: false,
            smallest_detectable: None,
            smallest_detectable_undefined: None,
            out_of_reach: None,
            needed: 0,
            asked: None,
            items_needed: None,
            items_needed_undefined: None,
            no_worse_than: None,
            note: measured.note.clone(),
            at,
            range: spec.range,
            repeats_primary: false,
        };
        (row, measured)
    }
}

impl CompareReport {
    /// Whether what decides is worse, or cannot be told. With a margin: whether it may be
    /// worse by more than that.
    pub fn is_worse(&self) -> bool {
        let mut primary = self.metrics.iter().filter(|row| row.primary);
        primary.any(|row| match &row.no_worse_than {
            Some(found) => found.pass != Some(true),
            None => matches!(row.verdict, Finding::Worse | Finding::Undefined),
        })
    }
}
