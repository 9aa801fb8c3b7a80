//! Why a run cannot start.

use std::io;

use judica_model::exit_code::ExitCode;

use crate::cache::CacheError;

/// Why nothing was asked.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A budget without a price says nothing.
    #[error("a limit in USD needs the model's prices per 1,000 tokens, and none are given")]
    NoPrice,
    /// A budget that is no amount of money.
    #[error("a limit of {0} USD: a number that is 0 or more is needed")]
    BadBudget(f64),
    /// A price that is no amount of money.
    #[error("a price of {0} USD per 1,000 tokens: a number that is 0 or more is needed")]
    BadPrice(f64),
    /// A question without a limit on its answer can cost any amount.
    #[error(
        "a limit in USD needs a limit on the tokens of each answer, and question {number} \
         (from 0) has none"
    )]
    NoOutputLimit {
        /// The number of the job.
        number: usize,
    },
    /// The cache cannot be read.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The operating system refused what a network needs.
    #[error("SYSTEM_ERROR: cannot start making calls: {0}")]
    Runtime(io::Error),
    /// A defect of the program. Replies that had come are kept.
    #[error("SYSTEM_ERROR: a defect of judica ended the calls: {0}")]
    Panicked(String),
}

impl RunError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            RunError::NoPrice
            | RunError::BadBudget(_)
            | RunError::BadPrice(_)
            | RunError::NoOutputLimit { .. } => ExitCode::BadInput,
            RunError::Cache(error) => error.exit_code(),
            RunError::Runtime(_) | RunError::Panicked(_) => ExitCode::SystemError,
        }
    }
}
