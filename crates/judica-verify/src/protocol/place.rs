//! Where a complaint about a protocol file points to; and all complaints about one file.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;

use super::error::{ProtocolError, ProtocolErrors};
use super::names::Names;
use crate::expr::{Expr, Kind, Scope};
use judica_model::nearest::nearest;

/// The place of what does not stand in the file: it was put there so that the rest can be
/// checked, and what is wrong with it is nobody's mistake.
pub(super) const NOWHERE: Range<usize> = usize::MAX..usize::MAX;

/// A file that is being checked, and what was found wrong with it so far.
pub(super) struct Place<'a> {
    origin: Arc<str>,
    text: Arc<str>,
    pub source: &'a str,
    found: RefCell<Vec<ProtocolError>>,
}

impl<'a> Place<'a> {
    pub(super) fn new(origin: &str, source: &'a str) -> Self {
        Place {
            origin: origin.into(),
            text: source.into(),
            source,
            found: RefCell::default(),
        }
    }

    /// Tells of a mistake.
    pub(super) fn tell(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        if span == NOWHERE {
            return;
        }
        self.found.borrow_mut().push(ProtocolError {
            file: Arc::clone(&self.origin),
            source: Arc::clone(&self.text),
            span,
            message: message.into(),
            help,
        });
    }

    /// How many mistakes were told.
    pub(super) fn told(&self) -> usize {
        self.found.borrow().len()
    }

    /// All that was told, in the order of the file, if anything was.
    pub(super) fn verdict(self) -> Result<(), ProtocolErrors> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|error| error.span.start);
        found.dedup();
        if found.is_empty() {
            Ok(())
        } else {
            Err(ProtocolErrors(found))
        }
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

    /// Tells of every second of two equal names.
    pub(super) fn unique<'n>(&self, what: &str, names: impl Iterator<Item = &'n Spanned<String>>) {
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            if !seen.insert(name.get_ref()) {
                let message = format!("duplicate {what} `{}`", name.get_ref());
                self.tell(name.span(), message, None);
            }
        }
    }

    /// Compiles an expression, moving its errors from the expression to the file.
    pub(super) fn expression(
        &self,
        text: &str,
        span: Range<usize>,
        scope: Scope,
        kind: Kind,
        names: &Names,
    ) -> Option<Expr> {
        match Expr::parse_as(text, scope, kind) {
            Ok(expr) => Some(expr),
            Err(errors) => {
                for error in names.advised(text, scope, kind, errors) {
                    let at = error.span.start..error.span.end.max(error.span.start + 1);
                    self.tell(self.inside(&span, at), error.message, error.help);
                }
                None
            }
        }
    }

    /// The place of a part of a TOML string, or the whole string where escapes shift the text
    /// against the file.
    ///
    /// The span of a TOML string includes its opening quote; a string without escapes maps
    /// byte for byte after it, and after the line end that may follow the quote of a long one.
    pub(super) fn inside(&self, span: &Range<usize>, part: Range<usize>) -> Range<usize> {
        let text = self.source.get(span.clone()).unwrap_or_default();
        let long = text.starts_with("\"\"\"") || text.starts_with("'''");
        let before = match long {
            true if text[3..].starts_with('\n') => 4,
            true if text[3..].starts_with("\r\n") => 5,
            true => 3,
            false => 1,
        };
        let escaped = text.starts_with('"') && text.contains('\\');
        let at = before + part.start..before + part.end;
        if escaped || text.get(at.clone()).is_none() {
            span.clone()
        } else {
            span.start + at.start..span.start + at.end
        }
    }
}

/// The help for a name that is nearly right.
pub(super) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The position of a family among those known; tells of one that is not, with the nearest of
/// them or with what else goes by that name.
pub(super) fn known_family(
    place: &Place,
    name: &Spanned<String>,
    known: &[&str],
    names: &Names,
) -> Option<usize> {
    let word = name.get_ref();
    let position = known.iter().position(|candidate| candidate == word);
    if position.is_none() {
        let help = names
            .other_than_family(word)
            .or_else(|| nearest(word, known.iter().copied()).map(did_you_mean));
        place.tell(name.span(), format!("unknown family `{word}`"), help);
    }
    position
}
