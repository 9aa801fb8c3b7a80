//! Numbers, within a tolerance.

use super::lines::Sides;
use super::{Matched, Normalizer};
use crate::gold::Gold;
use judica_data::json::number::people_number;
use serde::{Deserialize, Serialize};

/// How far a number may be from the gold: the larger of the two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// A distance.
    pub absolute: f64,
    /// A share of the gold's magnitude.
    pub relative: f64,
}

impl Default for Tolerance {
    /// Enough for digits lost in printing, and for nothing else.
    fn default() -> Self {
        Tolerance {
            absolute: 0.0,
            relative: 1e-9,
        }
    }
}

impl Tolerance {
    fn allows(self, gold: f64, prediction: f64) -> bool {
        (gold - prediction).abs() <= self.absolute.max(self.relative * gold.abs())
    }
}

/// Both texts are a number, written as people write them, and as close as the tolerance
/// demands. What is no number, or too large for one, equals nothing.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub Tolerance);

impl Normalizer for Number {
    fn name(&self) -> &'static str {
        "number"
    }

    fn compare(&self, gold: &Gold, prediction: &str) -> Matched {
        let Number(tolerance) = *self;
        let near = match Sides::of(gold, prediction) {
            Sides::Whole(gold, prediction) => finite(gold)
                .zip(finite(prediction))
                .is_some_and(|(gold, prediction)| tolerance.allows(gold, prediction)),
            // In order of size: if any pairing holds, this one does, because what a gold
            // allows moves up with the gold (for a relative tolerance up to 1).
            Sides::Lines(gold, prediction) => {
                gold.len() == prediction.len()
                    && sorted(&gold)
                        .zip(sorted(&prediction))
                        .is_some_and(|(gold, prediction)| {
                            let mut pairs = gold.into_iter().zip(prediction);
                            pairs.all(|(gold, prediction)| tolerance.allows(gold, prediction))
                        })
            }
        };
        if near { Matched::Exact } else { Matched::No }
    }

    fn normalized(&self, text: &str) -> Option<String> {
        finite(text).map(|number| number.to_string())
    }

    fn tolerance(&self) -> Option<Tolerance> {
        Some(self.0)
    }

    fn reasoning(&self, matched: Matched) -> Option<&'static str> {
        matched
            .is_match()
            .then_some("Equal as numbers, within the tolerance.")
    }
}

/// The number that a text is, if it is one and finite.
pub fn finite(text: &str) -> Option<f64> {
    // Adding zero makes one zero of the two.
    people_number(text)
        .filter(|number| number.is_finite())
        .map(|number| number + 0.0)
}

/// Whether a text is what programs write for a number that is none or has no end, or a number
/// beyond all doubles.
pub fn not_finite(text: &str) -> bool {
    let bare = text.trim().trim_start_matches(['-', '+']);
    let words = ["nan", "inf", "infinity"];
    words.iter().any(|word| bare.eq_ignore_ascii_case(word))
        || people_number(text).is_some_and(f64::is_infinite)
}

fn sorted(texts: &[&str]) -> Option<Vec<f64>> {
    let mut numbers = texts
        .iter()
        .map(|text| finite(text))
        .collect::<Option<Vec<f64>>>()?;
    numbers.sort_unstable_by(f64::total_cmp);
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn equal(absolute: f64, relative: f64, gold: &str, prediction: &str) -> bool {
        let number = Number(Tolerance { absolute, relative });
        number.compare(&Gold::one(gold), prediction) == Matched::Exact
    }

    #[test]
    fn the_larger_tolerance_counts_and_its_edge_is_inside() {
        assert!(equal(0.0, 0.0, "1", " 1.0e0\n"));
        assert!(equal(0.0, 0.0, "-0", "0"));
        assert!(equal(0.5, 0.0, "2", "2.5"));
        assert!(!equal(0.5, 0.0, "2", "2.5000001"));
        // A tenth of the gold, not of the prediction.
        assert!(equal(0.0, 0.125, "8", "9"));
        assert!(!equal(0.0, 0.125, "7", "8"));
        assert!(equal(2.0, 0.125, "8", "10"));
        assert!(!equal(0.0, 0.5, "0", "1e-300"));
        assert!(equal(0.0, 1e-9, "0.3", "0.30000000000000004"));
    }

    #[test]
    fn what_is_no_number_equals_nothing() {
        for text in ["", "inf", "NaN", "1e999", "1,000", "5 km", "0x10", "1\n2"] {
            assert!(!equal(1.0, 1.0, text, text), "{text:?}");
            assert!(!equal(1.0, 1.0, "1", text), "{text:?}");
            assert_eq!(Number(Tolerance::default()).normalized(text), None);
        }
        assert!(!equal(1.0, 0.5, "-1.7e308", "1.7e308"));
    }

    #[test]
    fn several_pair_up_in_any_order() {
        let number = Number(Tolerance {
            absolute: 1.0,
            relative: 0.0,
        });
        let gold = Gold::list(vec!["1".into(), "2".into(), "10".into()]);
        assert_eq!(number.compare(&gold, "10.5\n3\n1\n"), Matched::Exact);
        assert_eq!(number.compare(&gold, "10.5\n1\n1.5"), Matched::Exact);
        for other in ["1\n2", "1\n2\nten", "1\n3.5\n10", "1\n2\n10\n10"] {
            assert_eq!(number.compare(&gold, other), Matched::No, "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn the_form_is_stable_and_equal(value: f64) {
            prop_assume!(value.is_finite());
            let number = Number(Tolerance { absolute: 0.0, relative: 0.0 });
            let text = format!("{value:e}");
            let form = number.normalized(&text).unwrap();
            prop_assert_eq!(number.normalized(&form), Some(form.clone()));
            prop_assert_eq!(number.compare(&Gold::one(&text), &form), Matched::Exact);
        }
    }
}
