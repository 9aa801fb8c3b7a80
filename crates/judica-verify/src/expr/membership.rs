//! What lists and texts hold: `in`, `contains` and `matches`, and that what is written down is of
//! the kind of what it stands beside.

use std::ops::Range;

use regex::Regex;

use super::Kind;
use super::beyond::{Beyond, Needle, Term};
use super::code::Op;
use super::error::{ExprError, quote};
use super::lex::Tok;
use super::operand::Operand;
use super::parse::Parser;
use super::primary::LISTED;
use super::scope::{Values, Variable};
use crate::moment;
use crate::value::Value;
use judica_model::nearest::nearest;

impl<'s> Parser<'s> {
    /// The name whose value stands in a slot.
    fn variable_of(&self, slot: usize) -> &'s Variable<'s> {
        let field = match self.scope.reads {
            Some(reads) => reads.of(slot).field,
            None => slot,
        };
        &self.scope.variables[field]
    }

    /// What the elements of a list are, where it is not written down.
    fn element_of(&self, list: &Operand) -> Option<Kind> {
        match list.term {
            Some(Term::Slot(slot)) if list.kind == Kind::List => {
                Some(self.variable_of(slot).element)
            }
            _ => None,
        }
    }

    /// Where a text stands that is written down alone or in a list.
    fn written_at(&self, written: &Range<usize>, text: &str) -> Range<usize> {
        let source = &self.source[written.clone()];
        let quoted = ["'", "\""].map(|quote| format!("{quote}{text}{quote}"));
        let at = quoted.iter().find_map(|quoted| source.find(quoted));
        let at = written.start + at.unwrap_or_default();
        at..at + quoted[0].len()
    }

    /// Two lists that are compared have elements of one kind.
    pub(super) fn agree(
        &self,
        left: &mut Operand,
        right: &mut Operand,
        who: &str,
    ) -> Result<(), ExprError> {
        if let Some(element) = self.element_of(left) {
            return self.hold(right, element, who);
        }
        match self.element_of(right) {
            Some(element) => self.hold(left, element, who),
            None => Ok(()),
        }
    }

    /// What is looked for in a list is of the kind of its elements.
    fn agree_with(
        &mut self,
        list: &mut Operand,
        needle: &mut Operand,
        who: &str,
    ) -> Result<(), ExprError> {
        if self.element_of(list) == Some(Kind::Date) {
            self.dated(needle)?;
        }
        match needle.kind {
            Kind::Number | Kind::Text | Kind::Date => self.hold(list, needle.kind, who),
            // Refused by whoever looks for it.
            Kind::Boolean | Kind::List => Ok(()),
        }
    }

    /// Refuses a list with elements of another kind than `wanted`: they would never be equal.
    /// Texts that are written down where dates are wanted become dates.
    fn hold(&self, list: &mut Operand, wanted: Kind, who: &str) -> Result<(), ExprError> {
        let wrong = |found: Kind| {
            let list = quote(self.source, &list.span);
            let (wanted, found) = (wanted.words(), found.words());
            format!("{who} needs {wanted}, but {list} holds {found}")
        };
        let mut elements = Vec::new();
        match &mut list.term {
            Some(Term::Slot(slot)) => elements.push(self.variable_of(*slot).element),
            Some(Term::Literal(Value::List(items))) => {
                for item in items {
                    if wanted == Kind::Date
                        && let Value::Text(text) = item
                    {
                        let at = self.written_at(&list.span, text);
                        *item = Value::Number(self.moment(text, at)?);
                        continue;
                    }
                    elements.push(match item {
                        Value::Text(_) => Kind::Text,
                        _ => Kind::Number,
                    });
                }
            }
            _ => {}
        }
        // Within lists a boolean is 1 or 0.
        let plain = |kind| match kind {
            Kind::Boolean => Kind::Number,
            kind => kind,
        };
        match elements.iter().find(|kind| plain(**kind) != plain(wanted)) {
            Some(found) => Err(ExprError::new(list.span.clone(), wrong(*found))),
            None => Ok(()),
        }
    }

    /// The moment that a text which stands there says.
    pub(super) fn moment(&self, text: &str, at: Range<usize>) -> Result<f64, ExprError> {
        moment::iso(text).ok_or_else(|| {
            let message = format!("{} is no date", quote(self.source, &at));
            ExprError::new(at, message)
                .help("write it like \"2024-12-31\" or \"2024-12-31T23:59:59Z\"")
        })
    }

