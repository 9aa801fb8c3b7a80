//! Why there is no reply.

/// Why a question got no reply. A reply that makes no sense is not an error: see
/// [`Finish::Unreadable`](crate::chat::Finish).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// Nobody will be answered: a wrong key, an unknown model, a request that the server
    /// refuses as such. Asking the next question is pointless.
    #[error("{0}")]
    Fatal(String),
    /// This question got no answer although it was asked repeatedly; others may.
    #[error("{message} ({attempts} attempts)")]
    GaveUp {
        /// What went wrong the last time.
        message: String,
        /// How often it was asked.
        attempts: u32,
        /// Whether the server could not be reached at all, so that others will not fare
        /// better.
        unreachable: bool,
    },
    /// The run was stopped before an answer came.
    #[error("stopped before an answer came")]
    Stopped,
}
