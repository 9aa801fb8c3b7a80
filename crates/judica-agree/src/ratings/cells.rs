//! Who rated what: for each item a few bytes per rating, not per rater.
//!
//! Crowds rate little each. A table of all items and raters would be nearly empty, and a
//! hundred times as large as what was read.

use judica_stats::agreement::{Given, Table};

/// The most ratings: numbers of places have 32 bits, of which one is taken.
pub(super) const MOST_RATINGS: u64 = (1 << 31) - 1;
/// No place.
const NONE: u32 = u32::MAX;
/// Set where an item has a place of its own for its ratings.
const CROWDED: u32 = 1 << 31;
/// So many ratings of an item are looked through one by one.
const FEW: u32 = 32;

/// A rating, and where the one before it of the same item is.
#[derive(Clone, Copy, Debug)]
struct Rating {
    rater: u32,
    code: u32,
    next: u32,
}

/// The ratings of one item that has many, found by their rater; open addressing, with
/// [`NONE`] for a rater where nobody is.
#[derive(Debug)]
struct Crowd {
    places: Vec<(u32, u32)>,
    taken: usize,
}

/// All ratings.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// For each item the last of its ratings, or the number of its crowd.
    heads: Vec<u32>,
    ratings: Vec<Rating>,
    /// Places whose ratings went to a crowd.
    free: Vec<u32>,
    crowds: Vec<Crowd>,
    count: u64,
}

impl Crowd {
    fn with_room(room: usize) -> Self {
        Crowd {
            places: vec![(NONE, 0); room],
            taken: 0,
        }
    }

    /// Puts a code where there is none; else gives the one that is there.
    fn place(&mut self, rater: u32, code: u32) -> Result<(), u32> {
        if 4 * (self.taken + 1) > 3 * self.places.len() {
            let old = std::mem::replace(self, Crowd::with_room(2 * self.places.len()));
            for (rater, code) in old.ratings() {
                let placed = self.place(rater, code);
                debug_assert!(placed.is_ok(), "raters differ");
            }
        }
        let bits = self.places.len().trailing_zeros();
        let mut at = (rater.wrapping_mul(0x9e37_79b9) >> (u32::BITS - bits)) as usize;
        loop {
            let (who, said) = self.places[at];
            if who == rater {
                return Err(said);
            }
            if who == NONE {
                self.places[at] = (rater, code);
                self.taken += 1;
                return Ok(());
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }

    fn ratings(&self) -> impl Iterator<Item = (u32, u32)> {
        let taken = self.places.iter().filter(|(who, _)| *who != NONE);
        taken.copied()
    }
}

impl Cells {
    /// Puts a code where there is none; else gives the one that is there.
    #[inline]
    pub(super) fn place(&mut self, item: u32, rater: u32, code: u32) -> Result<(), u32> {
        let at = item as usize;
        if at >= self.heads.len() {
            self.heads.resize(at + 1, NONE);
        }
        let head = self.heads[at];
        if head != NONE && head & CROWDED != 0 {
            self.crowds[(head ^ CROWDED) as usize].place(rater, code)?;
            self.count += 1;
            return Ok(());
        }
        let (mut next, mut seen) = (head, 0);
        while next != NONE {
            let rating = self.ratings[next as usize];
            if rating.rater == rater {
                return Err(rating.code);
            }
            next = rating.next;
            seen += 1;
        }
        self.count += 1;
        if seen == FEW {
            return self.crowd(item, rater, code);
        }
        let rating = Rating {
            rater,
            code,
            next: head,
        };
        self.heads[at] = match self.free.pop() {
            Some(place) => {
                self.ratings[place as usize] = rating;
                place
            }
            None => {
                self.ratings.push(rating);
                self.ratings.len() as u32 - 1
            }
        };
        Ok(())
    }

    /// The ratings of an item get a place of their own.
    #[cold]
    fn crowd(&mut self, item: u32, rater: u32, code: u32) -> Result<(), u32> {
        let mut crowd = Crowd::with_room(2 * FEW as usize);
        let mut next = self.heads[item as usize];
        while next != NONE {
            let rating = self.ratings[next as usize];
            crowd.place(rating.rater, rating.code)?;
            self.free.push(next);
            next = rating.next;
        }
        self.heads[item as usize] = CROWDED | self.crowds.len() as u32;
        let placed = crowd.place(rater, code);
        self.crowds.push(crowd);
        placed
    }

    /// How many ratings there are.
    pub(super) fn len(&self) -> u64 {
        self.count
    }

    /// Calls `each` with all ratings of an item: rater and code.
    #[inline]
    fn of_item(&self, item: usize, mut each: impl FnMut(u32, u32)) {
        let head = self.heads.get(item).copied().unwrap_or(NONE);
        if head != NONE && head & CROWDED != 0 {
            let crowd = &self.crowds[(head ^ CROWDED) as usize];
            crowd.ratings().for_each(|(rater, code)| each(rater, code));
            return;
        }
        let mut next = head;
        while next != NONE {
            let rating = self.ratings[next as usize];
            each(rating.rater, rating.code);
            next = rating.next;
        }
    }

    fn each(&self, mut each: impl FnMut(u32, u32)) {
        (0..self.heads.len()).for_each(|item| self.of_item(item, &mut each));
    }

    /// The raters, of so many, who rated nothing.
    pub(super) fn silent(&self, raters: usize) -> Vec<u32> {
        let mut rated = vec![false; raters];
        self.each(|rater, _| rated[rater as usize] = true);
        let silent = (0..raters as u32).filter(|&rater| !rated[rater as usize]);
        silent.collect()
    }

    /// The codes, of so many, that are in a cell.
    pub(super) fn used(&self, codes: usize) -> Vec<u32> {
        let mut used = vec![false; codes];
        self.each(|_, code| used[code as usize] = true);
        let used = (0..codes as u32).filter(|&code| used[code as usize]);
        used.collect()
    }

    /// The items, of so many, that nobody rated.
    pub(super) fn unrated(&self, items: usize) -> impl Iterator<Item = usize> {
        let head = |item: &usize| self.heads.get(*item).copied();
        (0..items).filter(move |item| head(item).unwrap_or(NONE) == NONE)
    }

    /// The table of so many items and the given raters. Codes become what `recoded` says;
    /// there are `categories` of those.
    pub(super) fn table<'a>(
        &'a self,
        items: usize,
        raters: &[u32],
        recoded: &'a [u32],
        categories: usize,
    ) -> Columns<'a> {
        let most = raters.iter().max().map_or(0, |&rater| rater as usize + 1);
        let mut column_of = vec![NONE; most];
        for (column, &rater) in (0..).zip(raters) {
            column_of[rater as usize] = column;
        }
        Columns {
            cells: self,
            items,
            raters: raters.len(),
            column_of,
            recoded,
            categories,
        }
    }
}

