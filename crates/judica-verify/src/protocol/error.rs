//! What is wrong with a protocol file, and where.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A problem in a protocol file: where it stands and how it may be mended.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolError {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The file's text, so that the place can be shown.
    pub source: Arc<str>,
    /// Byte range of the offending text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How it may be mended, e.g. the nearest valid name. Of several lines where a piece of
    /// file is missing: a sentence, then what can be put there.
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

/// Everything that is wrong with a protocol file, in its order: at least one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolErrors(pub Vec<ProtocolError>);

impl fmt::Display for ProtocolErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.0.iter().enumerate() {
            let apart = if position == 0 { "" } else { "\n" };
            write!(f, "{apart}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProtocolErrors {}
