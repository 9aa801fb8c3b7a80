//! All that is known of the models, as it is written to `efficiency_report.json`.

use serde::Serialize;

use super::accuracy::AccuracyReport;
use super::composite::{CompositeReport, Weights};
use super::cost::CostReport;
use super::pareto::Frontier;
use super::ranking::Rankings;
use super::subject::By;
use super::time::{LatencyReport, ThroughputReport};

/// The version of the report's format.
pub const SCHEMA_VERSION: u32 = 1;

/// The report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EfficiencyReport {
    /// The version of this format.
    pub schema_version: u32,
    /// What is compared.
    pub by: By,
    /// Whose verdicts were taken, if any.
    pub judge: Option<String>,
    /// What made rows equal to their gold; `auto` where files differ in that.
    pub normalizer: Option<&'static str>,
    /// How much the terms of the composite count.
    pub weights: Weights,
    /// All rows of the files: `inputs = records + rejects`.
    pub inputs: u64,
    /// The rows that can be used.
    pub records: u64,
    /// The rows that cannot.
    pub rejects: u64,
    /// The models (or runs), by name.
    pub models: Vec<ModelReport>,
    /// Who is best at what.
    pub rankings: Rankings,
    /// Who is beaten by whom.
    pub pareto: ParetoReport,
    /// The files, in their order.
    pub files: Vec<RunFile>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One file of predictions, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunFile {
    /// Where it was.
    pub file: String,
    /// What its data set is called.
    pub dataset: String,
    /// Whose run it is.
    pub model: String,
    /// What the run is called.
    pub run: String,
    /// What made its rows equal to their gold, where they do not say so themselves.
    pub normalizer: Option<&'static str>,
    /// The judged document whose verdicts were taken, if any.
    pub judged: Option<String>,
    /// How it was read, where it is a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_as: Option<String>,
}

/// One model, or one run of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelReport {
    /// The model.
    pub model: String,
    /// The run, where runs are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The runs that were put together.
    pub runs: Vec<String>,
    /// How many rows they have.
    pub n: u64,
    /// The share of correct answers, and who says so.
    #[serde(flatten)]
    pub share: AccuracyReport,
    /// What made rows equal to their gold, where that decides; `auto` where runs differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalizer: Option<&'static str>,
    /// Tokens.
    pub tokens: TokensReport,
    /// Dollars.
    pub cost: CostReport,
    /// Milliseconds per row.
    pub latency_ms: LatencyReport,
    /// Rows and tokens per second.
    pub throughput: ThroughputReport,
    /// Correct answers for a dollar.
    pub accuracy_per_dollar: Option<f64>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_per_dollar_undefined: Option<String>,
    /// Correct answers in a second.
    pub accuracy_per_second: Option<f64>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_per_second_undefined: Option<String>,
    /// Accuracy, cost and latency as one number.
    pub composite: CompositeReport,
}

/// Tokens, over the rows that tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TokensReport {
    /// The rows that tell.
    pub n: u64,
    /// What went in.
    pub input: Option<u64>,
    /// What came out.
    pub output: Option<u64>,
    /// Both.
    pub total: Option<u64>,
    /// Why there are no numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// The two frontiers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParetoReport {
    /// Accuracy against the cost per row.
    pub accuracy_cost: Frontier,
    /// Accuracy against the mean latency.
    pub accuracy_latency: Frontier,
}

impl ModelReport {
    /// What it is called: the run where runs are compared, else the model.
    pub fn label(&self) -> &str {
        self.run.as_deref().unwrap_or(&self.model)
    }
}
