//! Where in the gates file a complaint points to.

use std::ops::Range;

use crate::error::GateError;
use judica_model::nearest::nearest;

/// The gates file: its name as the user gave it, and its text.
pub(super) struct Place<'a> {
    name: &'a str,
    source: &'a str,
}

/// A mistake in a gates file, or in what one of its gates finds.
#[derive(Debug)]
pub(super) struct Problem {
    /// Where its text starts.
    start: usize,
    /// `file:line:column: what is wrong (how to mend it)`.
    message: String,
}

impl<'a> Place<'a> {
    pub(super) fn new(name: &'a str, source: &'a str) -> Self {
        Place { name, source }
    }

    pub(super) fn source(&self) -> &'a str {
        self.source
    }

    /// A problem at `span`; `help` says how it may be mended.
    pub(super) fn problem(
        &self,
        span: Range<usize>,
        message: impl AsRef<str>,
        help: Option<String>,
    ) -> Problem {
        let start = span.start.min(self.source.len());
        let before = self.source.get(..start).unwrap_or(self.source);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let mut message = format!("{}:{line}:{column}: {}", self.name, message.as_ref());
        if let Some(help) = help {
            message.push_str(&format!(" ({help})"));
        }
        Problem { start, message }
    }
}

/// The help for a name that is nearly one of `known`; else all of them.
pub(super) fn did_you_mean(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", known.join(", ")),
    }
}

/// All problems as one error, in the order of the file: who mends a file wants to see
/// everything that is wrong with it.
pub(super) fn all_of(mut problems: Vec<Problem>) -> GateError {
    problems.sort_by_key(|problem| problem.start);
    let messages: Vec<String> = problems.into_iter().map(|p| p.message).collect();
    GateError::BadInput(messages.join("\n"))
}
