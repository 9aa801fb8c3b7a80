//! Which rows have been seen: fingerprints, not texts, so that memory stays small.

use std::collections::HashSet;
use std::hash::Hasher;

use rustc_hash::{FxBuildHasher, FxHasher};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::called::Called;
use super::row::Row;

/// 128 bits that stand for a row: its key, or what it says if it has no id. Where several
/// files go into one run, a row without an id has both: its place may be another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Print {
    key: Option<u128>,
    contents: Option<u128>,
}

impl Print {
    /// The print of a row, and that of what it stands or falls with: its cluster, else its
    /// item. `places` tells whether a place is a key, too.
    pub fn of(row: &Row, called: &Called, places: bool) -> (Print, u64) {
        let own = row.cluster().map(|cluster| cluster_print(&cluster));
        let dataset = || {
            let mut hasher = SipHasher13::new();
            write_part(&mut hasher, &called.dataset);
            hasher
        };
        if let Some(id) = &called.id {
            let mut item = dataset();
            write_part(&mut item, id);
            let print = Print {
                key: Some(key(called, item)),
                contents: None,
            };
            return (print, own.unwrap_or_else(|| item.finish128().h1));
        }
        let print = Print {
            key: places.then(|| {
                let mut item = dataset();
                // No part is as long.
                item.write_u64(u64::MAX);
                item.write_u64(called.position);
                key(called, item)
            }),
            contents: Some(contents(row)),
        };
        let of_place = || {
            let mut hasher = FxHasher::default();
            hasher.write(called.dataset.as_bytes());
            hasher.write_u64(called.position);
            hasher.finish()
        };
        (print, own.unwrap_or_else(of_place))
    }
}

impl Print {
    /// What other rows must have none of to have nothing to do with this one.
    pub fn keys(self) -> [Option<u64>; 2] {
        let [key, contents] =
            [self.key, self.contents].map(|print| print.map(|print| print as u64));
        match key {
            None => [contents, None],
            key => [key, contents],
        }
    }
}

/// The print of an item's key, once the item itself is written.
fn key(called: &Called, mut item: SipHasher13) -> u128 {
    item.write_u32(called.epoch.unsigned_abs());
    item.write(called.subject.as_bytes());
    item.finish128().as_u128()
}

/// The print of what a record stands or falls with.
pub(crate) fn record_print(cluster: Option<&str>, dataset: &str, item: &str) -> u64 {
    cluster.map_or_else(
        || {
            let mut hasher = SipHasher13::new();
            write_part(&mut hasher, dataset);
            write_part(&mut hasher, item);
            hasher.finish128().h1
        },
        cluster_print,
    )
}

fn cluster_print(cluster: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write_u64(u64::MAX);
    hasher.write(cluster.as_bytes());
    hasher.finish128().h1
}

/// A part with its length, which keeps it from running into the next.
fn write_part(hasher: &mut SipHasher13, part: &str) {
    hasher.write_u64(part.len() as u64);
    hasher.write(part.as_bytes());
}

fn contents(row: &Row) -> u128 {
    let mut hasher = SipHasher13::new();
    let gold = row.gold_value().ok();
    let prediction = row.prediction_value().ok();
    for part in [row.input_value(), gold, prediction] {
        // Two spellings of a text, as `\u00e9` and the letter itself, say the same.
        let text = part.map(|value| value.text());
        hasher.write_u64(text.as_ref().map_or(0, |text| text.len() as u64 + 1));
        hasher.write(text.as_deref().unwrap_or_default().as_bytes());
    }
    hasher.finish128().as_u128()
}

/// What a row is to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing like it came before.
    New,
    /// It says the same as an earlier one. Data sets do hold a question twice: it counts.
    Repeated,
    /// An earlier one has its key: one of the two is wrong.
    SameKey,
}

/// The rows seen so far.
#[derive(Debug, Default)]
pub struct SeenRows {
    keys: HashSet<u128, FxBuildHasher>,
    contents: HashSet<u128, FxBuildHasher>,
}

impl SeenRows {
    /// Adds a row.
    pub fn add(&mut self, row: Print) -> Seen {
        if row.key.is_some_and(|key| !self.keys.insert(key)) {
            return Seen::SameKey;
        }
        match row.contents {
            Some(contents) if !self.contents.insert(contents) => Seen::Repeated,
            _ => Seen::New,
        }
    }

    /// What follows is another file. Its keys are its own, unless all files go into one run.
    pub fn next_file(&mut self, one_run: bool) {
        self.contents = HashSet::default();
        if !one_run {
            self.keys = HashSet::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictions::PredictionFile;
    use judica_run::options::RunOptions;

    fn seen(seen: &mut SeenRows, file: &str, text: &str, places: bool) -> Seen {
        let columns = crate::predictions::Columns::default();
        let row = Row::read(&columns, text.as_bytes()).unwrap();
        let (file, options) = (PredictionFile::new(file), RunOptions::default());
        let called = Called::of(&row, 1, &file, None, &options).unwrap();
        seen.add(Print::of(&row, &called, places).0)
    }

    #[test]
    fn ids_and_contents_are_told_apart() {
        let mut rows = SeenRows::default();
        let mut add = |text: &str| seen(&mut rows, "x.json", text, false);
        assert_eq!(add(r#"{"id": 1, "input": "a"}"#), Seen::New);
        assert_eq!(add(r#"{"id": "1", "input": "b"}"#), Seen::SameKey);
        // Another repeat, and another model.
        assert_eq!(add(r#"{"id": 1, "epoch": 2}"#), Seen::New);
        assert_eq!(add(r#"{"id": 1, "epoch": "2"}"#), Seen::SameKey);
        assert_eq!(add(r#"{"id": 1, "model": "m"}"#), Seen::New);
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
        // An empty id is none, and neither is another's place.
        assert_eq!(add(r#"{"id": "", "input": "x"}"#), Seen::New);
        assert_eq!(add(r#"{"id": " ", "input": "y"}"#), Seen::New);
        assert_eq!(add(r#"{"id": ":7", "input": "z"}"#), Seen::New);
        assert_eq!(add(r#"{"id": ":7", "input": "z"}"#), Seen::Repeated);
    }

    #[test]
    fn files_of_one_run_share_their_keys() {
        let mut rows = SeenRows::default();
        let named = r#"{"id": 1, "model": "m", "dataset": "d"}"#;
        let placed = r#"{"input": "a", "model": "m", "dataset": "d"}"#;
        for (file, expected) in [("a.json", Seen::New), ("b.json", Seen::SameKey)] {
            assert_eq!(seen(&mut rows, file, named, true), expected);
            assert_eq!(seen(&mut rows, file, placed, true), expected);
            rows.next_file(true);
        }
        assert_eq!(seen(&mut rows, "b.json", r#"{"id": 1}"#, true), Seen::New);
        rows.next_file(false);
        assert_eq!(seen(&mut rows, "a.json", named, false), Seen::New);
    }
}
