//! Models ordered by mean total, where a gated record counts as the protocol's cap: a
//! model must not climb by being rarely eligible. Intervals come from a bootstrap over
//! samples in which every model meets the same resamples.

use std::io;

use judica_stats::{ExactSum, ModelColumn, PairedBootstrap};

use super::report::LeaderboardRow;
use super::scores::{ScoreEntry, ScoreLog};
use super::state::SummaryState;
use crate::protocol::Protocol;
use judica_data::parallel::parallel_map;

/// Bytes of score columns handed to the bootstrap at once.
const BATCH_BYTES: usize = 32 << 20;
const CONFIDENCE: f64 = 0.95;
/// The bootstrap goes over every (model, sample), answered or not. Up to so many it always
/// does; beyond, only where an eighth of them was answered. A file in which every line
/// names a model of its own must not take days.
const DENSE_CELLS: u64 = 200_000_000;
const TOO_SPARSE: &str = "too many models that answered too few samples";

/// What a record counts as: its total, the cap if gated, nothing if it has no total.
fn counted(entry: &ScoreEntry, cap: f64) -> Option<f64> {
    if !entry.passed {
        Some(cap)
    } else {
        (!entry.total.is_nan()).then_some(entry.total)
    }
}

/// Builds the leaderboard; `models` are numbers and names of those with records.
pub fn leaderboard(
    protocol: &Protocol,
    state: &SummaryState,
    scores: &ScoreLog,
    models: &[(u32, &str)],
    threads: usize,
) -> io::Result<Vec<LeaderboardRow>> {
    let positions = Positions::new(scores.answered());
    let bootstrap = PairedBootstrap {
        resamples: protocol.summary.bootstrap_resamples,
        seed: protocol.summary.bootstrap_seed,
    };
    let per_batch = (BATCH_BYTES / (positions.count.max(1) * size_of::<f64>())).max(1);
    let records: u64 = state.groups.values().map(|group| group.total).sum();
    let cells = models.len() as u64 * positions.count as u64;
    let too_sparse = cells > DENSE_CELLS.max(records.saturating_mul(8));
    let mut rows = Vec::with_capacity(models.len());
    for batch in models.chunks(per_batch) {
        let entries = parallel_map(batch, threads, |(model, name)| {
            row(protocol, state, scores, *model, name, &positions)
        });
        let entries: Vec<(LeaderboardRow, ModelColumn)> =
            entries.into_iter().collect::<io::Result<_>>()?;
        let (mut batch_rows, columns): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let intervals = match too_sparse {
            true => vec![None; columns.len()],
            false => bootstrap.mean_intervals(positions.count, &columns, CONFIDENCE, threads),
        };
        for (row, interval) in batch_rows.iter_mut().zip(intervals) {
            if too_sparse && row.mean_total.is_some() {
                row.ci_undefined = Some(TOO_SPARSE.to_owned());
            }
            row.ci = row
                .mean_total
                .and(interval)
                .map(|interval| [interval.lo, interval.hi]);
        }
        rows.extend(batch_rows);
    }
    // Undefined means last; equal means by name.
    let key = |row: &LeaderboardRow| row.mean_total.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|a, b| {
        key(b)
            .total_cmp(&key(a))
            .then_with(|| a.model_name.cmp(&b.model_name))
    });
    for (position, row) in rows.iter_mut().enumerate() {
        row.rank = position as u32 + 1;
    }
    Ok(rows)
}

/// One model's row, and its scores by sample for the bootstrap.
fn row(
    protocol: &Protocol,
    state: &SummaryState,
    scores: &ScoreLog,
    model: u32,
    name: &str,
    positions: &Positions,
) -> io::Result<(LeaderboardRow, ModelColumn)> {
    let keys = state.groups_of(model);
    let total: u64 = keys.iter().map(|key| state.groups[key].total).sum();
    let eligible: u64 = keys.iter().map(|key| state.groups[key].eligible).sum();
    let (mut sum, mut n) = (ExactSum::new(), 0);
    let (mut eligible_sum, mut n_eligible) = (ExactSum::new(), 0);
    let mut values: Vec<Option<f64>> = vec![None; positions.count];
    scores.replay(&keys, &mut |entry| {
        let value = counted(entry, protocol.cap);
        values[positions.of_sample[entry.sample as usize] as usize] = value;
        if let Some(value) = value {
            sum.add(value);
            n += 1;
            if entry.passed {
                eligible_sum.add(value);
                n_eligible += 1;
            }
        }
    })?;
    let mean_total = sum.mean(n);
    let row = LeaderboardRow {
        rank: 0,
        model_name: name.to_owned(),
        n,
        mean_total,
        ci: None,
        ci_undefined: None,
        mean_total_eligible: eligible_sum.mean(n_eligible),
        n_eligible,
        eligibility_rate: (total > 0).then(|| 100.0 * eligible as f64 / total as f64),
        undefined: mean_total
            .is_none()
            .then(|| "no record has a total score".to_owned()),
    };
    Ok((row, values.into_iter().collect()))
}

/// Positions, without gaps, of the samples that anyone answered.
struct Positions {
    of_sample: Vec<u32>,
    count: usize,
}

impl Positions {
    fn new(answered: &[bool]) -> Self {
        let mut count = 0;
        let of_sample = answered.iter().map(|answered| {
            let position = count;
            count += u32::from(*answered);
            position
        });
        Positions {
            of_sample: of_sample.collect(),
            count: count as usize,
        }
    }
}

#[cfg(test)]
#[path = "leaderboard_tests.rs"]
mod tests;
