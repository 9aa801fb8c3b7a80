//! Intervals of means: a percentile bootstrap over episodes.
//!
//! Steps of one episode belong together, so whole episodes are resampled. Episodes that
//! are alike are one group, which makes a thousand resamples of many episodes cheap.

use judica_stats::Interval;
use judica_stats::agreement::{Coefficient, Estimate, Undefined};
use judica_stats::item_bootstrap::{IntervalMethod, ItemBootstrap};

use super::counts::Tally;

/// How often the intervals are to hold the true value.
pub const CONFIDENCE: f64 = 0.95;
const RESAMPLES: u32 = 1000;
const SEED: u64 = 20_250_119;

/// The intervals of the means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanIntervals {
    /// Of the mean share of matching types.
    pub progress: Option<[f64; 2]>,
    /// Of the mean share of steps that are right in all.
    pub step_score: Option<[f64; 2]>,
    /// Of the mean coordinate error.
    pub coord_error: Option<[f64; 2]>,
}

/// A ratio of two sums over groups.
struct Ratio<'a> {
    /// What one episode of each group adds above and below.
    terms: &'a [(f64, f64)],
}

impl Coefficient for Ratio<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let (mut above, mut below) = (0.0, 0.0);
        for (&(a, b), &weight) in self.terms.iter().zip(weights) {
            let weight = weight as f64;
            above += weight * a;
            below += weight * b;
        }
        if below > 0.0 {
            Ok(above / below)
        } else {
            Err(Undefined::NoItems)
        }
    }
}

/// Resamples the episodes. The result does not depend on `threads`.
pub fn intervals(tally: &Tally, threads: usize) -> MeanIntervals {
    let bootstrap = ItemBootstrap {
        resamples: RESAMPLES,
        seed: SEED,
        confidence: CONFIDENCE,
        method: IntervalMethod::Percentile,
    };
    let sizes: Vec<u64> = tally.profiles.values().copied().collect();
    let share = |part: usize| -> Vec<(f64, f64)> {
        let profiles = tally.profiles.keys();
        profiles
            .map(|profile| (profile[part] as f64 / profile[0] as f64, 1.0))
            .collect()
    };
    let (progress, step_score) = (share(1), share(2));
    let shares: [&dyn Coefficient; 2] =
        [&Ratio { terms: &progress }, &Ratio { terms: &step_score }];
    let of_shares = bootstrap.intervals(&sizes, &shares, threads);

    // Nearly all of these differ; only the episodes without an error are alike.
    let errors = &tally.episode_errors;
    let mut terms: Vec<(f64, f64)> = errors.iter().map(|&(sum, n)| (sum, n as f64)).collect();
    let mut sizes = vec![1; terms.len()];
    terms.push((0.0, 0.0));
    sizes.push(tally.episodes - errors.len() as u64);
    let of_errors = bootstrap.intervals(&sizes, &[&Ratio { terms: &terms }], threads);

    let ends = |interval: Option<Interval>| interval.map(|found| [found.lo, found.hi]);
    MeanIntervals {
        progress: ends(of_shares[0].interval),
        step_score: ends(of_shares[1].interval),
        coord_error: ends(of_errors[0].interval),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(profiles: &[([u64; 3], u64)], errors: Vec<(f64, u64)>) -> Tally {
        Tally {
            episodes: profiles.iter().map(|(_, n)| n).sum(),
            profiles: profiles.iter().copied().collect(),
            episode_errors: errors,
            ..Tally::default()
        }
    }

    #[test]
    fn near_the_normal_interval_where_that_holds() {
        // Half of 400 episodes at 0, half at 1: 0.5 ± 1.96 · 0.5 / √400.
        let even = tally(&[([2, 0, 0], 200), ([2, 2, 1], 200)], Vec::new());
        let found = intervals(&even, 1);
        let [lo, hi] = found.progress.unwrap();
        assert!(
            (lo - 0.451).abs() < 0.006 && (hi - 0.549).abs() < 0.006,
            "{found:?}"
        );
        let [lo, hi] = found.step_score.unwrap();
        assert!(
            (lo - 0.2255).abs() < 0.004 && (hi - 0.2745).abs() < 0.004,
            "{found:?}"
        );
        assert_eq!(found.coord_error, None);
        assert_eq!(found, intervals(&even, 3));
    }

    #[test]
    fn errors_are_a_ratio_of_sums_over_episodes() {
        // 100 episodes with one error of 0, 100 with three of 0.1: the mean is 0.075.
        let errors = [(0.0, 1), (0.3, 3)].repeat(100);
        let found = intervals(&tally(&[([4, 1, 1], 250)], errors), 2);
        let [lo, hi] = found.coord_error.unwrap();
        assert!(
            0.060 < lo && lo < 0.075 && 0.075 < hi && hi < 0.085,
            "{found:?}"
        );
        assert_eq!(found.progress, Some([0.25, 0.25]));
        assert_eq!(intervals(&Tally::default(), 2), MeanIntervals::default());
    }
}
