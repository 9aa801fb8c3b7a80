//! Which questions have been seen: a set of fingerprints, each with what was said of the
//! question where nothing else tells it, 16 bytes together. Names that come in
//! order, as counters do, are no names again; their fingerprints are only kept, for the case
//! that the order ends.

use super::clusters::{NOT_COUNTED, Outcome};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;
use std::hint::black_box;

/// 96 bits of a question's name. Among a billion different names the chance that any two
/// share a fingerprint is below 10⁻¹¹, and SipHash leaves nobody an easy way to make two.
pub type Fingerprint = [u32; 3];

/// What stands in a free slot; no name has it.
const FREE: Fingerprint = [0; 3];
const FREE_SLOT: (Fingerprint, Outcome) = (FREE, NOT_COUNTED);
const FIRST_SLOTS: usize = 1 << 12;
/// Slots looked at ahead of their turn, so that their cache lines come together.
const AHEAD: usize = 32;

/// The fingerprint of a name, which may have several parts.
pub fn fingerprint(parts: &[&[u8]]) -> Fingerprint {
    let mut hasher = SipHasher13::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            // No text holds this byte.
            hasher.write(&[0xff]);
        }
        hasher.write(part);
    }
    let hash = hasher.finish128();
    let bits = [hash.h1 as u32, (hash.h1 >> 32) as u32, hash.h2 as u32];
    if bits == FREE { [1, 0, 0] } else { bits }
}

/// The names of some lines, in the order of the lines.
#[derive(Debug, Default)]
pub struct Names {
    prints: Vec<(Fingerprint, Outcome)>,
    first: Vec<u8>,
    last: Vec<u8>,
    /// Whether one does not follow the one before it.
    unordered: bool,
}

impl Names {
    /// Adds a name with the fingerprint of all that tells its line from others.
    pub fn push(&mut self, name: &[u8], print: Fingerprint) {
        if self.prints.is_empty() {
            set(&mut self.first, name);
        } else {
            self.unordered |= !follows(name, &self.last);
        }
        set(&mut self.last, name);
        self.prints.push((print, NOT_COUNTED));
    }

    /// The last of them.
    pub fn last(&self) -> Option<Fingerprint> {
        self.prints.last().map(|(print, _)| *print)
    }

    /// Keeps what was said of the last one, whose line is in the cluster that it names alone.
    pub fn count_last(&mut self, outcome: Outcome) {
        if let Some((_, said)) = self.prints.last_mut() {
            *said = outcome;
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.prints.len()
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.prints.clear();
        self.unordered = false;
    }
}

/// Whether a name comes after another one as counters go: a longer one after a shorter one.
fn follows(name: &[u8], before: &[u8]) -> bool {
    (name.len(), name) > (before.len(), before)
}

fn set(kept: &mut Vec<u8>, name: &[u8]) {
    kept.clear();
    kept.extend_from_slice(name);
}

/// The names seen so far: the only thing in a measurement of merged pairs that grows with
/// their number.
#[derive(Debug, Default)]
pub struct SeenQuestions {
    /// All of them, as long as each followed the one before it; the last one.
    in_order: Vec<(Fingerprint, Outcome)>,
    last: Vec<u8>,
    /// All of them after that. Open addressing with linear probing.
    slots: Vec<(Fingerprint, Outcome)>,
    count: usize,
    /// How many there may be.
    expected: usize,
}

impl SeenQuestions {
    /// Makes room for about so many names at once, instead of growing to it; a guess that
    /// is far too high is not believed.
    pub fn expect(&mut self, names: u64) {
        const MOST: u64 = 1 << 26;
        self.expected = names.min(MOST) as usize;
    }

    /// Adds names in order; gives the positions of those that were there already.
    pub fn add(&mut self, names: &Names) -> Vec<usize> {
        if names.prints.is_empty() {
            return Vec::new();
        }
        if self.slots.is_empty() {
            let on = self.in_order.is_empty() || follows(&names.first, &self.last);
            if on && !names.unordered {
                self.in_order.extend_from_slice(&names.prints);
                set(&mut self.last, &names.last);
                return Vec::new();
            }
            let most = self.expected.max(self.in_order.len() + names.count());
            let slots = (most * 4 / 3 + 1).next_power_of_two().max(FIRST_SLOTS);
            self.slots = vec![FREE_SLOT; slots];
            let all = std::mem::take(&mut self.in_order);
            self.insert_all(&all);
        }
        self.insert_all(&names.prints)
    }

