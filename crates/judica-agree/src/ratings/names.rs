//! Names as small numbers, in the order in which they first came up.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

/// Names, each with a number. A name is stored once, beside the others in one text.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in the text; the next begins there.
    ends: Vec<usize>,
    /// From the hash of a name to its number; see [`Names::number`].
    numbers: FxHashMap<u64, u32>,
    last: u32,
}

impl Names {
    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name with this number; empty if there is none.
    pub(super) fn name(&self, number: u32) -> &str {
        let at = number as usize;
        let start = match at.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let range = start.zip(self.ends.get(at).copied());
        range.map_or("", |(start, end)| &self.text[start..end])
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
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        let mut hash = hasher.finish();
        // Two names with the same hash: the second takes the next free place.
        loop {
            match self.numbers.get(&hash) {
                Some(&number) if self.name(number) == name => {
                    self.last = number;
                    return number;
                }
                Some(_) => hash = hash.wrapping_add(1),
                None => break,
            }
        }
        let number = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.numbers.insert(hash, number);
        self.last = number;
        number
    }

    /// All names, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|number| self.name(number))
    }
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

    #[test]
    fn names_with_the_same_hash_stay_apart() {
        let mut names = Names::default();
        names.number("first");
        // As if "second" hashed to where "first" is.
        let mut hasher = FxHasher::default();
        hasher.write(b"second");
        names.numbers.insert(hasher.finish(), 0);
        assert_eq!([names.number("second"), names.number("first")], [1, 0]);
        assert_eq!(names.look_up("second"), 1);
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
