//! A table as machines read it: flat, uniquely named, exact.

use std::collections::BTreeSet;

use judica_model::table::{Cell, Table};

/// One exact value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field<'a> {
    Text(&'a str),
    Integer(i64),
    Float(f64),
    Absent,
}

/// Field names and the records under them.
pub(crate) struct Records<'a> {
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Vec<Field<'a>>>,
}

impl<'a> Records<'a> {
    /// A column holding any interval becomes three fields (`x`, `x_lo`, `x_hi`),
    /// for every row, because a record's shape must not depend on its values.
    pub(crate) fn new(table: &'a Table) -> Self {
        let grid: Vec<Vec<&Cell>> = table.grid().collect();
        let wide: Vec<bool> = (0..table.columns.len())
            .map(|i| grid.iter().any(|row| is_interval(row[i])))
            .collect();
        let mut names = Vec::new();
        for (column, wide) in table.columns.iter().zip(&wide) {
            names.push(column.name.clone());
            if *wide {
                names.push(format!("{}_lo", column.name));
                names.push(format!("{}_hi", column.name));
            }
        }
        let rows = grid.iter().map(|row| flatten(row, &wide)).collect();
        Self {
            names: distinct(names),
            rows,
        }
    }
}

fn is_interval(cell: &Cell) -> bool {
    matches!(cell, Cell::Interval { .. })
}

fn flatten<'a>(row: &[&'a Cell], wide: &[bool]) -> Vec<Field<'a>> {
    let mut out = Vec::new();
    for (cell, wide) in row.iter().zip(wide) {
        let (value, ends) = match cell {
            Cell::Text(text) => (Field::Text(text), None),
            Cell::Integer(n) => (Field::Integer(*n), None),
            Cell::Number { value, .. }
            | Cell::Probability { value, .. }
            | Cell::Percent { value, .. } => (Field::Float(*value), None),
            Cell::Interval { value, lo, hi, .. } => (Field::Float(*value), Some((lo, hi))),
            Cell::Missing(_) => (Field::Absent, None),
        };
        out.push(value);
        if *wide {
            let (lo, hi) = ends.map_or((Field::Absent, Field::Absent), |(lo, hi)| {
                (Field::Float(*lo), Field::Float(*hi))
            });
            out.extend([lo, hi]);
        }
    }
    out
}

/// Numbers repeated names, since a repeated key would silently swallow a column.
fn distinct(names: Vec<String>) -> Vec<String> {
    let given: BTreeSet<String> = names.iter().cloned().collect();
    let mut used = BTreeSet::new();
    let mut out = Vec::with_capacity(names.len());
    for name in names {
        let mut candidate = name.clone();
        let mut n = 2;
        // A made-up name must not steal one that a later column really has.
        while used.contains(&candidate) || (n > 2 && given.contains(&candidate)) {
            candidate = format!("{name}_{n}");
            n += 1;
        }
        used.insert(candidate.clone());
        out.push(candidate);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_numbered_without_stealing() {
        let names = ["a", "a", "a_2", "a"].map(str::to_owned).to_vec();
        assert_eq!(distinct(names), ["a", "a_3", "a_2", "a_4"]);
    }

    #[test]
    fn one_interval_widens_the_whole_column() {
        let mut table = Table::new("").left("m").right("x");
        table.push([Cell::text("a"), Cell::interval(0.5, 0.25, 0.75, 1)]);
        table.push([Cell::text("b"), Cell::number(1.0, 1)]);
        let records = Records::new(&table);
        assert_eq!(records.names, ["m", "x", "x_lo", "x_hi"]);
        assert_eq!(
            records.rows[1],
            [
                Field::Text("b"),
                Field::Float(1.0),
                Field::Absent,
                Field::Absent
            ]
        );
    }
}
