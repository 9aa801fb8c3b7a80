//! The report on pairs as tables for people.

use judica_model::gate_table;
use judica_model::table::{Cell, Table};

use super::report::PairsReport;
use crate::cells::{self, cell, interval, refused, remarks};

/// All tables of a report, in reading order.
pub fn tables(report: &PairsReport) -> Vec<Table> {
    let mut tables = vec![
        agreement(report),
        gate_table::table("Gates", &report.gate_results),
        confusion(report),
        finals(report),
    ];
    tables.extend(refused(&report.refused, "lines"));
    tables.extend(hygiene(report));
    tables
}

fn agreement(report: &PairsReport) -> Table {
    let (metrics, [first, second]) = (&report.metrics, &report.raters);
    let [of_first, of_second] = &metrics.abstain_rates.0;
    let [first_abstains, second_abstains] =
        [first, second].map(|rater| format!("{rater} abstains"));
    let mut table = Table::new(format!("Agreement of {first} and {second}"))
        .left("metric")
        .right(format!("value {}", interval(report.bootstrap.confidence)))
        .right("n");
    for (name, value) in [
        ("percent agreement", &metrics.percent_agreement),
        ("Cohen's kappa", &metrics.kappa),
        ("its standard error", &metrics.kappa_standard_error),
        (&first_abstains, &of_first.1),
        (&second_abstains, &of_second.1),
    ] {
        table.push([Cell::text(name), cell(value), Cell::count(report.n)]);
        remarks(value).for_each(|note| table.note(format!("{name}: {note}")));
    }
    table
}

fn confusion(report: &PairsReport) -> Table {
    let [first, second] = &report.raters;
    let title = format!("Confusion: rows {first}, columns {second}");
    cells::confusion(title, &report.labels, &report.confusion)
}

fn finals(report: &PairsReport) -> Table {
    let mut table = Table::new("Final labels after arbitration")
        .left("why")
        .left("final")
        .right("pairs");
    for ((why, pairs), ends) in report.final_why.iter().zip(&report.outcomes) {
        let pairs = pairs.as_u64().unwrap_or_default();
        table.push([Cell::text(why), Cell::text(ends), Cell::count(pairs)]);
    }
    table
}

fn hygiene(report: &PairsReport) -> Option<Table> {
    let hygiene = report.hygiene.as_ref()?;
    let mut table = Table::new("Hygiene")
        .left("rule")
        .left("checks that")
        .right("findings");
    for rule in &hygiene.rules {
        table.push([
            Cell::text(&rule.rule),
            Cell::text(rule.checks),
            Cell::count(rule.findings),
        ]);
    }
    for atom in hygiene.atoms.iter().take(5) {
        let place = |key: &str| {
            atom.meta
                .get(key)
                .map_or_else(String::new, |v| v.to_string())
        };
        table.note(format!(
            "{} line {}: {}: {}",
            atom.rule,
            place("line"),
            atom.field.as_deref().unwrap_or_default(),
            atom.message
        ));
    }
    Some(table)
}
