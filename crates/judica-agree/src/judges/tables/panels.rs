//! The table of panels.

use judica_model::table::{Cell, Table, counted};

use super::super::report::{JudgesReport, PanelAccuracy};
use crate::cells::{cell, interval};

/// So many of the best are shown.
const SHOWN: usize = 10;

/// Which judges to keep; nothing where no panel could be measured.
pub(super) fn panels(report: &JudgesReport) -> Option<Table> {
    let found = &report.panels;
    let keep = found.keep.as_ref()?;
    let mut table = Table::new("Which judges to keep")
        .left("panel")
        .right("judges")
        .right("right")
        .right(format!(
            "accuracy {}",
            interval(report.bootstrap.confidence)
        ))
        .right("undecided")
        .right("USD per 1000 items");
    let mut push = |panel: &PanelAccuracy, mark: &str| {
        let usd = panel.usd_per_item.map(|usd| usd * 1000.0);
        table.push([
            Cell::text(format!("{}{mark}", panel.judges.join(" + "))),
            Cell::count(panel.judges.len()),
            Cell::count(panel.correct),
            cell(&panel.accuracy),
            Cell::count(panel.undecided),
            Cell::number_or(usd, 4, "tokens or prices are not known"),
        ]);
    };
    push(keep, " (keep)");
    let others = found
        .list
        .iter()
        .filter(|panel| panel.judges != keep.judges);
    others.take(SHOWN).for_each(|panel| push(panel, ""));
    let against = match found.basis {
        Some("human") => "people's verdicts",
        _ => "labels that were estimated from the same votes (experimental)",
    };
    table.note(format!(
        "{} of up to {} measured on {} against {against}; no vote is not right.",
        counted(found.measured, ["panel", "panels"]),
        counted(found.largest, ["judge", "judges"]),
        counted(found.n, ["item", "items"]),
    ));
    table.note(match found.cheap_by {
        "usd" => "To keep: the cheapest within one standard error of the best.",
        _ => "To keep: the smallest within one standard error of the best.",
    });
    table.note("The best of many looks better than it is: measure what you keep on other items.");
    Some(table)
}
