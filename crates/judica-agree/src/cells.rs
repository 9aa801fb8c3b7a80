//! Values as cells of a table, the same in every report.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table};

use crate::refusals::Refusals;

/// What stands in brackets behind a value.
pub(crate) fn interval(confidence: f64) -> String {
    // Without the digits that 100 * 0.999 has too many.
    let percent = (confidence * 1e6).round() / 1e4;
    format!("[{percent} % CI]")
}

/// A value with its interval, or why it has none.
pub(crate) fn cell(value: &MetricValue) -> Cell {
    Cell::metric(value, 4)
}

/// A value without its interval.
pub(crate) fn point(value: &MetricValue) -> Cell {
    of(value, |value, _| Cell::number(value, 4))
}

/// What a reader should know of a value, and why it has no interval.
pub(crate) fn remarks(value: &MetricValue) -> impl Iterator<Item = String> {
    let (why, note) = match value {
        MetricValue::Defined {
            ci_undefined, note, ..
        } => (ci_undefined.as_deref(), note.clone()),
        MetricValue::Undefined { .. } => (None, None),
    };
    let why = why.map(|why| format!("no interval: {why}"));
    [why, note].into_iter().flatten()
}

/// A share as a percentage.
pub(crate) fn percent(value: &MetricValue) -> Cell {
    of(value, |value, _| Cell::percent(100.0 * value, 1))
}

/// How many items a value rests on.
pub(crate) fn items(value: &MetricValue) -> Cell {
    of(value, |_, n| Cell::count(n))
}

/// A cell of a value and its n, or why there is none.
fn of(value: &MetricValue, cell: impl Fn(f64, u64) -> Cell) -> Cell {
    match value {
        MetricValue::Defined { value, n, .. } => cell(*value, *n),
        MetricValue::Undefined { reason } => Cell::missing(reason),
    }
}

/// How often two raters chose each label, the one by rows and the other by columns.
pub(crate) fn confusion(title: String, labels: &[String], counts: &[Vec<u64>]) -> Table {
    let mut table = Table::new(title).left("");
    for label in labels {
        table = table.right(label);
    }
    for (label, row) in labels.iter().zip(counts) {
        let cells = row.iter().map(|n| Cell::count(*n));
        table.push([Cell::text(label)].into_iter().chain(cells));
    }
    table
}

/// What could not be used, if anything; `what` it is that was read: lines or rows.
pub(crate) fn refused(refusals: &Refusals, what: &str) -> Option<Table> {
    if refusals.total() == 0 {
        return None;
    }
    let mut table = Table::new("Not in the measurement")
        .left("reason")
        .right(what)
        .left("for example");
    for kind in refusals.kinds() {
        let example = kind.examples.first().map_or_else(String::new, |example| {
            format!("{}:{}: {}", example.file, example.line, example.detail)
        });
        table.push([
            Cell::text(&*kind.reason),
            Cell::count(kind.count),
            Cell::text(example),
        ]);
    }
    Some(table)
}
