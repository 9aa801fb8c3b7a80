//! A comparison as tables for people.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table};

use super::report::{CompareReport, Difference};
use crate::eval_json::catalogue::is_count;

/// Decimals people see.
const DECIMALS: u8 = 4;

/// All tables of a report, in reading order: the values, then each run against the
/// baseline.
pub fn tables(report: &CompareReport) -> Vec<Table> {
    let mut tables = vec![values(report)];
    let others = report.sides.iter().skip(1).enumerate();
    tables.extend(others.map(|(at, side)| against(report, at, &side.label)));
    tables
}

fn values(report: &CompareReport) -> Table {
    let mut table = Table::new("Metrics").left("metric");
    for side in &report.sides {
        table = table.right(&side.label);
    }
    for metric in &report.metrics {
        let mut row = vec![Cell::text(&metric.metric)];
        let is_count = is_count(&metric.metric);
        row.extend(metric.values.iter().map(|value| match value {
            MetricValue::Undefined { reason } => Cell::missing(reason),
            MetricValue::Defined { value, .. } if is_count && value.abs() < 9e15 => {
                Cell::Integer(*value as i64)
            }
            MetricValue::Defined {
                value,
                ci: Some([lo, hi]),
                ..
            } => Cell::interval(*value, *lo, *hi, DECIMALS),
            MetricValue::Defined { value, .. } => Cell::number(*value, DECIMALS),
        }));
        table.push(row);
    }
    report.notes.iter().for_each(|note| table.note(note));
    table
}

fn against(report: &CompareReport, at: usize, label: &str) -> Table {
    let mut table = Table::new(format!("{label} against {}", report.baseline))
        .left("metric")
        .right("difference")
        .right("p")
        .right("p, corrected")
        .left("verdict");
    for metric in &report.metrics {
        let Some(found) = metric.differences.get(at) else {
            continue;
        };
        if is_count(&metric.metric) {
            continue;
        }
        let estimate = found.estimate.as_ref();
        let p = |p: Option<f64>| Cell::number_or(p, DECIMALS, "there is no test without counts");
        table.push([
            Cell::text(&metric.metric),
            difference(found),
            p(estimate.and_then(|estimate| estimate.p_value)),
            p(estimate.and_then(|estimate| estimate.p_holm)),
            Cell::text(&found.words),
        ]);
    }
    if let Some(verdict) = report.verdicts.get(at) {
        table.note(&verdict.words);
    }
    if let Some(pairing) = report.pairing.iter().find(|pairing| pairing.label == label) {
        table.note(format!(
            "{} episodes in common; left out: {} of {} only, {} of {label} only",
            pairing.common, pairing.baseline_only, report.baseline, pairing.label_only
        ));
    }
    if report.tests > 1 {
        table.note(format!(
            "p-values are corrected for {} tests by Holm's method; intervals are not",
            report.tests
        ));
    }
    table
}

fn difference(found: &Difference) -> Cell {
    match (&found.estimate, found.difference) {
        (Some(estimate), _) => match estimate.ci {
            Some([lo, hi]) => Cell::interval(estimate.difference, lo, hi, DECIMALS),
            None => Cell::number(estimate.difference, DECIMALS),
        },
        (None, Some(difference)) => Cell::number(difference, DECIMALS),
        (None, None) => Cell::missing("one side has no value"),
    }
}
