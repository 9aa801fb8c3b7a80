//! Which rows have been seen: fingerprints, not texts, so that memory stays small.

use std::collections::HashSet;
use std::hash::Hasher;

use rustc_hash::FxBuildHasher;
use siphasher::sip128::{Hasher128, SipHasher13};

use super::row::Row;

/// 128 bits that stand for a row: its id, or what it says if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fingerprint {
    /// Of an id.
    Id(u128),
    /// Of input, gold and prediction.
    Contents(u128),
}

impl Fingerprint {
    /// The fingerprint of a row.
    pub fn of(row: &Row) -> Fingerprint {
        let mut hasher = SipHasher13::new();
        if let Some(id) = row.id() {
            hasher.write_u8(0);
            hasher.write(id.as_bytes());
            return Fingerprint::Id(hasher.finish128().as_u128());
        }
        hasher.write_u8(1);
        let gold = row.gold_value().ok().map(|(_, value)| value);
        let prediction = row.prediction_value().ok().map(|(_, value)| value);
        let input = row.input_value().map(|(_, value)| value);
        for part in [input, gold, prediction] {
            // Two spellings of a text, as `\u00e9` and the letter itself, say the same.
            let text = part.map(|value| value.text());
            // Its length keeps a part from running into the next.
            hasher.write_u64(text.as_ref().map_or(0, |text| text.len() as u64 + 1));
            hasher.write(text.as_deref().unwrap_or_default().as_bytes());
        }
        Fingerprint::Contents(hasher.finish128().as_u128())
    }
}

/// What a row is to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing like it came before.
    New,
    /// It says the same as an earlier one. Data sets do hold a question twice: it counts.
    Repeated,
    /// An earlier one has its id: one of the two is wrong.
    SameId,
}

/// The rows seen so far.
#[derive(Debug, Default)]
pub struct SeenRows {
    fingerprints: HashSet<u128, FxBuildHasher>,
}

impl SeenRows {
    /// Adds a row.
    pub fn add(&mut self, row: Fingerprint) -> Seen {
        let (bits, again) = match row {
            Fingerprint::Id(bits) => (bits, Seen::SameId),
            Fingerprint::Contents(bits) => (bits, Seen::Repeated),
        };
        if self.fingerprints.insert(bits) {
            Seen::New
        } else {
            again
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_contents_are_told_apart() {
        let mut seen = SeenRows::default();
        let mut add = |text: &str| seen.add(Fingerprint::of(&Row::read(text.as_bytes()).unwrap()));
        assert_eq!(add(r#"{"id": 1, "input": "a"}"#), Seen::New);
        assert_eq!(add(r#"{"id": "1", "input": "b"}"#), Seen::SameId);
        assert_eq!(
            add(r#"{"input": "a", "gold": "bc", "prediction": ""}"#),
            Seen::New
        );
        assert_eq!(
            add(r#"{"input": "a", "gold": "b", "prediction": "c"}"#),
            Seen::New
        );
        assert_eq!(
            add(r#"{"input": "a", "gold": "bc", "prediction": null}"#),
            Seen::New
        );
        assert_eq!(
            add(r#"{"generated": "c", "input": "a", "expected": "b", "seed": 2}"#),
            Seen::Repeated
        );
        assert_eq!(
            add(r#"{"input": "\u0061", "gold": "b", "prediction": "c"}"#),
            Seen::Repeated
        );
        // An empty id is none.
        assert_eq!(add(r#"{"id": "", "input": "x"}"#), Seen::New);
        assert_eq!(add(r#"{"id": " ", "input": "y"}"#), Seen::New);
    }
}
