//! What can be wrong with a template.

use judica_data::error::DataError;
use judica_model::exit_code::ExitCode;

/// Why a template cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// Its text is wrong somewhere.
    #[error("{file}:{line}: {message}")]
    Invalid {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What was found and what was expected.
        message: String,
    },
    /// The file as a whole is no template.
    #[error("{file}: {message}")]
    NotATemplate {
        /// The file.
        file: String,
        /// What it is instead.
        message: String,
    },
    /// The file cannot be read.
    #[error("SYSTEM_ERROR: {0}")]
    Data(#[from] DataError),
}

impl TemplateError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            TemplateError::Invalid { .. } | TemplateError::NotATemplate { .. } => {
                ExitCode::BadInput
            }
            TemplateError::Data(_) => ExitCode::SystemError,
        }
    }
}
