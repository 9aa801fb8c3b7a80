//! Long tables are shown in part.

use judica_model::table::Table;
use judica_model::text::few;

/// Rows of a long table that are shown; all of them stand in the JSON report.
pub(super) const SHOWN: usize = 45;
/// Names that are listed in a sentence.
const NAMED: usize = 12;

/// Names within a sentence, the first few of them.
pub(super) fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let all = names.len();
    few(names.take(NAMED), ", ", all)
}

/// Says that not all are shown.
pub(super) fn more(table: &mut Table, all: usize, what: &str) {
    if all > SHOWN {
        table.note(format!(
            "The first {SHOWN} of {all} {what}; all stand in the JSON report."
        ));
    }
}
