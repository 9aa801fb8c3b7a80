//! Rows that cannot be used, kept in a file.

use std::path::{Path, PathBuf};

use judica_data::foreign::Reads;
use judica_data::rejects::{Given, RejectFile};

use super::files::shown;
use crate::failure::Failure;
use crate::screen;

/// Says on standard error which inputs gave nothing, where others did.
pub fn note_unused(unused: &[String]) {
    for note in unused {
        let lines: Vec<&str> = note.lines().map(str::trim).collect();
        screen::tell(&judica_report::visible(&lines.join(" ")));
    }
}

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

    /// Fails if none of these inputs, which serve one purpose, gave a row; what was refused
    /// is kept all the same. Inputs of which nothing was used are noted.
    pub fn check(self, given: &[Given], format: Reads) -> Result<Self, Failure> {
        match self.file.check(given, format) {
            Ok(unused) => {
                note_unused(&unused);
                Ok(self)
            }
            Err(message) => {
                self.file.commit(|_| false)?;
                Err(Failure::Usage(message))
            }
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
