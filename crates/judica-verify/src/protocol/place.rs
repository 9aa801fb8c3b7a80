//! Where a complaint about a protocol file points to.

use std::ops::Range;

use toml::Spanned;

use super::error::ProtocolError;
use crate::expr::{Expr, Kind};
use judica_model::nearest::nearest;

/// Where errors are made: knows the file.
pub(super) struct Place<'a> {
    pub origin: &'a str,
    pub source: &'a str,
}

impl Place<'_> {
    pub(super) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> ProtocolError {
        ProtocolError {
            file: self.origin.to_owned(),
            source: self.source.to_owned(),
            span,
            message: message.into(),
            help,
        }
    }

    /// The text of a place in the file.
    pub(super) fn text(&self, span: &Range<usize>) -> Option<&str> {
        self.source.get(span.clone())
    }

    /// Where a key is first set in the file.
    pub(super) fn key(&self, key: &str) -> Range<usize> {
        let at = |start: usize| {
            let rest = self.source[start + key.len()..].trim_start();
            let line = self.source[..start].rsplit('\n').next().unwrap_or_default();
            let before = line.chars().next_back();
            rest.starts_with('=')
                && !line.contains('#')
                && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        };
        let found = self
            .source
            .match_indices(key)
            .map(|(start, _)| start)
            .find(|start| at(*start));
        found.map_or(0..0, |start| start..start + key.len())
    }

    /// Refuses the second of two equal names.
    pub(super) fn unique<'n>(
        &self,
        what: &str,
        names: impl Iterator<Item = &'n Spanned<String>>,
    ) -> Result<(), ProtocolError> {
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            if !seen.insert(name.get_ref()) {
                return Err(self.error(
                    name.span(),
                    format!("duplicate {what} `{}`", name.get_ref()),
                    None,
                ));
            }
        }
        Ok(())
    }

    /// Compiles an expression, moving its error from the expression to the file.
    ///
    /// The span of a TOML string includes its opening quote; a basic string without
    /// escapes maps byte for byte after it.
    pub(super) fn expression(
        &self,
        text: &str,
        span: Range<usize>,
        names: &[&str],
        kind: Kind,
    ) -> Result<Expr, ProtocolError> {
        Expr::parse_as(text, names, kind).map_err(|error| {
            let start = span.start + self.quote_length(&span);
            let at = start + error.span.start..start + error.span.end.max(error.span.start + 1);
            let inside = at.end <= span.end && self.source.get(at.clone()).is_some();
            self.error(if inside { at } else { span }, error.message, error.help)
        })
    }

    pub(super) fn quote_length(&self, span: &Range<usize>) -> usize {
        let text = self.source.get(span.clone()).unwrap_or_default();
        if text.starts_with("\"\"\"") || text.starts_with("'''") {
            3
        } else {
            1
        }
    }
}

/// The help for a name that is nearly right.
pub(super) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The position of a name among those known, or an error with the nearest of them.
pub(super) fn known_name(
    place: &Place,
    what: &str,
    name: &Spanned<String>,
    known: &[&str],
) -> Result<usize, ProtocolError> {
    known
        .iter()
        .position(|candidate| candidate == name.get_ref())
        .ok_or_else(|| {
            let help = nearest(name.get_ref(), known.iter().copied()).map(did_you_mean);
            place.error(
                name.span(),
                format!("unknown {what} `{}`", name.get_ref()),
                help,
            )
        })
}
