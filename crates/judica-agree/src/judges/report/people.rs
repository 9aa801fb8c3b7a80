//! The part of the report on judges against people.

use judica_model::metric::MetricValue;
use serde::Serialize;

use crate::panel::{Coefficients, PairAgreement};

/// The judges against people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HumanComparison {
    /// How many annotations there are.
    pub annotations: u64,
    /// How many items they are about.
    pub matched_items: u64,
    /// Annotations of nothing the judges looked at, or of rows that were left out.
    pub unmatched: u64,
    /// Those of them that are about rows that were left out.
    pub unmatched_left_out: u64,
    /// Annotations that cannot be read.
    pub refused_rows: u64,
    /// Annotations of items that the same person had annotated already; the first is used.
    pub duplicates: u64,
    /// How several people's verdicts on an item became one.
    pub reference: &'static str,
    /// Items without a reference, since people are even, or differ.
    pub no_reference: u64,
    /// Each person, in the order in which they came up.
    pub people: Vec<PersonSummary>,
    /// How far people agree with each other.
    pub agreement: Coefficients,
    /// Every two people, if they are few.
    pub pairwise: Vec<PairAgreement>,
    /// Each judge.
    pub accuracy: Vec<JudgeAccuracy>,
    /// The vote of most judges, on items that two or more judged.
    pub majority_vote: VoteAccuracy,
    /// The vote of all judges where they are of one mind, on items that two or more judged.
    pub unanimous_vote: VoteAccuracy,
    /// Every two judges: is one of them right more often.
    pub pair_tests: Vec<PairTest>,
    /// How often answers are right, corrected for each judge's own errors.
    pub corrected: CorrectedRates,
}

/// How often answers are right: by each judge, and corrected for its errors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CorrectedRates {
    /// What has to be true for the correction to be right.
    pub assumes: String,
    /// Each judge.
    pub judges: Vec<JudgedRate>,
}

/// How often answers are right by one judge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedRate {
    /// The judge.
    pub judge: String,
    /// On how many of the items with a verdict of it people have one.
    pub labels: u64,
    /// The judge's own rate of yes, of the replies that could be read.
    pub rate: MetricValue,
    /// Rows of it without a verdict: declined, or with a reply that could not be read.
    pub missing: u64,
    /// Its rate if all of these were no, and if all were yes.
    pub bounds: Option<[f64; 2]>,
    /// The rate by prediction-powered inference.
    pub prediction_powered: MetricValue,
    /// How much of the judge went into it, from 0 (labels alone) to 1.
    pub lambda: Option<f64>,
    /// The rate by sensitivity and specificity.
    pub rogan_gladen: MetricValue,
    /// People's rate of yes on all items with labels, without the judge.
    pub labels_alone: MetricValue,
}

/// One person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PersonSummary {
    /// What they are called.
    pub name: String,
    /// How many items they have a verdict on.
    pub items: u64,
    /// How many of these are yes.
    pub yes: u64,
    /// Their share.
    pub yes_rate: MetricValue,
    /// How often the reference is what they say; it is made of what they say, too.
    pub agrees: MetricValue,
}

/// One judge against people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeAccuracy {
    /// The judge.
    pub judge: String,
    /// On how many items both have a verdict.
    pub n: u64,
    /// On how many it is the same.
    pub correct: u64,
    /// Their share, with its Wilson interval.
    pub accuracy: MetricValue,
    /// Cohen's κ with people.
    pub kappa: MetricValue,
}

/// A vote against people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VoteAccuracy {
    /// On how many items there is such a vote.
    pub n: u64,
    /// On how many it is people's verdict.
    pub correct: u64,
    /// Their share, with its Wilson interval.
    pub accuracy: MetricValue,
    /// On how many items there is no such vote: the judges are even, or of several minds.
    pub no_vote: u64,
}

/// McNemar's test of two judges against people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairTest {
    /// The judges.
    pub judges: [String; 2],
    /// On how many items both judges and people have a verdict.
    pub n: u64,
    /// On how many only the first judge is right.
    pub only_first_correct: u64,
    /// On how many only the second is.
    pub only_second_correct: u64,
    /// McNemar's statistic; null where the judges are right on the same items.
    pub statistic: Option<f64>,
    /// Its two-sided p-value from the chi-square distribution.
    pub p_asymptotic: Option<f64>,
    /// The exact one.
    pub p_exact: Option<f64>,
    /// The exact one with the observed split counted half.
    pub p_mid: Option<f64>,
    /// Why there is no test, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<&'static str>,
}
