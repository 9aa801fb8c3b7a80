//! The report of a match as tables for people.

use judica_model::table::{Cell, Table};

use super::report::{MatchReport, MatchTotals};
use super::sections;
use crate::normalize::AUTO;

/// All tables of a report, in reading order.
pub fn tables(report: &MatchReport) -> Vec<Table> {
    let mut tables = vec![matches(report)];
    tables.extend(sections::tables::tables(&report.sections));
    tables.extend(refused(&report.totals));
    tables
}

fn matches(report: &MatchReport) -> Table {
    // The title says what goes for all.
    let differ = report.normalizer == AUTO;
    let mut table = Table::new(format!("Match by `{}`", report.normalizer)).left("data set");
    if differ {
        table = table.left("by");
    }
    let mut table = table
        .right("rows")
        .right("exact match [95% CI]")
        .right("structural")
        .right("matched [95% CI]")
        .right("undecided")
        .right("tokens");
    let mut push = |name: &str, normalizer: &str, totals: &MatchTotals| {
        let mut cells = vec![Cell::text(name)];
        cells.extend(differ.then(|| Cell::text(normalizer)));
        cells.extend(counted(totals));
        table.push(cells);
    };
    for file in &report.files {
        push(&file.dataset, file.normalizer, &file.totals);
    }
    if report.files.len() != 1 {
        push("all", report.normalizer, &report.totals);
    }
    let all = ("all".to_owned(), &report.totals);
    let files = report.files.iter();
    let rows = files.map(|file| (file.dataset.clone(), &file.totals));
    let rows: Vec<_> = rows
        .chain((report.files.len() != 1).then_some(all))
        .collect();
    let matched = rows.iter();
    let matched = matched.map(|(name, totals)| (name.clone(), &totals.intervals.matched));
    table.note_missing_intervals("what matched", matched);
    for note in &report.totals.notes {
        table.note(note.as_str());
    }
    table
}

fn counted(totals: &MatchTotals) -> [Cell; 6] {
    let tokens = totals.total_tokens.map(Cell::count);
    [
        Cell::count(totals.n_examples),
        Cell::metric(&totals.intervals.exact_match, 4),
        Cell::count(totals.counts.structural),
        Cell::metric(&totals.intervals.matched, 4),
        Cell::count(totals.counts.undecided),
        tokens.unwrap_or_else(|| Cell::missing("no row counts tokens")),
    ]
}

fn refused(totals: &MatchTotals) -> Option<Table> {
    if totals.rejects == 0 {
        return None;
    }
    let mut table = Table::new("Rows that cannot be used")
        .left("reason")
        .right("rows");
    for (reason, rows) in &totals.rejects_by_reason {
        table.push([Cell::text(&**reason), Cell::count(*rows)]);
    }
    Some(table)
}
