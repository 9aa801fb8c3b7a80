//! Values as cells.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table};

use super::super::report::JudgesReport;

/// Rows of a long table that are shown; all of them stand in the JSON report.
pub(super) const SHOWN: usize = 45;

/// What stands in brackets behind a value.
pub(super) fn interval(report: &JudgesReport) -> String {
    // Without the digits that 100 * 0.999 has too many.
    let percent = (report.bootstrap.confidence * 1e6).round() / 1e4;
    format!("[{percent} % CI]")
}

/// Says that not all are shown.
pub(super) fn more(table: &mut Table, all: usize, what: &str) {
    if all > SHOWN {
        table.note(format!(
            "The first {SHOWN} of {all} {what}; all stand in the JSON report."
        ));
    }
}

/// A value with its interval, or why it has none.
pub(super) fn cell(value: &MetricValue) -> Cell {
    match value {
        MetricValue::Defined {
            value,
            ci: Some([lo, hi]),
            ..
        } => Cell::interval(*value, *lo, *hi, 4),
        _ => point(value),
    }
}

/// A value without its interval.
pub(super) fn point(value: &MetricValue) -> Cell {
    match value {
        MetricValue::Defined { value, .. } => Cell::number(*value, 4),
        MetricValue::Undefined { reason } => Cell::missing(reason),
    }
}

/// A share as a percentage.
pub(super) fn percent(value: &MetricValue) -> Cell {
    match value {
        MetricValue::Defined { value, .. } => Cell::percent(100.0 * value, 1),
        MetricValue::Undefined { reason } => Cell::missing(reason),
    }
}

/// A count.
pub(super) fn count(n: u64) -> Cell {
    Cell::count(usize::try_from(n).unwrap_or(usize::MAX))
}
