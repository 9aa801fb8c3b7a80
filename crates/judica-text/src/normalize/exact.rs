//! Byte for byte.

use super::lines::equal_forms;
use super::{Matched, Normalizer};
use crate::gold::Gold;

/// Equal bytes; for several formulas, equal bytes line by line (LF or CRLF).
#[derive(Debug, Clone, Copy)]
pub struct Exact;

impl Normalizer for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn compare(&self, gold: &Gold, prediction: &str) -> Matched {
        equal_forms(gold, prediction, Some)
    }

    fn normalized(&self, text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn reasoning(&self, matched: Matched) -> Option<&'static str> {
        matched.is_match().then_some("Exact match.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        let compare = |gold: &str, prediction| Exact.compare(&Gold::one(gold), prediction);
        assert_eq!(compare("a b", "a b"), Matched::Exact);
        assert_eq!(compare("", ""), Matched::Exact);
        for other in ["a  b", "A b", "a b ", "a b\n", ""] {
            assert_eq!(compare("a b", other), Matched::No, "{other:?}");
        }
    }

    #[test]
    fn several_are_compared_as_a_multiset_of_lines() {
        let gold = Gold::list(vec!["a".into(), "b".into(), "a".into()]);
        assert_eq!(Exact.compare(&gold, "b\r\n\na\na\n"), Matched::Exact);
        for other in ["a\nb", "a\nb\nb", "a\nb\na\na", "a\nb\n a", "aba", ""] {
            assert_eq!(Exact.compare(&gold, other), Matched::No, "{other:?}");
        }
    }

    #[test]
    fn a_list_of_one_is_that_one() {
        let gold = Gold::list(vec!["a\nb".into(), " ".into()]);
        assert_eq!(Exact.compare(&gold, "a\nb"), Matched::Exact);
        assert_eq!(Exact.compare(&gold, "b\na"), Matched::No);
        assert_eq!(Exact.compare(&Gold::list(vec![]), "\n"), Matched::Exact);
        assert_eq!(Exact.compare(&Gold::list(vec![]), "a"), Matched::No);
    }
}
