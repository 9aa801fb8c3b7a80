//! Rule expressions: the small language in which a protocol file says
//! what to compute from named values.
//!
//! An expression such as `abs(gps_alt - baro_alt)` or
//! `ias < 50 and pitch > 15` is checked once, when the protocol is loaded, and
//! then evaluated for every row of data. So all that can be wrong with it is
//! found by [`Expr::parse`] and reported with the place in the source;
//! evaluation cannot fail.
//!
//! # Language
//!
//! From the loosest binding to the tightest:
//!
//! | form | notes |
//! |---|---|
//! | `if C then A else B` | `else if` chains; the last branch extends as far as it can |
//! | `or`, `\|\|` | |
//! | `and`, `&&` | |
//! | `not`, `!` | |
//! | `<` `<=` `>` `>=` `==` `!=` | between numbers or dates, `==` and `!=` between texts; does not chain |
//! | `in` `contains` `matches` | of lists and text; does not chain |
//! | `+` `-` | left to right |
//! | `*` `/` | left to right |
//! | unary `-` | |
//! | `^` | power, right to left: `-2 ^ 2` is `-(2 ^ 2)` |
//!
//! Functions: `abs`, `min`, `max`, `sqrt`, `hypot`, `atan2`, `sin`, `cos`,
//! `tan`, `asin`, `acos`, `degrees`, `radians`, `arc`, `floor`, `ceil`,
//! `round`, `sign`, `clamp`, `exp`, `ln`, `days_between`; of text and lists `len`, `lower`,
//! `is_null`, and over the elements of lists `any`, `all`, `sum`, `max`, `min`, within which
//! the name of a list stands for one element. Constant: `pi`.
//!
//! Names: `speed`, and where the scope has other reads `gold.speed`, `context.speed`,
//! `previous.speed`, and `speed[-1]` for the step before.
//!
//! # Values
//!
//! A value is a number (an IEEE double), a condition, text, a date or a list, and which of them
//! is known before evaluation. Arithmetic is done left to right exactly as
//! written: nothing is re-associated, contracted or folded. Transcendental
//! functions come from `libm`, not from the platform, so the same input gives
//! the same bits everywhere.
//!
//! NaN stands for a missing value. Every operator and function that receives
//! one returns one (`min` and `max` included), except the power `x ^ 0` and
//! `1 ^ x`, which IEEE defines as 1. A comparison with NaN is false; only `!=`
//! is then true.

mod beyond;
mod code;
mod error;
mod functions;
mod interval;
mod lanes;
mod lex;
mod membership;
mod operand;
mod parse;
mod primary;
mod range;
mod run;
mod scope;
mod terms;
mod unexpected;

#[cfg(test)]
mod tests;

pub use error::ExprError;
pub use interval::Interval;
pub use lanes::{Flags, LANES, Lanes};
pub(crate) use membership::{pattern_error, pattern_help};
pub use range::Truth;
pub use scope::{Read, Reads, Scope, Slots, Source, Values, Variable};

use code::Program;

/// What a piece of an expression gives. A whole one gives a number or a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An IEEE double.
    Number,
    /// True or false.
    Boolean,
    /// Characters.
    Text,
    /// A moment.
    Date,
    /// Several of one of these.
    List,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Number => "a number",
            Kind::Boolean => "a condition",
            Kind::Text => "text",
            Kind::Date => "a date",
            Kind::List => "a list",
        }
    }
}

/// A checked and compiled expression.
#[derive(Debug, Clone)]
pub struct Expr {
    source: Box<str>,
    kind: Kind,
    variables: Box<[usize]>,
    asked: Box<[usize]>,
    program: Program,
}

impl Expr {
    /// Compiles `source`, in which `names[i]` stands for the number in slot `i`.
    ///
    /// Where a name occurs twice in `names` the first one counts. A name that
    /// is a word of the language (`if`, `and`, `pi` …) cannot be reached.
    ///
    /// # Errors
    ///
    /// The first thing wrong with the expression, in reading order.
    pub fn parse(source: &str, names: &[&str]) -> Result<Expr, ExprError> {
        let variables: Vec<Variable> = names.iter().map(|name| Variable::number(name)).collect();
        let scope = Scope {
            variables: &variables,
            reads: None,
        };
        Expr::read(source, scope).map_err(|mut mistakes| mistakes.swap_remove(0))
    }

