//! Names as small numbers, in the order in which they first came up.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::slots::Slots;

/// Names, each with a number. A name is stored once, beside the others in one text.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in the text, the next begins there; the lower half of it.
    ends: Vec<u32>,
    /// The names from which on the upper half is one more.
    wraps: Vec<u32>,
    slots: Slots,
    last: u32,
}

impl Names {
    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name with this number; empty if there is none.
    #[inline]
    pub(super) fn name(&self, number: u32) -> &str {
        let start = match number.checked_sub(1) {
            Some(before) => self.end(before),
            None => Some(0),
        };
        let range = start.zip(self.end(number));
        range.map_or("", |(start, end)| &self.text[start..end])
    }

    #[inline]
    fn end(&self, number: u32) -> Option<usize> {
        let low = *self.ends.get(number as usize)? as usize;
        let high = self.wraps.partition_point(|&first| first <= number);
        Some(high << 32 | low)
    }

    /// The number of a name, which is new if the name is.
    ///
    /// Numbers stay below 2^32: whoever counts a cell per name gives up long before.
    #[inline]
    pub(super) fn number(&mut self, name: &str) -> u32 {
        // Tables are sorted by one of their columns more often than not, so the name is
        // mostly the one before or the one that came after it the last time.
        for guess in [self.last, self.last + 1] {
            if (guess as usize) < self.ends.len() && self.name(guess) == name {
                self.last = guess;
                return guess;
            }
        }
        self.look_up(name)
    }

    fn look_up(&mut self, name: &str) -> u32 {
        let hash = hash_of(name);
        let known = self.slots.find(hash, |number| self.name(number) == name);
        self.last = known.unwrap_or_else(|| {
            let number = self.ends.len() as u32;
            let before = self.text.len() >> 32;
            self.text.push_str(name);
            let end = self.text.len();
            self.wraps.extend((before..end >> 32).map(|_| number));
            self.ends.push(end as u32);
            let mut slots = std::mem::take(&mut self.slots);
            slots.add(hash, number, |number| hash_of(self.name(number)));
            self.slots = slots;
            number
        });
        self.last
    }

    /// No name will be asked for any more: what finds numbers goes.
    pub(super) fn close(&mut self) {
        self.slots = Slots::default();
    }

    /// All names, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|number| self.name(number))
    }
}

fn hash_of(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_keep_their_numbers() {
        let mut names = Names::default();
        let numbers = ["b", "a", "", "b", "a", "c", ""].map(|name| names.number(name));
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3, 2]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["b", "a", "", "c"]);
        assert_eq!(names.name(9), "");
    }

    proptest! {
        #[test]
        fn as_a_plain_search_would(given in prop::collection::vec("[ab\u{e9}]{0,3}", 0..60)) {
            let mut names = Names::default();
            let mut plain: Vec<String> = Vec::new();
            for name in given {
                let at = plain.iter().position(|known| *known == name).unwrap_or_else(|| {
                    plain.push(name.clone());
                    plain.len() - 1
                });
                prop_assert_eq!(names.number(&name) as usize, at);
            }
            prop_assert_eq!(names.iter().collect::<Vec<_>>(), plain);
        }
    }
}
