//! Which of several samples of one key counts.

use std::hash::Hasher;

use rustc_hash::FxHashMap;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::log::Sample;

/// The keys of all samples of all logs: 128 bits each, so that names are not held.
#[derive(Default)]
pub(crate) struct Keys {
    /// Whether samples of several logs are kept as repeats.
    keep_all: bool,
    /// The last log that has the key, and the one in which it was met last in this pass.
    by_key: FxHashMap<u128, (u32, Option<u32>)>,
    /// Where the repeats of an item begin in the log that is read.
    repeats: FxHashMap<u128, Repeats>,
}

#[derive(Clone, Copy, Default)]
struct Repeats {
    log: u32,
    before: i32,
    last: i32,
}

/// What a sample is to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rank {
    /// It counts.
    Counts,
    /// The log has its key twice.
    Duplicate,
    /// A later log has it: its number.
    Superseded(u32),
}

impl Keys {
    /// No key yet.
    pub fn new(keep_all: bool) -> Self {
        Keys {
            keep_all,
            ..Keys::default()
        }
    }

    /// Which repeat a sample of a log is; logs come one after the other, earlier ones first.
    pub fn epoch(&mut self, log: u32, sample: &Sample) -> i32 {
        if !self.keep_all {
            return sample.epoch;
        }
        let repeats = self.repeats.entry(print(sample, 0)).or_insert(Repeats {
            log,
            ..Repeats::default()
        });
        if repeats.log != log {
            *repeats = Repeats {
                log,
                before: repeats.last,
                last: repeats.last,
            };
        }
        let epoch = repeats.before.saturating_add(sample.epoch);
        repeats.last = repeats.last.max(epoch);
        epoch
    }

    /// Takes the key of a sample in the first pass; says whether its log has it twice.
    pub fn take(&mut self, log: u32, sample: &Sample, epoch: i32) -> Rank {
        match self.by_key.insert(print(sample, epoch), (log, None)) {
            Some((before, _)) if before == log => Rank::Duplicate,
            _ => Rank::Counts,
        }
    }

    /// The next pass begins.
    pub fn again(&mut self) {
        self.repeats.clear();
    }

    /// What a sample is to the others, in the second pass.
    pub fn rank(&mut self, log: u32, sample: &Sample, epoch: i32) -> Rank {
        let Some((last, met)) = self.by_key.get_mut(&print(sample, epoch)) else {
            return Rank::Duplicate;
        };
        // A log that a later one supersedes still has each key once.
        match met.replace(log) {
            Some(before) if before == log => Rank::Duplicate,
            _ if *last != log => Rank::Superseded(*last),
            _ => Rank::Counts,
        }
    }
}

fn print(sample: &Sample, epoch: i32) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write_u32(epoch.unsigned_abs());
    for part in [&sample.dataset, &sample.subject, &sample.item] {
        // Its length keeps a part from running into the next.
        hasher.write_u64(part.len() as u64);
        hasher.write(part.as_bytes());
    }
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(item: &'static str, epoch: i32) -> Sample<'static> {
        Sample {
            item: item.into(),
            epoch,
            ..Sample::default()
        }
    }

    #[test]
    fn the_later_log_wins_and_the_first_of_one_log() {
        let mut keys = Keys::new(false);
        let a = sample("a", 1);
        assert_eq!(keys.take(0, &a, 1), Rank::Counts);
        assert_eq!(keys.take(0, &a, 1), Rank::Duplicate);
        assert_eq!(keys.take(1, &a, 1), Rank::Counts);
        assert_eq!(keys.take(1, &a, 1), Rank::Duplicate);
        keys.again();
        assert_eq!(keys.rank(0, &a, 1), Rank::Superseded(1));
        assert_eq!(keys.rank(0, &a, 1), Rank::Duplicate);
        assert_eq!(keys.rank(1, &a, 1), Rank::Counts);
        assert_eq!(keys.rank(1, &a, 1), Rank::Duplicate);
    }

    #[test]
    fn repeats_of_a_later_log_follow_those_of_the_earlier() {
        let mut keys = Keys::new(true);
        let epochs = [(0, 2), (0, 1), (1, 1), (1, 3), (2, 1)];
        let found = epochs.map(|(log, epoch)| keys.epoch(log, &sample("a", epoch)));
        assert_eq!(found, [2, 1, 3, 5, 6]);
        assert_eq!(keys.epoch(2, &sample("b", 1)), 1);
    }
}
