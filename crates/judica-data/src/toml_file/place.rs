//! Where in a file a complaint points to.

use std::ops::Range;

use judica_model::nearest::nearest;

use crate::work_error::WorkError;

/// A file: its name as the user gave it, and its text.
#[derive(Debug)]
pub struct Place<'a> {
    name: &'a str,
    source: &'a str,
}

/// A mistake in a file, or in what is found where it points to.
#[derive(Debug)]
pub struct Problem {
    /// Where its text starts.
    start: usize,
    /// `file:line:column: what is wrong (how to mend it)`.
    message: String,
}

impl<'a> Place<'a> {
    /// The file of a name, with this text.
    pub fn new(name: &'a str, source: &'a str) -> Self {
        Place { name, source }
    }

    /// Its text.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// A problem at `span`; `help` says how it may be mended.
    pub fn problem(
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
pub fn did_you_mean(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", known.join(", ")),
    }
}

/// All problems as one error, in the order of the file: who mends a file wants to see
/// everything that is wrong with it.
pub fn all_of(mut problems: Vec<Problem>) -> WorkError {
    problems.sort_by_key(|problem| problem.start);
    let messages: Vec<String> = problems.into_iter().map(|p| p.message).collect();
    WorkError::BadInput(messages.join("\n"))
}
