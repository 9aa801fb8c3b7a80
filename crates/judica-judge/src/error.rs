//! Why there is no reply.

use judica_model::table::counted;

/// Why a question got no reply. A reply that makes no sense is not an error: see
/// [`Finish::Unreadable`](crate::chat::Finish).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// Nobody will be answered: a wrong key, an unknown model. Asking the next question is
    /// pointless.
    #[error("{0}")]
    Fatal(String),
    /// This question got no answer although it was asked repeatedly; others may.
    #[error("{message} ({})", counted((*attempts).into(), ["attempt", "attempts"]))]
    GaveUp {
        /// What went wrong the last time.
        message: String,
        /// How often it was asked.
        attempts: u32,
        /// Who is to blame.
        blame: Blame,
    },
    /// Another attempt could cost more than what is left.
    #[error("the limit in USD leaves no room for another attempt")]
    OverBudget,
    /// A defect of the program.
    #[error("a defect of judica: {0}")]
    Panicked(String),
    /// The run was stopped before an answer came.
    #[error("stopped before an answer came")]
    Stopped,
}

/// Who is to blame where no answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The server cannot be reached at all, so others will not fare better.
    Unreachable,
    /// The server was reached and did not answer; others may fare as badly.
    Server,
    /// The question: the server answers, but not this one.
    Question,
    /// The form of the question, which is that of all, unless others are answered.
    Form,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_attempt_is_one() {
        let gave_up = |attempts| {
            let message = "no".to_owned();
            let blame = Blame::Server;
            AskError::GaveUp {
                message,
                attempts,
                blame,
            }
            .to_string()
        };
        assert_eq!(gave_up(1), "no (1 attempt)");
        assert_eq!(gave_up(6), "no (6 attempts)");
    }
}
