//! Items with the same ratings, grouped.

use crate::agreement::{MISSING, Ratings};
use std::collections::HashMap;

/// The group of an item that nobody rated.
const UNRATED: u32 = u32::MAX;

/// The different rows of a table of ratings, and how many items have each.
///
/// Rows are in lexicographic order, so that sums over them do not depend on the order of
/// the items. Items that nobody rated are in no group.
#[derive(Clone, Debug)]
pub(crate) struct RowGroups<'a> {
    rows: Vec<&'a [u32]>,
    sizes: Vec<u64>,
    of_item: Vec<u32>,
}

impl<'a> RowGroups<'a> {
    /// The groups of a table.
    ///
    /// # Panics
    ///
    /// If there are 2^32 - 1 different rows or more.
    pub fn new(ratings: &'a Ratings) -> Self {
        Self::weighted(ratings, |_| 1)
    }

    /// The groups of a table in which each row stands for so many items.
    ///
    /// # Panics
    ///
    /// If there are 2^32 - 1 different rows or more.
    pub fn weighted(ratings: &'a Ratings, weight: impl Fn(usize) -> u64) -> Self {
        let mut found: Vec<(&[u32], u64)> = Vec::new();
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut of_item = Vec::with_capacity(ratings.items());
        for (at, row) in ratings.rows().enumerate() {
            let weight = weight(at);
            if weight == 0 || row.iter().all(|&code| code == MISSING) {
                of_item.push(UNRATED);
                continue;
            }
            let number = *numbers.entry(row).or_insert_with(|| {
                found.push((row, 0));
                found.len() as u32 - 1
            });
            found[number as usize].1 += weight;
            of_item.push(number);
        }
        assert!(found.len() < UNRATED as usize, "too many different rows");

        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        order.sort_unstable_by_key(|&number| found[number as usize].0);
        let mut place = vec![0; found.len()];
        for (at, &number) in (0..).zip(&order) {
            place[number as usize] = at;
        }
        let numbered = of_item.iter_mut().filter(|number| **number != UNRATED);
        numbered.for_each(|number| *number = place[*number as usize]);
        let (rows, sizes) = order.iter().map(|&number| found[number as usize]).unzip();
        Self {
            rows,
            sizes,
            of_item,
        }
    }

    /// The group of each item; `None` of those that nobody rated.
    pub fn of_items(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        let rated = |number: &u32| Some(*number).filter(|number| *number != UNRATED);
        self.of_item.iter().map(rated)
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Each row with how many items have it.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u32], u64)> {
        self.rows.iter().copied().zip(self.sizes.iter().copied())
    }

    /// How many items are in each group.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// How many items somebody rated.
    pub fn items(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// For every item its group, if it has one.
    pub fn into_group_of_item(self) -> GroupOfItem {
        GroupOfItem(self.of_item)
    }
}

/// For every item its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupOfItem(Vec<u32>);

impl GroupOfItem {
    /// The group of an item; `None` if nobody rated it, or there is no such item.
    pub fn get(&self, item: usize) -> Option<usize> {
        let group = self.0.get(item).copied().filter(|&group| group != UNRATED);
        group.map(|group| group as usize)
    }

    /// How many items there are, rated or not.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_counted_and_found_again() {
        let codes = [1, 0, 0, 1, MISSING, MISSING, 1, 0, 0, MISSING];
        let ratings = Ratings::new(2, 2, codes.to_vec());
        let groups = RowGroups::new(&ratings);
        let found: Vec<_> = groups.iter().collect();
        assert_eq!(
            found,
            [(&[0, 1][..], 1), (&[0, MISSING][..], 1), (&[1, 0][..], 2)]
        );
        assert_eq!((groups.len(), groups.items()), (3, 4));
        let of_item = groups.into_group_of_item();
        let of_item: Vec<_> = (0..6).map(|item| of_item.get(item)).collect();
        assert_eq!(of_item, [Some(2), Some(0), None, Some(2), Some(1), None]);
    }
}
