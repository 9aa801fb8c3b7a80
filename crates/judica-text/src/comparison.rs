//! The ways to compare two plain texts, by name.

use crate::atl::Formula;
use crate::edit::edit_similarity;
use crate::gold::Gold;
use crate::normalize::{Atl, Exact, Json, Normalizer, Number, Text, Tolerance};
use crate::tokens::{bag, token_f1};

/// A way to compare two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Byte for byte.
    Exact,
    /// As prose: Unicode form, case and white space do not count.
    Text,
    /// As numbers, with the tolerance that digits lost in printing need.
    Number,
    /// As JSON values.
    Json,
    /// As formulas.
    Atl,
    /// By the characters that differ: [`edit_similarity`].
    Edit,
    /// By the words in common: [`token_f1`].
    TokenF1,
}

impl Comparison {
    /// Every way, in the order in which they are listed.
    pub const ALL: [Comparison; 7] = [
        Comparison::Exact,
        Comparison::Text,
        Comparison::Number,
        Comparison::Json,
        Comparison::Atl,
        Comparison::Edit,
        Comparison::TokenF1,
    ];

    /// The way of that name.
    pub fn by_name(name: &str) -> Option<Comparison> {
        Comparison::ALL.into_iter().find(|way| way.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Edit => "edit",
            Comparison::TokenF1 => "token_f1",
            Comparison::Exact => Exact.name(),
            Comparison::Text => Text.name(),
            Comparison::Number => "number",
            Comparison::Json => Json.name(),
            Comparison::Atl => Atl.name(),
        }
    }

    /// From 0 to 1 how much an answer is like its gold; 1 or 0 where texts are equal or not.
    /// What is not JSON, or no number, equals nothing.
    pub fn similarity(self, gold: &str, said: &str) -> f64 {
        let normalizer: &dyn Normalizer = match self {
            Comparison::Edit => return edit_similarity(gold, said),
            Comparison::TokenF1 => return token_f1(gold, said),
            Comparison::Exact => return f64::from(u8::from(gold == said)),
            Comparison::Text => &Text,
            Comparison::Number => &Number(Tolerance::default()),
            Comparison::Json => &Json,
            Comparison::Atl => &Atl,
        };
        let matched = normalizer.compare(&Gold::one(gold), said);
        f64::from(u8::from(matched.is_match()))
    }

    /// A text by which equal texts can be found among many: two that have the same are equal
    /// (similar by 1). `None` for what equals nothing. Numbers are the same only without any
    /// tolerance, and formulas by their structure where they can be read.
    pub fn canonical(self, text: &str) -> Option<String> {
        match self {
            Comparison::Exact | Comparison::Edit => Some(text.to_owned()),
            Comparison::Text => Text.normalized(text),
            Comparison::Number => Number(Tolerance::default()).normalized(text),
            Comparison::Json => Json.normalized(text),
            Comparison::Atl => match Formula::parse(text) {
                Some(formula) => Some(formula.canonical()),
                None => Atl.normalized(text),
            },
            Comparison::TokenF1 => Some(bag(text).join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_way_has_its_name() {
        for way in Comparison::ALL {
            assert_eq!(Comparison::by_name(way.name()), Some(way));
        }
        assert_eq!(Comparison::by_name("auto"), None);
    }

    #[test]
    fn each_way_finds_its_own_alike() {
        for (way, gold, said, similarity) in [
            (Comparison::Exact, "a", "A", 0.0),
            (Comparison::Text, "Straße  1", "STRASSE 1", 1.0),
            (Comparison::Number, "1.50", "15e-1", 1.0),
            (Comparison::Number, "one", "one", 0.0),
            (
                Comparison::Json,
                r#"{"a":1,"b":2}"#,
                r#"{"b":2.0,"a":1}"#,
                1.0,
            ),
            (Comparison::Json, "{", "{", 0.0),
            (Comparison::Atl, "p && q", "q ∧ (p)", 1.0),
            (Comparison::Edit, "abcd", "abxd", 0.75),
            (Comparison::TokenF1, "a b", "B c", 0.5),
        ] {
            assert_eq!(way.similarity(gold, said), similarity, "{way:?} {gold}");
            let form = way.canonical(gold);
            let same = form.is_some() && form == way.canonical(said);
            assert_eq!(same, similarity == 1.0, "{way:?} {gold}");
        }
    }

    #[test]
    fn no_formula_hides_in_the_names_of_another() {
        let canonical = |text| Comparison::Atl.canonical(text).unwrap();
        assert_ne!(canonical("p && q"), canonical("p || q"));
        assert_ne!(canonical("p U q U r"), canonical("p U (q U r)"));
        assert_ne!(canonical("<<A>>F p"), canonical("[[A]]F p"));
        assert_eq!(canonical("p && (q && r)"), canonical("(r and P) ∧ q"));
        // Deep, and no recursion.
        canonical(&format!("{}p", "!".repeat(500_000)));
    }

    proptest! {
        #[test]
        fn the_same_form_is_equal(
            way in prop::sample::select(Comparison::ALL.to_vec()),
            parts in prop::collection::vec(
                prop::sample::select(vec!["p", "q", " ", "&&", "(", ")", "1", ".0", "A", "a", "\"", "[", "]", "é"]), 0..6),
            others in prop::collection::vec(
                prop::sample::select(vec!["p", "q", " ", "&&", "(", ")", "1", ".0", "A", "a", "\"", "[", "]", "é"]), 0..6),
        ) {
            let (a, b) = (parts.concat(), others.concat());
            for other in [&a, &b] {
                let form = way.canonical(&a);
                if form.is_some() && form == way.canonical(other) {
                    prop_assert_eq!(way.similarity(&a, other), 1.0, "{:?} {:?}", a, other);
                }
                let similarity = way.similarity(&a, other);
                prop_assert!((0.0..=1.0).contains(&similarity));
                prop_assert_eq!(way.similarity(other, &a), similarity);
                let graded = matches!(way, Comparison::Edit | Comparison::TokenF1);
                prop_assert!(graded || similarity == 0.0 || similarity == 1.0);
            }
        }
    }
}
