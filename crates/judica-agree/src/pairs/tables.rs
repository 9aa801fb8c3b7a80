//! The report on pairs as tables for people.

use judica_model::gate_table;
use judica_model::table::{Cell, Table};

use super::report::PairsReport;
use crate::cells::{cell, count, interval, refused, remarks};

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
    let metrics = &report.metrics;
    let mut table = Table::new("Agreement of scholar and auditor")
        .left("metric")
        .right(format!("value {}", interval(report.bootstrap.confidence)))
        .right("n");
    for (name, value) in [
        ("percent agreement", &metrics.percent_agreement),
        ("Cohen's kappa", &metrics.kappa),
        ("its standard error", &metrics.kappa_standard_error),
        ("scholar abstains", &metrics.scholar_abstain_rate),
        ("auditor abstains", &metrics.auditor_abstain_rate),
    ] {
        table.push([Cell::text(name), cell(value), count(report.n)]);
        remarks(value).for_each(|note| table.note(format!("{name}: {note}")));
    }
    table
}

fn confusion(report: &PairsReport) -> Table {
    let mut table = Table::new("Confusion: rows scholar, columns auditor").left("");
    for label in report.labels {
        table = table.right(label);
    }
    for (label, row) in report.labels.iter().zip(&report.confusion) {
        let cells = row.iter().map(|n| count(*n));
        table.push([Cell::text(*label)].into_iter().chain(cells));
    }
    table
}

fn finals(report: &PairsReport) -> Table {
    let mut table = Table::new("Final labels after arbitration")
        .left("why")
        .left("final")
        .right("pairs");
    for why in super::arbitrate::Why::ALL {
        let pairs = report.final_why.get(why.name()).and_then(|n| n.as_u64());
        table.push([
            Cell::text(why.name()),
            Cell::text(why.final_label().name()),
            count(pairs.unwrap_or_default()),
        ]);
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
            count(rule.findings),
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
