//! Models ordered by mean total, where a gated record counts as the protocol's cap: a
//! model must not climb by being rarely eligible. Intervals are over clusters, which are samples
//! where nobody names others, and every model meets the same resamples.
//!
//! Without a total there is no mean, no place and no rank: a model that nobody could score
//! is neither better nor worse than one that always fails.

use std::cmp::Ordering;
use std::io;

use judica_stats::ExactSum;
use judica_stats::clusters::{Intervals, RESAMPLED_FROM};
use judica_stats::model_means::{ModelColumn, model_means};
use judica_stats::ranks::rank_intervals;
use judica_stats::resampled::Resampling;

use super::report::LeaderboardRow;
use super::scored::ScoredRecords;
use super::scores::ScoreLog;
use super::state::{GroupKey, SummaryState};
use crate::protocol::Protocol;
use judica_data::parallel::parallel_map;

/// Bytes of score columns handed to the bootstrap at once.
const BATCH_BYTES: usize = 32 << 20;
const CONFIDENCE: f64 = 0.95;
/// The bootstrap goes over every (model, sample), answered or not. Up to so many it always
/// does; beyond, only where an eighth of them was answered. A file in which every line
/// names a model of its own must not take days.
const DENSE_CELLS: u64 = 200_000_000;
/// With more models than this places have no intervals.
const RANKED: usize = 2000;
const TOO_SPARSE: &str = "too many models that answered too few samples";

/// Builds the leaderboard; `models` are numbers and names of those with records.
pub fn leaderboard(
    protocol: &Protocol,
    state: &SummaryState,
    scores: &ScoreLog,
    scored: &ScoredRecords,
    models: &[(u32, &str)],
    threads: usize,
) -> io::Result<Vec<LeaderboardRow>> {
    let intervals = Intervals {
        confidence: CONFIDENCE,
        resampling: Resampling {
            resamples: protocol.summary.bootstrap_resamples,
            seed: protocol.summary.bootstrap_seed,
            threads,
        },
    };
    let per_batch = (BATCH_BYTES / (scored.places.max(1) * size_of::<[f64; 2]>())).max(1);
    let records: u64 = state.groups.values().map(|group| group.total).sum();
    let cells = models.len() as u64 * scored.places as u64;
    let too_sparse = cells > DENSE_CELLS.max(records.saturating_mul(8));
    let mut rows = Vec::with_capacity(models.len());
    let mut resampled = Vec::new();
    for batch in models.chunks(per_batch) {
        let entries = parallel_map(batch, threads, |(model, name)| {
            row(state, scores, *model, name, scored)
        });
        let entries: Vec<(LeaderboardRow, ModelColumn)> =
            entries.into_iter().collect::<io::Result<_>>()?;
        let (mut batch_rows, columns): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        if too_sparse {
            for row in batch_rows.iter_mut().filter(|row| row.mean_total.is_some()) {
                row.ci_undefined = Some(TOO_SPARSE.to_owned());
            }
        } else {
            let means = model_means(&intervals, scored.places, &columns);
            for (row, mean) in batch_rows.iter_mut().zip(means) {
                if row.mean_total.is_some() {
                    match mean.interval {
                        Ok(interval) => row.ci = Some([interval.lo, interval.hi]),
                        Err(why) => row.ci_undefined = Some(why.to_string()),
                    }
                }
                if models.len() <= RANKED {
                    resampled.push(mean.resampled);
                }
            }
        }
        rows.extend(batch_rows);
    }
    rank_intervals_of(&mut rows, &resampled);
    let why_none = if too_sparse {
        TOO_SPARSE.to_owned()
    } else if models.len() > RANKED {
        format!("more than {RANKED} models")
    } else if scored.places < RESAMPLED_FROM {
        let samples = scored.places;
        format!("{samples} samples or clusters, and {RESAMPLED_FROM} are needed for resamples")
    } else {
        "nothing was resampled".to_owned()
    };
    let without = rows.iter_mut().filter(|row| row.rank_ci.is_none());
    for row in without.filter(|row| row.mean_total.is_some()) {
        row.rank_ci_undefined = Some(why_none.clone());
    }
    rank(&mut rows);
    Ok(rows)
}

