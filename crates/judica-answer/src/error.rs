//! What can end a run over answers, and which exit code it means.

use judica_data::error::DataError;
use judica_model::exit_code::ExitCode;

/// What ended a run.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// A row was refused, and the run is strict.
    #[error("{file}:{line}: {reason}: {detail}")]
    Refused {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// A short code.
        reason: &'static str,
        /// A sentence.
        detail: String,
    },
    /// An argument or a small input is wrong.
    #[error("{0}")]
    BadInput(String),
    /// A required artifact is missing or malformed.
    #[error("SYSTEM_ERROR: {0}")]
    BadArtifact(String),
    /// Reading or writing failed.
    #[error("SYSTEM_ERROR: {0}")]
    Data(#[from] DataError),
    /// The user stopped the run.
    #[error("interrupted; nothing half-written was left behind")]
    Interrupted,
}

impl AnswerError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            AnswerError::Refused { .. } | AnswerError::BadInput(_) => ExitCode::BadInput,
            AnswerError::BadArtifact(_) | AnswerError::Data(_) => ExitCode::SystemError,
            AnswerError::Interrupted => ExitCode::Interrupted,
        }
    }
}
