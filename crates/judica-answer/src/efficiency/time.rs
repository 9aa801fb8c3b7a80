//! Latency of rows, and how long a whole run took.

use judica_stats::{describe, exact_sum, quantiles};
use serde::Serialize;

use super::facts::{RunFacts, Tokens};

/// How long a subject's runs took, and how many rows they handled in that time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Time {
    /// Seconds.
    pub seconds: f64,
    /// The rows that were handled in them.
    pub rows: u64,
    /// Whether a run states its time; else latencies were added up.
    pub stated: bool,
    /// How many rows have tokens, and no part in that time.
    pub untimed_tokens: u64,
}

impl Time {
    /// The time of several runs, one after the other.
    pub(super) fn of(facts: &[RunFacts]) -> Self {
        let mut time = Time::default();
        let (mut stated, mut milliseconds) = (Vec::new(), Vec::new());
        for run in facts {
            if let Some(seconds) = run.stated_seconds {
                stated.push(seconds);
                time.rows += run.rows;
            } else {
                milliseconds.extend_from_slice(&run.latencies_ms);
                time.rows += run.latencies_ms.len() as u64;
                time.untimed_tokens += run.untimed_tokens;
            }
        }
        time.stated = !stated.is_empty();
        time.seconds = exact_sum(&stated) + exact_sum(&milliseconds) / 1000.0;
        time
    }

    /// Whether there is any time to divide by.
    pub(super) fn is_measured(&self) -> bool {
        self.rows > 0 && self.seconds > 0.0 && self.seconds.is_finite()
    }

    /// Hours.
    pub(super) fn hours(&self) -> f64 {
        self.seconds / 3600.0
    }
}

/// Milliseconds per row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LatencyReport {
    /// The rows whose latency is known.
    pub n: u64,
    /// Their mean.
    pub mean: Option<f64>,
    /// Half of them are faster.
    pub median: Option<f64>,
    /// 95 % of them are faster.
    pub p95: Option<f64>,
    /// 99 % of them are faster.
    pub p99: Option<f64>,
    /// The fastest.
    pub min: Option<f64>,
    /// The slowest.
    pub max: Option<f64>,
    /// The standard deviation of these rows (divided by `n`).
    pub std: Option<f64>,
    /// Why there are no numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// Describes latencies.
pub(super) fn latency(milliseconds: &[f64]) -> LatencyReport {
    let quantiles = quantiles(&mut milliseconds.to_vec(), &[0.5, 0.95, 0.99]);
    let (Some(all), Some(quantiles)) = (describe(milliseconds), quantiles) else {
        return LatencyReport {
            undefined: Some("no row has a `latency_ms`".to_owned()),
            ..LatencyReport::default()
        };
    };
    LatencyReport {
        n: all.count,
        mean: Some(all.mean),
        median: quantiles.first().copied(),
        p95: quantiles.get(1).copied(),
        p99: quantiles.get(2).copied(),
        min: Some(all.min),
        max: Some(all.max),
        std: Some(all.std),
        undefined: None,
    }
}

/// How much is handled in how much time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ThroughputReport {
    /// The rows that were handled.
    pub n: u64,
    /// The time that it took.
    pub seconds: Option<f64>,
    /// `stated` by the run, or the `latency_sum` of its rows.
    pub seconds_source: Option<&'static str>,
    /// Rows per second.
    pub rows_per_second: Option<f64>,
    /// Tokens of both directions per second.
    pub tokens_per_second: Option<f64>,
    /// Why there are no tokens per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_second_undefined: Option<String>,
    /// Why there are no numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// Rows and tokens per second.
pub(super) fn throughput(time: &Time, tokens: &Tokens) -> ThroughputReport {
    if !time.is_measured() {
        return ThroughputReport {
            undefined: Some(no_time(time).to_owned()),
            ..ThroughputReport::default()
        };
    }
    let per_second = |count: u64| Some(count as f64 / time.seconds).filter(|rate| rate.is_finite());
    let mismatch = token_mismatch(time, tokens);
    ThroughputReport {
        n: time.rows,
        seconds: Some(time.seconds),
        seconds_source: Some(if time.stated { "stated" } else { "latency_sum" }),
        rows_per_second: per_second(time.rows),
        tokens_per_second: per_second(tokens.total()).filter(|_| mismatch.is_none()),
        tokens_per_second_undefined: mismatch,
        undefined: None,
    }
}

/// Why there is no time to divide by.
pub(super) fn no_time(time: &Time) -> &'static str {
    if time.rows == 0 {
        "no row has a `latency_ms`, and no run states its time"
    } else {
        "the measured time is 0"
    }
}

/// Why tokens cannot be set against the time: they are not those of the same rows.
pub(super) fn token_mismatch(time: &Time, tokens: &Tokens) -> Option<String> {
    match (tokens.rows, time.rows) {
        (0, _) => Some("no row has tokens of both question and answer".to_owned()),
        (with_tokens, timed) if with_tokens != timed => Some(format!(
            "tokens are known of {with_tokens} rows and time of {timed}"
        )),
        (rows, _) if time.untimed_tokens > 0 => Some(format!(
            "tokens are known of {rows} rows and time of {rows}, but not of the same"
        )),
        _ => None,
    }
}
