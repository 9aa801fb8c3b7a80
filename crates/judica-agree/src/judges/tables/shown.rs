//! Long tables are shown in part.

use judica_model::table::Table;

/// Rows of a long table that are shown; all of them stand in the JSON report.
pub(super) const SHOWN: usize = 45;

/// Says that not all are shown.
pub(super) fn more(table: &mut Table, all: usize, what: &str) {
    if all > SHOWN {
        table.note(format!(
            "The first {SHOWN} of {all} {what}; all stand in the JSON report."
        ));
    }
}
