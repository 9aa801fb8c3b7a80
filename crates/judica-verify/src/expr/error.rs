//! What is wrong with an expression, where, and what may have been meant.

use std::fmt;
use std::ops::Range;

use judica_model::text::cut;

use super::Kind;

/// Longest piece of source, in characters, that a message repeats.
const QUOTE: usize = 40;

/// Why a text is not an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprError {
    /// The place in the source, as a byte range on character boundaries.
    /// Empty at the end of the source where something is missing.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that can be guessed.
    pub help: Option<String>,
}

impl ExprError {
    /// An error without advice.
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        ExprError {
            span,
            message: message.into(),
            help: None,
        }
    }

    /// Adds advice.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// `who` needs a value of kind `wanted` but `span` is of another kind.
    pub(super) fn wrong_kind(
        who: &str,
        wanted: Kind,
        found: Kind,
        source: &str,
        span: Range<usize>,
    ) -> Self {
        let text = quote(source, &span);
        let (needed, is) = (wanted.words(), found.words());
        let error = ExprError::new(span, format!("{who} needs {needed}, but {text} is {is}"));
        match (wanted, found) {
            (Kind::Number, Kind::Boolean) => {
                error.help("a condition becomes a number with `if … then 1 else 0`")
            }
            (Kind::Number, Kind::Date) => {
                error.help("`days_between(a, b)` is how many days a date is after another")
            }
            (Kind::Number, Kind::Text) => error.help("`len(…)` is how many characters it has"),
            (_, Kind::List) => {
                error.help("go over its elements with `any`, `all`, `sum`, `max`, `min`, or `len`")
            }
            (Kind::Boolean, Kind::Number) => {
                error.help("compare the number with something, for example `… > 0`")
            }
            (Kind::Boolean, Kind::Text) => {
                error.help("compare it: `… == \"text\"`, `… matches \"pattern\"`")
            }
            (Kind::Date, Kind::Text) => error.help("write a date like \"2024-12-31\""),
            _ => error,
        }
    }
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ExprError {}

/// A piece of the source for use in a message, cut short if it is long.
pub(super) fn quote(source: &str, span: &Range<usize>) -> String {
    let text = source.get(span.clone()).unwrap_or_default();
    format!("`{}`", cut(text, QUOTE))
}
