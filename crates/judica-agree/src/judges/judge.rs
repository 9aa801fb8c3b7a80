//! A judge and its verdicts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::contents::Place;
use super::row::{Fault, WITHOUT_JUDGE};

/// One judge and its verdicts.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    /// What it is called.
    pub name: String,
    /// The models its files name.
    pub models: BTreeSet<String>,
    /// How many files it has.
    pub files: u64,
    /// How many rows they hold.
    pub rows: u64,
    /// How many of them are used.
    pub used: u64,
    /// How many of these were decided how, as the rows say.
    pub methods: BTreeMap<String, u64>,
    /// How many were decided without a judge and left out, by [`WITHOUT_JUDGE`].
    pub without_judge: [u64; WITHOUT_JUDGE.len()],
    /// Rows whose reply could not be parsed.
    pub invalid: u64,
    /// The items whose verdict stands in for such a reply.
    pub stand_ins: HashSet<u32>,
    /// Rows that the model declined to judge.
    pub declined: u64,
    /// The items of all such rows, of either kind.
    pub unread: HashSet<u32>,
    /// Rows that cannot be read.
    pub refused: u64,
    /// Rows about an item of which there was one already.
    pub duplicates: u64,
    /// Rows that say how many tokens went to the judge and came back.
    pub told: u64,
    /// These tokens, added up.
    pub tokens: [u64; 2],
    /// Whether the judge found the item's prediction correct, and where it says so; by
    /// the item's number.
    verdicts: Vec<Option<(bool, Place)>>,
}

impl Judge {
    /// A judge without rows.
    pub fn new(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// Counts used rows that were decided in the same way.
    pub fn decided(&mut self, method: String, used: u64) {
        if used > 0 {
            *self.methods.entry(method).or_default() += used;
        }
    }

    /// What it said about an item, and where.
    pub fn verdict(&self, item: u32) -> Option<(bool, Place)> {
        self.verdicts.get(item as usize).copied().flatten()
    }

    /// How many items it was asked about and said nothing of that could be read.
    pub fn missing(&self) -> u64 {
        let asked = self.unread.iter();
        let missing =
            asked.filter(|item| self.verdict(**item).is_none() || self.stand_ins.contains(item));
        missing.count() as u64
    }

    /// Records a verdict; the first on an item stands.
    pub fn record(&mut self, item: u32, correct: bool, place: Place) -> Result<(), Fault> {
        let at = item as usize;
        if at >= self.verdicts.len() {
            self.verdicts.resize(at + 1, None);
        }
        let Some((before, first)) = self.verdicts[at] else {
            self.verdicts[at] = Some((correct, place));
            return Ok(());
        };
        let where_first = if first.file == place.file {
            format!("on line {}", first.line)
        } else {
            "in another file".to_owned()
        };
        Err(again(before == correct, &where_first))
    }
}

/// What is wrong with a row about something of which there was a row already.
pub(super) fn again(same_verdict: bool, where_first: &str) -> Fault {
    if same_verdict {
        let detail = format!("the same item stands {where_first}, with the same verdict");
        Fault::new("duplicate_row", detail)
    } else {
        let detail = format!("the same item stands {where_first}, with the other verdict");
        Fault::new("conflicting_row", detail)
    }
}
