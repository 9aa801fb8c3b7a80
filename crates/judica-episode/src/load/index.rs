//! Where the predictions of each episode stand in their file.
//!
//! Rows of one episode that follow each other are one run. A run takes about 100 bytes
//! and each of its rows 8, whatever the rows hold: that is all that grows with the input.

use std::borrow::Cow;
use std::hash::Hasher;

use rustc_hash::FxHashMap;
use siphasher::sip128::{Hasher128, SipHasher13};

/// 128 bits of an episode's name. No two names of any input will share them, and SipHash
/// leaves nobody an easy way to make two that do.
pub type Fingerprint = [u64; 2];

/// The fingerprint of an episode, which is that of its first repeat.
pub fn fingerprint(name: &str) -> Fingerprint {
    hash(&[name.as_bytes()])
}

/// The same of one data set.
pub fn within(name: Fingerprint, dataset: &str) -> Fingerprint {
    // No text holds this byte, nor the one below.
    hash(&[&bytes(name), &[0xfe], dataset.as_bytes()])
}

/// Another repeat of an episode.
pub fn repeat(first: Fingerprint, epoch: i32) -> Fingerprint {
    match epoch {
        1 => first,
        _ => hash(&[&bytes(first), &[0xff], &epoch.to_le_bytes()]),
    }
}

fn bytes([a, b]: Fingerprint) -> [u8; 16] {
    ((u128::from(a) << 64) | u128::from(b)).to_le_bytes()
}

fn hash(parts: &[&[u8]]) -> Fingerprint {
    let mut hasher = SipHasher13::new();
    parts.iter().for_each(|part| hasher.write(part));
    let hash = hasher.finish128();
    [hash.h1, hash.h2]
}

/// Rows with more than this between them are not read together.
const LARGEST_GAP: u64 = 64 << 10;

/// No run of an episode follows this one.
const LAST: u32 = u32::MAX;

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// Where it begins in the file.
    pub offset: u64,
    /// The line it begins on.
    pub line: u64,
    /// How long it is.
    pub length: u32,
}

/// Rows of one episode, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    name: Fingerprint,
    /// Where the first row begins.
    pub offset: u64,
    /// Where the last row ends.
    pub end: u64,
    /// The line the first row begins on.
    pub line: u64,
    first_row: usize,
    rows: u32,
    next: u32,
}

/// What became of the predictions of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// No episode has this name.
    Nobody,
    /// An episode has it, but was refused.
    Refused,
    /// They were compared with their episode.
    Scored,
}

/// Which predictions were claimed by an episode.
#[derive(Debug)]
pub struct Claims(Vec<Claim>);

/// Where the predictions of each episode stand.
#[derive(Debug, Default)]
pub struct Index {
    runs: Vec<Run>,
    /// How far each row begins after the one before it in its run, and its length.
    rows: Vec<(u32, u32)>,
    /// The first and the last run of each episode.
    by_name: FxHashMap<Fingerprint, (u32, u32)>,
    /// The repeats of episodes whose rows say which they are, by the episode.
    repeats: FxHashMap<Fingerprint, Vec<i32>>,
    /// The same name in the data sets that rows name, by the name alone.
    datasets: FxHashMap<Fingerprint, Vec<Fingerprint>>,
}

impl Index {
    /// Notes that there is this repeat of an episode.
    pub fn note_repeat(&mut self, first: Fingerprint, epoch: i32) {
        let known = self.repeats.entry(first).or_default();
        if let Err(place) = known.binary_search(&epoch) {
            known.insert(place, epoch);
        }
    }

    /// Notes that rows name the data set of an episode.
    pub fn note_dataset(&mut self, name: Fingerprint, within: Fingerprint) {
        let known = self.datasets.entry(name).or_default();
        if let Err(place) = known.binary_search(&within) {
            known.insert(place, within);
        }
    }

    /// Whether rows name the data set of an episode of this name.
    pub fn names_dataset(&self, name: Fingerprint) -> bool {
        self.datasets.contains_key(&name)
    }

    /// Under what an episode was predicted: its name in its data set, else the name alone.
    /// An episode that does not say of which data set it is may be of the only one.
    pub fn predicted_as(&self, name: Fingerprint, within: Fingerprint, says: bool) -> Fingerprint {
        let known = self.datasets.get(&name).map_or(&[][..], Vec::as_slice);
        if known.binary_search(&within).is_ok() {
            return within;
        }
        if self.by_name.contains_key(&name) || self.repeats.contains_key(&name) {
            return name;
        }
        match known {
            [only] if !says => *only,
            _ => within,
        }
    }

