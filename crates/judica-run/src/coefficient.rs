//! The intervals of coefficients of agreement: resampled over items, or over clusters of them
//! where items share theirs, on the same resamples for all coefficients of a report.

use judica_model::metric::MetricValue;
use judica_stats::agreement::{ClusterKinds, Coefficient};
use judica_stats::clusters::{Intervals, NoInterval};
use judica_stats::interval::Interval;
use judica_stats::item_bootstrap::{IntervalMethod, ItemBootstrap};
use judica_stats::resampled::Resampling;

/// From so many items or clusters percentiles of resamples need no correction.
const MANY: u64 = 200;

/// The interval of a coefficient over groups of items, or why there is none.
pub fn resampled(
    coefficient: &dyn Coefficient,
    sizes: &[u64],
    clusters: Option<&ClusterKinds>,
    intervals: &Intervals,
) -> Result<[f64; 2], String> {
    let mut found = match clusters {
        None => resample(&[coefficient], sizes, intervals),
        Some(kinds) => {
            let clustered = kinds.coefficient(coefficient);
            resample(&[&clustered], kinds.sizes(), intervals)
        }
    };
    found.remove(0).0
}

/// Coefficients over the same groups of items, asked on the same resamples: each with its
/// interval or why it has none. An error says why none are made. Clusters are given where
/// items share theirs.
pub fn measured<const N: usize>(
    coefficients: [&dyn Coefficient; N],
    sizes: &[u64],
    clusters: Option<&ClusterKinds>,
    intervals: Result<&Intervals, &str>,
) -> [MetricValue; N] {
    if let Some(kinds) = clusters {
        let clustered = coefficients.map(|coefficient| kinds.coefficient(coefficient));
        let clustered = clustered.each_ref().map(|one| one as &dyn Coefficient);
        let number = kinds.sizes().iter().sum();
        return measured(clustered, kinds.sizes(), None, intervals)
            .map(|value| value.with_spread(Some(number), None, None));
    }
    let mut found = match intervals {
        Ok(intervals) => resample(&coefficients, sizes, intervals),
        Err(why) => vec![(Err(why.to_owned()), 0); N],
    }
    .into_iter();
    coefficients.map(|coefficient| {
        let (ci, passed_over) = found.next().unwrap_or((Err(String::new()), 0));
        let value = match coefficient.estimate(sizes) {
            Ok(value) => MetricValue::new(value, coefficient.items(sizes)),
            Err(why) => MetricValue::undefined(why.to_string()),
        };
        match (ci, intervals) {
            (Err(why), _) => value.without_ci(why),
            (Ok(ci), Ok(intervals)) if passed_over > 0 => value.with_ci(ci).with_note(format!(
                "{passed_over} of {} resamples undefined and passed over",
                intervals.resampling.resamples
            )),
            (Ok(ci), _) => value.with_ci(ci),
        }
    })
}

/// The interval of each coefficient or why it has none, and how many resamples had no value.
/// Shares need no resamples.
fn resample(
    coefficients: &[&dyn Coefficient],
    sizes: &[u64],
    intervals: &Intervals,
) -> Vec<(Result<[f64; 2], String>, u32)> {
    let Resampling {
        resamples,
        seed,
        threads,
    } = intervals.resampling;
    let few = sizes.iter().sum::<u64>() < MANY;
    let bootstrap = ItemBootstrap {
        resamples,
        seed,
        confidence: intervals.confidence,
        method: match few {
            true => IntervalMethod::Bca,
            false => IntervalMethod::Percentile,
        },
    };
    let shares: Vec<_> = coefficients
        .iter()
        .map(|coefficient| coefficient.share_interval(sizes, intervals.confidence))
        .collect();
    let asked = coefficients.iter().zip(&shares);
    let asked: Vec<&dyn Coefficient> = asked
        .filter(|(_, share)| share.is_none())
        .map(|(coefficient, _)| *coefficient)
        .collect();
    let mut drawn = bootstrap.intervals(sizes, &asked, threads).into_iter();
    let read = |(share, coefficient): (Option<_>, &&dyn Coefficient)| {
        if let Some(share) = share {
            let share: Result<Interval, NoInterval> = share;
            let share = share.map(|ends| [ends.lo, ends.hi]);
            return (share.map_err(|why| why.to_string()), 0);
        }
        let drawn = drawn.next().unwrap_or_default();
        let ci = match drawn.interval {
            Some(found) if drawn.varies && found.lo < found.hi => Ok([found.lo, found.hi]),
            _ if coefficient.drawn(sizes) == 1 => Err(NoInterval::OneCluster.to_string()),
            _ if resamples == 0 => Err("no resamples were asked for".to_owned()),
            _ if resamples == 1 => Err("one resample is too few for an interval".to_owned()),
            _ if drawn.undefined_resamples == resamples => {
                Err("undefined in every resample".to_owned())
            }
            None if drawn.varies => Err("undefined without one of the items, or all resamples \
                                         are on one side of the value"
                .to_owned()),
            _ => {
                let clusters = coefficient.drawn(sizes);
                Err(NoInterval::NoVariation { clusters }.to_string())
            }
        };
        (ci, drawn.undefined_resamples)
    };
    shares.into_iter().zip(coefficients).map(read).collect()
}
