//! Numbers found by what they stand for, four bytes for each place.
//!
//! What a number stands for is kept elsewhere, and asked for by whoever holds it: so a
//! table of millions of names costs little beside the names.

/// A place that no number has taken.
const FREE: u32 = u32::MAX;
/// The first places.
const FIRST: usize = 64;

/// Numbers in open addressing: the first free place behind the one of a hash is taken.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Vec<u32>,
    taken: usize,
}

impl Slots {
    /// The number with this hash that `is` the one.
    #[inline]
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.place(hash);
        loop {
            match self.slots[at] {
                FREE => return None,
                number if is(number) => return Some(number),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Adds a number that is not there; `hash_of` is asked for the hashes of all others if
    /// there is no room.
    pub(super) fn add(&mut self, hash: u64, number: u32, hash_of: impl Fn(u32) -> u64) {
        // Three quarters at most: beyond, the way to a free place gets long.
        if 4 * (self.taken + 1) > 3 * self.slots.len() {
            let room = (2 * self.slots.len()).max(FIRST);
            let old = std::mem::replace(&mut self.slots, vec![FREE; room]);
            for number in old.into_iter().filter(|&number| number != FREE) {
                self.put(hash_of(number), number);
            }
        }
        self.put(hash, number);
        self.taken += 1;
    }

    fn put(&mut self, hash: u64, number: u32) {
        let mut at = self.place(hash);
        while self.slots[at] != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = number;
    }

    /// Where to begin: the upper bits, which depend on all of what was hashed.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        let bits = self.slots.len().trailing_zeros();
        let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - bits)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_again() {
        let mut slots = Slots::default();
        // All hashes are equal: only the numbers tell them apart.
        for hash in [|_| 7, |number: u32| u64::from(number) << 40] {
            for number in 0..1000 {
                assert_eq!(slots.find(hash(number), |n| n == number), None);
                slots.add(hash(number), number, hash);
            }
            for number in 0..1000 {
                assert_eq!(slots.find(hash(number), |n| n == number), Some(number));
            }
            slots = Slots::default();
        }
    }
}
