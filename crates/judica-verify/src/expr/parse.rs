//! The grammar: one method per level of binding, each of which checks kinds
//! and emits code as it goes. There is no tree in between, so a long chain of
//! operators costs no depth.

use std::ops::Range;

use super::Kind;
use super::code::{Assembler, Binary, Op, Program};
use super::error::{ExprError, quote};
use super::functions::power;
use super::lex::{Tok, Token, tokens};
use super::operand::Operand;
use super::scope::Scope;

/// Deepest nesting of parentheses, calls, branches and prefix operators.
pub(super) const DEPTH: usize = 64;

/// A method that parses one level of the grammar.
type Level<P> = fn(&mut P) -> Result<Operand, ExprError>;

/// The outcome of parsing.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) kind: Kind,
    pub(super) variables: Vec<usize>,
    pub(super) asked: Vec<usize>,
    pub(super) program: Program,
}

/// Compiles a whole source.
///
/// # Errors
///
/// Everything that is wrong with it, in reading order, up to where the grammar cannot go on.
pub(super) fn parse(source: &str, scope: Scope) -> Result<Parsed, Vec<ExprError>> {
    let mut mistakes = Vec::new();
    let outcome = tokens(source, &mut mistakes).and_then(|tokens| {
        let mut parser = Parser {
            source,
            scope,
            tokens,
            next: 0,
            depth: 0,
            variables: Vec::new(),
            asked: Vec::new(),
            over: None,
            asm: Assembler::default(),
            mistakes: Vec::new(),
        };
        let parsed = parser.whole();
        mistakes.append(&mut parser.mistakes);
        parsed
    });
    match outcome {
        Ok(parsed) if mistakes.is_empty() => return Ok(parsed),
        Ok(_) => {}
        Err(last) => mistakes.push(last),
    }
    mistakes.sort_by_key(|mistake| mistake.span.start);
    Err(mistakes)
}

/// Progress through the tokens, and the code so far.
pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) scope: Scope<'s>,
    pub(super) tokens: Vec<Token>,
    pub(super) next: usize,
    depth: usize,
    pub(super) variables: Vec<usize>,
    pub(super) asked: Vec<usize>,
    /// The lists whose elements are gone over, where that is so.
    pub(super) over: Option<Vec<usize>>,
    pub(super) asm: Assembler,
    /// What is wrong but does not keep the rest from being read.
    pub(super) mistakes: Vec<ExprError>,
}

