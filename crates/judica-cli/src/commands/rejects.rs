//! Rows that cannot be used, kept in a file.

use std::path::{Path, PathBuf};

use judica_data::rejects::RejectFile;

use super::files::shown;
use crate::failure::Failure;

/// What the file is called where nobody names it.
pub const REJECTS: &str = "rejects.jsonl";

/// Rows that cannot be used, and the file they are kept in.
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// What is written to it.
    pub file: RejectFile,
}

/// Where rows that cannot be used are kept: in the file that was named, else beside the
/// report, else here.
pub fn place(named: Option<&Path>, report: Option<&Path>) -> PathBuf {
    match (named, report) {
        (Some(path), _) => path.to_owned(),
        (None, Some(report)) => report.with_file_name(REJECTS),
        (None, None) => PathBuf::from(REJECTS),
    }
}

impl Kept {
    /// Where to keep rows; `report` is what they are kept beside.
    pub fn new(named: Option<&Path>, report: Option<&Path>) -> Self {
        let path = place(named, report);
        Kept {
            file: RejectFile::new(&path),
            path,
        }
    }

    /// Gives the file its name; says where it is, if there is one. `ours` tells whether an
    /// input is one of this run.
    pub fn commit(self, refused: u64, ours: impl Fn(&str) -> bool) -> Result<String, Failure> {
        self.file.commit(ours)?;
        Ok(match refused {
            0 => String::new(),
            _ => format!("refused rows: {}\n", shown(&self.path)),
        })
    }
}
