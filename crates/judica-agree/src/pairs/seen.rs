//! Which questions have been seen: a set of fingerprints, 12 bytes each.

use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;
use std::hint::black_box;

/// 96 bits of a question's name. Among a billion different names the chance that any two
/// share a fingerprint is below 10⁻¹¹, and SipHash leaves nobody an easy way to make two.
pub type Fingerprint = [u32; 3];

/// What stands in a free slot; no name has it.
const FREE: Fingerprint = [0; 3];
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

/// The names seen so far. Open addressing with linear probing; the only thing in a
/// measurement of merged pairs that grows with their number.
#[derive(Debug)]
pub struct SeenQuestions {
    slots: Vec<Fingerprint>,
    count: usize,
}

impl Default for SeenQuestions {
    fn default() -> Self {
        SeenQuestions {
            slots: vec![FREE; FIRST_SLOTS],
            count: 0,
        }
    }
}

impl SeenQuestions {
    /// Makes room for about so many names at once, instead of growing to it; a guess that
    /// is far too high is not believed.
    pub fn expect(&mut self, names: u64) {
        const MOST: u64 = 1 << 26;
        if names > 0 && self.count == 0 {
            let slots = (names.min(MOST) as usize * 4 / 3 + 1).next_power_of_two();
            if slots > self.slots.len() {
                self.slots = vec![FREE; slots];
            }
        }
    }

    /// Adds names in order; gives the positions of those that were there already.
    pub fn add(&mut self, names: &[Fingerprint]) -> Vec<usize> {
        let mut again = Vec::new();
        for (batch, ahead) in names.chunks(AHEAD).enumerate() {
            // Three quarters full is where chains of occupied slots begin to grow.
            if (self.count + ahead.len()) * 4 > self.slots.len() * 3 {
                self.grow();
            }
            let mask = self.slots.len() - 1;
            for name in ahead {
                black_box(self.slots[home(name) & mask][0]);
            }
            for (i, name) in ahead.iter().enumerate() {
                if !self.insert(*name) {
                    again.push(batch * AHEAD + i);
                }
            }
        }
        again
    }

    fn insert(&mut self, name: Fingerprint) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = home(&name) & mask;
        loop {
            if self.slots[at] == FREE {
                self.slots[at] = name;
                self.count += 1;
                return true;
            }
            if self.slots[at] == name {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let slots = vec![FREE; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, slots);
        self.count = 0;
        for name in old.into_iter().filter(|slot| *slot != FREE) {
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

    #[test]
    fn two_hundred_thousand_names_and_their_repeats() {
        let names: Vec<Fingerprint> = (0..200_000u32)
            .map(|i| fingerprint(&[format!("A{i}").as_bytes()]))
            .collect();
        let mut seen = SeenQuestions::default();
        seen.expect(1000);
        assert!(seen.add(&names).is_empty());
        seen.expect(1 << 22);
        assert_eq!(seen.count, 200_000);
        assert_eq!(seen.add(&names[500..600]), (0..100).collect::<Vec<_>>());
        assert!(seen.add(&[fingerprint(&[b"new"])]).is_empty());
    }

    proptest! {
        #[test]
        fn equals_a_plain_set(names in proptest::collection::vec(0u8..60, 0..200), cut in 0usize..200) {
            let prints: Vec<Fingerprint> = names.iter().map(|n| fingerprint(&[&[*n]])).collect();
            let cut = cut.min(prints.len());
            let mut seen = SeenQuestions::default();
            let mut again = seen.add(&prints[..cut]);
            again.extend(seen.add(&prints[cut..]).into_iter().map(|i| i + cut));
            let mut plain = HashSet::new();
            let expected: Vec<usize> = (0..names.len()).filter(|&i| !plain.insert(names[i])).collect();
            prop_assert_eq!(again, expected);
        }
    }
}
