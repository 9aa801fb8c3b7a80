//! Reviews: what a language model says about decided records, held against their evidence.
//!
//! The rules decide and score; a review changes neither. It may propose a checklist, name
//! reasons and tell what the evidence shows, and every atom it cites must be one of the
//! record. A review that cites nothing, or what is not there, is refused as a whole: its
//! words are kept, but never shown as a result.
//!
//! In the order of the work:
//!
//! * [`options`]: which records are reviewed, by whom; what came of it
//! * `choose`: the records to be reviewed
//! * [`prompt`]: what is asked about a record, with the evidence fenced
//! * [`ask`]: who is asked; this room has no network, so somebody else does it
//! * `reply`: what was said; `citations`: whether the record bears it out
//! * `llm`: the agent that does all this
//! * [`run`]: the reviews of a run folder, written
//! * [`stored`]: and read back

pub mod ask;
mod choose;
mod citations;
mod llm;
pub mod options;
pub mod prompt;
mod reply;
pub mod run;
pub mod stored;
#[cfg(test)]
mod test_support;

use judica_model::evidence::Severity;
use judica_model::record::{Adjudication, CheckStatus, first, is_first};
use serde::{Deserialize, Serialize};

pub use ask::{AskModel, Asked, Halt, Question, Reply};
pub use llm::{LlmAgent, TEMPERATURE};
pub use options::{ReviewCounts, ReviewEntry, ReviewOptions, ReviewRecords};
pub use run::{ReviewOutcome, review_run};

/// What a model said about some records.
#[derive(Debug, Default)]
pub struct Reviewed {
    /// One review for each record that was asked about, in their order.
    pub reviews: Vec<Review>,
    /// Records that were not asked about, because asking ended early.
    pub not_asked: u64,
    /// Why it ended early.
    pub halt: Option<Halt>,
}

/// What became of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewStatus {
    /// Everything it cites is in the record, and it cites enough.
    Accepted,
    /// It cites what is not there, or nothing, or it contradicts the evidence.
    Refused,
    /// The reply is no review.
    Unreadable,
    /// The model or its provider would not answer.
    Declined,
    /// No reply came.
    Error,
}

impl ReviewStatus {
    /// The lower-case name used in every file.
    pub fn name(self) -> &'static str {
        match self {
            ReviewStatus::Accepted => "accepted",
            ReviewStatus::Refused => "refused",
            ReviewStatus::Unreadable => "unreadable",
            ReviewStatus::Declined => "declined",
            ReviewStatus::Error => "error",
        }
    }
}

/// A review of one record: a line of `reviews.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The sample.
    pub sample_id: String,
    /// The model that was evaluated.
    pub model_name: String,
    /// The task.
    pub task_id: String,
    /// Which repeat of the question, where it is not the first.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub epoch: i32,
    /// The decision, which is the rules'.
    pub adjudication: Adjudication,
    /// What became of the review.
    pub status: ReviewStatus,
    /// What is wrong with it, unless it was accepted.
    pub problem: Option<String>,
    /// The decision the reviewer would have come to, where it said so.
    pub adjudication_stated: Option<Adjudication>,
    /// Whether that is the decision.
    pub agrees_with_rules: Option<bool>,
    /// What was worth checking. Empty unless accepted.
    pub checklist: Vec<ReviewItem>,
    /// What the evidence shows. Null unless accepted.
    pub narrative: Option<String>,
    /// Why checks failed, gravest first. Empty unless accepted.
    pub attribution: Vec<ReviewReason>,
    /// The reply as it came, unless it was accepted.
    pub raw_reply: Option<String>,
    /// The model that reviewed.
    pub reviewer: String,
    /// Hash of what it was asked, without the data.
    pub prompt_hash: String,
}

/// One item of a reviewer's checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewItem {
    /// The reviewer's words.
    pub item: String,
    /// `fail` if an atom it cites failed, else `pass`: taken from the record.
    pub status: CheckStatus,
    /// The atoms it rests on.
    pub evidence_ids: Vec<String>,
}

/// One of a reviewer's reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewReason {
    /// 1 came first.
    pub rank: u32,
    /// The reviewer's words.
    pub reason: String,
    /// The gravest severity among the atoms: taken from the record.
    pub severity: Severity,
    /// The atoms it rests on.
    pub evidence_ids: Vec<String>,
}
