//! Items that stand or fall together, as what a coefficient is resampled over.
//!
//! A resample draws whole clusters. Those with equally many items of each group are of one
//! kind, and a kind is to clusters what a group is to items: how often each was drawn is all
//! that a resample says ([`ClusterKinds::coefficient`]).

use super::{Coefficient, Estimate};
use crate::clusters::{Jackknife, NoInterval, ratio};
use crate::estimate::clustered_rate;
use crate::interval::Interval;
use crate::resampled::Terms;

/// Clusters, alike ones together.
#[derive(Clone, Debug)]
pub struct ClusterKinds {
    /// In which groups a cluster of a kind has how many items.
    kinds: Vec<Vec<(u32, u64)>>,
    /// How many clusters are of each kind.
    sizes: Vec<u64>,
    groups: usize,
}

impl ClusterKinds {
    /// The clusters of items in so many groups, each item given as its cluster and its group,
    /// if it counts; `None` if every item that does is a cluster of its own.
    pub fn new(groups: usize, items: impl Iterator<Item = (u32, Option<u32>)>) -> Option<Self> {
        let counting = items.filter_map(|(cluster, group)| Some((cluster, group?)));
        let mut items: Vec<(u32, u32)> = counting.collect();
        items.sort_unstable();
        let mut clusters: Vec<&[(u32, u32)]> = items.chunk_by(|a, b| a.0 == b.0).collect();
        if clusters.len() == items.len() {
            return None;
        }
        // An order of their own, so that the names of clusters cannot show.
        clusters.sort_unstable_by(|a, b| groups_of(a).cmp(groups_of(b)));
        let alike = clusters.chunk_by(|a, b| groups_of(a).eq(groups_of(b)));
        let kind = |cluster: &[(u32, u32)]| {
            let alike = cluster.chunk_by(|a, b| a.1 == b.1);
            alike
                .map(|items| (items[0].1, items.len() as u64))
                .collect()
        };
        let (kinds, sizes) = alike
            .map(|alike| (kind(alike[0]), alike.len() as u64))
            .unzip();
        Some(Self {
            kinds,
            sizes,
            groups,
        })
    }

    /// How many clusters are of each kind.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// A coefficient of the groups as one of the kinds.
    pub fn coefficient<'a>(&'a self, of_groups: &'a dyn Coefficient) -> OfClusters<'a> {
        OfClusters {
            clusters: self,
            of_groups,
        }
    }

    /// How many items of each group so many clusters of each kind have.
    fn items(&self, weights: &[u64]) -> Vec<u64> {
        let mut items = vec![0; self.groups];
        for (kind, weight) in self.kinds.iter().zip(weights) {
            for (group, each) in kind {
                items[*group as usize] += each * weight;
            }
        }
        items
    }
}

/// The groups of a cluster's items.
fn groups_of(cluster: &[(u32, u32)]) -> impl Iterator<Item = u32> + '_ {
    cluster.iter().map(|item| item.1)
}

/// A coefficient that is asked by how often each kind of cluster counts.
pub struct OfClusters<'a> {
    clusters: &'a ClusterKinds,
    of_groups: &'a dyn Coefficient,
}

