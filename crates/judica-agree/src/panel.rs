//! Every agreement coefficient of a table of ratings, each with its interval.
//!
//! The arithmetic is in `judica_stats::agreement`, the intervals in
//! `judica_run::coefficient`; here it is decided which coefficient reads which items. A rater
//! who rated nothing is no rater, and does not make Cohen's κ undefined.
//!
//! * [`coefficients`]: all nine coefficients of the whole table
//! * [`pairwise`]: every two raters on the items that both rated
//! * [`kappa_map`]: the same as a heat map

mod map;
mod pairs;

use judica_model::metric::MetricValue;
use judica_run::coefficient::measured;
use judica_run::values::metric_value;
use judica_stats::agreement::cohen::{CohenKappa, Weighting};
use judica_stats::agreement::fleiss::FleissKappa;
use judica_stats::agreement::gwet::GwetAc;
use judica_stats::agreement::krippendorff::{KrippendorffAlpha, Level};
use judica_stats::agreement::percent::PercentAgreement;
use judica_stats::agreement::scott::ScottPi;
use judica_stats::agreement::weights::Weights;
use judica_stats::agreement::{ClusterKinds, Grouping, PairCells, Table, Undefined};
use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Clustered, Kind};
use judica_stats::resampled::Resampling;
use judica_stats::wilson_interval;
use serde::{Deserialize, Serialize};

pub use map::kappa_map;
pub use pairs::{LARGEST_CONFUSION, MOST_RESAMPLED_PAIRS, PairAgreement, pairwise};

/// A table of ratings and what its codes mean.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// Who chose which category; a column per rater, a row per item.
    pub ratings: &'a dyn Table,
    /// The raters' names, one per column.
    pub raters: &'a [String],
    /// The categories' names, one per code, in order where order matters; not needed
    /// beyond [`LARGEST_CONFUSION`] categories.
    pub labels: &'a [String],
    /// The categories as numbers, one per code: the values themselves where they are
    /// numbers, their ranks elsewhere.
    pub values: &'a [f64],
    /// The level of measurement, for Krippendorff's α.
    pub level: Level,
    /// The partial credit for near misses, for Gwet's AC2.
    pub weights: Weights,
    /// The cluster of each item, where some share theirs with others.
    pub clusters: Option<&'a [u32]>,
}

impl Panel<'_> {
    /// Where items share clusters: the cluster of each item that a rater and another rated, and
    /// what they said of it; for each of several others, in one pass over the table.
    fn together(&self, rater: usize, others: &[usize]) -> Vec<Vec<Together>> {
        let Some(clusters) = self.clusters else {
            return Vec::new();
        };
        let mut found = vec![Vec::new(); others.len()];
        let mut clusters = clusters.iter();
        self.ratings.each_row(&mut |row| {
            let cluster = clusters.next().copied().unwrap_or(u32::MAX);
            let said = |rater: usize| {
                let theirs = row.iter().find(|(who, _)| *who as usize == rater);
                theirs.map(|&(_, code)| code)
            };
            let Some(own) = said(rater) else {
                return;
            };
            for (found, &other) in found.iter_mut().zip(others) {
                found.extend(said(other).map(|theirs| (cluster, (own, theirs))));
            }
        });
        found
    }

    /// The clusters of items in groups, where some share theirs.
    fn kinds(
        &self,
        groups: usize,
        of_items: impl FnOnce() -> Vec<Option<u32>>,
    ) -> Option<ClusterKinds> {
        let clusters = self.clusters?.iter().copied();
        ClusterKinds::new(groups, clusters.zip(of_items()))
    }
}

/// The cluster of an item, and what two raters said of it.
type Together = (u32, (u32, u32));

/// Of items with their clusters: whether the raters agree.
fn agreeing(together: &[Together]) -> impl Iterator<Item = (u32, bool)> + '_ {
    together.iter().map(|(cluster, (a, b))| (*cluster, a == b))
}

/// How intervals are made: by resampling items, where a value is not a share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BootstrapOptions {
    /// How many resamples.
    pub resamples: u32,
    /// What they are drawn from.
    pub seed: u64,
    /// The coverage aimed at, strictly between 0 and 1; of Wilson intervals, too.
    pub confidence: f64,
    /// Threads; the result does not depend on it.
    #[serde(skip)]
    pub threads: usize,
}

