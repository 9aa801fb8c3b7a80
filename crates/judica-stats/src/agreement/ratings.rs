//! Who said what about which item, as codes.

/// The code of a rating that was not given.
pub const MISSING: u32 = u32::MAX;

/// A table of ratings: a row per item, a column per rater, categories as codes
/// `0..categories` and [`MISSING`] where there is no rating.
///
/// Where the order of categories matters, the codes are in that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratings {
    raters: usize,
    categories: usize,
    codes: Vec<u32>,
}

impl Ratings {
    /// A table over `codes`, item by item.
    ///
    /// # Panics
    ///
    /// If the codes do not fill whole rows, or one is neither a category nor
    /// [`MISSING`].
    pub fn new(raters: usize, categories: usize, codes: Vec<u32>) -> Self {
        assert!(
            if raters == 0 {
                codes.is_empty()
            } else {
                codes.len().is_multiple_of(raters)
            },
            "whole rows"
        );
        // One flag over all, so that the loop has no branch per rating.
        let known = codes.iter().fold(true, |ok, &c| {
            ok & (c == MISSING || (c as usize) < categories)
        });
        assert!(known, "every code is a category or missing");
        Self {
            raters,
            categories,
            codes,
        }
    }

    /// How many raters have a column.
    pub fn raters(&self) -> usize {
        self.raters
    }

    /// How many categories there are codes for.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// How many items have a row.
    pub fn items(&self) -> usize {
        self.codes.len().checked_div(self.raters).unwrap_or(0)
    }

    /// The rows, one per item.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        // A table without raters has no codes either, so the chunk size does not matter.
        self.codes.chunks_exact(self.raters.max(1))
    }

    /// All codes, item by item.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }
}
