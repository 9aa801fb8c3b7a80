//! A coefficient of two sides over the same items: the items are resampled, both sides
//! together.

use std::collections::BTreeSet;

use judica_model::run::Estimator;
use judica_model::text::few;
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
    /// Which of the items count on both sides, or on neither.
    kept: Vec<bool>,
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

/// A side's labels, and how its own run estimates from them.
#[derive(Clone, Copy)]
pub struct Rated<'l> {
    estimator: &'l Estimator,
    /// What was said.
    pub labels: &'l Labels,
}

impl<'l> Rated<'l> {
    /// Of a side.
    pub fn new(estimator: &'l Estimator, labels: &'l Labels) -> Self {
        Rated { estimator, labels }
    }

    /// The items in groups that count the same.
    pub fn groups(self) -> Result<Groups, String> {
        Groups::new(self.estimator, self.labels)
    }

    fn value(self) -> Result<f64, String> {
        self.groups()?.value().map_err(|why| why.to_string())
    }

    /// Whether it counts no other categories than those that occur, whatever is declared.
    fn counts_what_occurs(self) -> bool {
        let estimator = Estimator {
            categories: Vec::new(),
            ..self.estimator.clone()
        };
        match (self.value(), Rated::new(&estimator, self.labels).value()) {
            (Ok(own), Ok(other)) => (own - other).abs() <= ROUNDING,
            (own, other) => own == other,
        }
    }

    /// Whether the same is said of every item, by raters of whatever names.
    fn says_as(self, other: Rated) -> bool {
        let [own, its] = [self, other].map(|side| side.labels.said(&side.estimator.raters));
        own == its
    }

    /// The raters it is about.
    fn raters(self) -> BTreeSet<&'l str> {
        let asked = &self.estimator.raters;
        let names = self.labels.raters.names.iter();
        let names = names.filter(|name| asked.is_empty() || asked.contains(name));
        names.map(String::as_str).collect()
    }
}

/// Which items count as much on either side: of two ratings or more they can agree, a single one
/// says at most how often a category is chosen.
fn kept(sides: [Rated; 2]) -> Vec<bool> {
    let [a, b] = sides.map(|side| side.labels.ratings(&side.estimator.raters));
    a.zip(b).map(|(a, b)| a.min(2) == b.min(2)).collect()
}

/// How far apart equal values are that were added up in another order.
const ROUNDING: f64 = 1e-12;
/// How many names are named.
const NAMED: usize = 5;

/// Why the coefficients of two sides are none that could be compared, if they are not: whose
/// labels they are estimated from is another matter.
pub fn otherwise(sides: [Rated; 2]) -> Option<String> {
    let [a, b] = sides.map(|side| side.estimator);
    let how = |of: &Estimator| match &of.level {
        Some(level) => format!("{} ({level})", of.name),
        None => of.name.clone(),
    };
    let categories = |of: &Estimator| match of.categories.as_slice() {
        [] => "those that occur".to_owned(),
        all => few(all.iter().take(NAMED), ", ", all.len()),
    };
    let [one, other] = if (&a.name, &a.level) != (&b.name, &b.level) {
        [a, b].map(how)
    } else if a.categories == b.categories || sides.iter().all(|side| side.counts_what_occurs()) {
        return None;
    } else {
        [a, b].map(|of| format!("categories {}", categories(of)))
    };
    Some(format!(
        "estimated otherwise on the two sides: {one}; {other}"
    ))
}

/// Where the sides are about others: who those are.
pub fn other_raters(sides: [Rated; 2]) -> Option<String> {
    let [a, b] = sides.map(Rated::raters);
    if sides[0].estimator.raters == sides[1].estimator.raters || a == b {
        return None;
    }
    let only = |of: &str, these: &BTreeSet<&str>, those: &BTreeSet<&str>| {
        let only: Vec<&&str> = these.difference(those).collect();
        let named = few(only.iter().take(NAMED), ", ", only.len());
        (!only.is_empty()).then(|| format!("{named} of {of} only"))
    };
    let only: Vec<String> = [only("a", &a, &b), only("b", &b, &a)]
        .into_iter()
        .flatten()
        .collect();
    Some(format!(
        "other raters on the two sides ({}): each value is that of its own",
        only.join("; ")
    ))
}

impl Both {
    /// Over the same items, in the same order; what counts on one side only is left out.
    pub fn new(sides: [Rated; 2]) -> Result<Self, String> {
        let kept = kept(sides);
        if kept.iter().all(|kept| *kept) {
            return Both::of_all(sides, kept);
        }
        if !kept.contains(&true) {
            return Err("no item has two ratings on both sides".to_owned());
        }
        let labels = sides.map(|side| side.labels.only(&kept));
        let [a, b] = [0, 1].map(|at| Rated::new(sides[at].estimator, &labels[at]));
        Both::of_all([a, b], kept)
    }

    fn of_all(sides: [Rated; 2], kept: Vec<bool>) -> Result<Self, String> {
        let groups = [sides[0].groups()?, sides[1].groups()?];
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
        let clustered = sides[0].labels.clusters.iter().copied().zip(places);
        let clusters = ClusterKinds::new(meets.len(), clustered);
        Ok(Both {
            groups,
            meets,
            sizes,
            clusters,
            kept,
            alike: sides[0].says_as(sides[1]),
        })
    }

    /// Whether both sides say the same of every item, so that nothing drawn would differ.
    pub fn are_alike(&self) -> bool {
        self.alike
    }

    /// How many items count.
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
        let mut of_kept = a?.zip(b?).map(move |(a, b)| [term(a), term(b)]);
        let of = move |kept: &bool| kept.then(|| of_kept.next()).flatten();
        Some(self.kept.iter().map(of).map(Option::unwrap_or_default))
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
