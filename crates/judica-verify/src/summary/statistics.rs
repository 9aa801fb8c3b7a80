//! Count, mean, spread and quantiles of a list of scores.

use std::io;

use judica_stats::{ExactSum, describe, quantiles, streaming_quantiles};
use serde::Serialize;

/// The statistics of a list of scores; all null, with the reason, when it is empty.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// How many values.
    pub count: u64,
    /// Their mean.
    pub mean: Option<f64>,
    /// Their median.
    pub median: Option<f64>,
    /// Their standard deviation (of the population).
    pub std: Option<f64>,
    /// The least.
    pub min: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
    /// 95th percentile, linear interpolation.
    pub p95: Option<f64>,
    /// 99th percentile, linear interpolation.
    pub p99: Option<f64>,
    /// Why the numbers are null, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// The quantiles every list of scores is described by.
const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];
/// Values held in memory at once (32 MB); longer lists are read several times instead.
const IN_MEMORY: u64 = 4 << 20;

/// Calls its argument with every value, the same each time.
pub type Replay<'a> = dyn FnMut(&mut dyn FnMut(f64)) -> io::Result<()> + 'a;

impl Statistics {
    /// The statistics of the values that `replay` gives.
    pub fn of(replay: &mut Replay, why_empty: &str) -> io::Result<Statistics> {
        Statistics::with_memory(replay, why_empty, IN_MEMORY)
    }

    fn with_memory(replay: &mut Replay, why_empty: &str, in_memory: u64) -> io::Result<Statistics> {
        let mut count = 0;
        let mut values = Vec::new();
        replay(&mut |value| {
            count += 1;
            if count <= in_memory {
                values.push(value);
            }
        })?;
        let (moments, quantiles) = if count <= in_memory {
            let moments = describe(&values).map(|d| (d.mean, d.std, d.min, d.max));
            (moments, quantiles(&mut values, &QUANTILES))
        } else {
            drop(values);
            (
                stream_moments(replay, count)?,
                streaming_quantiles(replay, count, &QUANTILES)?,
            )
        };
        let quantiles = quantiles.unwrap_or_default();
        let quantile = |position: usize| quantiles.get(position).copied();
        Ok(Statistics {
            count,
            mean: moments.map(|(mean, ..)| mean),
            median: quantile(0),
            std: moments.map(|(_, std, ..)| std),
            min: moments.map(|(_, _, min, _)| min),
            max: moments.map(|(.., max)| max),
            p95: quantile(1),
            p99: quantile(2),
            undefined: (count == 0).then(|| why_empty.to_owned()),
        })
    }
}

fn stream_moments(replay: &mut Replay, count: u64) -> io::Result<Option<(f64, f64, f64, f64)>> {
    let mut sum = ExactSum::new();
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    replay(&mut |value| {
        sum.add(value);
        min = min.min(value);
        max = max.max(value);
    })?;
    let Some(mean) = sum.mean(count) else {
        return Ok(None);
    };
    let mut squares = ExactSum::new();
    replay(&mut |value| squares.add((value - mean) * (value - mean)))?;
    Ok(squares
        .mean(count)
        .map(|variance| (mean, variance.sqrt(), min, max)))
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod edge_tests;
