//! Items of two raters, grouped by the pair of categories they chose.

use super::table::{Given, Table};

/// What two raters chose, while items come in.
enum Collected {
    /// How often each pair of categories was chosen.
    Counts(usize, Vec<u64>),
    /// Every pair that was: values of a measurement are nearly all different, and a matrix
    /// of them would be nearly all zeros.
    Pairs(Vec<(u32, u32)>),
}

impl Collected {
    /// For so many categories; a matrix up to so many cells.
    fn new(categories: usize, most: usize) -> Self {
        match categories.checked_mul(categories) {
            Some(cells) if cells <= most => Self::Counts(categories, vec![0; cells]),
            _ => Self::Pairs(Vec::new()),
        }
    }

    fn add(&mut self, a: u32, b: u32) {
        match self {
            Self::Counts(categories, counts) => {
                counts[a as usize * *categories + b as usize] += 1;
            }
            Self::Pairs(pairs) => pairs.push((a, b)),
        }
    }

    fn cells(self, categories: usize) -> PairCells {
        match self {
            Self::Counts(_, counts) => PairCells::from_matrix(categories, &counts),
            Self::Pairs(pairs) => PairCells::from_pairs(categories, pairs),
        }
    }
}

/// What two raters said of an item, if both did.
fn of_both(row: &[Given], first: usize, second: usize) -> Option<(u32, u32)> {
    let of = |rater: usize| {
        let theirs = row.iter().find(|(who, _)| *who as usize == rater);
        theirs.map(|&(_, code)| code)
    };
    Some((of(first)?, of(second)?))
}

/// What the two raters of a table said of an item, if either did.
fn of_either(row: &[Given], first: usize, missing: u32) -> Option<(u32, u32)> {
    let mut said = [missing; 2];
    for &(who, code) in row {
        said[usize::from(who as usize != first)] = code;
    }
    (!row.is_empty()).then_some((said[0], said[1]))
}

/// The cells of a confusion matrix that are not empty. Each is a group of items.
///
/// Cells are in the order of (first rater's category, second rater's category), so that
/// sums over them do not depend on the order of the items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairCells {
    categories: usize,
    cells: Vec<(u32, u32)>,
    sizes: Vec<u64>,
}

impl PairCells {
    /// The cells of a square matrix of counts, row by row; rows are the first rater's
    /// categories.
    ///
    /// # Panics
    ///
    /// If the matrix is not `categories` by `categories`.
    pub fn from_matrix(categories: usize, counts: &[u64]) -> Self {
        assert_eq!(counts.len(), categories * categories, "a square matrix");
        let mut found = Self {
            categories,
            ..Self::default()
        };
        for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (a, b) = (at / categories, at % categories);
            found.cells.push((a as u32, b as u32));
            found.sizes.push(count);
        }
        found
    }

    /// The items that both raters rated; `first` and `second` are columns.
    pub fn from_table(table: &dyn Table, first: usize, second: usize) -> Self {
        Self::said(table, table.categories(), |row| of_both(row, first, second))
    }

    /// The cell of each item of that table; `None` of those that not both rated.
    pub fn of_items(&self, table: &dyn Table, first: usize, second: usize) -> Vec<Option<u32>> {
        self.places(table, |row| of_both(row, first, second))
    }

    /// Where a cell stands.
    pub fn place(&self, said: (u32, u32)) -> Option<u32> {
        let place = self.cells.binary_search(&said).ok();
        place.map(|place| place as u32)
    }

    /// The items of a table of two raters, of whom `first` is the first; one category more
    /// stands for nothing said.
    pub(super) fn with_missing(table: &dyn Table, first: usize) -> Self {
        let k = table.categories();
        Self::said(table, k + 1, |row| of_either(row, first, k as u32))
    }

    /// The cell of each item of that table; `None` of those that nobody rated.
    pub(super) fn of_items_with_missing(
        &self,
        table: &dyn Table,
        first: usize,
    ) -> Vec<Option<u32>> {
        let missing = table.categories() as u32;
        self.places(table, |row| of_either(row, first, missing))
    }

    /// The items of a table of which `said` tells a pair of `k` categories.
    fn said(table: &dyn Table, k: usize, said: impl Fn(&[Given]) -> Option<(u32, u32)>) -> Self {
        let mut found = Collected::new(k, table.items().max(1 << 16));
        table.each_row(&mut |row| {
            if let Some((a, b)) = said(row) {
                found.add(a, b);
            }
        });
        found.cells(k)
    }

    /// The cell of each item of a table, by the pair that `said` tells of it.
    fn places(
        &self,
        table: &dyn Table,
        said: impl Fn(&[Given]) -> Option<(u32, u32)>,
    ) -> Vec<Option<u32>> {
        let mut found = Vec::with_capacity(table.items());
        table.each_row(&mut |row| found.push(said(row).and_then(|said| self.place(said))));
        found
    }

    /// One rater with each of those who come after them, in one pass over the table.
    pub fn with_later(table: &dyn Table, first: usize) -> Vec<Self> {
        let k = table.categories();
        let later = table.raters().saturating_sub(first + 1);
        let mut found: Vec<Collected> = (0..later).map(|_| Collected::new(k, 1 << 8)).collect();
        table.each_row(&mut |row| {
            let Some(&(_, a)) = row.iter().find(|(who, _)| *who as usize == first) else {
                return;
            };
            for &(who, b) in row {
                if let Some(at) = (who as usize).checked_sub(first + 1) {
                    found[at].add(a, b);
                }
            }
        });
        found.into_iter().map(|found| found.cells(k)).collect()
    }

    fn from_pairs(k: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        let (cells, sizes) = pairs
            .chunk_by(|a, b| a == b)
            .map(|alike| (alike[0], alike.len() as u64))
            .unzip();
        Self {
            categories: k,
            cells,
            sizes,
        }
    }

    /// How many categories there are codes for.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// The cells that are not empty: (first rater's category, second rater's).
    pub fn cells(&self) -> &[(u32, u32)] {
        &self.cells
    }

    /// How many items are in each cell.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// How many items both rated.
    pub fn items(&self) -> u64 {
        self.sizes.iter().sum()
    }
}

