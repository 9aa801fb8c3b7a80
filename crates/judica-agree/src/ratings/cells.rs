//! Who rated what, while rows come in.

use judica_stats::agreement::{MISSING, Ratings};

/// The largest table, in cells: 8 GiB of them.
pub(super) const MOST_CELLS: u64 = 1 << 31;

/// A column per rater, as long as the rater's last item.
#[derive(Debug, Default)]
pub(super) struct Cells {
    columns: Vec<Vec<u32>>,
}

impl Cells {
    /// Puts a code where there is none; else gives the one that is there.
    #[inline]
    pub(super) fn place(&mut self, item: u32, rater: u32, code: u32) -> Result<(), u32> {
        let (item, rater) = (item as usize, rater as usize);
        if rater >= self.columns.len() {
            self.columns.resize_with(rater + 1, Vec::new);
        }
        let column = &mut self.columns[rater];
        if item >= column.len() {
            column.resize(item + 1, MISSING);
        }
        let cell = &mut column[item];
        if *cell == MISSING {
            *cell = code;
            return Ok(());
        }
        Err(*cell)
    }

    /// The raters, of so many, who rated nothing.
    pub(super) fn silent(&self, raters: usize) -> Vec<u32> {
        let rated = |column: &Vec<u32>| column.iter().any(|&code| code != MISSING);
        (0..raters)
            .filter(|&rater| !self.columns.get(rater).is_some_and(rated))
            .map(|rater| rater as u32)
            .collect()
    }

    /// The codes, of so many, that are in a cell.
    pub(super) fn used(&self, codes: usize) -> Vec<u32> {
        let mut used = vec![false; codes];
        let rated = self
            .columns
            .iter()
            .flatten()
            .filter(|&&code| code != MISSING);
        rated.for_each(|&code| used[code as usize] = true);
        (0..codes as u32)
            .filter(|&code| used[code as usize])
            .collect()
    }

    /// The table of so many items and the given raters. Codes become what `recoded` says;
    /// there are `categories` of those.
    pub(super) fn table(
        self,
        items: usize,
        raters: &[u32],
        recoded: &[u32],
        categories: usize,
    ) -> Ratings {
        let columns: Vec<&[u32]> = raters
            .iter()
            .map(|&rater| self.columns.get(rater as usize).map_or(&[][..], |c| c))
            .collect();
        let code = |column: &&[u32], item: usize| match column.get(item) {
            Some(&code) if code != MISSING => recoded[code as usize],
            _ => MISSING,
        };
        let mut codes = Vec::with_capacity(items * columns.len());
        for item in 0..items {
            codes.extend(columns.iter().map(|column| code(column, item)));
        }
        Ratings::new(columns.len(), categories, codes)
    }
}

/// The items of a table that nobody rated.
pub(super) fn unrated(table: &Ratings) -> impl Iterator<Item = usize> + '_ {
    let rows = table.rows().enumerate();
    rows.filter(|(_, row)| row.iter().all(|&code| code == MISSING))
        .map(|(item, _)| item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rating_of_a_cell_stays() {
        let mut cells = Cells::default();
        assert_eq!(cells.place(2, 1, 7), Ok(()));
        assert_eq!(cells.place(2, 1, 8), Err(7));
        assert_eq!(cells.place(0, 3, 9), Ok(()));
        assert_eq!(cells.silent(5), [0, 2, 4]);
        assert_eq!(cells.used(10), [7, 9]);
        let mut recoded = vec![0; 10];
        (recoded[7], recoded[9]) = (1, 0);
        let table = cells.table(4, &[1, 3], &recoded, 2);
        let m = MISSING;
        assert_eq!(table.codes(), [m, 0, m, m, 1, m, m, m]);
        assert_eq!(unrated(&table).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn a_table_without_raters_is_empty() {
        let table = Cells::default().table(3, &[], &[], 0);
        assert_eq!((table.raters(), table.items()), (0, 0));
    }
}