impl Coefficient for OfClusters<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        self.of_groups.estimate(&self.clusters.items(weights))
    }

    fn items(&self, weights: &[u64]) -> u64 {
        self.of_groups.items(&self.clusters.items(weights))
    }

    fn drawn(&self, weights: &[u64]) -> u64 {
        weights.iter().sum()
    }

    fn share_interval(
        &self,
        weights: &[u64],
        confidence: f64,
    ) -> Option<Result<Interval, NoInterval>> {
        let (mut terms, mut n) = (Vec::new(), 0);
        for (kind, &weight) in self.clusters.kinds.iter().zip(weights) {
            let mut sums = [0.0; 2];
            for &(group, each) in kind {
                let item = self.of_groups.share_terms(group as usize)?;
                sums[0] += each as f64 * item.above;
                sums[1] += each as f64 * item.below;
                n += weight * each * item.compared;
            }
            if sums[1] > 0.0 {
                terms.resize(terms.len() + weight as usize, sums);
            }
        }
        let jackknife = Jackknife::new(Terms::new(&terms), &ratio);
        Some(jackknife.map(|jackknife| clustered_rate(&jackknife, n, confidence)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::cohen::{CohenKappa, Weighting};
    use crate::agreement::percent::PercentAgreement;
    use crate::agreement::{PairCells, Patterns, Ratings};
    use crate::item_bootstrap::{IntervalMethod, ItemBootstrap};

    const BOOTSTRAP: ItemBootstrap = ItemBootstrap {
        resamples: 1000,
        seed: 5,
        confidence: 0.95,
        method: IntervalMethod::Bca,
    };

    fn of(groups: usize, items: &[(u32, u32)]) -> Option<ClusterKinds> {
        let items = items
            .iter()
            .map(|(cluster, group)| (*cluster, Some(*group)));
        // What does not count tells nothing, whatever cluster it is in.
        ClusterKinds::new(groups, items.chain([(9, None), (9, None)]))
    }

    /// What two raters said of so many items.
    fn said(items: u32) -> PairCells {
        let codes = (0..items).flat_map(|at| [at * at % 7 % 3, at * 5 % 11 % 3]);
        PairCells::from_table(&Ratings::new(2, 3, codes.collect()), 0, 1)
    }

    fn groups(cells: &PairCells, items: u32) -> Vec<u32> {
        let cell = |at: u32| (at * at % 7 % 3, at * 5 % 11 % 3);
        let place = |at| cells.cells().binary_search(&cell(at)).unwrap() as u32;
        (0..items).map(place).collect()
    }

    #[test]
    fn items_alone_are_no_clusters() {
        assert!(of(3, &[(9, 0), (4, 2), (7, 0)]).is_none());
        assert!(of(0, &[]).is_none());
    }

    #[test]
    fn clusters_that_are_alike_are_one_kind() {
        let items = [(5, 1), (2, 0), (5, 0), (8, 1), (2, 1), (9, 1), (9, 1)];
        let kinds = of(2, &items).unwrap();
        // Clusters 2 and 5 have an item of each group, 8 one of the second, 9 two of it.
        assert_eq!(kinds.sizes(), [2, 1, 1]);
        assert_eq!(kinds.items(kinds.sizes()), [2, 5]);
        assert_eq!(kinds.items(&[0, 1, 2]), [0, 5]);
    }

    /// Every item ten times over says no more than once, so the interval is the same: alike
    /// clusters are drawn as alike items are.
    #[test]
    fn repeats_add_nothing() {
        let (once, tenfold) = (
            said(40),
            said(40).sizes().iter().map(|n| n * 10).collect::<Vec<_>>(),
        );
        let kappa = CohenKappa::new(&once, Weighting::Unweighted);
        let of = groups(&once, 40);
        let items = (0..400u32).map(|at| (at % 40, Some(of[at as usize % 40])));
        let kinds = ClusterKinds::new(tenfold.len(), items).unwrap();
        let clustered = kinds.coefficient(&kappa);
        assert_eq!(clustered.items(kinds.sizes()), 400);
        assert_eq!(clustered.drawn(kinds.sizes()), 40);
        assert_eq!(
            clustered.estimate(kinds.sizes()),
            kappa.estimate(once.sizes())
        );
        let alone = BOOTSTRAP.intervals(once.sizes(), &[&kappa], 1)[0];
        let together = BOOTSTRAP.intervals(kinds.sizes(), &[&clustered], 2)[0];
        assert_eq!(alone, together);
        // Drawn one by one they would seem three times as certain.
        let apart = BOOTSTRAP.intervals(&tenfold, &[&kappa], 1)[0]
            .interval
            .unwrap();
        let together = together.interval.unwrap();
        assert!(together.hi - together.lo > 2.5 * (apart.hi - apart.lo));
    }

    #[test]
    fn shares_of_several_raters_are_clustered() {
        let codes = (0..90u32).map(|at| at / 3 % 5 * at % 3 % 2);
        let patterns = Patterns::from_ratings(&Ratings::new(3, 2, codes.collect()));
        let percent = PercentAgreement::new(&patterns);
        let mut of = Vec::new();
        for (group, size) in (0..).zip(patterns.sizes()) {
            of.extend(std::iter::repeat_n(group, *size as usize));
        }
        let width = |found: Option<Result<Interval, NoInterval>>| {
            let found = found.unwrap().unwrap();
            found.hi - found.lo
        };
        let items = of
            .iter()
            .enumerate()
            .map(|(at, group)| (at as u32 / 5, Some(*group)));
        let kinds = ClusterKinds::new(patterns.len(), items).unwrap();
        let together = kinds
            .coefficient(&percent)
            .share_interval(kinds.sizes(), 0.95);
        let apart = percent.share_interval(patterns.sizes(), 0.95);
        assert!(width(together) > width(apart));
        let one =
            ClusterKinds::new(patterns.len(), of.iter().map(|group| (0, Some(*group)))).unwrap();
        let found = one.coefficient(&percent).share_interval(one.sizes(), 0.95);
        assert_eq!(found, Some(Err(NoInterval::OneCluster)));
    }
}