    /// Tells of texts that are written down beside an enumeration and are none of its values:
    /// such a comparison never comes out as it was meant.
    pub(super) fn check_values(&mut self, of: &Operand, written: &Operand) {
        let (Some(Term::Slot(slot)), Some(Term::Literal(literal))) = (&of.term, &written.term)
        else {
            return;
        };
        let Some(Values { names, aliases }) = self.variable_of(*slot).values else {
            return;
        };
        for text in literal
            .items()
            .iter()
            .chain([literal])
            .filter_map(Value::text)
        {
            if names.iter().any(|name| name == text) {
                continue;
            }
            let span = self.written_at(&written.span, text);
            let who = quote(self.source, &of.span);
            self.mistakes.push(if let Some(meant) = aliases.get(text) {
                let message = format!(
                    "`{text}` is an alias of a value of {who}, and values are compared after aliases"
                );
                ExprError::new(span, message).help(format!("write `{}`", names[*meant]))
            } else {
                let error = ExprError::new(span, format!("`{text}` is none of the values of {who}"));
                match nearest(text, names.iter().map(String::as_str)) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None if names.len() <= LISTED => {
                        error.help(format!("they are `{}`", names.join("`, `")))
                    }
                    None => error,
                }
            });
        }
    }

    /// `in`, `contains` and `matches`.
    pub(super) fn membership(&mut self, left: Operand) -> Result<Operand, ExprError> {
        let operator = self.advance();
        let who = quote(self.source, &operator.span);
        if operator.tok == Tok::Matches {
            return self.matching(left, &who);
        }
        let right = self.sum()?;
        let span = left.span.start..right.span.end;
        let (mut within, mut needle) = match operator.tok {
            Tok::In => (right, left),
            _ => (left, right),
        };
        let peak = within.peak.max(needle.peak);
        // Within a text any piece of it can be looked for.
        if within.kind == Kind::List {
            self.check_values(&within, &needle);
            self.check_values(&needle, &within);
            self.agree_with(&mut within, &mut needle, &who)?;
        }
        let Some(holder) = within
            .term
            .filter(|_| matches!(within.kind, Kind::Text | Kind::List))
        else {
            let message = format!(
                "{who} looks into a list or text, and {} is {}",
                quote(self.source, &within.span),
                within.kind.words()
            );
            return Err(ExprError::new(within.span, message));
        };
        let at = match needle.term {
            Some(term) if needle.kind == Kind::Text => {
                let needle = Needle::Term(term);
                self.asm.beyond(Beyond::Holds(holder, needle), Op::Test)
            }
            _ if within.kind == Kind::List && matches!(needle.kind, Kind::Number | Kind::Date) => {
                self.asm
                    .of_number(Beyond::Holds(holder, Needle::Number), Op::Test);
                needle.at
            }
            _ => {
                return Err(ExprError::wrong_kind(
                    &who,
                    Kind::Text,
                    needle.kind,
                    self.source,
                    needle.span,
                ));
            }
        };
        Ok(Operand {
            kind: Kind::Boolean,
            span,
            at,
            peak,
            term: None,
        })
    }

    /// The pattern behind `matches`.
    fn matching(&mut self, left: Operand, who: &str) -> Result<Operand, ExprError> {
        left.require(Kind::Text, who, self.source)?;
        let right = self.sum()?;
        let Some(Term::Literal(Value::Text(pattern))) = &right.term else {
            let message = "a pattern is written down, in quotes";
            return Err(ExprError::new(right.span, message));
        };
        let pattern = Regex::new(pattern).map_err(|error| {
            let message = format!("no pattern: {}", pattern_error(&error));
            let refused = ExprError::new(right.span.clone(), message);
            match pattern_help(&error) {
                Some(help) => refused.help(help),
                None => refused,
            }
        })?;
        let at = match left.term {
            Some(term) => self.asm.beyond(Beyond::Matches(term, pattern), Op::Test),
            None => left.at,
        };
        Ok(Operand {
            kind: Kind::Boolean,
            span: left.span.start..right.span.end,
            at,
            peak: left.peak,
            term: None,
        })
    }
}

/// What is wrong with a pattern, in one line.
pub(crate) fn pattern_error(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.unwrap_or_default()
        .trim_start_matches("error: ")
        .to_owned()
}

/// What to say where a pattern is refused for what only slower engines can do.
pub(crate) fn pattern_help(error: &regex::Error) -> Option<&'static str> {
    let refused = pattern_error(error);
    let slow = ["look-around", "backreferences"];
    slow.iter().any(|what| refused.contains(what)).then_some(
        "patterns are searched in linear time: there is no looking around and no reference back",
    )
}