    /// What was said of questions whose lines say nothing else, in no order of its own.
    pub fn counted(&self) -> impl Iterator<Item = (Fingerprint, Outcome)> + '_ {
        let all = self.in_order.iter().chain(&self.slots).copied();
        all.filter(|(_, outcome)| *outcome != NOT_COUNTED)
    }

    fn insert_all(&mut self, names: &[(Fingerprint, Outcome)]) -> Vec<usize> {
        let mut again = Vec::new();
        for (batch, ahead) in names.chunks(AHEAD).enumerate() {
            // Three quarters full is where chains of occupied slots begin to grow.
            if (self.count + ahead.len()) * 4 > self.slots.len() * 3 {
                self.grow();
            }
            let mask = self.slots.len() - 1;
            for (print, _) in ahead {
                black_box(self.slots[home(print) & mask].0[0]);
            }
            for (i, name) in ahead.iter().enumerate() {
                if !self.insert(*name) {
                    again.push(batch * AHEAD + i);
                }
            }
        }
        again
    }

    fn insert(&mut self, name: (Fingerprint, Outcome)) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = home(&name.0) & mask;
        loop {
            if self.slots[at].0 == FREE {
                self.slots[at] = name;
                self.count += 1;
                return true;
            }
            if self.slots[at].0 == name.0 {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let slots = vec![FREE_SLOT; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, slots);
        self.count = 0;
        for name in old.into_iter().filter(|slot| slot.0 != FREE) {
            self.insert(name);
        }
    }
}

/// Where a name belongs.
fn home(name: &Fingerprint) -> usize {
    (u64::from(name[1]) << 32 | u64::from(name[0])) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Names {
        let mut all = Names::default();
        for name in names {
            all.push(name.as_bytes(), fingerprint(&[name.as_bytes()]));
        }
        all
    }

    #[test]
    fn two_hundred_thousand_names_and_their_repeats() {
        let texts: Vec<String> = (0..200_000).map(|i| format!("A{i}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for backwards in [false, true] {
            let mut texts = texts.clone();
            if backwards {
                texts.reverse();
            }
            let mut seen = SeenQuestions::default();
            seen.expect(1000);
            for some in texts.chunks(1000) {
                assert!(seen.add(&named(some.iter().copied())).is_empty());
            }
            assert_eq!(seen.slots.is_empty(), !backwards);
            let again = seen.add(&named(texts[500..600].iter().copied()));
            assert_eq!(again, (0..100).collect::<Vec<_>>());
            assert_eq!(seen.count, 200_000);
            assert!(seen.add(&named(["new"])).is_empty());
            assert!(seen.add(&Names::default()).is_empty());
        }
    }

    #[test]
    fn counters_are_in_order_with_or_without_zeros() {
        for (before, after) in [("q9", "q10"), ("q09", "q10"), ("", "a"), ("a", "b")] {
            assert!(follows(after.as_bytes(), before.as_bytes()));
            assert!(!follows(before.as_bytes(), after.as_bytes()));
        }
        assert!(!follows(b"q1", b"q1"));
    }

    proptest! {
        #[test]
        fn equals_a_plain_set(
            mut names in proptest::collection::vec(0u8..60, 0..200),
            sorted in 0usize..200,
            cut in 0usize..200,
        ) {
            let (sorted, cut) = (sorted.min(names.len()), cut.min(names.len()));
            names[..sorted].sort_unstable();
            let texts: Vec<String> = names.iter().map(u8::to_string).collect();
            let some = |range: std::ops::Range<usize>| named(texts[range].iter().map(String::as_str));
            let mut seen = SeenQuestions::default();
            let mut again = seen.add(&some(0..cut));
            again.extend(seen.add(&some(cut..names.len())).into_iter().map(|i| i + cut));
            let mut plain = HashSet::new();
            let expected: Vec<usize> = (0..names.len()).filter(|&i| !plain.insert(names[i])).collect();
            prop_assert_eq!(again, expected);
        }
    }
}