impl BootstrapOptions {
    /// The same for the estimators.
    pub(crate) fn intervals(&self) -> Intervals {
        Intervals {
            confidence: self.confidence,
            resampling: Resampling {
                resamples: self.resamples,
                seed: self.seed,
                threads: self.threads,
            },
        }
    }
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        let Intervals {
            confidence,
            resampling,
        } = Intervals::default();
        BootstrapOptions {
            resamples: resampling.resamples,
            seed: resampling.seed,
            confidence,
            threads: resampling.threads,
        }
    }
}

/// A share with its Wilson interval.
pub(crate) fn share(part: u64, n: u64, confidence: f64, why_none: &str) -> MetricValue {
    if n == 0 {
        return MetricValue::undefined(why_none);
    }
    let value = MetricValue::new(part as f64 / n as f64, n);
    match wilson_interval(part, n, confidence) {
        Some(interval) => value.with_ci([interval.lo, interval.hi]),
        None => value.without_ci("the confidence is not between 0 and 1"),
    }
}

/// The same over clusters: of items with their cluster, and whether something is true of them.
pub(crate) fn clustered_share(
    of: impl Iterator<Item = (u32, bool)>,
    options: &BootstrapOptions,
    why_none: &str,
) -> MetricValue {
    let found = Clustered::of_shares(of).estimate(Kind::Rate, &options.intervals());
    metric_value(found, why_none)
}

/// The agreement of a whole panel. Keys are in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coefficients {
    /// The share of pairs of raters who agree, averaged over items with two ratings or more.
    pub percent_agreement: MetricValue,
    /// Cohen's κ; two raters.
    pub cohen_kappa: MetricValue,
    /// Cohen's κ with disagreement growing with the distance of categories; two raters.
    pub cohen_kappa_linear: MetricValue,
    /// Cohen's κ with disagreement growing with the squared distance; two raters.
    pub cohen_kappa_quadratic: MetricValue,
    /// Scott's π; two raters.
    pub scott_pi: MetricValue,
    /// Fleiss' κ, where every item has equally many ratings.
    pub fleiss_kappa: MetricValue,
    /// Krippendorff's α at the panel's level of measurement.
    pub krippendorff_alpha: MetricValue,
    /// Gwet's AC1.
    pub gwet_ac1: MetricValue,
    /// Gwet's AC2 with the panel's weights.
    pub gwet_ac2: MetricValue,
}

impl Coefficients {
    /// All of them undefined, for one reason.
    pub(crate) fn undefined(why: &str) -> Self {
        let value = || MetricValue::undefined(why);
        Self {
            percent_agreement: value(),
            cohen_kappa: value(),
            cohen_kappa_linear: value(),
            cohen_kappa_quadratic: value(),
            scott_pi: value(),
            fleiss_kappa: value(),
            krippendorff_alpha: value(),
            gwet_ac1: value(),
            gwet_ac2: value(),
        }
    }

