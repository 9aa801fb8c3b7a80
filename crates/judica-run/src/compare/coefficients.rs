//! A coefficient of two sides over the same items: the items are resampled, both sides
//! together.

use judica_model::run::Estimator;
use judica_stats::agreement::{ClusterKinds, Coefficient, Estimate};
use judica_stats::clusters::Intervals;

use super::difference::Bounds;
use crate::coefficient::resampled;
use crate::groups::{Groups, drawn};
use crate::labels::Labels;

/// A coefficient of both sides.
pub struct Both {
    groups: [Groups; 2],
    /// The groups of either side that meet in some item, and in how many.
    meets: Vec<[u32; 2]>,
    sizes: Vec<u64>,
    /// Clusters of items, where some share theirs.
    clusters: Option<ClusterKinds>,
    /// Whether both sides say the same of every item.
    alike: bool,
}

/// The group of an item that does not count on a side.
const NO_GROUP: u32 = u32::MAX;

/// Which number is asked for.
#[derive(Clone, Copy)]
pub enum Of {
    /// One side's.
    Side(usize),
    /// That of the second less that of the first.
    Difference,
}

impl Both {
    /// Over the same items, in the same order.
    pub fn new(estimator: &Estimator, sides: [&Labels; 2]) -> Result<Self, String> {
        let [a, b] = sides;
        let groups = [Groups::new(estimator, a)?, Groups::new(estimator, b)?];
        let [of_a, of_b] = groups.each_ref().map(Groups::of_items);
        let meet =
            |(a, b): (&Option<u32>, &Option<u32>)| [a, b].map(|group| group.unwrap_or(NO_GROUP));
        let of_items: Vec<[u32; 2]> = of_a.iter().zip(of_b).map(meet).collect();
        // What counts on neither side is no item.
        let counts = |meet: &[u32; 2]| *meet != [NO_GROUP; 2];
        // An order of their own, so that the order of items cannot show.
        let mut sorted = of_items.clone();
        sorted.retain(counts);
        sorted.sort_unstable();
        let alike = sorted.chunk_by(|a, b| a == b);
        let (meets, sizes): (Vec<[u32; 2]>, Vec<u64>) =
            alike.map(|alike| (alike[0], alike.len() as u64)).unzip();
        let place = |meet: &[u32; 2]| meets.partition_point(|known| known < meet) as u32;
        // Sides agree on what stands or falls together.
        let places = of_items
            .iter()
            .map(|meet| counts(meet).then(|| place(meet)));
        let clustered = a.clusters.iter().copied().zip(places);
        let clusters = ClusterKinds::new(meets.len(), clustered);
        Ok(Both {
            groups,
            meets,
            sizes,
            clusters,
            alike: a.says_as(b),
        })
    }

    /// Whether both sides say the same of every item, so that nothing drawn would differ.
    pub fn are_alike(&self) -> bool {
        self.alike
    }

    /// How many items count on one of the sides.
    pub fn items(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// How many count on this side.
    pub fn items_of(&self, side: usize) -> u64 {
        self.groups[side].sizes().iter().sum()
    }

    /// How many clusters the items are in.
    pub fn drawn(&self) -> u64 {
        drawn(self.clusters.as_ref(), &self.sizes)
    }

    /// Where it is asked of two raters how often they agree: whether they do on each item, of
    /// either side, as the terms of a rate.
    pub fn agreeing(&self) -> Option<impl Iterator<Item = [[f64; 2]; 2]> + '_> {
        let term = |agree: Option<bool>| match agree {
            Some(agree) => [f64::from(u8::from(agree)), 1.0],
            None => [0.0; 2],
        };
        let [a, b] = self.groups.each_ref().map(Groups::agreeing);
        Some(a?.zip(b?).map(move |(a, b)| [term(a), term(b)]))
    }

    fn part(&self, of: Of) -> Part<'_> {
        Part {
            both: self,
            coefficients: self.groups.each_ref().map(Groups::coefficient),
            of,
        }
    }

    /// A number over all items.
    pub fn value(&self, of: Of) -> Estimate {
        self.part(of).estimate(&self.sizes)
    }

    /// Its interval. That of a side is the one it has by itself: what the other side says of
    /// the items is nothing to it.
    pub fn interval(&self, of: Of, intervals: &Intervals) -> Bounds {
        match of {
            Of::Side(side) => self.groups[side].interval(intervals),
            Of::Difference => {
                let clusters = self.clusters.as_ref();
                resampled(&self.part(of), &self.sizes, clusters, intervals)
            }
        }
    }
}

/// A number that follows from how often each meeting of groups counts.
struct Part<'b> {
    both: &'b Both,
    coefficients: [Box<dyn Coefficient + 'b>; 2],
    of: Of,
}

impl Part<'_> {
    fn side(&self, side: usize, weights: &[u64]) -> Estimate {
        let mut sizes = vec![0; self.both.groups[side].sizes().len()];
        for (meet, weight) in self.both.meets.iter().zip(weights) {
            if meet[side] != NO_GROUP {
                sizes[meet[side] as usize] += weight;
            }
        }
        self.coefficients[side].estimate(&sizes)
    }
}

impl Coefficient for Part<'_> {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        match self.of {
            Of::Side(side) => self.side(side, weights),
            Of::Difference => Ok(self.side(1, weights)? - self.side(0, weights)?),
        }
    }
}
