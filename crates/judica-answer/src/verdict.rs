//! How a row was decided, and what became of a judge's reply.

pub use judica_model::reply::ParseStatus;
use serde::{Deserialize, Serialize};

/// Who decided a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionMethod {
    /// Equal once normalised.
    Exact,
    /// Equal by structure.
    Structural,
    /// A language model.
    Llm,
    /// Nobody: no model was to be asked, so the prediction counts as wrong.
    NoLlm,
}

/// A judge's verdict on one row: the majority of its votes.
#[derive(Clone, Debug, PartialEq)]
pub struct RowVerdict {
    /// Whether the prediction was found correct; `None` where no reply came.
    pub correct: Option<bool>,
    /// Why, in the words of the judge, or what was wrong with its reply.
    pub reasoning: String,
    /// What became of the reply.
    pub status: ParseStatus,
    /// The replies behind it: one, unless votes were taken.
    pub votes: Vec<Vote>,
}

/// One reply of a judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote {
    /// Whether the prediction was found correct; `None` where no reply came.
    pub correct: Option<bool>,
    /// Why.
    pub reasoning: String,
    /// What became of the reply.
    pub status: ParseStatus,
    /// The reply as it came.
    pub raw_reply: Option<String>,
    /// Tokens of the question, as the server counted them.
    pub tokens_input: Option<u64>,
    /// Tokens of the reply, as the server counted them.
    pub tokens_output: Option<u64>,
    /// The model that the server says it asked.
    pub served_by: Option<String>,
    /// How the reply came.
    pub call: Option<Call>,
}

/// How a reply came: what differs from run to run even if the reply does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Whether it was asked in an earlier run and kept.
    pub from_cache: bool,
    /// Milliseconds it took when it was asked.
    pub latency_ms: Option<u64>,
    /// How often it was asked until it came.
    pub attempts: Option<u32>,
}
