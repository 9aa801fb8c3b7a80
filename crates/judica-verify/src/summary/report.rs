//! The shape of `report.json`. Keys stand in the order of declaration.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::dimensions::DimensionReport;
use super::statistics::Statistics;
use crate::gold::GoldReport;

/// Values by family, in execution order.
pub type ByFamily<T> = Vec<(String, T)>;

/// `report.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Version of this shape.
    pub schema_version: String,
    /// The protocol's name.
    pub protocol: String,
    /// The protocol's own version.
    pub config_version: String,
    /// Hash of the protocol's content.
    pub config_hash: String,
    /// What went in and what came out.
    pub counts: Counts,
    /// What the gold of the samples is worth.
    pub gold: Option<GoldReport>,
    /// Samples that the means of totals run over, the same for every model.
    pub scored_samples: Option<u64>,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
    /// Models, best first.
    pub leaderboard: Vec<LeaderboardRow>,
    /// What dimensions say of models, of a protocol that has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<DimensionReport>,
    /// One per task over all models, then one per model.
    pub tasks: Vec<TaskSummary>,
    /// One per model, by name.
    pub models: Vec<ModelProfile>,
}

/// What went in and what came out: `outputs = records + rejects`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Samples taken.
    pub samples: u64,
    /// Sample lines refused.
    pub sample_rejects: u64,
    /// Output lines read.
    pub outputs: u64,
    /// Records made of them.
    pub records: u64,
    /// Output lines refused.
    pub rejects: u64,
    /// Refused lines of both kinds, by reason.
    pub rejects_by_reason: BTreeMap<String, u64>,
}

/// One model on the leaderboard.
#[derive(Debug, Clone, Serialize)]
pub struct LeaderboardRow {
    /// One more than there are better ones; null without a mean.
    pub rank: Option<u32>,
    /// Between which ranks it stands in 95 % of resamples of the samples; of each model by
    /// itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_ci: Option<[f64; 2]>,
    /// Why there is a rank but no such interval, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_ci_undefined: Option<String>,
    /// The model.
    pub model_name: String,
    /// Records behind the mean: those on the samples it runs over.
    pub n: u64,
    /// Mean total, a gated record counting as the protocol's cap.
    pub mean_total: Option<f64>,
    /// 95 % interval of it, over samples.
    pub ci: Option<[f64; 2]>,
    /// Why there is a mean but no interval, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_undefined: Option<String>,
    /// Mean total of the eligible ones among them alone.
    pub mean_total_eligible: Option<f64>,
    /// How many these are.
    pub n_eligible: u64,
    /// Percent of all records that are eligible.
    pub eligibility_rate: Option<f64>,
    /// Why the mean is null, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// Violations of one family.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Violations {
    /// Failed atoms.
    pub total_violations: u64,
    /// Of them critical.
    pub critical: u64,
    /// Of them warnings.
    pub warning: u64,
}

/// One task, over all models or for one.
#[derive(Debug, Clone, Serialize)]
pub struct TaskSummary {
    /// The task.
    pub task_id: String,
    /// The model, or null for all.
    pub model_name: Option<String>,
    /// Records.
    pub total: u64,
    /// Of them eligible.
    pub eligible: u64,
    /// Of them not.
    pub ineligible: u64,
    /// Provider failures.
    pub api_errors: u64,
    /// Responses without a usable object.
    pub parse_failures: u64,
    /// Mean completeness over all records, in percent.
    pub availability_rate: Option<f64>,
    /// Percent of atoms passed, per family.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub compliance_rate: ByFamily<Option<f64>>,
    /// Violations, per family.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub constraint_satisfaction: ByFamily<Violations>,
    /// The error score of eligible records.
    pub conditional_error: Statistics,
    /// The bad end of it.
    pub tail_risk: TaskTailRisk,
    /// Reasons given for ineligible records, per family.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub failure_modes: ByFamily<u64>,
}

/// The bad end of a task's errors.
#[derive(Debug, Clone, Serialize)]
pub struct TaskTailRisk {
    /// 95th percentile of the error score.
    pub p95: Option<f64>,
    /// 99th percentile of the error score.
    pub p99: Option<f64>,
    /// Percent of eligible records whose error score lies below each bound.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub exceedance_rates: Vec<(String, Option<f64>)>,
    /// 95th percentile of the mean absolute error.
    pub mae_p95: Option<f64>,
    /// 99th percentile of the mean absolute error.
    pub mae_p99: Option<f64>,
    /// The samples with the lowest error score, worst first.
    pub worst_samples: Vec<WorstSample>,
    /// Why numbers are null, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// One of the worst samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstSample {
    /// The sample.
    pub sample_id: String,
    /// The model that answered.
    pub model_name: String,
    /// Its error score.
    pub conditional_error_score: f64,
    /// Its mean absolute error.
    pub mae: f64,
}

/// One model over all tasks.
#[derive(Debug, Clone, Serialize)]
pub struct ModelProfile {
    /// The model.
    pub model_name: String,
    /// Records.
    pub total: u64,
    /// Of them eligible.
    pub eligible: u64,
    /// Percent eligible.
    pub eligibility_rate: Option<f64>,
    /// Provider failures.
    pub api_errors: u64,
    /// Responses without a usable object.
    pub parse_failures: u64,
    /// Mean completeness over all records, in percent.
    pub availability_rate: Option<f64>,
    /// Statistics of each score over eligible records.
    pub scores: ScoreStatistics,
    /// Violations, per family.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub violations: ByFamily<Violations>,
    /// Reasons given for ineligible records, per family.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub failure_modes: ByFamily<u64>,
    /// The error score of eligible records.
    pub conditional_error: Statistics,
    /// The bad end of it.
    pub tail_risk: ModelTailRisk,
    /// What was believed of the model beforehand; never part of a score.
    pub model_confidence_prior: Option<Map<String, Value>>,
}

/// Statistics of each score.
#[derive(Debug, Clone, Serialize)]
pub struct ScoreStatistics {
    /// Of the availability score.
    pub availability_score: Statistics,
    /// Of the constraint-satisfaction score.
    pub constraint_satisfaction_score: Statistics,
    /// Of the error score.
    pub conditional_error_score: Statistics,
    /// Of the total.
    pub total_score: Statistics,
}

/// The bad end of a model's errors.
#[derive(Debug, Clone, Serialize)]
pub struct ModelTailRisk {
    /// 95th percentile of the error score.
    pub p95: Option<f64>,
    /// 99th percentile of the error score.
    pub p99: Option<f64>,
    /// Records whose error score lies below the protocol's bound.
    pub high_risk_samples: u64,
    /// Percent of scored records.
    pub high_risk_rate: Option<f64>,
    /// Why numbers are null, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// Pairs as a JSON object whose keys keep their order.
pub(super) mod ordered_map {
    use serde::ser::{Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(
        entries: &[(String, T)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
    }
}
