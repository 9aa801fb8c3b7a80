//! Tables of a report as HTML, intervals drawn beside what is written.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use judica_model::table::{Align, Cell, Table};
use judica_report::figure::spark;
use maud::{Markup, PreEscaped, html};

use crate::words::{counted, sentence};

/// How much of a table is shown.
#[derive(Clone, Copy)]
pub struct Cut {
    /// Rows; how many more there are is said.
    pub rows: usize,
    /// Whether intervals are drawn, too: a drawing is longer than the row it stands in.
    pub drawn: bool,
}

/// What a page bears that has a table or two.
pub const USUAL: Cut = Cut {
    rows: 100,
    drawn: true,
};

/// Where a cell leads, given its column and its text.
pub type LinkOf<'l> = &'l dyn Fn(&str, &str) -> Option<String>;

/// No cell leads anywhere.
pub fn no_link(_: &str, _: &str) -> Option<String> {
    None
}

/// A table with its title and its notes, names in it leading somewhere.
pub fn table(of: &Table, link: LinkOf) -> Markup {
    table_cut(of, link, USUAL)
}

/// The same, so much of it.
pub fn table_cut(of: &Table, link: LinkOf, cut: Cut) -> Markup {
    let shown = |at: usize, cell: &Cell| match cell {
        Cell::Text(text) => {
            let to = link(&of.columns[at].name, text)?;
            Some(html! { a href=(to) { (sentence(text)) } })
        }
        _ => None,
    };
    table_with(of, &shown, cut)
}

/// The same; cells that are shown in another way are said by their column.
pub fn table_with(
    table: &Table,
    special: &dyn Fn(usize, &Cell) -> Option<Markup>,
    cut: Cut,
) -> Markup {
    let title = sentence(table.title.trim());
    let axes: Vec<Axes> = (0..table.columns.len())
        .map(|at| {
            if cut.drawn {
                axes(table, at)
            } else {
                Axes::new()
            }
        })
        .collect();
    let side = |at: usize| match table.columns[at].align {
        Align::Left => None,
        Align::Right => Some("number"),
    };
    html! {
        section.table {
            @if !title.is_empty() { h2 { (title) } }
            div.scroll tabindex="0" role="group" aria-label=(if title.is_empty() { "Table" } else { &title }) {
                table {
                    thead { tr {
                        @for (at, column) in table.columns.iter().enumerate() {
                            // A header that says nothing is none.
                            @if column.name.trim().is_empty() { td {} } @else {
                                th scope="col" class=[side(at)] { (sentence(&column.name)) }
                            }
                            @if !axes[at].is_empty() { td.drawn {} }
                        }
                    } }
                    tbody {
                        @for row in table.grid().take(cut.rows) {
                            tr {
                                @for (at, cell) in row.iter().enumerate() {
                                    td class=[side(at)] title=[missing(cell)] {
                                        @match special(at, cell) {
                                            Some(shown) => (shown),
                                            None => (sentence(&cell.display())),
                                        }
                                    }
                                    @if !axes[at].is_empty() {
                                        td.drawn {
                                            @if let Some(axis) = axes[at].get(&measured(table, &row)) {
                                                (drawn(cell, &table.columns[at].name, *axis))
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if table.rows.len() > cut.rows {
                p.note { "… and " (counted((table.rows.len() - cut.rows) as u64, "row", "rows")) " more" }
            }
            @for note in table.footnotes() { p.note { (sentence(note.trim())) } }
        }
    }
}

fn missing(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Missing(why) if !why.is_empty() => Some(sentence(why)),
        _ => None,
    }
}

/// What the intervals of a column are drawn along, by what they are of; nothing for a column
/// without one.
type Axes = BTreeMap<String, [f64; 2]>;

/// Numbers of different metrics stand on different axes.
fn measured<C: Borrow<Cell>>(table: &Table, row: &[C]) -> String {
    let at = table
        .columns
        .iter()
        .position(|column| column.name == "metric");
    match at.and_then(|at| row.get(at)).map(Borrow::borrow) {
        Some(Cell::Text(metric)) => metric.trim_end_matches([' ', '*']).to_owned(),
        _ => String::new(),
    }
}

fn axes(table: &Table, at: usize) -> Axes {
    let mut axes = Axes::new();
    for row in &table.rows {
        let Some(Cell::Interval { value, lo, hi, .. }) = row.get(at) else {
            continue;
        };
        let ends = [lo.min(*value), hi.max(*value)];
        if ends.iter().all(|end| end.is_finite()) {
            let axis = axes.entry(measured(table, row)).or_insert(ends);
            *axis = [axis[0].min(ends[0]), axis[1].max(ends[1])];
        }
    }
    for axis in axes.values_mut() {
        *axis = scale(*axis);
    }
    axes
}

/// A share is seen as one, and a score as points of a hundred; what is a little more than 1 is
/// neither, but may be a difference of shares.
fn scale([lo, hi]: [f64; 2]) -> [f64; 2] {
    match lo >= 0.0 {
        true if hi <= 1.0 => [0.0, 1.0],
        true if hi > 20.0 && hi <= 100.0 => [0.0, 100.0],
        _ => [lo.min(0.0), hi.max(0.0)],
    }
}

fn drawn(cell: &Cell, name: &str, axis: [f64; 2]) -> Markup {
    match cell {
        Cell::Interval { value, lo, hi, .. } => {
            html! { (PreEscaped(spark::interval(name, *value, Some([*lo, *hi]), axis))) }
        }
        _ => html! {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_fills_what_it_is_drawn_along() {
        assert_eq!(scale([0.2, 0.4]), [0.0, 1.0]);
        assert_eq!(scale([0.0426, 1.0483]), [0.0, 1.0483]);
        assert_eq!(scale([54.9, 97.8]), [0.0, 100.0]);
        assert_eq!(scale([-0.5, 0.1]), [-0.5, 0.1]);
        assert_eq!(scale([-3.0, -2.0]), [-3.0, 0.0]);
        assert_eq!(scale([2.0, 250.0]), [0.0, 250.0]);
    }
}
