//! What can end a measurement of agreement, and which exit code it means.

use judica_data::error::DataError;
use judica_model::exit_code::ExitCode;

/// What ended a measurement.
#[derive(Debug, thiserror::Error)]
pub enum AgreeError {
    /// A line was refused, and the run is strict.
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

impl AgreeError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            AgreeError::Refused { .. } | AgreeError::BadInput(_) => ExitCode::BadInput,
            AgreeError::BadArtifact(_) | AgreeError::Data(_) => ExitCode::SystemError,
            AgreeError::Interrupted => ExitCode::Interrupted,
        }
    }
}