    /// The coefficients under their keys, in the order in which they are written.
    pub fn named(&self) -> [(&'static str, &MetricValue); 9] {
        [
            ("percent_agreement", &self.percent_agreement),
            ("cohen_kappa", &self.cohen_kappa),
            ("cohen_kappa_linear", &self.cohen_kappa_linear),
            ("cohen_kappa_quadratic", &self.cohen_kappa_quadratic),
            ("scott_pi", &self.scott_pi),
            ("fleiss_kappa", &self.fleiss_kappa),
            ("krippendorff_alpha", &self.krippendorff_alpha),
            ("gwet_ac1", &self.gwet_ac1),
            ("gwet_ac2", &self.gwet_ac2),
        ]
    }
}

/// Those that are of two raters only.
pub const OF_TWO_RATERS: [&str; 4] = [
    "cohen_kappa",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "scott_pi",
];

/// All coefficients of a panel.
///
/// How many items each rests on: percent agreement, α, AC1 and AC2 on the items with two
/// ratings or more; Cohen's and Scott's on the items that both raters rated; Fleiss' on all.
pub fn coefficients(panel: &Panel, options: &BootstrapOptions) -> Coefficients {
    let raters = speaking(panel.ratings);
    let [
        cohen_kappa,
        cohen_kappa_linear,
        cohen_kappa_quadratic,
        scott_pi,
    ] = of_two_raters(panel, &raters, options);
    let [
        percent_agreement,
        fleiss_kappa,
        krippendorff_alpha,
        gwet_ac1,
        gwet_ac2,
    ] = of_any_raters(panel, &raters, options);
    let together = match raters[..] {
        [first, second] => panel.together(first, &[second]).pop(),
        _ => None,
    };
    Coefficients {
        // Of more raters an item's pairs of ratings are the cluster.
        percent_agreement: match together {
            Some(together) if percent_agreement.value().is_some() => {
                clustered_share(agreeing(&together), options, "")
            }
            _ => percent_agreement,
        },
        cohen_kappa,
        cohen_kappa_linear,
        cohen_kappa_quadratic,
        scott_pi,
        fleiss_kappa,
        krippendorff_alpha,
        gwet_ac1,
        gwet_ac2,
    }
}

/// Cohen's κ unweighted, linear and quadratic, and Scott's π.
fn of_two_raters(panel: &Panel, raters: &[usize], options: &BootstrapOptions) -> [MetricValue; 4] {
    let (first, second) = match *raters {
        [first, second] => (first, second),
        _ => {
            let reason = match raters.len() {
                0 => Undefined::NoItems,
                1 => Undefined::OneRater,
                raters => Undefined::NotTwoRaters { raters },
            };
            return [(); 4].map(|()| undefined(reason));
        }
    };
    let cells = PairCells::from_table(panel.ratings, first, second);
    let of_items = || cells.of_items(panel.ratings, first, second);
    let clusters = panel.kinds(cells.sizes().len(), of_items);
    if cells.items() == 0 {
        return [(); 4].map(|()| undefined(Undefined::NoCommonItems));
    }
    measured(
        [
            &CohenKappa::new(&cells, Weighting::Unweighted),
            &CohenKappa::new(&cells, Weighting::Linear),
            &CohenKappa::new(&cells, Weighting::Quadratic),
            &ScottPi::new(&cells),
        ],
        cells.sizes(),
        clusters.as_ref(),
        Ok(&options.intervals()),
    )
}

/// Percent agreement, Fleiss' κ, Krippendorff's α, Gwet's AC1 and AC2.
fn of_any_raters(panel: &Panel, raters: &[usize], options: &BootstrapOptions) -> [MetricValue; 5] {
    match raters {
        [] => return [(); 5].map(|()| undefined(Undefined::NoItems)),
        [_] => return [(); 5].map(|()| undefined(Undefined::OneRater)),
        _ => {}
    }
    let groups = Grouping::new(panel.ratings, raters);
    let patterns = groups.patterns();
    let of_items = || groups.of_items(panel.ratings, raters);
    let clusters = panel.kinds(groups.sizes().len(), of_items);
    let ac = |weights| groups.coefficient(GwetAc::new(patterns, weights, panel.values));
    let alpha = KrippendorffAlpha::new(patterns, panel.level, panel.values);
    measured(
        [
            &groups.coefficient(PercentAgreement::new(patterns)),
            &groups.coefficient(FleissKappa::new(patterns)),
            &groups.coefficient(alpha),
            &ac(Weights::Identity),
            &ac(panel.weights),
        ],
        groups.sizes(),
        clusters.as_ref(),
        Ok(&options.intervals()),
    )
}

/// An undefined value that gives the estimator's reason.
fn undefined(reason: Undefined) -> MetricValue {
    MetricValue::undefined(reason.to_string())
}

/// For every column, whether its rater rated anything.
pub fn speakers(ratings: &dyn Table) -> Vec<bool> {
    let mut speaks = vec![false; ratings.raters()];
    ratings.each_row(&mut |row| {
        for &(rater, _) in row {
            speaks[rater as usize] = true;
        }
    });
    speaks
}

/// The columns of raters who rated something.
fn speaking(ratings: &dyn Table) -> Vec<usize> {
    let speaks = speakers(ratings);
    (0..speaks.len()).filter(|&column| speaks[column]).collect()
}

#[cfg(test)]
mod tests;
