//! An aggregation as tables for people.

use judica_model::table::{Cell, Table};

use super::key::shown;
use super::report::{AggregateReport, MetricSummary, Summaries};
use crate::eval_json::catalogue::is_count;

/// How many refused files a table names.
const NAMED: usize = 20;

/// All tables of a report, in reading order.
pub fn tables(report: &AggregateReport) -> Vec<Table> {
    let mut all = with_columns(Table::new(format!("All {} files", report.files)));
    rows(&mut all, &report.metrics, &[]);
    report.notes.iter().for_each(|note| all.note(note));
    let mut tables = vec![all];
    if let Some(by) = &report.by {
        let groups = Table::new(format!("By {by}")).left(by.as_str());
        let mut groups = with_columns(groups.right("files"));
        for group in &report.groups {
            let lead = [Cell::text(shown(&group.group)), Cell::count(group.files)];
            rows(&mut groups, &group.metrics, &lead);
        }
        tables.push(groups);
    }
    if !report.refused.is_empty() {
        tables.push(refused(report));
    }
    tables
}

fn with_columns(table: Table) -> Table {
    let numbers = [
        "mean", "n", "null", "missing", "std", "min", "max", "pooled",
    ];
    let table = table.left("metric");
    numbers.into_iter().fold(table, Table::right)
}

fn rows(table: &mut Table, summaries: &Summaries, lead: &[Cell]) {
    for (name, summary) in &summaries.0 {
        let mut row = lead.to_vec();
        row.push(Cell::text(name));
        row.extend(cells(name, summary));
        table.push(row);
    }
}

fn cells(name: &str, summary: &MetricSummary) -> [Cell; 8] {
    let decimals = if is_count(name) { 1 } else { 4 };
    let why = summary.undefined.as_deref().unwrap_or_default();
    let number = |value: Option<f64>, why: &str| Cell::number_or(value, decimals, why);
    let pooled = match &summary.pooled {
        None => Cell::text(""),
        Some(pooled) => number(
            pooled.value(),
            "not every file says how many items a metric rests on",
        ),
    };
    [
        number(summary.mean, why),
        Cell::count(summary.n),
        Cell::count(summary.nulls),
        Cell::count(summary.missing),
        number(
            summary.std,
            match summary.n {
                0 => why,
                _ => "one value has no standard deviation",
            },
        ),
        number(summary.min, why),
        number(summary.max, why),
        pooled,
    ]
}

fn refused(report: &AggregateReport) -> Table {
    let mut table = Table::new(format!("{} files could not be used", report.rejects))
        .left("where")
        .left("pointer")
        .left("why");
    for file in report.refused.iter().take(NAMED) {
        table.push([
            Cell::text(format!("{}:{}", file.file, file.line)),
            Cell::text(&file.pointer),
            Cell::text(&file.detail),
        ]);
    }
    if report.rejects > NAMED as u64 {
        table.note(format!("the first {NAMED} are shown; --json names more"));
    }
    table
}
