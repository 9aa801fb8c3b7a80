//! Normalisers: when a prediction says the same as the gold, decided without a model.
//!
//! * [`atl`](struct@Atl): ATL and ATL* formulas: operator spellings, white space and case; then by structure
//! * [`text`](struct@Text): prose: Unicode form, case and white space
//! * [`exact`](struct@Exact): byte for byte
//! * [`number`](struct@Number): numbers, within a tolerance
//! * [`json`](struct@Json): JSON values, whatever the order of keys and the spelling of numbers
//!
//! Where the gold is several formulas, every one of them is required: the prediction
//! has one per line, in any order, as often as the gold has it; blank lines do not count.
//! A list with one formula is that formula.

mod atl;
mod exact;
mod json;
mod lines;
mod number;
mod text;

use crate::gold::Gold;

pub use atl::Atl;
pub use exact::Exact;
pub use json::Json;
pub use lines::{Sides, lines};
pub use number::{Number, Tolerance, finite as number, not_finite};
pub use text::Text;

/// How a prediction matched its gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matched {
    /// Equal after normalisation.
    Exact,
    /// Equal as formulas, although not as normalised text.
    Structural,
    /// Not known to be equal.
    No,
}

impl Matched {
    /// Whether the prediction counts as correct.
    pub fn is_match(self) -> bool {
        self != Matched::No
    }

    /// Why the prediction counts as correct, as a row states it.
    pub fn reasoning(self) -> Option<&'static str> {
        match self {
            Matched::Exact => Some("Exact match (normalized)."),
            Matched::Structural => Some(
                "Structural match (same formula up to redundant parentheses and operand order).",
            ),
            Matched::No => None,
        }
    }
}

/// A way to tell whether a prediction says the same as the gold.
pub trait Normalizer: Send + Sync {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Whether, and how, the prediction equals the gold.
    fn compare(&self, gold: &Gold, prediction: &str) -> Matched;

    /// The form in which texts are compared; `None` for a text that has none, which then
    /// equals nothing.
    fn normalized(&self, text: &str) -> Option<String>;

    /// How far numbers may be apart, where that decides.
    fn tolerance(&self) -> Option<Tolerance> {
        None
    }

    /// Why a row was decided so, in a sentence; `None` where it was not decided.
    fn reasoning(&self, matched: Matched) -> Option<&'static str> {
        matched.reasoning()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_match_has_a_reason() {
        assert_eq!(
            Matched::Exact.reasoning(),
            Some("Exact match (normalized).")
        );
        assert!(Matched::Structural.is_match() && Matched::Structural.reasoning().is_some());
        assert!(!Matched::No.is_match() && Matched::No.reasoning().is_none());
    }
}
