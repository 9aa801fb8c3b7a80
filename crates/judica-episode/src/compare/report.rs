//! The report of a comparison. Fields are in the order in which they are written.

use judica_model::metric::MetricValue;
use serde::Serialize;

use super::verdict::Verdict;
use crate::eval_json::Direction;

/// The version of the report's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// Two or more evaluations against each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompareReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The label of the first file, which the others are compared with.
    pub baseline: String,
    /// What is compared, the baseline first.
    pub sides: Vec<SideInfo>,
    /// Each metric: known ones in their order, then others by name.
    pub metrics: Vec<MetricComparison>,
    /// What it comes to, for each but the baseline.
    pub verdicts: Vec<OverallVerdict>,
    /// Which episodes were paired, for each but the baseline; empty if none could be.
    pub pairing: Vec<Pairing>,
    /// The coverage that intervals aim at.
    pub confidence: f64,
    /// How often episodes were resampled.
    pub resamples: u32,
    /// What they were drawn from.
    pub seed: u64,
    /// How many tests p-values were corrected for.
    pub tests: u64,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One of what is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SideInfo {
    /// What it is called.
    pub label: String,
    /// Its file.
    pub file: String,
    /// The version of that file; null for details of episodes.
    pub version: Option<String>,
    /// The backend it names.
    pub backend: Option<String>,
    /// The configuration it names.
    pub config_path: Option<String>,
    /// The mode; null for details of episodes.
    pub dsl_mode: Option<String>,
}

/// One metric of all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricComparison {
    /// The metric.
    pub metric: String,
    /// Which way is better; null where there is none, or none is known.
    pub direction: Option<Direction>,
    /// Its value for each, in the order of the sides.
    pub values: Vec<MetricValue>,
    /// Each but the baseline against it, in that order.
    pub differences: Vec<Difference>,
}

/// One metric of one run against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The run.
    pub label: String,
    /// Its value less that of the baseline.
    pub difference: Option<f64>,
    /// What can be said about the difference beyond these two numbers.
    pub estimate: Option<Estimate>,
    /// What it comes to.
    pub verdict: Verdict,
    /// The same in words.
    pub words: String,
}

/// A difference with its interval and its test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Whether runs were compared episode by episode.
    pub paired: bool,
    /// The difference; where runs are paired, over the episodes they have in common.
    pub difference: f64,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// How the interval was made: `bootstrap`, `newcombe` or `combined`.
    pub ci_method: Option<&'static str>,
    /// The p-value of the test, two-sided.
    pub p_value: Option<f64>,
    /// The same, corrected for the number of tests.
    pub p_holm: Option<f64>,
    /// Which test.
    pub test: Option<&'static str>,
    /// What it rests on: episodes where paired, else the items of either side.
    pub n: Vec<u64>,
}

/// What the comparison of one run comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverallVerdict {
    /// The run.
    pub label: String,
    /// Metrics in which it is better.
    pub better: Vec<String>,
    /// Metrics in which it is worse.
    pub worse: Vec<String>,
    /// Metrics in which no difference can be shown.
    pub no_difference: Vec<String>,
    /// Metrics that cannot be compared.
    pub not_comparable: Vec<String>,
    /// In words.
    pub words: String,
}

/// Which episodes of a run were paired with the baseline's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pairing {
    /// The run.
    pub label: String,
    /// Episodes of both.
    pub common: u64,
    /// Episodes of the baseline only: left out.
    pub baseline_only: u64,
    /// Episodes of the run only: left out.
    pub label_only: u64,
    /// The first of those that were left out.
    pub left_out: Vec<String>,
}
