//! What can end a run over inputs, and which exit code it means: the same for every family
//! that reads rows and has nothing else to go wrong.

use judica_model::exit_code::ExitCode;

use std::path::Path;

use crate::error::{DataError, DataErrorKind};
use crate::foreign::{Reads, pointer, seems, seems_no_json};
use crate::ordered::Interrupted;
use crate::parquet::TableError;

/// What ended a run.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
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
    /// The same, where the artifact has a name of its own in reports.
    #[error("SYSTEM_ERROR: {artifact}: {reason}")]
    Artifact {
        /// The artifact.
        artifact: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// Reading or writing failed.
    #[error("SYSTEM_ERROR: {0}")]
    Data(#[from] DataError),
    /// The user stopped the run.
    #[error("interrupted; nothing half-written was left behind")]
    Interrupted,
}

impl From<Interrupted> for WorkError {
    fn from(_: Interrupted) -> Self {
        WorkError::Interrupted
    }
}

impl From<TableError> for WorkError {
    fn from(error: TableError) -> Self {
        WorkError::BadArtifact(format!("a table: {error}"))
    }
}

impl WorkError {
    /// The same, with what a file seems to be that is none of ours: then nothing is missing
    /// or broken, and another file is needed.
    #[must_use]
    pub fn explained(self, path: &Path, rows: Reads) -> Self {
        let (said, guess) = match &self {
            WorkError::BadInput(_) | WorkError::Refused { .. } => {
                (self.to_string(), seems(path, rows))
            }
            WorkError::BadArtifact(said) => (said.clone(), seems_no_json(path, rows)),
            WorkError::Data(error) if error.kind() == DataErrorKind::Malformed => {
                (error.to_string(), seems_no_json(path, rows))
            }
            WorkError::Data(_) | WorkError::Artifact { .. } | WorkError::Interrupted => {
                return self;
            }
        };
        match guess {
            Some(guess) => {
                let look = pointer(path);
                WorkError::BadInput(format!("{said}{}{look}", guess.said()))
            }
            None => match self {
                WorkError::BadInput(said) => WorkError::BadInput(said + &pointer(path)),
                other => other,
            },
        }
    }

    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            WorkError::Refused { .. } | WorkError::BadInput(_) => ExitCode::BadInput,
            WorkError::BadArtifact(_) | WorkError::Artifact { .. } | WorkError::Data(_) => {
                ExitCode::SystemError
            }
            WorkError::Interrupted => ExitCode::Interrupted,
        }
    }
}
