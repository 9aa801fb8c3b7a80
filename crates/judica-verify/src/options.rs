//! What the manifest of a run says of `eval` alone.

use judica_model::record::Trace;
use judica_run::options::RunOptions;
use serde::{Deserialize, Serialize};

use crate::review::{ReviewEntry, ReviewOptions};

/// The protocol's name in a run folder.
pub const PROTOCOL: &str = "protocol.toml";
/// The records' name in a run folder, one per line.
pub const RECORDS_JSONL: &str = "records.jsonl";
/// The failed atoms' name in a run folder.
pub use judica_run::manifest::name::FAILURES;
/// The reviews' name in a run folder.
pub const REVIEWS: &str = "reviews.jsonl";

/// What inputs are used as.
pub mod role {
    /// Samples.
    pub const SAMPLES: &str = "samples";
    /// Outputs.
    pub const OUTPUTS: &str = "outputs";
    /// Confidence priors.
    pub const CONFIDENCE: &str = "confidence";
    /// Files of the protocol's verifiers.
    pub const VERIFIER: &str = "verifier";
}

/// Options that shape the result. The number of threads does not, so it is not here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// Whether records are written as JSON lines, too.
    pub jsonl: bool,
    /// The timestamp in records.
    pub timestamp: Option<String>,
    /// The task of lines that name none.
    pub task: Option<String>,
    /// The model of lines that name none.
    pub model: Option<String>,
    /// Whether the first refused line ends the run.
    pub strict: bool,
    /// Which records are reviewed by a model, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOptions>,
    /// Where fields stand.
    #[serde(flatten)]
    pub columns: ColumnOptions,
    /// What records are called and keep.
    #[serde(flatten)]
    pub run: RunOptions,
}

/// Where fields stand, as the user says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ColumnOptions {
    /// Fields of samples and outputs: `response=answer`, `outputs.id=sample`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The columns that the gold is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold_columns: Vec<String>,
}

/// The options as a manifest holds them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The protocol.
    pub protocol: ProtocolEntry,
    /// What the user said.
    #[serde(flatten)]
    pub options: Options,
    /// What the places of outputs in folders say of their lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<OutputPlace>,
}

/// The protocol of a run; the run keeps it as [`PROTOCOL`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtocolEntry {
    /// Its name.
    pub name: String,
    /// As it was given on the command line.
    pub given_as: String,
    /// SHA-256 of the copy.
    pub sha256: String,
}

/// What the place of an output in a folder says of its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputPlace {
    /// The input as it was given.
    pub path: String,
    /// Their task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Their model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The manifest's trace: that of every record, and what came of the reviews.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTrace {
    /// The trace of every record.
    #[serde(flatten)]
    pub record: Trace,
    /// The programs that checked responses, where there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<CommandTrace>,
    /// What came of the reviews, where some were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviews: Option<ReviewEntry>,
}

/// Commands that a run has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandTrace {
    /// As one would type them.
    pub commands: Vec<String>,
    /// What follows for those who rely on the run.
    pub note: String,
}
