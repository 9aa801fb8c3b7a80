//! How many raters chose each category of an item, as one number.

use super::table::Given;

/// A pattern written as a number: how many chose the first category is the first digit,
/// and so on, in base raters + 1. Larger numbers are earlier patterns.
pub(super) struct Tally {
    base: u64,
    /// What a choice of each category adds.
    places: Vec<u64>,
    possible: u64,
}

impl Tally {
    /// For so many raters and categories; `None` if the numbers would be too large.
    pub(super) fn new(raters: usize, categories: usize) -> Option<Self> {
        let base = raters as u64 + 1;
        let possible = base.checked_pow(u32::try_from(categories).ok()?)?;
        let mut place = possible;
        let mut places = vec![0; categories];
        for at in &mut places {
            place /= base;
            *at = place;
        }
        Some(Self {
            base,
            places,
            possible,
        })
    }

    /// All numbers are below this one.
    pub(super) fn possible(&self) -> u64 {
        self.possible
    }

    /// The number of an item with these ratings.
    #[inline]
    pub(super) fn number(&self, row: &[Given]) -> u64 {
        row.iter().map(|&(_, c)| self.places[c as usize]).sum()
    }

    /// The choices of a number: (category, how many raters), categories rising.
    pub(super) fn choices(&self, number: u64) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&self.places).filter_map(move |(c, place)| {
            let count = (number / place % self.base) as u32;
            (count > 0).then_some((c, count))
        })
    }
}
