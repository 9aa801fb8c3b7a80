//! The part of the report on what follows from the votes as a whole.

use judica_model::metric::MetricValue;
use serde::Serialize;
use serde_json::{Map, Value};

use super::people::VoteAccuracy;

/// How many independent judges the panel is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectiveJudges {
    /// So many; `n` is the number of items.
    #[serde(flatten)]
    pub value: MetricValue,
    /// What errors were measured against: `human`, or `panel` for the judges' own votes.
    pub basis: &'static str,
    /// Whether the number rests on no published method.
    pub experimental: bool,
    /// How many judges have votes that could be used.
    pub judges: u64,
    /// How many items two of them must share.
    pub min_common: u64,
    /// How many pairs of them there are.
    pub pairs: u64,
    /// How many of these are known: the two share enough items, on which both vary.
    pub known_pairs: u64,
    /// Without people: what the panel is worth if everything the judges share is error.
    pub at_least: Option<f64>,
    /// The mean correlation of two judges' errors, over the pairs that are known.
    pub mean_error_correlation: Option<f64>,
    /// The correlation of errors of every two judges, in the order of the judges; null
    /// where it is not known.
    pub error_correlation: Vec<Vec<Option<f64>>>,
    /// Judges that vote as one; without people only.
    pub voices: Vec<Vec<String>>,
}

/// Labels and error rates estimated from all votes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aggregate {
    /// `dawid-skene`.
    pub method: &'static str,
    /// How often each answer was counted before the first item.
    pub prior: f64,
    /// The estimated share of items that are truly no, and yes.
    pub priors: Rates,
    /// Each judge's estimated errors.
    pub judges: Vec<JudgeErrors>,
    /// How many iterations were made.
    pub iterations: u32,
    /// Whether they came to rest.
    pub converged: bool,
    /// The logarithm of the probability of all votes under the estimate.
    pub log_likelihood: f64,
    /// How many items get which label.
    pub labels: LabelCounts,
    /// The labels against people's verdicts; null if none were asked.
    pub human: Option<VoteAccuracy>,
    /// What a reader should know about the estimate.
    pub notes: Vec<String>,
    /// Every item, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<AggregatedItem>>,
}

/// A share of no and one of yes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rates {
    /// No.
    pub no: f64,
    /// Yes.
    pub yes: f64,
}

/// A judge's estimated errors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeErrors {
    /// The judge.
    pub judge: String,
    /// How many votes it gave.
    pub n: u64,
    /// How often it says yes when the truth is yes; null if no item seems to be yes.
    pub sensitivity: Option<f64>,
    /// How often it says no when the truth is no; null if no item seems to be no.
    pub specificity: Option<f64>,
    /// What it says, by what is true: no, then yes.
    pub confusion: [Option<Rates>; 2],
}

/// How many items get which label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LabelCounts {
    /// No is more probable.
    pub no: u64,
    /// Yes is more probable.
    pub yes: u64,
    /// Both are equally probable.
    pub even: u64,
}

/// An item with its estimated label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AggregatedItem {
    /// Its data set.
    pub source: String,
    /// Its id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What was asked.
    pub input: String,
    /// What was answered.
    pub prediction: Option<String>,
    /// The probability that the answer is correct.
    pub yes_probability: f64,
    /// `yes` or `no`, whichever is more probable; null if neither is.
    pub label: Option<&'static str>,
    /// What each judge said, in the order of the judges.
    pub votes: Map<String, Value>,
}
