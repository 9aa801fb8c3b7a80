//! What to say where the grammar cannot go on.

use super::error::{ExprError, quote};
use super::functions::{FUNCTIONS, elsewhere};
use super::lex::{Tok, Token};
use super::parse::Parser;
use judica_model::nearest::nearest;

impl Parser<'_> {
    /// The token to come, in words.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            Tok::End => "the end of the expression".to_owned(),
            _ => quote(self.source, &self.token().span),
        }
    }

    /// A value is needed and the token to come does not begin one.
    pub(super) fn no_value(&self) -> ExprError {
        let span = self.token().span.clone();
        let found = self.found();
        match self.peek() {
            Tok::Not => ExprError::new(span, format!("expected a number, found {found}")),
            Tok::Add => ExprError::new(span, format!("expected a value, found {found}"))
                .help("a number needs no `+` before it"),
            _ => ExprError::new(span, format!("expected a value, found {found}")),
        }
    }

    /// A value is complete and the token to come does not continue it.
    pub(super) fn cannot_follow(&self) -> ExprError {
        let span = self.token().span.clone();
        let found = self.found();
        match self.peek() {
            Tok::Close => ExprError::new(span, "this `)` closes nothing"),
            Tok::Comma => ExprError::new(span, "`,` can only stand between arguments")
                .help("a decimal fraction is written with `.`"),
            Tok::Then | Tok::Else => ExprError::new(span, format!("{found} without `if`"))
                .help("a choice is written `if … then … else …`"),
            Tok::Name => {
                let word = &self.source[span.clone()];
                let meant = nearest(word, ["and", "or", "then", "else"].into_iter());
                let error = ExprError::new(span, format!("expected an operator before {found}"));
                match (elsewhere(word), meant) {
                    (Some(advice), _) => error.help(advice),
                    (None, Some(meant)) => error.help(format!("did you mean `{meant}`?")),
                    (None, None) => error.help("a product is written with `*`"),
                }
            }
            Tok::Dot => ExprError::new(
                span,
                "`.` stands behind `gold`, `context` or `previous` only",
            ),
            Tok::OpenList => ExprError::new(span, "`[` stands behind a name, or begins a list"),
            Tok::CloseList => ExprError::new(span, "this `]` closes nothing"),
            Tok::Number(_) | Tok::Open => {
                ExprError::new(span, format!("expected an operator before {found}"))
                    .help("a product is written with `*`")
            }
            _ => ExprError::new(span, format!("expected an operator, found {found}")),
        }
    }

    /// The name in `token` is called but is not a function.
    pub(super) fn no_function(&self, token: &Token) -> ExprError {
        let word = &self.source[token.span.clone()];
        let quoted = quote(self.source, &token.span);
        if self.names().contains(&word) {
            let message = format!("{quoted} is a variable, not a function");
            return ExprError::new(token.span.clone(), message)
                .help(format!("a product is written with `*`: `{word} * (…)`"));
        }
        let error = ExprError::new(token.span.clone(), format!("unknown function {quoted}"));
        if let Some(advice) = elsewhere(word) {
            return error.help(advice);
        }
        let known = FUNCTIONS.iter().map(|function| function.name);
        let known = known.chain(["len", "lower", "is_null", "any", "all", "sum"]);
        match nearest(word, known) {
            Some(name) => error.help(format!("did you mean `{name}`?")),
            None => error,
        }
    }
}
