//! How far a panel's worth can be trusted: an interval by resampling items, or clusters of them.
//!
//! The percentile interval over the same resamples of items that every coefficient has
//! ([`ItemBootstrap`]). Which pairs share enough items is told by the items themselves and
//! not by a resample; a resample in which the worth has no value is passed over.

use super::{ByPanel, ByTruth, check_size, given, with_truth};
use crate::agreement::{ClusterKinds, Coefficient, Estimate, Ratings, Undefined};
use crate::clusters::Intervals;
use crate::dawid_skene::EmOptions;
use crate::dawid_skene::groups::RowGroups;
use crate::interval::Interval;
use crate::item_bootstrap::{IntervalMethod, ItemBootstrap};
use crate::resampled::Resampling;
use std::collections::BTreeSet;

/// About so many steps are made for an interval; where they do not suffice for all
/// resamples, there are fewer, and for less than [`FEWEST`] there is no interval.
const STEPS: u64 = 4_000_000_000;
/// With fewer resamples the ends of an interval are hardly more than noise.
const FEWEST: u32 = 20;
/// About so many steps does the estimate of one rater's errors on one group take.
const EM_STEPS: u64 = 800;

/// An interval, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorthInterval {
    /// The interval, and on how many resamples it rests.
    Found {
        /// From where to where.
        interval: Interval,
        /// How many resamples had a value.
        resamples: u32,
    },
    /// The worth is the same in every resample.
    NoVariation,
    /// The worth has no value in most resamples.
    Undefined,
    /// There are too many raters and items to resample.
    TooLarge,
    /// No resamples were asked for.
    NotAsked,
}

/// The interval of [`against_truth`](super::against_truth). Clusters of items are given where
/// some share theirs.
pub fn interval_against_truth(
    ratings: &Ratings,
    truth: &[u32],
    clusters: Option<&[u32]>,
    min_common: u64,
    intervals: &Intervals,
) -> WorthInterval {
    if check_size(ratings).is_err() {
        return WorthInterval::TooLarge;
    }
    let table = with_truth(ratings, truth);
    let groups = RowGroups::new(&table);
    let columns = ratings.raters() as u64;
    let steps = groups.len() as u64 * columns.pow(2);
    let by_truth = ByTruth::new(&groups, ratings.raters(), min_common);
    resampled(&groups, clusters, &by_truth, steps, intervals)
}

/// The interval of [`against_panel`](super::against_panel), likewise.
pub fn interval_against_panel(
    ratings: &Ratings,
    clusters: Option<&[u32]>,
    min_common: u64,
    intervals: &Intervals,
) -> WorthInterval {
    if check_size(ratings).is_err() {
        return WorthInterval::TooLarge;
    }
    let groups = RowGroups::new(ratings);
    let columns = ratings.raters() as u64;
    let present = |row: &[u32]| given(row).map(|(rater, _)| rater).collect::<Vec<_>>();
    let presences: BTreeSet<Vec<usize>> = groups.iter().map(|(row, _)| present(row)).collect();
    let steps = groups.len() as u64 * (columns.pow(2) + EM_STEPS * columns)
        + presences.len() as u64 * columns.pow(4)
        + columns.pow(3);
    // So close that no end of an interval shows the difference.
    let em = EmOptions {
        tolerance: 1e-6,
        max_iterations: 200,
        prior: 0.0,
    };
    let by_panel = ByPanel::new(&groups, ratings.raters(), min_common, em);
    resampled(&groups, clusters, &by_panel, steps, intervals)
}

fn resampled(
    groups: &RowGroups,
    clusters: Option<&[u32]>,
    worth: &dyn Coefficient,
    steps: u64,
    intervals: &Intervals,
) -> WorthInterval {
    let Resampling {
        resamples,
        seed,
        threads,
    } = intervals.resampling;
    if resamples == 0 {
        return WorthInterval::NotAsked;
    }
    let affordable = u32::try_from(STEPS / steps.max(1)).unwrap_or(u32::MAX);
    if affordable < FEWEST.min(resamples) {
        return WorthInterval::TooLarge;
    }
    let bootstrap = ItemBootstrap {
        resamples: resamples.min(affordable),
        seed,
        confidence: intervals.confidence,
        method: IntervalMethod::Percentile,
    };
    let grouped = clusters.into_iter().flatten().zip(groups.of_items());
    let grouped = grouped.map(|(cluster, group)| (*cluster, group));
    let found = match ClusterKinds::new(groups.len(), grouped) {
        None => bootstrap.intervals(groups.sizes(), &[worth], threads),
        Some(kinds) => bootstrap.intervals(kinds.sizes(), &[&kinds.coefficient(worth)], threads),
    };
    match found.first() {
        Some(found) => match found.interval {
            // What is left of few that have a value would seem more certain than it is.
            Some(_) if 2 * found.undefined_resamples > bootstrap.resamples => {
                WorthInterval::Undefined
            }
            Some(interval) if interval.lo == interval.hi => WorthInterval::NoVariation,
            Some(interval) => WorthInterval::Found {
                interval,
                resamples: bootstrap.resamples - found.undefined_resamples,
            },
            None => WorthInterval::Undefined,
        },
        None => WorthInterval::Undefined,
    }
}

/// A resample is asked for a value or none; the reason why is that of the items themselves.
impl Coefficient for ByTruth<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let found = self.measure(weights);
        found
            .map(|worth| worth.value)
            .map_err(|_| Undefined::NoItems)
    }
}

impl Coefficient for ByPanel<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let found = self.measure(weights);
        found
            .map(|worth| worth.value)
            .map_err(|_| Undefined::NoItems)
    }
}
