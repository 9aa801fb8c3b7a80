//! The report on a table of ratings as tables for people.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table};

use super::report::{Named, RatingsReport};
use crate::cells::{self, cell, interval, refused, remarks};
use crate::panel::PairAgreement;
use judica_model::text::few;

/// Pairs of raters that are shown; all of them stand in the JSON report.
const PAIRS_SHOWN: usize = 45;
/// A matrix is shown for two raters and at most so many labels.
const LABELS_SHOWN: usize = 12;

/// All tables of a report, in reading order.
pub fn tables(report: &RatingsReport) -> Vec<Table> {
    let mut tables = vec![agreement(report)];
    let pairs = report.pairwise.as_deref().unwrap_or_default();
    match pairs {
        [] => {}
        [pair] => tables.extend(confusion(pair)),
        _ => tables.push(pairs_table(pairs, report)),
    }
    tables.push(input(report));
    tables.extend(refused(&report.refused, "rows"));
    tables
}

fn agreement(report: &RatingsReport) -> Table {
    let mut table = Table::new(format!("Agreement, {} values", report.level))
        .left("coefficient")
        .right(format!("value {}", interval(report.bootstrap.confidence)))
        .right("items");
    for (key, value) in report.coefficients.named() {
        let n = match value {
            MetricValue::Defined { n, .. } => Cell::count(*n),
            MetricValue::Undefined { reason } => Cell::missing(reason),
        };
        table.push([Cell::text(title(key, report)), cell(value), n]);
        remarks(value).for_each(|note| table.note(format!("{}: {note}", title(key, report))));
    }
    report.notes.iter().for_each(|note| table.note(note));
    table
}

/// What people call a coefficient.
fn title(key: &str, report: &RatingsReport) -> String {
    let name = match key {
        "percent_agreement" => "percent agreement",
        "cohen_kappa" => "Cohen's kappa",
        "cohen_kappa_linear" => "Cohen's kappa, linear",
        "cohen_kappa_quadratic" => "Cohen's kappa, quadratic",
        "scott_pi" => "Scott's pi",
        "fleiss_kappa" => "Fleiss' kappa",
        "krippendorff_alpha" => return format!("Krippendorff's alpha, {}", report.level),
        "gwet_ac1" => "Gwet's AC1",
        "gwet_ac2" => return format!("Gwet's AC2, {} weights", report.weights),
        other => other,
    };
    name.to_owned()
}

fn pairs_table(pairs: &[PairAgreement], report: &RatingsReport) -> Table {
    let mut table = Table::new("Every two raters")
        .left("first")
        .left("second")
        .right("items")
        .right("percent agreement")
        .right(format!(
            "Cohen's kappa {}",
            interval(report.bootstrap.confidence)
        ));
    for pair in pairs.iter().take(PAIRS_SHOWN) {
        let [first, second] = &pair.raters;
        let agreement = &pair.percent_agreement;
        let reason = "no item was rated by both raters";
        table.push([
            Cell::text(first),
            Cell::text(second),
            Cell::count(pair.n),
            Cell::number_or(agreement.value(), 4, reason),
            cell(&pair.cohen_kappa),
        ]);
    }
    if let Some(more @ 1..) = pairs.len().checked_sub(PAIRS_SHOWN) {
        table.note(format!("{more} more pairs are in the JSON report"));
    }
    table
}

fn confusion(pair: &PairAgreement) -> Option<Table> {
    if pair.n == 0 || pair.labels.is_empty() || pair.labels.len() > LABELS_SHOWN {
        return None;
    }
    let [first, second] = &pair.raters;
    let title = format!("What {first} (rows) and {second} (columns) chose");
    Some(cells::confusion(title, &pair.labels, &pair.confusion))
}

fn input(report: &RatingsReport) -> Table {
    let mut table = Table::new("What was read").left("what").right("count");
    for (what, n) in [
        ("rows", report.rows),
        ("ratings", report.ratings),
        ("missing", report.missing),
        ("refused", report.refused.total()),
        ("items", report.items),
        ("raters", report.raters),
        (
            if report.categories_declared {
                "declared values"
            } else {
                "different values"
            },
            report.categories,
        ),
        ("items nobody rated", report.unrated_items.count),
        ("raters who rated nothing", report.silent_raters.count),
    ] {
        table.push([Cell::text(what), Cell::count(n)]);
    }
    for (what, named) in [
        ("items nobody rated", &report.unrated_items),
        ("raters who rated nothing", &report.silent_raters),
    ] {
        table.notes.extend(examples(what, named));
    }
    table
}

fn examples(what: &str, named: &Named) -> Option<String> {
    if named.count == 0 {
        return None;
    }
    let shown = few(&named.examples, ", ", named.count as usize);
    Some(format!("{what}: {shown}"))
}
