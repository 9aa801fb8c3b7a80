//! Models ordered by mean total, where a gated record counts as the protocol's cap: a
//! model must not climb by being rarely eligible. Intervals come from a bootstrap over
//! samples in which every model meets the same resamples.

use std::io;

use judica_stats::{ExactSum, ModelColumn, PairedBootstrap};

use super::report::LeaderboardRow;
use super::scores::{ScoreEntry, ScoreLog};
use super::state::{GroupKey, SummaryState};
use crate::protocol::Protocol;

/// Bytes of score columns handed to the bootstrap at once.
const BATCH_BYTES: usize = 32 << 20;
const CONFIDENCE: f64 = 0.95;

/// What a record counts as: its total, the cap if gated, nothing if it has no total.
fn counted(entry: &ScoreEntry, cap: f64) -> Option<f64> {
    if !entry.passed {
        Some(cap)
    } else {
        (!entry.total.is_nan()).then_some(entry.total)
    }
}

/// Builds the leaderboard.
pub fn leaderboard(
    protocol: &Protocol,
    state: &SummaryState,
    scores: &mut ScoreLog,
    models: &[Box<str>],
    samples: usize,
    threads: usize,
) -> io::Result<Vec<LeaderboardRow>> {
    let mut rows = Vec::new();
    for (model, name) in models.iter().enumerate() {
        if let Some(row) = mean_row(protocol, state, scores, model as u32, name)? {
            rows.push((model as u32, row));
        }
    }
    let positions = answered_positions(state, scores, samples)?;
    let bootstrap = PairedBootstrap {
        resamples: protocol.summary.bootstrap_resamples,
        seed: protocol.summary.bootstrap_seed,
    };
    let per_batch = (BATCH_BYTES / (positions.count.max(1) * size_of::<f64>())).max(1);
    for batch in rows.chunks_mut(per_batch) {
        let columns: Vec<ModelColumn> = batch
            .iter()
            .map(|(model, _)| column(protocol, state, scores, *model, &positions))
            .collect::<io::Result<_>>()?;
        let intervals = bootstrap.mean_intervals(positions.count, &columns, CONFIDENCE, threads);
        for ((_, row), interval) in batch.iter_mut().zip(intervals) {
            row.ci = row.mean_total.and(interval).map(|interval| [interval.lo, interval.hi]);
        }
    }
    let mut rows: Vec<LeaderboardRow> = rows.into_iter().map(|(_, row)| row).collect();
    // Undefined means last; equal means by name.
    let key = |row: &LeaderboardRow| row.mean_total.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.model_name.cmp(&b.model_name)));
    for (position, row) in rows.iter_mut().enumerate() {
        row.rank = position as u32 + 1;
    }
    Ok(rows)
}

fn groups_of(state: &SummaryState, model: u32) -> Vec<GroupKey> {
    state.groups.keys().filter(|(_, of)| *of == model).copied().collect()
}

fn mean_row(
    protocol: &Protocol,
    state: &SummaryState,
    scores: &mut ScoreLog,
    model: u32,
    name: &str,
) -> io::Result<Option<LeaderboardRow>> {
    let groups = groups_of(state, model);
    let total: u64 = groups.iter().map(|key| state.groups[key].total).sum();
    if total == 0 {
        return Ok(None);
    }
    let eligible: u64 = groups.iter().map(|key| state.groups[key].eligible).sum();
    let (mut sum, mut n) = (ExactSum::new(), 0);
    let (mut eligible_sum, mut n_eligible) = (ExactSum::new(), 0);
    for key in groups {
        scores.replay(key, &mut |entry| {
            if let Some(value) = counted(entry, protocol.cap) {
                sum.add(value);
                n += 1;
                if entry.passed {
                    eligible_sum.add(value);
                    n_eligible += 1;
                }
            }
        })?;
    }
    let mean_total = sum.mean(n);
    Ok(Some(LeaderboardRow {
        rank: 0,
        model_name: name.to_owned(),
        n,
        mean_total,
        ci: None,
        mean_total_eligible: eligible_sum.mean(n_eligible),
        n_eligible,
        eligibility_rate: Some(100.0 * eligible as f64 / total as f64),
        undefined: mean_total.is_none().then(|| "no record has a total score".to_owned()),
    }))
}

/// Positions, without gaps, of the samples that anyone answered.
struct Positions {
    of_sample: Vec<u32>,
    count: usize,
}

fn answered_positions(state: &SummaryState, scores: &mut ScoreLog, samples: usize) -> io::Result<Positions> {
    let mut of_sample = vec![u32::MAX; samples];
    for key in state.groups.keys() {
        scores.replay(*key, &mut |entry| of_sample[entry.sample as usize] = 0)?;
    }
    let mut count = 0;
    for position in of_sample.iter_mut().filter(|position| **position == 0) {
        *position = count;
        count += 1;
    }
    Ok(Positions { of_sample, count: count as usize })
}

fn column(
    protocol: &Protocol,
    state: &SummaryState,
    scores: &mut ScoreLog,
    model: u32,
    positions: &Positions,
) -> io::Result<ModelColumn> {
    let mut values: Vec<Option<f64>> = vec![None; positions.count];
    for key in groups_of(state, model) {
        scores.replay(key, &mut |entry| {
            values[positions.of_sample[entry.sample as usize] as usize] = counted(entry, protocol.cap);
        })?;
    }
    Ok(values.into_iter().collect())
}
