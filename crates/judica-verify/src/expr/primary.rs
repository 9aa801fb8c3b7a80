//! The innermost level of the grammar: numbers, names, calls, parentheses and
//! branches; and what to say where none of these stands.

use std::f64::consts;

use super::Kind;
use super::code::Op;
use super::error::{ExprError, quote};
use super::functions::{Body, Function, UNKNOWN, elsewhere, find};
use super::lex::{Tok, Token};
use super::operand::Operand;
use super::parse::Parser;
use super::scope::Source;
use judica_model::nearest::nearest;

/// Name of the constant.
pub(super) const PI: &str = "pi";

/// Up to this many names are listed when none resembles the one written.
pub(super) const LISTED: usize = 12;

impl Parser<'_> {
    /// Whatever can stand on its own.
    pub(super) fn primary(&mut self) -> Result<Operand, ExprError> {
        match self.peek() {
            Tok::Number(value) => {
                let token = self.advance();
                Ok(self.leaf(&token, Op::LoadConst(value)))
            }
            Tok::Text => Ok(self.quoted()),
            Tok::OpenList => self.listed(),
            Tok::Name => {
                let token = self.advance();
                if self.peek() == Tok::Open {
                    match self.of_terms(&token) {
                        Some(called) => called,
                        None => self.call(&token),
                    }
                } else {
                    self.name(&token)
                }
            }
            Tok::Open => self.parentheses(),
            Tok::If => self.nested(Self::branches),
            _ => Err(self.no_value()),
        }
    }

    pub(super) fn leaf(&mut self, token: &Token, load: Op) -> Operand {
        let at = self.asm.here();
        self.asm.emit(load);
        Operand {
            kind: Kind::Number,
            span: token.span.clone(),
            at,
            peak: 0,
            term: None,
        }
    }

    fn parentheses(&mut self) -> Result<Operand, ExprError> {
        let open = self.advance();
        let mut inner = self.nested(Self::expression)?;
        inner.span = open.span.start..self.close(&open)?;
        Ok(inner)
    }

    /// Takes the `)` that belongs to `open` and returns where it ends.
    pub(super) fn close(&mut self, open: &Token) -> Result<usize, ExprError> {
        match self.peek() {
            Tok::Close => Ok(self.advance().span.end),
            Tok::End => Err(ExprError::new(
                open.span.clone(),
                "this `(` is never closed",
            )),
            _ => Err(self.cannot_follow()),
        }
    }

    /// `if C then A else B`, where `B` may be the next `if` of a chain. A chain
    /// is taken in a loop, so its length costs no depth.
    fn branches(&mut self) -> Result<Operand, ExprError> {
        let start = self.advance().span.start;
        let mut whole = self.condition()?;
        let mut kind = None;
        let mut exits = Vec::new();
        loop {
            let skip = self.asm.jump(Op::JumpUnless);
            whole.join(&self.branch(&mut kind)?, 0)?;
            exits.push(self.asm.jump(Op::Jump));
            self.asm.land(skip);
            self.keyword(Tok::Else, "else")?;
            if self.peek() != Tok::If {
                break;
            }
            self.advance();
            whole.join(&self.condition()?, 0)?;
        }
        whole.join(&self.branch(&mut kind)?, 0)?;
        for exit in exits {
            self.asm.land(exit);
        }
        whole.kind = kind.unwrap_or(Kind::Number);
        whole.term = None;
        whole.span.start = start;
        Ok(whole)
    }

    /// What stands between `if` and `then`.
    fn condition(&mut self) -> Result<Operand, ExprError> {
        let condition = self.expression()?;
        condition.require(Kind::Boolean, "`if`", self.source)?;
        self.keyword(Tok::Then, "then")?;
        Ok(condition)
    }

    /// A branch, of the `kind` of those before it.
    fn branch(&mut self, kind: &mut Option<Kind>) -> Result<Operand, ExprError> {
        let branch = self.expression()?;
        if !matches!(branch.kind, Kind::Number | Kind::Boolean) {
            let message = "a branch gives a number or a condition";
            return Err(ExprError::new(branch.span, message));
        }
        branch.require(
            *kind.get_or_insert(branch.kind),
            "this branch, like the first one,",
            self.source,
        )?;
        Ok(branch)
    }

    fn keyword(&mut self, tok: Tok, text: &str) -> Result<(), ExprError> {
        if self.peek() == tok {
            self.advance();
            return Ok(());
        }
        let span = self.token().span.clone();
        let message = format!("expected `{text}`, found {}", self.found());
        Err(ExprError::new(span, message).help("a choice is written `if … then … else …`"))
    }

    /// A variable or the constant.
    fn name(&mut self, token: &Token) -> Result<Operand, ExprError> {
        let text = &self.source[token.span.clone()];
        if text == PI {
            return Ok(self.leaf(token, Op::LoadConst(consts::PI)));
        }
        if let Some(operand) = self.variable(token)? {
            return Ok(operand);
        }
        let quoted = quote(self.source, &token.span);
        let span = token.span.clone();
        if let Some(function) = find(text) {
            let message = format!("{quoted} is a function and needs its arguments");
            return Err(ExprError::new(span, message).help(format!("write `{}`", function.usage)));
        }
        let error = ExprError::new(span, format!("unknown name {quoted}"));
        let sources = Source::NAMED.iter().map(|(name, _)| *name);
        if self.peek() == Tok::Dot
            && let Some(meant) = nearest(text, sources)
        {
            return Err(error.help(format!("did you mean `{meant}`?")));
        }
        let names = self.names();
        let known = names.iter().copied();
        self.mistakes.push(if let Some(advice) = elsewhere(text) {
            error.help(advice)
        } else if let Some(name) = nearest(text, known.chain([PI])) {
            error.help(format!("did you mean `{name}`?"))
        } else if (1..=LISTED).contains(&names.len()) {
            error.help(format!("the names here are `{}`", names.join("`, `")))
        } else {
            error
        });
        Ok(self.leaf(token, Op::LoadConst(f64::NAN)))
    }

    /// A call of the function named by `token`; the `(` is yet to come.
    fn call(&mut self, token: &Token) -> Result<Operand, ExprError> {
        let text = &self.source[token.span.clone()];
        let function = match find(text) {
            Some(function) => function,
            None => {
                let mistake = self.no_function(token);
                self.mistakes.push(mistake);
                &UNKNOWN
            }
        };
        let open = self.advance();
        let at = self.asm.here();
        let mut whole = Operand {
            kind: Kind::Number,
            span: token.span.clone(),
            at,
            peak: 0,
            term: None,
        };
        let count = self.nested(|parser| parser.arguments(function, &mut whole))?;
        whole.span.end = self.close(&open)?;
        if let Some(needed) = function.body.wrong_count(count) {
            let message = format!("`{text}` takes {needed}, not {count}");
            self.mistakes.push(
                ExprError::new(whole.span.clone(), message)
                    .help(format!("it is called as `{}`", function.usage)),
            );
            if count == 0 {
                // Whatever takes it in begins with a load.
                self.asm.emit(Op::LoadConst(f64::NAN));
            }
            return Ok(whole);
        }
        let op = match (function.body, count) {
            (Body::Inline(op), _) => op,
            (Body::One(body), _) => Op::One(body),
            (Body::Two(body) | Body::Dates(body) | Body::TwoOrThree(body, _), 2) => Op::Two(body),
            (Body::Three(body) | Body::TwoOrThree(_, body), _) => Op::Three(body),
            (Body::Any, 0) => Op::LoadConst(f64::NAN),
            // Taken together argument by argument, or never run.
            (Body::Two(_) | Body::Dates(_) | Body::Fold(_) | Body::Any, _) => return Ok(whole),
        };
        self.asm.call(function.name, op);
        Ok(whole)
    }

    /// The arguments of `function`, joined to `whole`; returns their number.
    fn arguments(&mut self, function: &Function, whole: &mut Operand) -> Result<usize, ExprError> {
        if self.peek() == Tok::Close {
            return Ok(0);
        }
        let mut count = 0;
        loop {
            let mut argument = self.expression()?;
            let who = format!("`{}`", function.name);
            if matches!(function.body, Body::Dates(_)) {
                self.dated(&mut argument)?;
                argument.require(Kind::Date, &who, self.source)?;
            } else {
                argument.require(Kind::Number, &who, self.source)?;
            }
            // More than two never wait: further arguments are either taken in
            // one by one or too many, which the caller will say.
            whole.join(&argument, count.min(2))?;
            if count > 0 {
                self.asm.save_across(argument.at);
                if let Body::Fold(body) = function.body {
                    self.asm.call(function.name, Op::Two(body));
                }
            }
            count += 1;
            if self.peek() != Tok::Comma {
                return Ok(count);
            }
            self.advance();
        }
    }
}
