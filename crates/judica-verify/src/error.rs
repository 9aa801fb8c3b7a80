//! What can end an evaluation, and which exit code it means.

use judica_data::error::{DataError, DataErrorKind};
use judica_data::ordered;
use judica_data::parquet::TableError;
use judica_model::exit_code::ExitCode;

use crate::checks::TooManyChecks;
use crate::line::Refusal;
use crate::protocol::load::LoadError;
use crate::stored::record::StoredError;

/// What ended an evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The protocol cannot be used.
    #[error(transparent)]
    Protocol(#[from] LoadError),
    /// The protocol makes too many checks.
    #[error(transparent)]
    TooManyChecks(#[from] TooManyChecks),
    /// A line was refused, and the run is strict.
    #[error("{file}:{line}: {}: {}", refusal.reason, refusal.detail)]
    Refused {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// Why.
        refusal: Refusal,
    },
    /// An argument or a small input file is wrong.
    #[error("{0}")]
    BadInput(String),
    /// A required artifact is missing or malformed.
    #[error("SYSTEM_ERROR: {0}")]
    BadArtifact(String),
    /// Reading or writing failed.
    #[error("SYSTEM_ERROR: {0}")]
    Data(#[from] DataError),
    /// Making the table failed.
    #[error("SYSTEM_ERROR: records.parquet: {0}")]
    Table(#[from] TableError),
    /// Reading the table failed.
    #[error("SYSTEM_ERROR: records.parquet: {0}")]
    Stored(#[from] StoredError),
    /// A temporary file failed.
    #[error("SYSTEM_ERROR: temporary file: {0}")]
    Temporary(std::io::Error),
    /// The user stopped the run.
    #[error("interrupted; nothing half-written was left behind")]
    Interrupted,
}

impl From<ordered::Interrupted> for EvalError {
    fn from(_: ordered::Interrupted) -> Self {
        EvalError::Interrupted
    }
}

impl EvalError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            EvalError::Protocol(_)
            | EvalError::TooManyChecks(_)
            | EvalError::Refused { .. }
            | EvalError::BadInput(_) => ExitCode::BadInput,
            EvalError::BadArtifact(_)
            | EvalError::Table(_)
            | EvalError::Stored(_)
            | EvalError::Temporary(_) => ExitCode::SystemError,
            EvalError::Data(error) => match error.kind() {
                DataErrorKind::Missing
                | DataErrorKind::Malformed
                | DataErrorKind::Io
                | DataErrorKind::DiskFull => ExitCode::SystemError,
            },
            EvalError::Interrupted => ExitCode::Interrupted,
        }
    }
}
