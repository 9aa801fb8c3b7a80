//! Tables of a report as HTML, intervals drawn beside what is written.

use judica_model::table::{Align, Cell, Table};
use judica_report::figure::spark;
use maud::{Markup, PreEscaped, html};

use crate::words::{counted, sentence};

/// How many rows of a table are shown.
const MOST: usize = 500;

/// Where a cell leads, given its column and its text.
pub type LinkOf<'l> = &'l dyn Fn(&str, &str) -> Option<String>;

/// No cell leads anywhere.
pub fn no_link(_: &str, _: &str) -> Option<String> {
    None
}

/// A table with its title and its notes, names in it leading somewhere.
pub fn table(of: &Table, link: LinkOf) -> Markup {
    let shown = |at: usize, cell: &Cell| match cell {
        Cell::Text(text) => {
            let to = link(&of.columns[at].name, text)?;
            Some(html! { a href=(to) { (sentence(text)) } })
        }
        _ => None,
    };
    table_with(of, &shown)
}

/// The same; cells that are shown in another way are said by their column.
pub fn table_with(table: &Table, special: &dyn Fn(usize, &Cell) -> Option<Markup>) -> Markup {
    let title = sentence(table.title.trim());
    let axes: Vec<Option<[f64; 2]>> = (0..table.columns.len()).map(|at| axis(table, at)).collect();
    let side = |at: usize| match table.columns[at].align {
        Align::Left => None,
        Align::Right => Some("number"),
    };
    html! {
        section.table {
            @if !title.is_empty() { h2 { (title) } }
            div.scroll tabindex="0" role="region" aria-label=(if title.is_empty() { "Table" } else { &title }) {
                table {
                    thead { tr {
                        @for (at, column) in table.columns.iter().enumerate() {
                            th scope="col" class=[side(at)] { (sentence(&column.name)) }
                            @if axes[at].is_some() { td.drawn {} }
                        }
                    } }
                    tbody {
                        @for row in table.grid().take(MOST) {
                            tr {
                                @for (at, cell) in row.iter().enumerate() {
                                    td class=[side(at)] title=[missing(cell)] {
                                        @match special(at, cell) {
                                            Some(shown) => (shown),
                                            None => (sentence(&cell.display())),
                                        }
                                    }
                                    @if let Some(axis) = axes[at] {
                                        td.drawn { (drawn(cell, &table.columns[at].name, axis)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if table.rows.len() > MOST {
                p.note { "… and " (counted((table.rows.len() - MOST) as u64, "row", "rows")) " more" }
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

/// What a column of intervals is drawn along; nothing for a column without one.
fn axis(table: &Table, at: usize) -> Option<[f64; 2]> {
    let ends = table.rows.iter().filter_map(|row| match row.get(at) {
        Some(Cell::Interval { value, lo, hi, .. }) => Some([lo.min(*value), hi.max(*value)]),
        _ => None,
    });
    let ends: Vec<[f64; 2]> = ends
        .filter(|ends| ends.iter().all(|x| x.is_finite()))
        .collect();
    let lo = ends.iter().map(|ends| ends[0]).reduce(f64::min)?;
    let hi = ends.iter().map(|ends| ends[1]).reduce(f64::max)?;
    // A share is seen as one, and a score as points of a hundred.
    Some(match (lo, hi) {
        (lo, hi) if lo >= 0.0 && hi <= 1.0 => [0.0, 1.0],
        (lo, hi) if lo >= 0.0 && hi <= 100.0 && hi > 1.0 => [0.0, 100.0],
        (lo, hi) => [lo.min(0.0), hi.max(0.0)],
    })
}

fn drawn(cell: &Cell, name: &str, axis: [f64; 2]) -> Markup {
    match cell {
        Cell::Interval { value, lo, hi, .. } => {
            html! { (PreEscaped(spark::interval(name, *value, Some([*lo, *hi]), axis))) }
        }
        _ => html! {},
    }
}
