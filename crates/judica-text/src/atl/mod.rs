//! Formulas of ATL and ATL*: reading them, and telling whether two are the same.
//!
//! Two formulas are the same if they differ in nothing but redundant parentheses, the
//! order and grouping of the operands of one `&&` or `||`, upper and lower case in names,
//! and the spelling of operators. Operands are a multiset: `p && p` is not `p`. No law of
//! logic is applied: `!!p` is not `p`, `p -> q` is not `!p || q`, `<<A,B>>` is not
//! `<<B,A>>`. Such pairs may mean the same, and are left for a judge to say.
//!
//! # Spelling
//!
//! | operator | spelled |
//! |---|---|
//! | coalition | `<<A,B>>` `⟨⟨A,B⟩⟩` `⟪A,B⟫`, and its dual `[[A,B]]`; `<<>>` is empty |
//! | not | `!` `~` `¬` `∼`, the word `not` |
//! | next, eventually, always | `X` `F` `G`, `○` `◇` `□`, the words `next`, `eventually` or `finally`, `always` or `globally` |
//! | until, weak until, release | `U` `W` `R`, the words `until`, `release`, `releases` |
//! | and, or | `&&` `&` `/\` `∧`, `\|\|` `\|` `\/` `∨`, the words |
//! | implies, equivalent | `->` `=>` `→` `⇒` `⟶` `⟹`, `<->` `<=>` `↔` `⇔` `⟷` `⟺`, the words `implies`, `iff` |
//! | constants | `true` `⊤`, `false` `⊥` |
//!
//! Operators of one letter are upper case and stand alone (`F p`, `F(p)`), run together
//! (`GF p`), or are glued to a name of one letter (`Fp`, `GFp1`); any other glued word is
//! a name (`Finished`, `Fstop`). The words `next` to `releases` are operators only where
//! one fits, and names elsewhere. An atom is a name, a number, a predicate `at(r1, hall)`
//! without a space before its parenthesis, or a comparison of two of those (`x >= 3`).
//!
//! # Precedence
//!
//! From tightest: comparison; `!`, `X`, `F`, `G` and coalitions; `U`, `W`, `R`; `&&`;
//! `||`; `->`, which groups to the right; `<->`. So `<<A>>F p && q` is
//! `(<<A>>F p) && q`.
//!
//! Where authors disagree about the grouping, none is assumed. `p U q U r`,
//! `p <-> q <-> r`, `<<A>>p U q` and `!x = 3` are each the same only as themselves, and
//! as neither of their two readings with parentheses; a chain of different operators
//! (`p U q R r`) is not read at all.
//!
//! # Limits
//!
//! The reader does not recurse and takes time in proportion to the text, whatever the
//! nesting. A formula of more than 1 MiB is not read.

mod atom;
mod formula;
mod lexer;
mod looks;
mod parser;
mod words;

pub use formula::Formula;
pub(crate) use lexer::run_end;
pub use looks::Looks;

/// The longest text, in bytes, that is read as a formula.
const LONGEST: usize = 1 << 20;

impl Formula {
    /// Reads a formula; `None` if the text is not one, or not clearly one.
    pub fn parse(text: &str) -> Option<Formula> {
        if text.len() > LONGEST {
            return None;
        }
        parser::parse(text)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

#[cfg(test)]
#[path = "property_tests.rs"]
mod property_tests;