impl Parser<'_> {
    fn whole(&mut self) -> Result<Parsed, ExprError> {
        if self.peek() == Tok::End {
            let all = 0..self.source.len();
            return Err(ExprError::new(all, "the expression is empty"));
        }
        let whole = self.expression()?;
        if self.peek() != Tok::End {
            return Err(self.cannot_follow());
        }
        let sorted = |slots: &mut Vec<usize>| {
            slots.sort_unstable();
            slots.dedup();
            std::mem::take(slots)
        };
        Ok(Parsed {
            kind: whole.kind,
            variables: sorted(&mut self.variables),
            asked: sorted(&mut self.asked),
            program: std::mem::take(&mut self.asm).program(whole.peak),
        })
    }

    /// The token to come.
    pub(super) fn token(&self) -> &Token {
        // The last token is the end, which `advance` does not pass.
        &self.tokens[self.next]
    }

    pub(super) fn peek(&self) -> Tok {
        self.token().tok
    }

    /// Takes the token to come.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.token().clone();
        if token.tok != Tok::End {
            self.next += 1;
        }
        token
    }

    /// Parses something one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ExprError>,
    ) -> Result<T, ExprError> {
        if self.depth == DEPTH {
            let message = format!("the expression is nested more than {DEPTH} levels deep");
            return Err(ExprError::new(self.token().span.clone(), message));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Any expression.
    pub(super) fn expression(&mut self) -> Result<Operand, ExprError> {
        self.logical(Tok::Or)
    }

    /// `or`, and within it `and`: each a chain that ends as soon as the result
    /// is certain.
    fn logical(&mut self, level: Tok) -> Result<Operand, ExprError> {
        let (inner, jump): (Level<Self>, fn(usize) -> Op) = match level {
            Tok::Or => (|parser| parser.logical(Tok::And), Op::JumpIf),
            _ => (Self::negation, Op::JumpUnless),
        };
        let mut left = inner(self)?;
        let mut exits = Vec::new();
        while self.peek() == level {
            let operator = quote(self.source, &self.advance().span);
            left.require(Kind::Boolean, &operator, self.source)?;
            exits.push(self.asm.jump(jump));
            let right = inner(self)?;
            right.require(Kind::Boolean, &operator, self.source)?;
            left.join(&right, 0)?;
        }
        for exit in exits {
            self.asm.land(exit);
        }
        Ok(left)
    }

    /// `not`.
    fn negation(&mut self) -> Result<Operand, ExprError> {
        if self.peek() != Tok::Not {
            return self.comparison();
        }
        let operator = self.advance().span;
        let mut operand = self.nested(Self::negation)?;
        operand.require(Kind::Boolean, &quote(self.source, &operator), self.source)?;
        self.asm.emit(Op::Not);
        operand.span.start = operator.start;
        Ok(operand)
    }

    /// A comparison, of which there can be only one in a row.
    fn comparison(&mut self) -> Result<Operand, ExprError> {
        let left = self.sum()?;
        let operator = match self.peek() {
            Tok::Compare(operator) => operator,
            Tok::In | Tok::Contains | Tok::Matches => return self.membership(left),
            _ => return Ok(left),
        };
        let first = self.advance().span;
        let (left_span, mut whole) = (left.span.clone(), left);
        let right = match whole.kind {
            Kind::Text | Kind::List | Kind::Date => {
                self.compared_term(&mut whole, operator, &first)?
            }
            _ => self.binary_right(&mut whole, operator, &first, Self::sum)?,
        };
        if let Tok::Compare(_) = self.peek() {
            let second = self.advance().span;
            let third = self.sum()?.span;
            let text = |span: Range<usize>| &self.source[span];
            let (a, b, c) = (text(left_span), text(right.span), text(third.clone()));
            let (first, second) = (text(first), text(second));
            return Err(
                ExprError::new(whole.span.start..third.end, "comparisons do not chain")
                    .help(format!("write `{a} {first} {b} and {b} {second} {c}`")),
            );
        }
        whole.kind = Kind::Boolean;
        whole.term = None;
        Ok(whole)
    }

    /// The names that can be read.
    pub(super) fn names(&self) -> Vec<&str> {
        let variables = self.scope.variables.iter();
        variables.map(|variable| variable.name).collect()
    }

    /// `+` and `-`.
    pub(super) fn sum(&mut self) -> Result<Operand, ExprError> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Tok::Add => Binary::Add,
                Tok::Sub => Binary::Sub,
                _ => return Ok(left),
            };
            let place = self.advance().span;
            self.binary_right(&mut left, operator, &place, Self::product)?;
        }
    }

    /// `*` and `/`.
    fn product(&mut self) -> Result<Operand, ExprError> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.peek() {
                Tok::Mul => Binary::Mul,
                Tok::Div => Binary::Div,
                _ => return Ok(left),
            };
            let place = self.advance().span;
            self.binary_right(&mut left, operator, &place, Self::unary)?;
        }
    }

    /// The right side of a binary operator, joined to the left one.
    fn binary_right(
        &mut self,
        left: &mut Operand,
        operator: Binary,
        place: &Range<usize>,
        level: Level<Self>,
    ) -> Result<Operand, ExprError> {
        let who = quote(self.source, place);
        left.require(Kind::Number, &who, self.source)?;
        let right = level(self)?;
        right.require(Kind::Number, &who, self.source)?;
        let waiting = self.asm.binary(operator, right.at);
        left.join(&right, waiting)?;
        Ok(right)
    }

    /// Unary `-`.
    fn unary(&mut self) -> Result<Operand, ExprError> {
        if self.peek() != Tok::Sub {
            return self.power();
        }
        let operator = self.advance().span;
        let mut operand = self.nested(Self::unary)?;
        operand.require(Kind::Number, "`-`", self.source)?;
        self.asm.negate(operand.at);
        operand.span.start = operator.start;
        Ok(operand)
    }

    /// `^`, whose right side may carry a minus or be a power again.
    fn power(&mut self) -> Result<Operand, ExprError> {
        let mut left = self.primary()?;
        if self.peek() != Tok::Power {
            return Ok(left);
        }
        self.advance();
        left.require(Kind::Number, "`^`", self.source)?;
        let right = self.nested(Self::unary)?;
        right.require(Kind::Number, "`^`", self.source)?;
        self.asm.save_across(right.at);
        self.asm.call("^", Op::Two(power));
        left.join(&right, 1)?;
        Ok(left)
    }
}