/// The ratings with raters as columns and codes as categories.
#[derive(Debug)]
pub(super) struct Columns<'a> {
    cells: &'a Cells,
    items: usize,
    raters: usize,
    column_of: Vec<u32>,
    recoded: &'a [u32],
    categories: usize,
}

impl Table for Columns<'_> {
    fn raters(&self) -> usize {
        self.raters
    }

    fn categories(&self) -> usize {
        self.categories
    }

    fn items(&self) -> usize {
        self.items
    }

    fn each_row(&self, each: &mut dyn FnMut(&[Given])) {
        let mut row = Vec::new();
        for item in 0..self.items {
            row.clear();
            self.cells.of_item(item, |rater, code| {
                row.push((self.column_of[rater as usize], self.recoded[code as usize]));
            });
            each(&row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn rows(table: &Columns) -> Vec<Vec<(u32, u32)>> {
        let mut rows = Vec::new();
        table.each_row(&mut |row| {
            let mut row = row.to_vec();
            row.sort_unstable();
            rows.push(row);
        });
        rows
    }

    #[test]
    fn the_first_rating_of_a_cell_stays() {
        let mut cells = Cells::default();
        assert_eq!(cells.place(2, 1, 7), Ok(()));
        assert_eq!(cells.place(2, 1, 8), Err(7));
        assert_eq!(cells.place(0, 3, 9), Ok(()));
        assert_eq!(cells.silent(5), [0, 2, 4]);
        assert_eq!((cells.used(10), cells.len()), (vec![7, 9], 2));
        let mut recoded = vec![0; 10];
        (recoded[7], recoded[9]) = (1, 0);
        let table = cells.table(4, &[3, 1], &recoded, 2);
        assert_eq!(rows(&table), [vec![(0, 0)], vec![], vec![(1, 1)], vec![]]);
        assert_eq!(cells.unrated(4).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn a_table_without_raters_is_empty() {
        let cells = Cells::default();
        let table = cells.table(3, &[], &[], 0);
        assert_eq!((table.raters(), table.items()), (0, 3));
        assert!(rows(&table).iter().all(Vec::is_empty));
    }

    proptest! {
        // Few items and many raters: most items become crowds, and their places are used
        // again.
        #[test]
        fn as_a_plain_map_would(given in prop::collection::vec((0u32..4, 0u32..90, 0u32..3), 0..600)) {
            let mut cells = Cells::default();
            let mut plain: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (item, rater, code) in given {
                let before = plain.get(&(item, rater)).copied();
                prop_assert_eq!(cells.place(item, rater, code).err(), before);
                plain.entry((item, rater)).or_insert(code);
            }
            prop_assert_eq!(cells.len(), plain.len() as u64);
            let raters: Vec<u32> = (0..90).collect();
            let table = cells.table(4, &raters, &[0, 1, 2], 3);
            for (item, row) in (0u32..).zip(rows(&table)) {
                let of_item = plain.range((item, 0)..(item + 1, 0));
                prop_assert_eq!(row, of_item.map(|(key, code)| (key.1, *code)).collect::<Vec<_>>());
            }
        }
    }
}
