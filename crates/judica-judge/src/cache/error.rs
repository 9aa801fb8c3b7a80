//! What can be wrong with a cache file, which is named before anything else.

use std::path::{Path, PathBuf};

use judica_model::exit_code::ExitCode;
use rusqlite::ErrorCode;

/// Why the cache cannot be used. It is never deleted or replaced: what it holds was paid
/// for, and only its owner can say that it may go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    /// The file is broken, or is no cache at all.
    #[error(
        "SYSTEM_ERROR: {}: the reply cache is damaged: {detail}; deleting the file (and those beside it \
         that end in -wal and -shm) is safe, but the replies in it will be asked and paid \
         for again", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was met.
        detail: String,
    },
    /// The file is a database of another program.
    #[error(
        "SYSTEM_ERROR: {}: this is a database of another program, a reply cache of judica is needed; \
         name a file that does not exist yet to start one", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version of this program.
    #[error(
        "SYSTEM_ERROR: {}: the reply cache has format {found}, this version of judica knows formats up \
         to {known}; use the newer version or another file", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that is known here.
        known: i64,
    },
    /// Another process kept the file locked for too long.
    #[error("SYSTEM_ERROR: {}: the reply cache is locked by another process: {detail}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// The file cannot be opened, read or written.
    #[error("SYSTEM_ERROR: {}: cannot use the reply cache: {detail}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
}

impl CacheError {
    /// The exit code it means: always a fault of the environment.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::SystemError
    }

    /// A broken file.
    pub(super) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        CacheError::Damaged {
            path: path.to_owned(),
            detail: detail.into(),
        }
    }

    /// A file that cannot be used for another reason.
    pub(crate) fn file(path: &Path, detail: impl Into<String>) -> Self {
        CacheError::File {
            path: path.to_owned(),
            detail: detail.into(),
        }
    }

    /// What SQLite reports, sorted by what its reader can do about it.
    pub(super) fn sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::damaged(path, detail)
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => CacheError::Locked {
                path: path.to_owned(),
                detail,
            },
            _ => Self::file(path, detail),
        }
    }
}
