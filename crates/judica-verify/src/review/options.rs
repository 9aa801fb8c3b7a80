//! Which records are reviewed and by whom, and what came of it: the two parts of the
//! manifest that speak of reviews.

use serde::{Deserialize, Serialize};

use super::{Review, ReviewStatus};

/// Which records may be reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewRecords {
    /// Those with at least one failed atom.
    #[default]
    Failed,
    /// All.
    All,
}

/// Which records are reviewed, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewOptions {
    /// The model that reviews.
    pub model: String,
    /// Who is asked for it: kind of server, address, model.
    pub asked: String,
    /// What people call the prompt.
    pub prompt_version: String,
    /// Hash of the prompt.
    pub prompt_hash: String,
    /// Which records may be reviewed.
    pub records: ReviewRecords,
    /// The most that are.
    pub limit: u64,
}

/// What came of the reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewEntry {
    /// SHA-256 of `reviews.jsonl`, which cannot be made again without asking again.
    pub sha256: String,
    /// How many there are of each kind.
    pub counts: ReviewCounts,
    /// Why asking ended before all chosen records were asked about, or null.
    pub stopped: Option<String>,
}

/// Counts of reviews. `chosen = accepted + refused + unreadable + declined + errors +
/// not_asked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReviewCounts {
    /// Records that the options ask for.
    pub candidates: u64,
    /// Those chosen within the limit.
    pub chosen: u64,
    /// Reviews that hold.
    pub accepted: u64,
    /// Reviews that the record does not bear out.
    pub refused: u64,
    /// Replies that are no review.
    pub unreadable: u64,
    /// Questions that the model would not answer.
    pub declined: u64,
    /// Questions that no reply came to.
    pub errors: u64,
    /// Chosen records that were not asked about.
    pub not_asked: u64,
    /// Reviews that would have decided otherwise. They are among the refused.
    pub disagreements: u64,
}

impl ReviewCounts {
    /// Counts one review.
    pub(super) fn add(&mut self, review: &Review) {
        *match review.status {
            ReviewStatus::Accepted => &mut self.accepted,
            ReviewStatus::Refused => &mut self.refused,
            ReviewStatus::Unreadable => &mut self.unreadable,
            ReviewStatus::Declined => &mut self.declined,
            ReviewStatus::Error => &mut self.errors,
        } += 1;
        self.disagreements += u64::from(review.agrees_with_rules == Some(false));
    }

    /// Chosen records without any reply: worth running the same command again.
    pub fn unanswered(&self) -> u64 {
        self.errors + self.not_asked
    }

    /// Candidates that the limit left out.
    pub fn left_out(&self) -> u64 {
        self.candidates - self.chosen
    }
}
