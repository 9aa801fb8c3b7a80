//! A square matrix with names, before anyone has drawn it.
//!
//! Rooms that compare things with each other fill a [`HeatMap`]; renderers only read it.

use serde::Serialize;

/// One cell of a heat map.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeatCell {
    /// A number, meant to be from −1 to 1.
    Value(f64),
    /// No number, and why there is none.
    Missing(String),
    /// Nothing to say: a thing and itself.
    Blank,
}

/// A square matrix: every thing with every other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMap {
    /// What the map is about.
    pub title: String,
    /// What the colours mean.
    pub scale: String,
    /// What stands below the figure, line by line.
    pub caption: Vec<String>,
    /// The things, which are both rows and columns.
    pub names: Vec<String>,
    /// The cells, row by row. Read them through [`HeatMap::cell`].
    pub cells: Vec<Vec<HeatCell>>,
}

/// What a cell that was never filled reads as.
static UNFILLED: HeatCell = HeatCell::Missing(String::new());

impl HeatMap {
    /// A map of things of which nothing is known yet.
    pub fn new(title: impl Into<String>, scale: impl Into<String>, names: Vec<String>) -> Self {
        let unfilled = HeatCell::Missing(String::new());
        let mut cells = vec![vec![unfilled; names.len()]; names.len()];
        for (at, row) in cells.iter_mut().enumerate() {
            row[at] = HeatCell::Blank;
        }
        HeatMap {
            title: title.into(),
            scale: scale.into(),
            caption: Vec::new(),
            names,
            cells,
        }
    }

    /// Fills the two cells of two different things; places beyond the map are passed over.
    pub fn set(&mut self, a: usize, b: usize, cell: HeatCell) {
        for (row, column) in [(a, b), (b, a)] {
            if let Some(place) = self.cells.get_mut(row).and_then(|row| row.get_mut(column)) {
                *place = cell.clone();
            }
        }
    }

    /// A cell, so that no renderer has to handle ragged rows: where there is none, one
    /// that is missing.
    pub fn cell(&self, row: usize, column: usize) -> &HeatCell {
        let row = self.cells.get(row);
        row.and_then(|row| row.get(column)).unwrap_or(&UNFILLED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_filled_on_both_sides() {
        let mut map = HeatMap::new("t", "s", vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(map.cell(0, 1), &HeatCell::Missing(String::new()));
        map.set(0, 1, HeatCell::Value(0.5));
        map.set(0, 7, HeatCell::Blank);
        assert_eq!(map.cell(1, 0), &HeatCell::Value(0.5));
        assert_eq!(map.cell(1, 1), &HeatCell::Blank);
        assert_eq!(map.cell(2, 0), &HeatCell::Missing(String::new()));
    }
}
