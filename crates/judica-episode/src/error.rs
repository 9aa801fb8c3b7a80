//! What can end work on episodes, and which exit code it means.

use judica_data::error::DataError;
use judica_model::exit_code::ExitCode;

/// What ended a run.
#[derive(Debug, thiserror::Error)]
pub enum EpisodeError {
    /// A row was refused, and the run is strict.
    #[error("{file}:{line}: {reason}: {detail}")]
    Refused {
        /// The file.
        file: String,
        /// The line the row begins on, from 1.
        line: u64,
        /// A short code.
        reason: &'static str,
        /// A sentence, after the JSON pointer of what it is about.
        detail: String,
    },
    /// An argument or a small input is wrong.
    #[error("{0}")]
    BadInput(String),
    /// Reading or writing failed.
    #[error("SYSTEM_ERROR: {0}")]
    Data(#[from] DataError),
    /// The user stopped the run.
    #[error("interrupted; nothing half-written was left behind")]
    Interrupted,
}

impl EpisodeError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            EpisodeError::Refused { .. } | EpisodeError::BadInput(_) => ExitCode::BadInput,
            EpisodeError::Data(_) => ExitCode::SystemError,
            EpisodeError::Interrupted => ExitCode::Interrupted,
        }
    }
}
