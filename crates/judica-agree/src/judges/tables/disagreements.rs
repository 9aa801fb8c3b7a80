//! The table of items that raters disagree on.

use judica_model::table::{Cell, Table, counted};
use serde_json::Value;

use super::super::folder::HUMAN;
use super::super::report::{Disagreement, JudgesReport};
use super::super::words::shortened;
use super::shown::{SHOWN, more};

/// So much of an item is shown.
const ITEM_CHARS: usize = 40;
/// Up to so many raters have a column each; votes of more are counted.
const COLUMNS: usize = 8;

/// The disagreements that were asked for, if there are any.
pub(super) fn disagreements(report: &JudgesReport) -> Option<Table> {
    if report.disagreements.is_empty() {
        return None;
    }
    let judges = report.judges.iter().map(|judge| judge.name.as_str());
    let people = report.human.as_ref().map(|_| HUMAN);
    let raters: Vec<&str> = judges.chain(people).collect();
    let several_sets = report.sources > 1;
    let one_by_one = raters.len() <= COLUMNS;

    let mut table = Table::new("Disagreements, the most evenly split first");
    if several_sets {
        table = table.left("data set");
    }
    table = table.left("item");
    if one_by_one {
        table = raters.iter().fold(table, |table, rater| table.left(*rater));
    } else {
        table = table.right("yes").right("no");
    }
    for found in report.disagreements.iter().take(SHOWN) {
        let set = several_sets.then(|| Cell::text(shortened(&found.source, ITEM_CHARS)));
        let mut row: Vec<Cell> = set.into_iter().collect();
        row.push(Cell::text(item(found)));
        if one_by_one {
            row.extend(raters.iter().map(|rater| vote(found, rater)));
        } else {
            row.extend(["yes", "no"].map(|label| votes(found, label)));
        }
        table.push(row);
    }
    more(&mut table, report.disagreements.len(), "disagreements");
    let (shown, all) = (report.disagreements.len() as u64, report.disagreement_items);
    let of = if shown < all {
        format!("{shown} of {}", counted(all, ["item", "items"]))
    } else {
        counted(all, ["item", "items"])
    };
    table.note(format!(
        "{of} that raters disagree on; the JSON report has their texts whole, and what judges wrote."
    ));
    Some(table)
}

/// What an item is told by: its id, if it has one, and what was asked.
fn item(found: &Disagreement) -> String {
    match &found.id {
        // Of a long text, no more is copied than can be shown.
        Some(id) => shortened(
            &format!(
                "{}: {}",
                shortened(id, ITEM_CHARS),
                shortened(&found.input, ITEM_CHARS)
            ),
            ITEM_CHARS,
        ),
        None => shortened(&found.input, ITEM_CHARS),
    }
}

fn vote(found: &Disagreement, rater: &str) -> Cell {
    match found.votes.get(rater).and_then(Value::as_str) {
        Some(vote) => Cell::text(vote),
        None => Cell::missing("no usable verdict on the item"),
    }
}

fn votes(found: &Disagreement, label: &str) -> Cell {
    Cell::count(found.votes.values().filter(|vote| *vote == label).count())
}
