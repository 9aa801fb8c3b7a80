//! Texts that differ so little that they may have been meant as one.
//!
//! `TRUE` beside `true` is mostly the work of two programs, not of a rater. They stay
//! apart, since nobody but the user knows; but it is said.

use std::collections::{BTreeMap, BTreeSet};

use super::value::exact;
use judica_model::text::few;
use unicode_normalization::UnicodeNormalization;

/// Of more texts than this nobody chose by hand.
const MOST: usize = 10_000;
/// So many are named.
const NAMED: usize = 5;

/// What to say of texts among these that differ only in capitals, in blanks around them, in how
/// letters are composed or, with `numbers`, in how a number is written.
pub(super) fn note<'a>(
    what: &str,
    texts: impl Iterator<Item = &'a str>,
    numbers: bool,
) -> Option<String> {
    let mut groups: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (at, text) in texts.enumerate() {
        if at == MOST {
            return None;
        }
        groups.entry(plain(text, numbers)).or_default().insert(text);
    }
    let alike: Vec<String> = groups
        .into_values()
        .filter(|texts| texts.len() > 1)
        .map(|texts| {
            let composed: BTreeSet<String> =
                texts.iter().map(|text| text.nfc().collect()).collect();
            // Nobody sees how letters are composed.
            let shown = |text: &&str| match composed.len() < texts.len() {
                true => format!("`{}`", text.escape_default()),
                false => format!("`{text}`"),
            };
            let quoted: Vec<String> = texts.iter().map(shown).collect();
            quoted.join(" and ")
        })
        .collect();
    if alike.is_empty() {
        return None;
    }
    let shown = few(alike.iter().take(NAMED), "; ", alike.len());
    Some(format!(
        "{what} that are written nearly alike count as different: {shown}"
    ))
}

/// What is left of a text without capitals and blanks around it, its letters composed; of a
/// number, its value.
fn plain(text: &str, numbers: bool) -> String {
    match exact(text) {
        Some(number) if numbers => number.to_string(),
        _ => text.trim().nfc().collect::<String>().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(texts: &[&str], numbers: bool) -> Option<String> {
        note("values", texts.iter().copied(), numbers)
    }

    #[test]
    fn near_misses_are_named() {
        let note = said(&["true", "no", "TRUE", "a ", "a", "É", "é"], true).unwrap();
        for words in ["`TRUE` and `true`", "`a` and `a `", "`É` and `é`"] {
            assert!(note.contains(words), "{note}");
        }
        assert_eq!(said(&["true", "no", "tru", "1", "10"], true), None);
        let note = said(&["1", "1.0", "x"], true).unwrap();
        assert!(note.contains("`1` and `1.0`"), "{note}");
        assert_eq!(said(&["1", "1.0", "x"], false), None);
        let note = said(&["caf\u{e9}", "cafe\u{301}", "tea"], true).unwrap();
        assert!(note.contains(r"`cafe\u{301}` and `caf\u{e9}`"), "{note}");
        // What a double cannot tell apart is not the same.
        for two in [
            ["9007199254740993", "9007199254740992"],
            ["0.30000000000000004", "0.3000000000000000444"],
        ] {
            assert_eq!(said(&two, true), None);
        }
        assert!(said(&["9007199254740993", "9007199254740993.0"], true).is_some());
        assert_eq!(said(&[], true), None);
        // An item stands there once for each repeat.
        assert_eq!(said(&["a", "b", "a"], false), None);
    }

    #[test]
    fn of_many_the_first_are_named() {
        let texts: Vec<String> = (0..20)
            .flat_map(|i| [format!("a{i}"), format!("A{i}")])
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let note = said(&texts, true).unwrap();
        assert!(
            note.ends_with("; and 15 more") && note.matches("` and `").count() == NAMED,
            "{note}"
        );
        let many: Vec<String> = (0..=MOST).map(|i| i.to_string()).collect();
        assert_eq!(note_of(&many), None);
    }

    fn note_of(texts: &[String]) -> Option<String> {
        note("values", texts.iter().map(String::as_str), true)
    }
}
