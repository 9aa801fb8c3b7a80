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
    let all = || rows.iter().filter_map(|row| known(*row as usize));
    let golds: Vec<f64> = all().map(|[gold, _]| gold).collect();
    let of_errors = unit(all().map(|[gold, said]| said - gold));
    let mean = |of: fn(f64) -> f64| {
        kept.mean(Kind::Mean, rows, intervals, |row| {
            known(row).map(|[gold, said]| of((said - gold) / of_errors))
        })
    };
    // R² does not change, but is rounded less.
    let middle = exact_mean(&golds).unwrap_or(0.0);
    let of_golds = unit(golds.iter().map(|gold| gold - middle));
    let sums = kept.sums(rows, WIDTH, |row, sums| {
        known(row).is_some_and(|[gold, said]| {
            let [gold, said] = [gold, said].map(|number| (number - middle) / of_golds);
            sums.copy_from_slice(&terms(gold, said));
            true
        })
    });
    let n = golds.len() as u64;
    let functions = Functions::new(Terms::flat(&sums, WIDTH), intervals);
    let r2 = |sums: &[f64]| explained(sums, functions.totals());
    let why = match n {
        0 => super::kept::NOTHING,
        _ => "the golds do not vary",
    };
    Numbers {
        rows: n,
        mae: times(mean(f64::abs), of_errors),
        rmse: times(root(mean(|error| error * error)), of_errors),
        r2: metric_value(functions.of(0..WIDTH, n, &r2), why).within([f64::MIN, 1.0]),
        bias: times(mean(|error| error), of_errors),
        left_out: kept.left_out(rows, &kept.number_problem),
    }
}

/// What numbers are divided by before they are squared: 1, unless squares, or the squares of
/// squares that a standard error is made of, would be too small or too large to be told apart. A
/// power of two, which costs no digit.
fn unit(numbers: impl Iterator<Item = f64>) -> f64 {
    let largest = numbers.fold(0.0, |largest: f64, number| largest.max(number.abs()));
    match largest {
        0.0 | 1e-75..=1e75 => 1.0,
        largest => {
            let exponent = (largest.to_bits() >> 52) as i32 - 1023;
            2_f64.powi(exponent.clamp(-1000, 1000))
        }
    }
}

/// The root of a mean square. Its interval is the root of the interval, its standard error
/// that of the square over twice the root (delta method), and there is none of 0.
fn root(mut square: MetricValue) -> MetricValue {
    if let MetricValue::Defined { value, se, ci, .. } = &mut square {
        *value = value.sqrt();
        *se = se.filter(|_| *value > 0.0).map(|se| se / (2.0 * *value));
        *ci = ci.map(|ends| ends.map(|end| end.max(0.0).sqrt()));
    }
    square
}

/// What was measured in a unit, as it is.
fn times(mut measured: MetricValue, unit: f64) -> MetricValue {
    if let MetricValue::Defined { value, se, ci, .. } = &mut measured {
        *value *= unit;
        *se = se.map(|se| se * unit);
        *ci = ci.map(|ends| ends.map(|end| end * unit));
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_of_the_size_of_what_was_squared() {
        assert_eq!(unit([0.0, -3.0, 1e74].into_iter()), 1.0);
        assert_eq!(unit([0.0].into_iter()), 1.0);
        let tiny = unit([1e-200, 9e-200].into_iter());
        assert!((0.5..=1.0).contains(&(tiny / 9e-200)), "{tiny:e}");
        let square = MetricValue::new(4.0, 9)
            .with_spread(Some(9), Some(0.5), None)
            .with_ci([1.0, 9.0]);
        let expected = MetricValue::new(1.0, 9)
            .with_spread(Some(9), Some(0.0625), None)
            .with_ci([0.5, 1.5]);
        assert_eq!(times(root(square), 0.5), expected);
        let nothing = MetricValue::new(0.0, 9).with_spread(Some(9), Some(0.0), None);
        let expected = MetricValue::new(0.0, 9).with_spread(Some(9), None, None);
        assert_eq!(root(nothing), expected);
    }
}
