//! What can end an evaluation of gates, and which exit code it means.

use judica_data::error::DataError;
use judica_data::ordered;
use judica_data::work_error::WorkError;
use judica_model::exit_code::ExitCode;

/// What ended an evaluation.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// A required artifact is missing or malformed.
    #[error("SYSTEM_ERROR: {artifact}: {reason}")]
    Artifact {
        /// The artifact.
        artifact: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// A gates file, an argument or a report cannot be used.
    #[error("{0}")]
    BadInput(String),
    /// A run cannot be used.
    #[error(transparent)]
    Run(#[from] WorkError),
    /// Reading or writing failed.
    #[error("SYSTEM_ERROR: {0}")]
    Data(#[from] DataError),
    /// The user stopped the run.
    #[error("interrupted; nothing half-written was left behind")]
    Interrupted,
}

impl From<ordered::Interrupted> for GateError {
    fn from(_: ordered::Interrupted) -> Self {
        GateError::Interrupted
    }
}

impl GateError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            GateError::BadInput(_) => ExitCode::BadInput,
            GateError::Run(error) => error.exit_code(),
            GateError::Artifact { .. } | GateError::Data(_) => ExitCode::SystemError,
            GateError::Interrupted => ExitCode::Interrupted,
        }
    }
}