    fn read(source: &str, scope: Scope) -> Result<Expr, Vec<ExprError>> {
        let parsed = parse::parse(source, scope)?;
        Ok(Expr {
            source: source.into(),
            kind: parsed.kind,
            variables: parsed.variables.into(),
            asked: parsed.asked.into(),
            program: parsed.program,
        })
    }

    /// Compiles `source` in a scope, and requires the result to be of this kind.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, in reading order, up to where the grammar cannot go on; the
    /// wrong kind is reported over the expression.
    pub fn parse_as(source: &str, scope: Scope, kind: Kind) -> Result<Expr, Vec<ExprError>> {
        let expr = Expr::read(source, scope)?;
        if expr.kind == kind {
            return Ok(expr);
        }
        let start = source.len() - source.trim_start().len();
        let span = start..source.trim_end().len();
        let who = "this place";
        Err(vec![ExprError::wrong_kind(
            who, kind, expr.kind, source, span,
        )])
    }

    /// The slots that `source` reads, whatever it gives.
    pub fn variables_of(source: &str, scope: Scope) -> Option<Vec<usize>> {
        Some(parse::parse(source, scope).ok()?.variables)
    }

    /// Whether it gives a number or a condition.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The text it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its text word by word, so that white space between them does not count.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        let tokens = lex::tokens(&self.source, &mut Vec::new()).unwrap_or_default();
        let spans = tokens.into_iter().map(|token| token.span);
        spans.map(|span| &self.source[span]).collect()
    }

    /// The slots it reads, ascending and without repeats.
    #[must_use]
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// Those of them that it asks whether they are null: it can do without them.
    #[must_use]
    pub fn asked(&self) -> &[usize] {
        &self.asked
    }

    /// Its value for these slots; a condition gives 1 for true and 0 for false.
    ///
    /// `slots` should be as long as the `names` it was compiled with. A slot
    /// beyond the end reads as NaN, that is, as a missing value.
    #[inline]
    #[must_use]
    pub fn eval_number<'s>(&self, slots: impl Into<Slots<'s>>) -> f64 {
        let outcome = self.program.run(slots.into());
        match self.kind {
            _ if outcome.misaligned => f64::NAN,
            Kind::Boolean => f64::from(u8::from(outcome.condition)),
            _ => outcome.number,
        }
    }

    /// Whether it holds for these slots; a number holds unless it is zero or
    /// NaN. What cannot be computed does not hold. Slots are read as by [`Expr::eval_number`].
    #[inline]
    #[must_use]
    pub fn eval_bool<'s>(&self, slots: impl Into<Slots<'s>>) -> bool {
        self.holds(slots) == Some(true)
    }

    /// The same; `None` where it cannot be computed, since lists that are gone over side by
    /// side are not equally long.
    #[inline]
    #[must_use]
    pub fn holds<'s>(&self, slots: impl Into<Slots<'s>>) -> Option<bool> {
        let outcome = self.program.run(slots.into());
        match self.kind {
            _ if outcome.misaligned => None,
            Kind::Boolean => Some(outcome.condition),
            _ => Some(outcome.number != 0.0 && !outcome.number.is_nan()),
        }
    }

    /// Its value for each of several records that have numbers alone; `None` where they are
    /// better looked at one by one.
    #[must_use]
    pub fn eval_numbers(&self, slots: &[Lanes]) -> Option<Lanes> {
        let outcome = self.program.run_lanes(slots)?;
        Some(match self.kind {
            Kind::Boolean => outcome.condition.map(|holds| holds as f64),
            _ => outcome.number,
        })
    }

    /// Whether it holds for each of them; `None` as above.
    #[must_use]
    pub fn hold(&self, slots: &[Lanes]) -> Option<Flags> {
        let outcome = self.program.run_lanes(slots)?;
        Some(match self.kind {
            Kind::Boolean => outcome.condition,
            _ => outcome
                .number
                .map(|number| u64::from(number != 0.0 && !number.is_nan())),
        })
    }

    /// Its value if it is a number that depends on no variable.
    #[must_use]
    pub fn constant(&self) -> Option<f64> {
        let constant = self.kind == Kind::Number && self.variables.is_empty();
        constant.then(|| self.eval_number(&[]))
    }
}
