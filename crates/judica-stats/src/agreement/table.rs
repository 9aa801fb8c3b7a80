//! Ratings item by item, however they are kept.

use super::ratings::{MISSING, Ratings};
use std::fmt;

/// A rating that was given: who gave it, and the category.
pub type Given = (u32, u32);

/// Who said what about which item. A table of few raters who rated nearly everything is a
/// [`Ratings`]; one of many who rated little each may be kept otherwise.
pub trait Table: fmt::Debug + Sync {
    /// How many raters there are.
    fn raters(&self) -> usize;

    /// How many categories there are codes for.
    fn categories(&self) -> usize;

    /// How many items there are.
    fn items(&self) -> usize;

    /// Calls `each` with the ratings of every item, rated or not, in the order of the
    /// items: each rater once, in any order.
    fn each_row(&self, each: &mut dyn FnMut(&[Given]));
}

impl Table for Ratings {
    fn raters(&self) -> usize {
        self.raters()
    }

    fn categories(&self) -> usize {
        self.categories()
    }

    fn items(&self) -> usize {
        self.items()
    }

    fn each_row(&self, each: &mut dyn FnMut(&[Given])) {
        let mut given = Vec::with_capacity(self.raters());
        for row in self.rows() {
            given.clear();
            let said = (0..).zip(row.iter().copied());
            given.extend(said.filter(|&(_, code)| code != MISSING));
            each(&given);
        }
    }
}