/// How many items each rater put into each category when cell `g` holds `weights[g]`
/// items: the first rater's counts, then the second's.
pub(super) fn marginals(
    categories: usize,
    cells: &[(u32, u32)],
    weights: &[u64],
) -> (Vec<u64>, Vec<u64>) {
    let (mut first, mut second) = (vec![0; categories], vec![0; categories]);
    for (&(a, b), &weight) in cells.iter().zip(weights) {
        first[a as usize] += weight;
        second[b as usize] += weight;
    }
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::{MISSING, Ratings};
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // Four items; the third was not rated by the second rater of the pair.
        let m = MISSING;
        let ratings = Ratings::new(3, 2, vec![0, 1, 1, 1, m, 0, 1, 0, m, 0, 0, 1]);
        let found = PairCells::from_table(&ratings, 0, 2);
        assert_eq!(found.cells(), [(0, 1), (1, 0)]);
        assert_eq!(found.sizes(), [2, 1]);
        assert_eq!((found.items(), found.categories()), (3, 2));
        assert_eq!(PairCells::from_matrix(2, &[0, 2, 1, 0]), found);
        let (first, second) = marginals(2, found.cells(), found.sizes());
        assert_eq!((first, second), (vec![2, 1], vec![1, 2]));
    }

    #[test]
    fn nothing_rated_is_no_cell() {
        assert_eq!(PairCells::from_matrix(0, &[]), PairCells::default());
        let nobody = Ratings::new(2, 3, vec![MISSING, 1, 2, MISSING]);
        assert_eq!(PairCells::from_table(&nobody, 0, 1).items(), 0);
    }

    #[test]
    #[should_panic = "a square matrix"]
    fn a_matrix_that_is_not_square_is_refused() {
        PairCells::from_matrix(2, &[1, 2, 3]);
    }

    fn table() -> impl Strategy<Value = Vec<[u32; 2]>> {
        let code = prop_oneof![4 => 0u32..4, 1 => Just(MISSING)];
        prop::collection::vec([code.clone(), code], 0..40)
    }

    proptest! {
        #[test]
        fn many_categories_are_grouped_like_few(rows in table()) {
            let of = |categories| {
                let ratings = Ratings::new(2, categories, rows.as_flattened().to_vec());
                PairCells::from_table(&ratings, 0, 1)
            };
            let (few, many) = (of(4), of(1 << 20));
            prop_assert_eq!(few.cells(), many.cells());
            prop_assert_eq!(few.sizes(), many.sizes());
            prop_assert!(few.cells().is_sorted() && few.sizes().iter().all(|&s| s > 0));
            let rated = rows.iter().filter(|row| !row.contains(&MISSING)).count();
            prop_assert_eq!(few.items(), rated as u64);
        }

        #[test]
        fn the_order_of_items_does_not_matter(
            (rows, shuffled) in table().prop_flat_map(|t| (Just(t.clone()), Just(t).prop_shuffle())),
            categories in prop_oneof![Just(4usize), Just(1 << 20)],
        ) {
            let of = |rows: &[[u32; 2]]| {
                let ratings = Ratings::new(2, categories, rows.as_flattened().to_vec());
                PairCells::from_table(&ratings, 0, 1)
            };
            prop_assert_eq!(of(&rows), of(&shuffled));
        }

        #[test]
        fn swapping_the_raters_transposes(rows in table()) {
            let ratings = Ratings::new(2, 4, rows.as_flattened().to_vec());
            let there = PairCells::from_table(&ratings, 0, 1);
            let back = PairCells::from_table(&ratings, 1, 0);
            let (first, second) = marginals(4, there.cells(), there.sizes());
            prop_assert_eq!(marginals(4, back.cells(), back.sizes()), (second, first));
            for (&(a, b), &size) in there.cells().iter().zip(there.sizes()) {
                let at = back.cells().iter().position(|&cell| cell == (b, a)).unwrap();
                prop_assert_eq!(back.sizes()[at], size);
            }
        }
    }
}
