//! The items that judges look at: a prediction for an input, and what was expected.

use std::collections::HashMap;
use std::sync::Arc;

use super::row::Row;

/// What makes an item the same: data set, id, repeat, input, gold, prediction.
const PARTS: usize = 6;
const SOURCE: usize = 0;
const ID: usize = 1;
const EPOCH: usize = 2;
const INPUT: usize = 3;
const GOLD: usize = 4;
const PREDICTION: usize = 5;
/// Bytes of a part's length.
const LENGTH: usize = 8;

/// What an item is an answer to: something of one id in a data set or, without one, of one
/// input and gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Question<'k> {
    pub dataset: &'k str,
    pub id: Option<&'k str>,
    asked: Option<(&'k str, Option<&'k str>)>,
}

/// The parts of an item in one piece of memory: each as its length and one, then its
/// text; a part that is not there as 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(Arc<[u8]>);

impl std::borrow::Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl Key {
    /// The data set.
    pub fn source(&self) -> &str {
        self.part(SOURCE).unwrap_or_default()
    }

    /// The id, if it has one.
    pub fn id(&self) -> Option<&str> {
        self.part(ID)
    }

    /// Which repeat of the question it is.
    pub fn epoch(&self) -> i32 {
        let epoch = self.part(EPOCH).and_then(|epoch| epoch.parse().ok());
        epoch.unwrap_or(1)
    }

    /// What was asked.
    pub fn input(&self) -> &str {
        self.part(INPUT).unwrap_or_default()
    }

    /// What was expected, if that is known.
    pub fn gold(&self) -> Option<&str> {
        self.part(GOLD)
    }

    /// What was answered, if anything was.
    pub fn prediction(&self) -> Option<&str> {
        self.part(PREDICTION)
    }

    /// What it is an answer to, in a data set that may be called otherwise.
    pub fn question<'k>(&'k self, dataset: Option<&'k str>) -> Question<'k> {
        let id = self.id();
        Question {
            dataset: dataset.unwrap_or(self.source()),
            id,
            asked: id.is_none().then(|| (self.input(), self.gold())),
        }
    }

    /// Input, gold and prediction in one piece.
    pub fn content(&self) -> &[u8] {
        &self.0[self.start(INPUT)..]
    }

    fn start(&self, part: usize) -> usize {
        (0..part).fold(0, |at, _| at + LENGTH + self.length(at).unwrap_or(0))
    }

    fn length(&self, at: usize) -> Option<usize> {
        let bytes = self.0.get(at..at + LENGTH)?;
        let length = u64::from_le_bytes(bytes.try_into().ok()?);
        usize::try_from(length.checked_sub(1)?).ok()
    }

    fn part(&self, part: usize) -> Option<&str> {
        debug_assert!(part < PARTS);
        let start = self.start(part);
        let length = self.length(start)?;
        let text = self.0.get(start + LENGTH..)?.get(..length)?;
        std::str::from_utf8(text).ok()
    }
}

/// Appends a part.
pub(super) fn append(out: &mut Vec<u8>, part: Option<&str>) {
    let length = part.map_or(0, |text| text.len() as u64 + 1);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(part.unwrap_or_default().as_bytes());
}

/// Appends all parts of a row but its data set.
pub(super) fn append_row(out: &mut Vec<u8>, row: &Row) {
    append(out, row.id.as_deref());
    let epoch = (row.epoch > 1).then(|| row.epoch.to_string());
    append(out, epoch.as_deref());
    append_content(out, row);
}

/// Appends input, gold and prediction.
pub(super) fn append_content(out: &mut Vec<u8>, row: &Row) {
    append(out, Some(&row.input));
    append(out, row.gold.as_deref());
    append(out, row.prediction.as_deref());
}

/// All items, numbered as they come.
#[derive(Debug, Default)]
pub(super) struct Items {
    numbers: HashMap<Key, u32>,
    keys: Vec<Key>,
}

impl Items {
    /// The number of the item with these parts, which is new or known.
    pub fn number(&mut self, parts: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(parts) {
            return number;
        }
        let key = Key(parts.into());
        let number = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.numbers.insert(key, number);
        number
    }

    /// An item.
    pub fn key(&self, number: u32) -> &Key {
        &self.keys[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// All items, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Key)> {
        (0..).zip(&self.keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_kept_apart() {
        let mut items = Items::default();
        let mut number = |parts: [Option<&str>; 6]| {
            let mut key = Vec::new();
            parts.into_iter().for_each(|part| append(&mut key, part));
            items.number(&key)
        };
        let whole = [Some("s"), Some("1"), None, Some("in"), Some("g"), Some("p")];
        assert_eq!(number(whole), 0);
        assert_eq!(
            number([Some("s"), None, None, Some("in"), Some(""), None]),
            1
        );
        assert_eq!(
            number([Some("s"), None, None, Some("in"), None, Some("")]),
            2
        );
        assert_eq!(
            number([Some("s"), Some(""), None, Some("in"), None, Some("")]),
            3
        );
        assert_eq!(number(whole), 0);
        assert_eq!(items.len(), 4);
        let key = items.key(1);
        assert_eq!((key.source(), key.id(), key.input()), ("s", None, "in"));
        assert_eq!((key.gold(), key.prediction()), (Some(""), None));
        assert_eq!(items.key(2).content(), items.key(3).content());
        assert_ne!(items.key(1).content(), items.key(2).content());
    }
}