    /// The repeats of an episode that were predicted; rows that do not say which they are of
    /// are the first.
    pub fn repeats(&self, first: Fingerprint) -> Cow<'_, [i32]> {
        match self.repeats.get(&first) {
            None => Cow::Borrowed(&[1]),
            Some(said) if said[0] != 1 && self.by_name.contains_key(&first) => {
                Cow::Owned([&[1], said.as_slice()].concat())
            }
            Some(said) => Cow::Borrowed(said),
        }
    }

    /// Adds the next row of the file. False if there is no room for it: an index holds
    /// four billion runs.
    #[must_use]
    pub fn add(&mut self, name: Fingerprint, place: RowPlace) -> bool {
        let RowPlace {
            offset,
            line,
            length,
        } = place;
        let end = offset + u64::from(length);
        if let Some(run) = self.runs.last_mut()
            && run.name == name
            && offset - run.end <= LARGEST_GAP
            && run.rows < u32::MAX
        {
            let before = self.rows.last().map_or(0, |&(_, length)| length);
            let begin_before = run.end - u64::from(before);
            // A row and a gap that fit in 32 bits each may not do so together.
            if let Ok(after) = u32::try_from(offset - begin_before) {
                self.rows.push((after, length));
                run.rows += 1;
                run.end = end;
                return true;
            }
        }
        let Some(this) = u32::try_from(self.runs.len()).ok().filter(|&at| at < LAST) else {
            return false;
        };
        let first_and_last = self.by_name.entry(name).or_insert((this, this));
        if first_and_last.1 != this {
            self.runs[first_and_last.1 as usize].next = this;
            first_and_last.1 = this;
        }
        self.runs.push(Run {
            name,
            offset,
            end,
            line,
            first_row: self.rows.len(),
            rows: 1,
            next: LAST,
        });
        self.rows.push((0, length));
        true
    }

    /// The episodes that rows are about, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = Fingerprint> {
        let first = |at: &usize, run: &Run| {
            let first = self
                .by_name
                .get(&run.name)
                .map(|&(first, _)| first as usize);
            first == Some(*at)
        };
        let runs = self.runs.iter().enumerate();
        runs.filter_map(move |(at, run)| first(&at, run).then_some(run.name))
    }

    /// The runs of an episode, in the order of the file.
    pub fn runs_of(&self, name: Fingerprint) -> impl Iterator<Item = &Run> {
        let first = self.by_name.get(&name).map(|&(first, _)| first);
        let run = |at: u32| self.runs.get(at as usize);
        std::iter::successors(first.and_then(run), move |before| run(before.next))
    }

    /// Where the rows of a run begin and end, counted from the run's begin.
    pub fn rows_of(&self, run: &Run) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first = run.first_row;
        let rows = &self.rows[first..first + run.rows as usize];
        rows.iter().scan(0, |at, &(after, length)| {
            *at += u64::from(after);
            Some((*at, *at + u64::from(length)))
        })
    }

    /// Nothing is claimed yet.
    pub fn claims(&self) -> Claims {
        Claims(vec![Claim::Nobody; self.runs.len()])
    }

    /// Claims the predictions of an episode.
    pub fn claim(&self, claims: &mut Claims, name: Fingerprint, claim: Claim) {
        if let Some(&(first, _)) = self.by_name.get(&name) {
            let held = &mut claims.0[first as usize];
            *held = (*held).max(claim);
        }
    }

    /// The runs whose predictions were compared with nothing, in the order of the file.
    pub fn left<'i>(&'i self, claims: &'i Claims) -> impl Iterator<Item = (&'i Run, Claim)> {
        self.runs.iter().filter_map(|run| {
            let (first, _) = self.by_name.get(&run.name)?;
            let claim = claims.0[*first as usize];
            (claim != Claim::Scored).then_some((run, claim))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn claims_only_grow() {
        let mut index = Index::default();
        let [a, b] = ["a", "b"].map(fingerprint);
        for (name, offset) in [(a, 0), (b, 10), (a, 20)] {
            let place = RowPlace {
                offset,
                line: offset / 10 + 1,
                length: 9,
            };
            assert!(index.add(name, place));
        }
        let mut claims = index.claims();
        index.claim(&mut claims, fingerprint("c"), Claim::Scored);
        index.claim(&mut claims, a, Claim::Refused);
        let left: Vec<_> = index
            .left(&claims)
            .map(|(run, claim)| (run.line, claim))
            .collect();
        assert_eq!(
            left,
            [(1, Claim::Refused), (2, Claim::Nobody), (3, Claim::Refused)]
        );
        index.claim(&mut claims, a, Claim::Scored);
        index.claim(&mut claims, a, Claim::Refused);
        assert_eq!(index.left(&claims).count(), 1);
    }

    proptest! {
        #[test]
        fn every_row_is_found_again(rows in proptest::collection::vec((0u8..5, 1u32..90_000, 0u64..100_000), 0..60)) {
            let mut index = Index::default();
            let mut offset = 3;
            let mut expected: Vec<Vec<(u64, u64)>> = vec![Vec::new(); 5];
            for (line, &(name, length, gap)) in rows.iter().enumerate() {
                let place = RowPlace { offset, line: line as u64 + 1, length };
                prop_assert!(index.add(fingerprint(&name.to_string()), place));
                expected[usize::from(name)].push((offset, offset + u64::from(length)));
                offset += u64::from(length) + gap;
            }
            for (name, expected) in expected.iter().enumerate() {
                let found: Vec<(u64, u64)> = index
                    .runs_of(fingerprint(&name.to_string()))
                    .flat_map(|run| {
                        index.rows_of(run).map(|(from, to)| (run.offset + from, run.offset + to))
                    })
                    .collect();
                prop_assert_eq!(&found, expected);
            }
            let left: usize = index.left(&index.claims()).map(|(run, _)| run.rows as usize).sum();
            prop_assert_eq!(left, rows.len());
        }
    }
}
