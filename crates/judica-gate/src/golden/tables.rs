//! The report as tables for people.

use judica_model::gate_table;
use judica_model::table::{Cell, Table};

use super::capped::Capped;
use super::report::{GoldenReport, QueryName, RunName};

/// Rows of a long table that are shown; more stand in the JSON report.
const SHOWN: usize = 20;

/// All tables of a report, in reading order. Lists that are empty have none.
pub fn tables(report: &GoldenReport) -> Vec<Table> {
    let offenders = &report.offenders;
    let mut tables = vec![gates(report), metrics(report)];
    tables.extend(list(
        "Runs that cannot be read",
        ["run", "file", "what is wrong"],
        &report.malformed_runs,
        |row| [&row.run.run_id, &row.run.file, &row.reason].map(Cell::text),
    ));
    tables.extend(list(
        "Verified claims without usable evidence",
        ["run", "claim", "cites", "problem"],
        &offenders.claims,
        |row| {
            [
                run(&row.run),
                Cell::text(&row.claim),
                Cell::text(row.evidence_ids.join(", ")),
                problem(row.problem),
            ]
        },
    ));
    tables.extend(list(
        "Golden evidence that was not found",
        ["query", "evidence", "problem"],
        &offenders.evidence,
        |row| {
            [
                query(&row.query),
                Cell::text(&row.evidence_id),
                problem(row.problem),
            ]
        },
    ));
    tables.extend(list(
        "Runs that should have abstained",
        ["query", "run", "stopped because", "problem"],
        &offenders.abstentions,
        |row| {
            [
                query(&row.query),
                optional(row.run_id.as_deref(), "there is no run"),
                optional(row.stop_reason.as_deref(), "no stop_reason can be read"),
                problem(row.problem),
            ]
        },
    ));
    tables.extend(list(
        "Steps without a manifest",
        ["run", "step", "problem"],
        &offenders.steps,
        |row| [run(&row.run), Cell::text(&row.step), problem(row.problem)],
    ));
    tables.extend(list(
        "Queries without a run",
        ["query"],
        &report.missing_runs,
        |row| [query(row)],
    ));
    tables.extend(list(
        "Runs of no query",
        ["run", "objective", "why"],
        &report.unmatched_runs,
        |row| {
            [
                run(&row.run),
                Cell::text(&row.objective),
                Cell::text(row.reason),
            ]
        },
    ));
    tables.extend(list(
        "Cited evidence that is not in the ledger",
        ["run", "claim", "evidence"],
        &report.unknown_evidence,
        |row| {
            [
                run(&row.run),
                Cell::text(&row.claim),
                Cell::text(&row.evidence_id),
            ]
        },
    ));
    tables.extend(list(
        "Manifests of no step",
        ["file"],
        &report.stray_manifests,
        |row| [Cell::text(&row.0.file)],
    ));
    tables.extend(list(
        "Links that were not followed",
        ["link"],
        &report.skipped_links,
        |link| [Cell::text(link)],
    ));
    tables
}

fn gates(report: &GoldenReport) -> Table {
    let (runs, queries) = (report.runs, report.queries);
    let title = format!("{}: {runs} runs, {queries} golden queries", report.status);
    let mut table = gate_table::table(&title, &report.gates);
    report.notes.iter().for_each(|note| table.note(note));
    table
}

fn metrics(report: &GoldenReport) -> Table {
    let mut table = Table::new("Metrics")
        .left("metric")
        .right("counted")
        .right("of")
        .right("value [95 % CI]");
    for (name, metric) in report.metrics.named() {
        table.push([
            Cell::text(name),
            Cell::count(metric.numerator),
            Cell::count(metric.denominator),
            Cell::metric(&metric.value, 4),
        ]);
    }
    table
}

/// A table of a list; none if it is empty.
fn list<T, const N: usize>(
    title: &str,
    columns: [&str; N],
    entries: &Capped<T>,
    row: impl Fn(&T) -> [Cell; N],
) -> Option<Table> {
    if entries.is_empty() {
        return None;
    }
    let total = entries.total();
    let empty = Table::new(format!("{title} ({total})"));
    let mut table = columns.into_iter().fold(empty, Table::left);
    for entry in entries.first().iter().take(SHOWN) {
        table.push(row(entry));
    }
    if total > SHOWN as u64 {
        table.note(format!(
            "The first {SHOWN} of {total}; more stand in the JSON report."
        ));
    }
    Some(table)
}

fn run(run: &RunName) -> Cell {
    Cell::text(&run.run_id)
}

/// A query by its id, which is short, or by what it asks.
fn query(name: &QueryName) -> Cell {
    Cell::text(name.query.as_ref().unwrap_or(&name.objective))
}

/// A code as words.
fn problem(code: &str) -> Cell {
    Cell::text(code.replace('_', " "))
}

fn optional(text: Option<&str>, reason: &str) -> Cell {
    text.map_or_else(|| Cell::missing(reason), Cell::text)
}
