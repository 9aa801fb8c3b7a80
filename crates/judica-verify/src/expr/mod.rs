//! Numeric rule expressions: the small language in which a protocol file says
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
//! | `<` `<=` `>` `>=` `==` `!=` | between numbers; does not chain |
//! | `+` `-` | left to right |
//! | `*` `/` | left to right |
//! | unary `-` | |
//! | `^` | power, right to left: `-2 ^ 2` is `-(2 ^ 2)` |
//!
//! Functions: `abs`, `min`, `max`, `sqrt`, `hypot`, `atan2`, `sin`, `cos`,
//! `tan`, `asin`, `acos`, `degrees`, `radians`, `arc`, `floor`, `ceil`,
//! `round`, `sign`, `clamp`, `exp`, `ln`. Constant: `pi`.
//!
//! # Values
//!
//! A value is a number (an IEEE double) or a condition, and which of the two
//! is known before evaluation. Arithmetic is done left to right exactly as
//! written: nothing is re-associated, contracted or folded. Transcendental
//! functions come from `libm`, not from the platform, so the same input gives
//! the same bits everywhere.
//!
//! NaN stands for a missing value. Every operator and function that receives
//! one returns one (`min` and `max` included), except the power `x ^ 0` and
//! `1 ^ x`, which IEEE defines as 1. A comparison with NaN is false; only `!=`
//! is then true.

mod code;
mod error;
mod functions;
mod interval;
mod lex;
mod operand;
mod parse;
mod primary;
mod range;
mod run;
mod unexpected;

#[cfg(test)]
mod tests;

pub use error::ExprError;
pub use interval::Interval;
pub use range::Truth;

use code::Program;

/// What an expression gives: a number or a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An IEEE double.
    Number,
    /// True or false.
    Boolean,
}

/// A checked and compiled expression.
#[derive(Debug, Clone)]
pub struct Expr {
    source: Box<str>,
    kind: Kind,
    variables: Box<[usize]>,
    program: Program,
}

impl Expr {
    /// Compiles `source`, in which `names[i]` stands for the value in slot `i`.
    ///
    /// Where a name occurs twice in `names` the first one counts. A name that
    /// is a word of the language (`if`, `and`, `pi` …) cannot be reached.
    ///
    /// # Errors
    ///
    /// The first thing wrong with the expression, in reading order.
    pub fn parse(source: &str, names: &[&str]) -> Result<Expr, ExprError> {
        Expr::read(source, names).map_err(|mut mistakes| mistakes.swap_remove(0))
    }

    fn read(source: &str, names: &[&str]) -> Result<Expr, Vec<ExprError>> {
        let parsed = parse::parse(source, names)?;
        Ok(Expr {
            source: source.into(),
            kind: parsed.kind,
            variables: parsed.variables.into(),
            program: parsed.program,
        })
    }

    /// Like [`Expr::parse`], and requires the result to be of this kind.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, in reading order, up to where the grammar cannot go on; the
    /// wrong kind is reported over the expression.
    pub fn parse_as(source: &str, names: &[&str], kind: Kind) -> Result<Expr, Vec<ExprError>> {
        let expr = Expr::read(source, names)?;
        if expr.kind == kind {
            return Ok(expr);
        }
        let start = source.len() - source.trim_start().len();
        let span = start..source.trim_end().len();
        Err(vec![ExprError::wrong_kind(
            "this place",
            kind,
            source,
            span,
        )])
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

    /// The slots it reads, ascending and without repeats.
    #[must_use]
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// Its value for these slots; a condition gives 1 for true and 0 for false.
    ///
    /// `slots` should be as long as the `names` it was compiled with. A slot
    /// beyond the end reads as NaN, that is, as a missing value.
    #[inline]
    #[must_use]
    pub fn eval_number(&self, slots: &[f64]) -> f64 {
        let outcome = self.program.run(slots);
        match self.kind {
            Kind::Number => outcome.number,
            Kind::Boolean => f64::from(u8::from(outcome.condition)),
        }
    }

    /// Whether it holds for these slots; a number holds unless it is zero or
    /// NaN. Slots are read as by [`Expr::eval_number`].
    #[inline]
    #[must_use]
    pub fn eval_bool(&self, slots: &[f64]) -> bool {
        let outcome = self.program.run(slots);
        match self.kind {
            Kind::Number => outcome.number != 0.0 && !outcome.number.is_nan(),
            Kind::Boolean => outcome.condition,
        }
    }

    /// Its value if it is a number that depends on no variable.
    #[must_use]
    pub fn constant(&self) -> Option<f64> {
        let constant = self.kind == Kind::Number && self.variables.is_empty();
        constant.then(|| self.eval_number(&[]))
    }
}
