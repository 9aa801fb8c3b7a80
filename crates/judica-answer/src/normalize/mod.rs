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
use judica_model::nearest::nearest;

pub use atl::Atl;
pub use exact::Exact;
pub use json::Json;
pub use number::{Number, Tolerance};
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

    /// Why a row was decided so, in a sentence; `None` where it was not decided.
    fn reasoning(&self, matched: Matched) -> Option<&'static str> {
        matched.reasoning()
    }
}

/// The names of all normalisers.
pub const NAMES: [&str; 5] = ["atl", "text", "exact", "number", "json"];

/// A name that no normaliser has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no normalizer is called `{name}`{hint}; there are {}", NAMES.join(", "))]
pub struct UnknownNormalizer {
    name: String,
    hint: String,
}

/// The normaliser of that name; the tolerance is for `number` alone.
pub fn by_name(name: &str, tolerance: Tolerance) -> Result<Box<dyn Normalizer>, UnknownNormalizer> {
    Ok(match name {
        "atl" => Box::new(Atl),
        "text" => Box::new(Text),
        "exact" => Box::new(Exact),
        "number" => Box::new(Number(tolerance)),
        "json" => Box::new(Json),
        _ => {
            return Err(UnknownNormalizer {
                name: name.to_owned(),
                hint: nearest(name, NAMES.into_iter())
                    .map(|meant| format!(" (did you mean `{meant}`?)"))
                    .unwrap_or_default(),
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_normaliser() {
        for name in NAMES {
            let found = by_name(name, Tolerance::default()).unwrap();
            assert_eq!(found.name(), name);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_and_with_all() {
        let message = |name| {
            by_name(name, Tolerance::default())
                .err()
                .unwrap()
                .to_string()
        };
        assert_eq!(
            message("jsn"),
            "no normalizer is called `jsn` (did you mean `json`?); \
             there are atl, text, exact, number, json"
        );
        assert!(!message("levenshtein").contains("mean"));
    }

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
