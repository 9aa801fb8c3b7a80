//! What can go wrong here alone, in the words of all rooms.

use judica_data::work_error::WorkError;

use crate::checks::TooManyChecks;

impl From<TooManyChecks> for WorkError {
    fn from(error: TooManyChecks) -> Self {
        WorkError::BadInput(error.to_string())
    }
}

/// A failure of a temporary file.
pub(crate) fn temporary(error: std::io::Error) -> WorkError {
    WorkError::BadArtifact(format!("temporary file: {error}"))
}
