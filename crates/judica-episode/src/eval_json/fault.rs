//! Why a file cannot be used, and where in it that stands.

use std::fmt;

use super::text::{NotJson, Walked};

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: u64,
    /// The value it is about, as a JSON pointer; empty for the whole file.
    pub pointer: String,
    /// A short code for programs.
    pub reason: &'static str,
    /// What was found and what was expected.
    pub detail: String,
}

impl Fault {
    /// A fault in a text that was walked.
    pub fn new(
        walked: &Walked,
        pointer: impl Into<String>,
        reason: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        let pointer = pointer.into();
        Fault {
            line: walked.locate(&pointer),
            pointer,
            reason,
            detail: detail.into(),
        }
    }
}

impl From<NotJson> for Fault {
    fn from(error: NotJson) -> Self {
        Fault {
            line: error.line,
            pointer: String::new(),
            reason: "not_json",
            detail: error.reason,
        }
    }
}

/// To be put after the name of the file and a colon.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.line)?;
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.detail)
    }
}
