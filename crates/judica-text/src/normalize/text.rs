//! Prose: the same words, however they are encoded, capitalised and spaced.

use super::lines::equal_forms;
use super::{Matched, Normalizer};
use crate::gold::Gold;
use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Unicode NFC, full case folding, white space collapsed and trimmed.
#[derive(Debug, Clone, Copy)]
pub struct Text;

impl Normalizer for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn compare(&self, gold: &Gold, prediction: &str) -> Matched {
        if let [one] = gold.formulas()
            && let Some(equal) = equal_ascii(one, prediction)
        {
            return if equal { Matched::Exact } else { Matched::No };
        }
        equal_forms(gold, prediction, |text| Some(normal_form(text)))
    }

    fn normalized(&self, text: &str) -> Option<String> {
        Some(normal_form(text))
    }
}

/// Whether two texts have the same form, where that can be told without making it.
fn equal_ascii(a: &str, b: &str) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    if !a.is_ascii() || !b.is_ascii() {
        return None;
    }
    let is_space = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let words = |text| <[u8]>::split(text, is_space).filter(|word: &&[u8]| !word.is_empty());
    let (mut a, mut b) = (words(a.as_bytes()), words(b.as_bytes()));
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) if a.eq_ignore_ascii_case(b) => {}
            (None, None) => return Some(true),
            _ => return Some(false),
        }
    }
}

fn normal_form(text: &str) -> String {
    if text.is_ascii() {
        let mut form = collapsed(text);
        form.make_ascii_lowercase();
        return form;
    }
    // Folding is defined on decomposed text (an iota under a vowel folds to a letter of
    // its own) and may leave parts that compose: hence decomposed before, composed after.
    let folded: String = text.nfd().default_case_fold().nfc().collect();
    collapsed(&folded)
}

fn collapsed(text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !form.is_empty() {
            form.push(' ');
        }
        form.push_str(word);
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn equal(a: &str, b: &str) -> bool {
        Text.compare(&Gold::one(a), b) == Matched::Exact
    }

    #[test]
    fn encoding_case_and_space_do_not_count() {
        for (a, b) in [
            ("Hello  World", " hello\n\tworld "),
            ("caf\u{e9}", "CAFE\u{301}"),
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("a\u{a0}b", "a b"),
            ("\u{2000}a", "a"),
            // An iota below, as a mark and as a part of its letter.
            ("\u{1fc3}", "\u{3b7}\u{345}"),
            ("\u{212b}", "\u{e5}"),
            ("", " \n"),
        ] {
            assert!(equal(a, b), "{a:?} {b:?}");
        }
        for (a, b) in [("ab", "a b"), ("naïve", "naive"), ("a-b", "a–b"), ("a", "")] {
            assert!(!equal(a, b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn several_are_lines() {
        let gold = Gold::list(vec!["Red".into(), "dark  Blue".into()]);
        assert_eq!(Text.compare(&gold, "DARK BLUE\nred\n"), Matched::Exact);
        assert_eq!(Text.compare(&gold, "dark\nblue red"), Matched::No);
    }

    #[test]
    fn every_character_has_a_stable_form() {
        // All but Hangul and the ideographs, which have no case.
        let scripts = (0..0x3400).chain(0xa000..0xac00).chain(0xf900..0x1f000);
        for character in scripts.filter_map(char::from_u32) {
            let text = format!("{character} α{character}\u{345}");
            let once = normal_form(&text);
            assert_eq!(normal_form(&once), once, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_form_is_stable(text in "\\PC{0,12}") {
            let once = normal_form(&text);
            prop_assert_eq!(normal_form(&once), once.clone());
            prop_assert!(equal(&text, &once));
        }

        #[test]
        fn ascii_is_compared_as_its_form(a in "[ abAB\\x00-\\x20]{0,8}", b in "[ abAB\\x00-\\x20]{0,8}") {
            let forms = normal_form(&a) == normal_form(&b);
            prop_assert_eq!(equal_ascii(&a, &b), Some(forms));
        }

        #[test]
        fn ascii_takes_no_other_way(text in "[ -~\\n\\t]{0,20}") {
            let long_way: String = text.nfd().default_case_fold().nfc().collect();
            prop_assert_eq!(normal_form(&text), collapsed(&long_way));
        }
    }
}
