//! The report on judges. Fields are in the order in which they are written.

mod estimates;
mod panels;
mod people;

use std::collections::BTreeMap;

use judica_data::rejects::Reject;
use judica_model::metric::MetricValue;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::panel::{BootstrapOptions, Coefficients, PairAgreement};
use crate::refusals::Refusals;

pub use estimates::{Aggregate, AggregatedItem, EffectiveJudges, JudgeErrors, LabelCounts, Rates};
pub use panels::{PanelAccuracy, Panels};
pub use people::{
    CorrectedRates, HumanComparison, JudgeAccuracy, JudgedRate, PairTest, PersonSummary,
    VoteAccuracy,
};

/// The version of the report's shape.
pub const SCHEMA_VERSION: u32 = 2;

/// How far judges agree with each other and with people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgesReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The name of the folder of judged data sets, without where it is.
    pub eval_dir: String,
    /// How tables were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// The judges, by name.
    pub judges: Vec<JudgeSummary>,
    /// How many categories raters choose from: yes and no.
    pub categories: u64,
    /// Whether they are known beforehand: they are.
    pub categories_declared: bool,
    /// How many items at least one judge's verdict is used on.
    pub items: u64,
    /// How many data sets they come from.
    pub sources: u64,
    /// The agreement of all raters; people, if they were asked, are one of them.
    pub overall: Coefficients,
    /// The agreement of the judges alone; null if no people were asked, when it is that of
    /// all raters.
    pub judges_only: Option<Coefficients>,
    /// Every two raters on the items that both rated.
    pub pairwise: Vec<PairAgreement>,
    /// The agreement of all raters on each data set, by its name.
    pub per_source: Vec<SourceAgreement>,
    /// The agreement on items that equally many raters rated.
    pub coverage: Vec<Coverage>,
    /// The judges against people; null if none were asked.
    pub human: Option<HumanComparison>,
    /// How many independent judges the panel is worth.
    pub effective_judges: EffectiveJudges,
    /// Which judges to keep.
    pub panels: Panels,
    /// Labels and error rates estimated from all votes; null unless asked for.
    pub aggregate: Option<Aggregate>,
    /// How many items raters disagree on.
    pub disagreement_items: u64,
    /// The first of them, the most evenly split first.
    pub disagreements: Vec<Disagreement>,
    /// How intervals were made.
    pub bootstrap: BootstrapOptions,
    /// Rows and files that were not used, and why.
    pub refused: Refusals,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// The rows that were not used, whole; for a file of their own.
    #[serde(skip)]
    pub rejects: Vec<Reject>,
}

/// One judge. Its rows are used, left out, duplicates or refused: the four add up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeSummary {
    /// What it is called: its folder, or the model that a file without folder names.
    pub name: String,
    /// The model its files name; several, if they differ; null if they name none.
    pub judge_model: Option<String>,
    /// How many files it has.
    pub files: u64,
    /// How many rows they hold.
    pub rows: u64,
    /// How many of them are used.
    pub used: u64,
    /// How many of the used rows were decided how, by their `decision_method`; rows that
    /// name none are not counted.
    pub methods: BTreeMap<String, u64>,
    /// How many were left out, and why.
    pub left_out: LeftOut,
    /// Rows whose reply could not be parsed, so that the verdict stands in for it; they are
    /// used unless they were to be dropped.
    pub invalid: u64,
    /// Rows that the model declined to judge, or was kept from; they are no verdicts.
    pub declined: u64,
    /// Rows that cannot be read.
    pub refused_rows: u64,
    /// Rows about an item of which the judge had a row already; the first one is used.
    pub duplicates: u64,
    /// What a verdict costs in USD, where rows tell tokens and prices are known.
    pub usd_per_verdict: Option<f64>,
    /// How many of the used rows are yes.
    pub yes: u64,
    /// Their share.
    pub yes_rate: MetricValue,
}

/// Rows that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Decided by an exact match, without the judge.
    pub exact: u64,
    /// Decided by comparing structure.
    pub structural: u64,
    /// Not decided at all, since no model was to be asked.
    pub no_llm: u64,
    /// Without a counterpart to compare with.
    pub unmatched: u64,
    /// Dropped because the reply could not be parsed.
    pub invalid: u64,
    /// Without a verdict, because the model declined to judge.
    pub declined: u64,
}

impl LeftOut {
    /// All of them.
    pub fn total(&self) -> u64 {
        let without_judge = self.exact + self.structural + self.no_llm + self.unmatched;
        without_judge + self.invalid + self.declined
    }
}

/// The agreement on one data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceAgreement {
    /// The data set.
    pub source: String,
    /// How many items it has.
    pub items: u64,
    /// The agreement of all raters.
    pub coefficients: Coefficients,
}

/// The agreement on items that equally many raters rated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// How many raters.
    pub raters: u64,
    /// How many items.
    pub items: u64,
    /// The share of pairs of raters who agree.
    pub percent_agreement: MetricValue,
    /// Krippendorff's α.
    pub krippendorff_alpha: MetricValue,
}

/// An item that raters disagree on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Its data set.
    pub source: String,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// What was asked.
    pub input: String,
    /// What was expected.
    pub gold: Option<String>,
    /// What was answered.
    pub prediction: Option<String>,
    /// What each rater said, judges first.
    pub votes: Map<String, Value>,
    /// What each judge wrote about it.
    pub reasoning: Map<String, Value>,
}
