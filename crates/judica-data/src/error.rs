//! What can go wrong at the doors, always naming the file first.

use std::io;
use std::path::{Path, PathBuf};

/// A failure to read an input or to write an output.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file is not there.
    #[error("{}: no such file", shown(path))]
    Missing {
        /// The file that was asked for.
        path: PathBuf,
    },
    /// The file is there, but its contents are not what they should be.
    #[error("{}: {reason}{}", shown(path), at(*offset))]
    Malformed {
        /// The file at fault.
        path: PathBuf,
        /// Where in the decompressed bytes, if that is known.
        offset: Option<u64>,
        /// What is wrong with it.
        reason: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file or folder it refused.
        path: PathBuf,
        /// Its own words, preceded by what was attempted.
        source: io::Error,
    },
    /// There is no room left for what is being written.
    #[error("{}: disk full", shown(path))]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
}

/// The classes of [`DataError`] that a caller tells apart, e.g. for exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataErrorKind {
    /// A file is not there.
    Missing,
    /// A file's contents are wrong.
    Malformed,
    /// The operating system refused.
    Io,
    /// No room left.
    DiskFull,
}

impl DataError {
    /// The class this error belongs to.
    pub fn kind(&self) -> DataErrorKind {
        match self {
            Self::Missing { .. } => DataErrorKind::Missing,
            Self::Malformed { .. } => DataErrorKind::Malformed,
            Self::Io { .. } => DataErrorKind::Io,
            Self::DiskFull { .. } => DataErrorKind::DiskFull,
        }
    }

    /// Whether the machine is at fault (I/O, disk) and not the given files:
    /// the same command may succeed later or elsewhere.
    pub fn is_environment(&self) -> bool {
        matches!(self.kind(), DataErrorKind::Io | DataErrorKind::DiskFull)
    }

    /// What is wrong, without the file's name: for messages that begin with it.
    pub fn reason(&self) -> String {
        match self {
            Self::Missing { .. } => "no such file".to_owned(),
            Self::Malformed { offset, reason, .. } => format!("{reason}{}", at(*offset)),
            Self::Io { source, .. } => source.to_string(),
            Self::DiskFull { .. } => "disk full".to_owned(),
        }
    }

    /// The file or folder the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing { path }
            | Self::Malformed { path, .. }
            | Self::Io { path, .. }
            | Self::DiskFull { path } => path,
        }
    }

    /// Contents that are not what they should be, `offset` bytes in.
    pub fn malformed(path: &Path, offset: Option<u64>, reason: impl Into<String>) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            offset,
            reason: reason.into(),
        }
    }

    /// An I/O error met while opening or reading `path`.
    pub fn reading(path: &Path, error: io::Error) -> Self {
        let error = match unwrap(error) {
            Ok(inner) => return inner,
            Err(error) => error,
        };
        match error.kind() {
            // A path that runs through a plain file names nothing either.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing {
                path: path.to_owned(),
            },
            io::ErrorKind::IsADirectory => {
                Self::malformed(path, None, "is a folder, a file is needed")
            }
            _ => Self::attempted("cannot read", path, error),
        }
    }

    /// An I/O error met while creating, writing or renaming `path`.
    pub fn writing(path: &Path, error: io::Error) -> Self {
        match unwrap(error) {
            Ok(inner) => inner,
            Err(error) => Self::attempted("cannot write", path, error),
        }
    }

    /// An I/O error met while doing what `attempt` says ("cannot ...").
    pub(crate) fn attempted(attempt: &str, path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            kind => Self::Io {
                path,
                source: io::Error::new(kind, format!("{attempt}: {error}")),
            },
        }
    }
}

/// Lets the typed error travel through `Read` and `Write`;
/// [`DataError::reading`] and [`DataError::writing`] take it out again.
impl From<DataError> for io::Error {
    fn from(error: DataError) -> Self {
        let kind = match &error {
            DataError::Missing { .. } => io::ErrorKind::NotFound,
            DataError::Malformed { .. } => io::ErrorKind::InvalidData,
            DataError::Io { source, .. } => source.kind(),
            DataError::DiskFull { .. } => io::ErrorKind::StorageFull,
        };
        io::Error::new(kind, error)
    }
}

fn unwrap(error: io::Error) -> Result<DataError, io::Error> {
    error.downcast::<DataError>()
}

/// The name a person knows the file by.
fn shown(path: &Path) -> String {
    if path == Path::new(crate::source::STDIN) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

fn at(offset: Option<u64>) -> String {
    offset.map_or_else(String::new, |offset| format!(" (at byte {offset})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_file_first() {
        let path = Path::new("in/a.jsonl");
        let missing = DataError::reading(path, io::ErrorKind::NotFound.into());
        assert_eq!(missing.to_string(), "in/a.jsonl: no such file");
        assert_eq!(missing.kind(), DataErrorKind::Missing);
        let bad = DataError::malformed(path, Some(7), "cut short");
        assert_eq!(bad.to_string(), "in/a.jsonl: cut short (at byte 7)");
        assert!(!bad.is_environment());
        let full = DataError::writing(path, io::ErrorKind::StorageFull.into());
        assert_eq!(full.to_string(), "in/a.jsonl: disk full");
        assert!(full.is_environment());
        let io = DataError::reading(Path::new("-"), io::ErrorKind::PermissionDenied.into());
        assert_eq!(
            io.to_string(),
            "standard input: cannot read: permission denied"
        );
        assert_eq!(io.kind(), DataErrorKind::Io);
    }

    #[test]
    fn a_typed_error_survives_the_io_traits() {
        let full = DataError::DiskFull {
            path: "out/x".into(),
        };
        let carried: io::Error = full.into();
        assert_eq!(carried.kind(), io::ErrorKind::StorageFull);
        let back = DataError::writing(Path::new("other"), carried);
        assert_eq!(back.to_string(), "out/x: disk full");
    }
}
