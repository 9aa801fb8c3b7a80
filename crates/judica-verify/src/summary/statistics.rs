//! Count, mean, spread and quantiles of a list of scores.

use std::io;

use judica_stats::moments::{Description, Level};
use judica_stats::{describe, quantiles, streaming_quantiles};
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
pub const IN_MEMORY: usize = 4 << 20;

/// Calls its argument with every value, the same each time.
pub type Replay<'a> = dyn FnMut(&mut dyn FnMut(f64)) -> io::Result<()> + 'a;

impl Statistics {
    /// The statistics of the values that `replay` gives.
    pub fn of(replay: &mut Replay, why_empty: &str) -> io::Result<Statistics> {
        Statistics::with_memory(replay, why_empty, IN_MEMORY as u64)
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
        if count <= in_memory {
            return Ok(Statistics::of_values(values, why_empty));
        }
        drop(values);
        let moments = describe_replayed(replay)?;
        let quantiles = streaming_quantiles(replay, count, &QUANTILES)?;
        Ok(Statistics::made_of(count, moments, quantiles, why_empty))
    }

    /// The statistics of values in memory.
    pub fn of_values(mut values: Vec<f64>, why_empty: &str) -> Statistics {
        let moments = describe(&values);
        let quantiles = quantiles(&mut values, &QUANTILES);
        Statistics::made_of(values.len() as u64, moments, quantiles, why_empty)
    }

    fn made_of(
        count: u64,
        moments: Option<Description>,
        quantiles: Option<Vec<f64>>,
        why_empty: &str,
    ) -> Statistics {
        let quantiles = quantiles.unwrap_or_default();
        let quantile = |position: usize| quantiles.get(position).copied();
        Statistics {
            count,
            mean: moments.map(|of| of.mean),
            median: quantile(0),
            std: moments.map(|of| of.std),
            min: moments.map(|of| of.min),
            max: moments.map(|of| of.max),
            p95: quantile(1),
            p99: quantile(2),
            undefined: (count == 0).then(|| why_empty.to_owned()),
        }
    }
}

fn describe_replayed(replay: &mut Replay) -> io::Result<Option<Description>> {
    let mut level = Level::default();
    replay(&mut |value| level.add(value))?;
    let Some(mut spread) = level.spread() else {
        return Ok(None);
    };
    replay(&mut |value| spread.add(value))?;
    Ok(spread.describe())
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod edge_tests;
