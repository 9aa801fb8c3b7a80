//! How far predicted numbers are from their gold.

use judica_model::metric::MetricValue;
use judica_run::values::metric_value;
use judica_stats::clusters::Intervals;
use judica_stats::estimate::Kind;
use judica_stats::exact_mean;
use judica_stats::functions::Functions;
use judica_stats::numbers::{WIDTH, explained, terms};
use judica_stats::resampled::Terms;
use serde::Serialize;

use super::LeftOut;
use super::kept::Kept;

/// The section of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Numbers {
    /// Rows whose gold and prediction are numbers.
    pub rows: u64,
    /// The mean size of the error.
    pub mae: MetricValue,
    /// The root of the mean squared error.
    pub rmse: MetricValue,
    /// The share of the golds' variance that predictions explain.
    pub r2: MetricValue,
    /// The mean error, prediction less gold.
    pub bias: MetricValue,
    /// The other rows.
    pub left_out: LeftOut,
}

pub(super) fn of(kept: &Kept, rows: &[u32], intervals: &Intervals) -> Numbers {
    let known = |row: usize| Some(kept.numbers[row]).filter(|[gold, _]| !gold.is_nan());
    let mean = |of: fn(f64) -> f64| {
        kept.mean(Kind::Mean, rows, intervals, |row| {
            known(row).map(|[gold, said]| of(said - gold))
        })
    };
    let golds = rows.iter().filter_map(|row| known(*row as usize));
    let golds: Vec<f64> = golds.map(|[gold, _]| gold).collect();
    // R² does not change, but is rounded less.
    let middle = exact_mean(&golds).unwrap_or(0.0);
    let sums = kept.sums(rows, WIDTH, |row, sums| {
        known(row).is_some_and(|[gold, said]| {
            sums.copy_from_slice(&terms(gold - middle, said - middle));
            true
        })
    });
    let n = golds.len() as u64;
    let functions = Functions::new(Terms::flat(&sums, WIDTH), intervals);
    let why = match n {
        0 => super::kept::NOTHING,
        _ => "the golds do not vary",
    };
    Numbers {
        rows: n,
        mae: mean(f64::abs),
        rmse: root(&mean(|error| error * error)),
        r2: metric_value(functions.of(0..WIDTH, n, &explained), why).within([f64::MIN, 1.0]),
        bias: mean(|error| error),
        left_out: kept.left_out(rows, &kept.number_problem),
    }
}

/// The root of a mean square; its interval is the root of the interval.
fn root(square: &MetricValue) -> MetricValue {
    let mut root = square.clone();
    if let MetricValue::Defined {
        value,
        se,
        design_effect,
        ci,
        ..
    } = &mut root
    {
        *value = value.sqrt();
        *ci = ci.map(|ends| ends.map(|end| end.max(0.0).sqrt()));
        (*se, *design_effect) = (None, None);
    }
    root
}
