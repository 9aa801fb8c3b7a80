//! Fences: how a judge tells what it is asked from what it is shown.
//!
//! Each text stands between two lines that carry the same key:
//!
//! ```text
//! BEGIN PREDICTION 5f0c8a417be29d36
//! whatever the model under test wrote
//! END PREDICTION 5f0c8a417be29d36
//! ```
//!
//! The key is a hash of the data, so the same question is always asked with the same words
//! and a stored reply is found again; and it occurs nowhere in the data, so no text can end
//! its own block. Who writes a prediction cannot write its hash into it.

use judica_data::sha256::Sha256;

use super::Question;

/// Hex digits of a key, unless the data happen to contain it.
const DIGITS: usize = 16;

/// The markers of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    key: String,
}

impl Fence {
    /// Markers that do not occur in the data of this question.
    pub(crate) fn around(question: &Question) -> Fence {
        let texts = [question.input, question.gold, question.prediction];
        Fence::absent_from(&texts, |attempt| {
            // Each failed attempt lengthens the key, up to the whole hash.
            hex(&digest(&texts, attempt), DIGITS + 8 * attempt as usize)
        })
    }

    /// The first of many keys that none of the texts contains, in whatever case. A text
    /// has finitely many pieces, so it comes soon.
    fn absent_from(texts: &[&str], key: impl Fn(u32) -> String) -> Fence {
        let lower: Vec<String> = texts.iter().map(|text| text.to_ascii_lowercase()).collect();
        let absent = |key: &String| lower.iter().all(|text| !text.contains(key.as_str()));
        let key = (0..u32::MAX).map(key).find(absent).unwrap_or_default();
        Fence { key }
    }

    /// Markers with a given key.
    pub(crate) fn with_key(key: &str) -> Fence {
        let key = key.to_owned();
        Fence { key }
    }

    /// How a message begins: the key, told before any data could tell another.
    pub(crate) fn opening(&self) -> String {
        format!("The key of this message is {}.\n\n", self.key)
    }

    /// Adds text of the template. A block ends with its line, so text begins on the next.
    pub(crate) fn push_text(&self, out: &mut String, text: &str) {
        let after_block = out.ends_with(self.key.as_str());
        if after_block && !text.starts_with('\n') {
            out.push('\n');
        }
        out.push_str(text);
    }

    /// Adds one text between its markers, each on a line of its own. The data themselves
    /// are added as they are.
    pub(crate) fn push_block(&self, out: &mut String, label: &str, data: &str) {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        let key = &self.key;
        out.push_str(&format!("BEGIN {label} {key}\n{data}\nEND {label} {key}"));
    }
}

/// SHA-256 over the texts and a number. Lengths go first, so that moving a letter from one
/// text to the next is another question.
pub(crate) fn digest(texts: &[&str], number: u32) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(number.to_le_bytes());
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finish()
}

/// The first `digits` hex digits of a hash, or all of them.
pub(crate) fn hex(hash: &[u8], digits: usize) -> String {
    let mut text = judica_data::hex::hex(hash);
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_in_the_data_is_passed_over() {
        let keys = |attempt: u32| format!("{attempt:04x}");
        let fence = Fence::absent_from(&["a 0000 b", "", "0001 ABC 000"], keys);
        assert_eq!(fence.key, "0002");
        // A judge may not mind case; neither does the search.
        let letters = |attempt: u32| ["ab", "cd"][attempt as usize % 2].to_owned();
        assert_eq!(Fence::absent_from(&["xAbx"], letters).key, "cd");
    }

    #[test]
    fn later_keys_are_other_keys_and_longer() {
        let texts = ["a", "b", "c"];
        let first = hex(&digest(&texts, 0), DIGITS);
        let second = hex(&digest(&texts, 1), DIGITS + 8);
        assert_eq!((first.len(), second.len()), (16, 24));
        assert!(!second.starts_with(&first));
        assert_eq!(hex(&digest(&texts, 2), 1000).len(), 64);
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        assert_ne!(digest(&["ab", "c"], 0), digest(&["a", "bc"], 0));
        assert_ne!(digest(&["ab", ""], 0), digest(&["", "ab"], 0));
    }

    #[test]
    fn markers_have_lines_of_their_own() {
        let fence = Fence::with_key("77");
        let mut out = "gold: ".to_owned();
        fence.push_block(&mut out, "GOLD", "p");
        fence.push_text(&mut out, ", and");
        assert_eq!(out, "gold: \nBEGIN GOLD 77\np\nEND GOLD 77\n, and");
        let mut out = "gold:\n".to_owned();
        fence.push_block(&mut out, "GOLD", "p\n");
        fence.push_text(&mut out, "\n\nand");
        assert_eq!(out, "gold:\nBEGIN GOLD 77\np\n\nEND GOLD 77\n\nand");
    }

    proptest! {
        #[test]
        fn the_key_is_never_in_the_data(input in ".*", gold in ".*", prediction in ".*") {
            let question = Question { input: &input, gold: &gold, prediction: &prediction };
            let fence = Fence::around(&question);
            prop_assert!(fence.key.len() >= DIGITS);
            for text in [&input, &gold, &prediction] {
                prop_assert!(!text.contains(&fence.key));
            }
            prop_assert_eq!(&fence, &Fence::around(&question));
        }
    }
}
