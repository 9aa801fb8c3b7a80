//! The report of a match as tables for people.

use judica_model::table::{Cell, Table};

use super::report::{MatchReport, MatchTotals};

/// All tables of a report, in reading order.
pub fn tables(report: &MatchReport) -> Vec<Table> {
    let mut tables = vec![matches(report)];
    tables.extend(refused(&report.totals));
    tables
}

fn matches(report: &MatchReport) -> Table {
    let mut table = Table::new(format!("Match by `{}`", report.normalizer))
        .left("data set")
        .right("rows")
        .right("exact match [95% CI]")
        .right("structural")
        .right("matched [95% CI]")
        .right("undecided")
        .right("tokens");
    for file in &report.files {
        table.push(row(&file.dataset, &file.totals));
    }
    if report.files.len() != 1 {
        table.push(row("all", &report.totals));
    }
    for note in &report.totals.notes {
        table.note(note.as_str());
    }
    table
}

fn row(name: &str, totals: &MatchTotals) -> [Cell; 7] {
    let part = |value: Option<f64>, ends: Option<[f64; 2]>| match (value, ends) {
        (Some(value), Some([lo, hi])) => Cell::interval(value, lo, hi, 4),
        _ => Cell::missing(totals.undefined.unwrap_or("no row can be used")),
    };
    let tokens = totals.total_tokens.map(count);
    [
        Cell::text(name),
        count(totals.n_examples),
        part(totals.exact_match, totals.intervals.exact_match),
        count(totals.counts.structural),
        part(totals.matched, totals.intervals.matched),
        count(totals.counts.undecided),
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
        table.push([Cell::text(*reason), count(*rows)]);
    }
    Some(table)
}

fn count(n: u64) -> Cell {
    i64::try_from(n).map_or_else(|_| Cell::text(n.to_string()), Cell::Integer)
}
