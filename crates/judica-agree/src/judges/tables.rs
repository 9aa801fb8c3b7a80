//! The report on judges as tables for people.

mod disagreements;
mod overall;
mod panels;
mod people;
mod shown;

use judica_model::table::{Cell, Table};

use super::report::JudgesReport;
use crate::cells::{cell, interval, percent, point, refused};
use disagreements::disagreements;
use overall::overall;
use panels::panels;
use people::{accuracy, aggregate, among_people, corrected, pair_tests};
use shown::{SHOWN, more};

/// All tables of a report, in reading order.
pub fn tables(report: &JudgesReport) -> Vec<Table> {
    let mut tables = vec![judges(report), overall(report)];
    tables.extend(pairwise(report));
    tables.extend(per_source(report));
    tables.extend(coverage(report));
    if let Some(human) = &report.human {
        tables.extend(among_people(human));
        tables.push(accuracy(human, report));
        tables.push(corrected(human, report));
        tables.extend(pair_tests(human));
    }
    tables.extend(aggregate(report));
    tables.extend(panels(report));
    tables.extend(disagreements(report));
    // Rows and whole files.
    tables.extend(refused(&report.refused, "count"));
    tables
}

fn judges(report: &JudgesReport) -> Table {
    let mut table = Table::new("Judges")
        .left("judge")
        .left("model")
        .right("rows")
        .right("used")
        .right("left out")
        .right("invalid")
        .right("declined")
        .right("refused")
        .right("duplicates")
        .right("says yes");
    for judge in &report.judges {
        table.push([
            Cell::text(&judge.name),
            match &judge.judge_model {
                Some(model) => Cell::text(model),
                None => Cell::missing("the files name no model"),
            },
            Cell::count(judge.rows),
            Cell::count(judge.used),
            Cell::count(judge.left_out.total()),
            Cell::count(judge.invalid),
            Cell::count(judge.declined),
            Cell::count(judge.refused_rows),
            Cell::count(judge.duplicates),
            percent(&judge.yes_rate),
        ]);
    }
    report.notes.iter().for_each(|note| table.note(note));
    table
}

fn pairwise(report: &JudgesReport) -> Option<Table> {
    if report.pairwise.is_empty() {
        return None;
    }
    let mut table = Table::new("Every two raters")
        .left("first")
        .left("second")
        .right("items")
        .right("agree")
        .right(format!(
            "Cohen's kappa {}",
            interval(report.bootstrap.confidence)
        ))
        .right("yes, first")
        .right("yes, second");
    for pair in report.pairwise.iter().take(SHOWN) {
        let yes = |rates: &[f64]| match rates.get(1) {
            Some(rate) => Cell::percent(100.0 * rate, 1),
            None => Cell::missing("no item was rated by both raters"),
        };
        table.push([
            Cell::text(&pair.raters[0]),
            Cell::text(&pair.raters[1]),
            Cell::count(pair.n),
            percent(&pair.percent_agreement),
            cell(&pair.cohen_kappa),
            yes(&pair.rates[0]),
            yes(&pair.rates[1]),
        ]);
    }
    more(&mut table, report.pairwise.len(), "pairs");
    Some(table)
}

fn per_source(report: &JudgesReport) -> Option<Table> {
    if report.per_source.len() < 2 {
        return None;
    }
    let mut table = Table::new("By data set")
        .left("data set")
        .right("items")
        .right("agree")
        .right(format!(
            "Krippendorff's alpha {}",
            interval(report.bootstrap.confidence)
        ))
        .right("Fleiss' kappa");
    for source in report.per_source.iter().take(SHOWN) {
        table.push([
            Cell::text(&source.source),
            Cell::count(source.items),
            percent(&source.coefficients.percent_agreement),
            cell(&source.coefficients.krippendorff_alpha),
            point(&source.coefficients.fleiss_kappa),
        ]);
    }
    more(&mut table, report.per_source.len(), "data sets");
    Some(table)
}

fn coverage(report: &JudgesReport) -> Option<Table> {
    if report.coverage.len() < 2 {
        return None;
    }
    let mut table = Table::new("By number of raters")
        .right("raters")
        .right("items")
        .right("agree")
        .right(format!(
            "Krippendorff's alpha {}",
            interval(report.bootstrap.confidence)
        ));
    for group in &report.coverage {
        table.push([
            Cell::count(group.raters),
            Cell::count(group.items),
            percent(&group.percent_agreement),
            cell(&group.krippendorff_alpha),
        ]);
    }
    Some(table)
}
