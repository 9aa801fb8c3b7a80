//! Rows that cannot be used, kept in a file.

use std::path::{Path, PathBuf};

use judica_data::rejects::RejectFile;

use super::files::{folder_of, shown};
use crate::failure::Failure;

/// Where rows that cannot be used are kept: in the file that was named, else beside the
/// report, else here.
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    folder: PathBuf,
    /// What is written to it.
    pub file: RejectFile,
}

impl Kept {
    /// Where to keep rows; `report` is what they are kept beside.
    pub fn new(named: Option<&Path>, report: Option<&Path>) -> Self {
        let folder = report.map_or_else(|| PathBuf::from("."), folder_of);
        let path = match named {
            Some(path) => path.to_owned(),
            None if report.is_some() => folder.join("rejects.jsonl"),
            None => PathBuf::from("rejects.jsonl"),
        };
        Kept {
            folder: folder_of(&path),
            file: RejectFile::new(&path),
            path,
        }
    }

    /// The folder that is written to.
    pub fn folder(&self) -> &Path {
        &self.folder
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
