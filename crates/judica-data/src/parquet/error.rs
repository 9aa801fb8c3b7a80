//! What can go wrong at this door.

use ::parquet::errors::ParquetError;

/// A failure to write or read a table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The container could not be written or read.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// The file itself could not be opened, read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A table specification nothing could be written by.
    #[error("table specification: {0}")]
    Spec(String),
    /// Columns that do not fit the specification or one another.
    #[error("column `{column}`: {reason}")]
    Column {
        /// Name of the column at fault.
        column: String,
        /// Why it was refused.
        reason: String,
    },
}

impl TableError {
    /// A refusal of one column.
    pub(super) fn column(column: &str, reason: impl Into<String>) -> Self {
        Self::Column {
            column: column.to_owned(),
            reason: reason.into(),
        }
    }
}
