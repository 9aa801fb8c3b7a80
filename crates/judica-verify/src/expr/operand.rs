//! What the parser knows of a piece of expression it has compiled.

use std::ops::Range;

use super::Kind;
use super::beyond::Term;
use super::error::ExprError;
use super::run::STACK;

/// A compiled piece of expression; its code is the most recent one.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    pub(super) kind: Kind,
    /// Its text.
    pub(super) span: Range<usize>,
    /// Where its code begins.
    pub(super) at: usize,
    /// Most numbers its code has waiting on the stack at a time.
    pub(super) peak: usize,
    /// What it is, where it is no number and no condition, and has no code.
    pub(super) term: Option<Term>,
}

impl Operand {
    /// Refuses any other kind than `wanted`, on behalf of `who`.
    pub(super) fn require(&self, wanted: Kind, who: &str, source: &str) -> Result<(), ExprError> {
        if self.kind == wanted {
            return Ok(());
        }
        Err(ExprError::wrong_kind(
            who,
            wanted,
            self.kind,
            source,
            self.span.clone(),
        ))
    }

    /// Takes in `later`, computed after it while `waiting` numbers are on the
    /// stack.
    pub(super) fn join(&mut self, later: &Operand, waiting: usize) -> Result<(), ExprError> {
        self.span.end = later.span.end;
        self.peak = self.peak.max(later.peak + waiting);
        if self.peak > STACK {
            let message = format!("the expression has more than {STACK} unfinished operations");
            return Err(ExprError::new(later.span.clone(), message)
                .help("put what is nested deepest first, or simplify the expression"));
        }
        Ok(())
    }
}
