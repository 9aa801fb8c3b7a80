//! What is wrong with a protocol file, and where.

use std::fmt;
use std::ops::Range;

/// A problem in a protocol file: where it stands and how it may be mended.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolError {
    /// The file as the user named it.
    pub file: String,
    /// The file's text, so that the place can be shown.
    pub source: String,
    /// Byte range of the offending text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How it may be mended, e.g. the nearest valid name.
    pub help: Option<String>,
}

impl ProtocolError {
    /// Line and column (both from 1, the column in characters) of the offending text.
    pub fn line_column(&self) -> (usize, usize) {
        let start = self.span.start.min(self.source.len());
        let before = self.source.get(..start).unwrap_or(&self.source);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}: {}", self.file, self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProtocolError {}