/// Between which places each model stands in nineteen of twenty resamples.
fn rank_intervals_of(rows: &mut [LeaderboardRow], resampled: &[Vec<f64>]) {
    let resamples = resampled.first().map_or(0, Vec::len);
    let each = (0..resamples).map(|resample| {
        let means = resampled.iter().map(|means| means[resample]);
        means
            .map(|mean| Some(mean).filter(|mean| mean.is_finite()))
            .collect()
    });
    let places = rank_intervals(each, true, CONFIDENCE);
    for (row, place) in rows.iter_mut().zip(places) {
        row.rank_ci = row.mean_total.and(place).map(|place| [place.lo, place.hi]);
    }
}

/// Puts the best first, equals by name, and those without a mean last; equals share a rank.
fn rank(rows: &mut [LeaderboardRow]) {
    let key = |row: &LeaderboardRow| row.mean_total.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|a, b| {
        let by_mean = key(b).partial_cmp(&key(a)).unwrap_or(Ordering::Equal);
        let undefined_last = a.mean_total.is_none().cmp(&b.mean_total.is_none());
        undefined_last
            .then(by_mean)
            .then_with(|| a.model_name.cmp(&b.model_name))
    });
    let mut best: Option<(f64, u32)> = None;
    for (better, row) in (0..).zip(rows) {
        let Some(mean) = row.mean_total else { break };
        let rank = match best {
            Some((last, rank)) if last == mean => rank,
            _ => better + 1,
        };
        best = Some((mean, rank));
        row.rank = Some(rank);
    }
}

/// One model's row, and its scores by place for the bootstrap.
fn row(
    state: &SummaryState,
    scores: &ScoreLog,
    model: u32,
    name: &str,
    scored: &ScoredRecords,
) -> io::Result<(LeaderboardRow, ModelColumn)> {
    let keys = state.groups_of(model);
    let total: u64 = keys.iter().map(|key| state.groups[key].total).sum();
    let eligible: u64 = keys.iter().map(|key| state.groups[key].eligible).sum();
    let (mut sum, mut n) = (ExactSum::new(), 0);
    let (mut eligible_sum, mut n_eligible) = (ExactSum::new(), 0);
    // Of each place the sum and the number of its records: they are drawn together.
    let mut values: Vec<(f64, u32)> = vec![(0.0, 0); scored.places];
    scores.replay(&keys, &mut |entry| {
        let Some((place, value)) = scored.place(entry) else {
            return;
        };
        let (of_place, records) = &mut values[place];
        *of_place += value;
        *records += 1;
        sum.add(value);
        n += 1;
        if entry.passed {
            eligible_sum.add(value);
            n_eligible += 1;
        }
    })?;
    if values.iter().any(|(_, records)| *records > 2) {
        sum_in_order(scores, &keys, scored, &mut values)?;
    }
    let mean_total = sum.mean(n);
    let row = LeaderboardRow {
        rank: None,
        rank_ci: None,
        rank_ci_undefined: None,
        model_name: name.to_owned(),
        n,
        mean_total,
        ci: None,
        ci_undefined: None,
        mean_total_eligible: eligible_sum.mean(n_eligible),
        n_eligible,
        eligibility_rate: (total > 0).then(|| 100.0 * eligible as f64 / total as f64),
        undefined: mean_total.is_none().then(|| scored.why_none().to_owned()),
    };
    let mut column = ModelColumn::with_capacity(scored.places);
    let each = values.into_iter();
    each.for_each(|(of_place, records)| column.push(of_place, records));
    Ok((row, column))
}

/// Sums of more than two numbers hang on their order, which must not be that of a file.
fn sum_in_order(
    scores: &ScoreLog,
    keys: &[GroupKey],
    scored: &ScoredRecords,
    sums: &mut [(f64, u32)],
) -> io::Result<()> {
    let mut values: Vec<(usize, f64)> = Vec::with_capacity(scores.count(keys));
    scores.replay(keys, &mut |entry| {
        values.extend(scored.place(entry));
    })?;
    values.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    sums.iter_mut().for_each(|(sum, _)| *sum = 0.0);
    for (place, value) in values {
        sums[place].0 += value;
    }
    Ok(())
}

#[cfg(test)]
#[path = "leaderboard_tests.rs"]
mod tests;
