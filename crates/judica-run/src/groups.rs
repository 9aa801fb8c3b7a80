//! Coefficients of agreement, recomputed from the labels of records by their estimator alone.
//!
//! A run says of a coefficient only how it is estimated ([`Estimator`]); its records hold who
//! said what. [`Labels`] takes the latter, [`Groups`] puts items together that count the same
//! for an estimator, and [`Groups::coefficient`] gives a coefficient that can be asked for its
//! value under any weights: those of the groups as they are, or of a resample.
//!
//! ```text
//! let mut labels = Labels::default();
//! records.for_each(|record| labels.push(record.cluster, record.labels));
//! let groups = Groups::new(&estimator, &labels)?;
//! let value = groups.coefficient().estimate(groups.sizes());
//! // Groups whose items are drawn several times, or not at all:
//! let drawn = groups.coefficient().estimate(&times_per_group);
//! ```
//!
//! Two sides are resampled jointly without touching every item by drawing pairs of groups
//! ([`Groups::of_items`]), of which there are few. Which values are categories, and so the
//! steps between them, follows from all labels that were pushed, in a resample too; to mix two
//! sides' items, push both.

use std::cmp::Ordering;

use judica_data::json::decimal::Decimal;
use judica_data::json::number::people_number;
use judica_model::metric::MetricValue;
use judica_model::run::Estimator;
use judica_stats::agreement::cohen::{CohenKappa, Weighting};
use judica_stats::agreement::fleiss::FleissKappa;
use judica_stats::agreement::gwet::GwetAc;
use judica_stats::agreement::krippendorff::{KrippendorffAlpha, Level};
use judica_stats::agreement::percent::PercentAgreement;
use judica_stats::agreement::scott::ScottPi;
use judica_stats::agreement::weights::Weights;
use judica_stats::agreement::{
    ClusterKinds, Coefficient, Estimate, Given, Grouping, PairCells, Table, Undefined, scale,
};
use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Clustered, Kind as Share};
use judica_stats::interval::Interval;
use rustc_hash::FxHashMap;

use crate::coefficient::{measured, resampled};
use crate::labels::Labels;
use crate::names::Names;
use crate::raters::by_name;
use crate::values::metric_value;

/// Items in groups that count the same for an estimator.
pub struct Groups {
    kind: Kind,
    grouped: Result<Grouped, Undefined>,
    /// The numbers that categories stand for.
    values: Vec<f64>,
    of_items: Vec<Option<u32>>,
    /// The clusters of items, where an item shares its cluster with another.
    clusters: Option<ClusterKinds>,
    /// Of two raters of whom it is asked how often they agree: the same over clusters of
    /// items, where an item shares its cluster with another.
    share: Option<Clustered>,
}

enum Grouped {
    Cells(PairCells),
    Any(Box<Grouping>),
}

/// The estimators.
#[derive(Clone, Copy)]
enum Kind {
    Percent,
    Cohen(Weighting),
    Scott,
    Fleiss,
    Krippendorff(Level),
    Gwet(Weights),
}

impl Kind {
    fn new(estimator: &Estimator) -> Result<Self, String> {
        let level = estimator.level.as_deref();
        let unknown = || match level {
            Some(level) => format!("unknown estimator `{}` at `{level}`", estimator.name),
            None => format!("unknown estimator `{}`", estimator.name),
        };
        let kind = match (estimator.name.as_str(), level) {
            ("percent_agreement", None) => Kind::Percent,
            ("cohen_kappa", None) => Kind::Cohen(Weighting::Unweighted),
            ("cohen_kappa_linear", None) => Kind::Cohen(Weighting::Linear),
            ("cohen_kappa_quadratic", None) => Kind::Cohen(Weighting::Quadratic),
            ("scott_pi", None) => Kind::Scott,
            ("fleiss_kappa", None) => Kind::Fleiss,
            ("krippendorff_alpha", Some(level)) => {
                Kind::Krippendorff(Level::from_name(level).ok_or_else(unknown)?)
            }
            ("gwet_ac1", None) => Kind::Gwet(Weights::Identity),
            ("gwet_ac2", Some(weights)) => {
                Kind::Gwet(Weights::from_name(weights).ok_or_else(unknown)?)
            }
            _ => return Err(unknown()),
        };
        Ok(kind)
    }

    fn reads_two(self) -> bool {
        matches!(self, Kind::Cohen(_) | Kind::Scott)
    }
}

impl Groups {
    /// The groups of all items.
    ///
    /// Raters who said nothing are none. Values are the estimator's categories, in its order,
    /// standing for the numbers they are if those rise, else for their places. Without
    /// categories they are the values that its raters gave: if all are numbers, in the order
    /// of the numbers, equal ones being one category; else in the order of code points,
    /// standing for their places.
    ///
    /// Fails if the estimator is unknown, a value is none of its categories, or somebody says
    /// something twice about an item.
    pub fn new(estimator: &Estimator, labels: &Labels) -> Result<Self, String> {
        let kind = Kind::new(estimator)?;
        let chosen = Chosen::new(estimator, labels)?;
        let values = chosen.values.clone();
        let grouped = match (kind.reads_two(), chosen.raters) {
            (_, 0) => Err(Undefined::NoItems),
            (_, 1) => Err(Undefined::OneRater),
            (true, 2) => match PairCells::from_table(&chosen, 0, 1) {
                cells if cells.items() == 0 => Err(Undefined::NoCommonItems),
                cells => Ok(Grouped::Cells(cells)),
            },
            (true, raters) => Err(Undefined::NotTwoRaters { raters }),
            (false, raters) => {
                let columns: Vec<usize> = (0..raters).collect();
                Ok(Grouped::Any(Box::new(Grouping::new(&chosen, &columns))))
            }
        };
        let of_items = match &grouped {
            Err(_) => vec![None; labels.items()],
            Ok(Grouped::Cells(cells)) => cells.of_items(&chosen, 0, 1),
            Ok(Grouped::Any(grouping)) => {
                let columns: Vec<usize> = (0..chosen.raters).collect();
                grouping.of_items(&chosen, &columns)
            }
        };
        let mut groups = Groups {
            kind,
            grouped,
            values,
            of_items,
            clusters: None,
            share: None,
        };
        let of_items = groups.of_items.iter().copied();
        let grouped = labels.clusters.iter().copied().zip(of_items);
        groups.clusters = ClusterKinds::new(groups.sizes().len(), grouped);
        // Also where only one said something of what shares a cluster: that compares nothing.
        groups.share = groups.clusters.as_ref().and_then(|_| {
            let items = labels.clusters.iter().zip(groups.agreeing()?);
            let shares = items.filter_map(|(&cluster, agree)| Some((cluster, agree?)));
            Some(Clustered::of_shares(shares)).filter(|shares| !shares.is_empty())
        });
        Ok(groups)
    }

    /// The coefficient, to be asked for its value when groups have some sizes.
    pub fn coefficient(&self) -> Box<dyn Coefficient + '_> {
        match (&self.grouped, self.kind) {
            (Err(why), _) => Box::new(Never(*why)),
            (Ok(Grouped::Cells(cells)), Kind::Cohen(weighting)) => {
                Box::new(CohenKappa::new(cells, weighting))
            }
            (Ok(Grouped::Cells(cells)), _) => Box::new(ScottPi::new(cells)),
            (Ok(Grouped::Any(grouping)), kind) => {
                let (patterns, values) = (grouping.patterns(), &self.values);
                match kind {
                    Kind::Fleiss => Box::new(grouping.coefficient(FleissKappa::new(patterns))),
                    Kind::Krippendorff(level) => {
                        let alpha = KrippendorffAlpha::new(patterns, level, values);
                        Box::new(grouping.coefficient(alpha))
                    }
                    Kind::Gwet(weights) => {
                        let ac = GwetAc::new(patterns, weights, values);
                        Box::new(grouping.coefficient(ac))
                    }
                    _ => Box::new(grouping.coefficient(PercentAgreement::new(patterns))),
                }
            }
        }
    }

    /// How many items are in each group.
    pub fn sizes(&self) -> &[u64] {
        match &self.grouped {
            Err(_) => &[],
            Ok(Grouped::Cells(cells)) => cells.sizes(),
            Ok(Grouped::Any(grouping)) => grouping.sizes(),
        }
    }

    /// How many clusters the items are in.
    pub fn drawn(&self) -> u64 {
        drawn(self.clusters.as_ref(), self.sizes())
    }

    /// The group of each item, if it counts.
    pub fn of_items(&self) -> &[Option<u32>] {
        &self.of_items
    }

    /// Of two raters of whom it is asked how often they agree: whether they do on each item,
    /// if both said something.
    pub fn agreeing(&self) -> Option<impl Iterator<Item = Option<bool>> + '_> {
        let (Kind::Percent, Ok(Grouped::Any(grouping))) = (self.kind, &self.grouped) else {
            return None;
        };
        let cells = grouping.cells()?.cells();
        let silent = self.values.len() as u32;
        Some(self.of_items.iter().map(move |&group| {
            let (a, b) = cells[group? as usize];
            (a != silent && b != silent).then_some(a == b)
        }))
    }

    /// The value over all items with its interval.
    pub fn measured(&self, intervals: &Intervals) -> MetricValue {
        if let Some(share) = &self.share {
            let found = share.clone().estimate(Share::Rate, intervals);
            return metric_value(found, "no items");
        }
        let clusters = self.clusters.as_ref();
        let [value] = measured(
            [&*self.coefficient()],
            self.sizes(),
            clusters,
            Ok(intervals),
        );
        value
    }

    /// The interval of that, or why there is none.
    pub fn interval(&self, intervals: &Intervals) -> Result<[f64; 2], String> {
        let share = self.share.clone();
        match share.and_then(|share| share.estimate(Share::Rate, intervals)) {
            Some(found) => found.ci.map(Interval::ends).map_err(|why| why.to_string()),
            None => {
                let clusters = self.clusters.as_ref();
                resampled(&*self.coefficient(), self.sizes(), clusters, intervals)
            }
        }
    }

    /// The value over all items, or why there is none.
    pub fn value(&self) -> Estimate {
        self.coefficient().estimate(self.sizes())
    }
}

/// How many are drawn: clusters, or else the items themselves.
pub(crate) fn drawn(clusters: Option<&ClusterKinds>, items: &[u64]) -> u64 {
    clusters.map_or(items, ClusterKinds::sizes).iter().sum()
}

/// A coefficient that has no value, whatever is drawn.
struct Never(Undefined);

impl Coefficient for Never {
    fn estimate(&self, _: &[u64]) -> Estimate {
        Err(self.0)
    }
}

/// The labels that an estimator reads: raters as columns, values as categories.
#[derive(Debug)]
struct Chosen {
    /// How many said anything.
    raters: usize,
    values: Vec<f64>,
    ends: Vec<usize>,
    given: Vec<Given>,
}

impl Chosen {
    fn new(estimator: &Estimator, labels: &Labels) -> Result<Self, String> {
        const NOBODY: u32 = u32::MAX;
        let names = &labels.raters.names;
        let mut asked = vec![estimator.raters.is_empty(); names.len()];
        // Which of two is the first decides what a resample draws: the one that is named first.
        let mut speaking: Vec<u32> = Vec::new();
        for rater in &estimator.raters {
            let known = labels.raters.known(rater);
            speaking.extend(known.filter(|at| !std::mem::replace(&mut asked[*at as usize], true)));
        }
        if estimator.raters.is_empty() {
            speaking.extend(0..names.len() as u32);
            by_name(&mut speaking, |rater| &names[*rater as usize]);
        }
        let mut used = vec![false; labels.values.names.len()];
        for &(rater, value) in &labels.given {
            used[value as usize] |= asked[rater as usize];
        }
        let (codes, values) = categories(estimator, &labels.values, &used)?;
        // Whoever said nothing is in no label, so all names are of raters who speak.
        let mut columns = vec![NOBODY; names.len()];
        for (column, rater) in (0..).zip(&speaking) {
            columns[*rater as usize] = column;
        }
        let mut chosen = Chosen {
            raters: speaking.len(),
            values,
            ends: Vec::with_capacity(labels.items()),
            given: Vec::with_capacity(labels.given.len()),
        };
        let mut last = vec![0; names.len()];
        for (row, item) in labels.rows().zip(1usize..) {
            for &(rater, value) in row.iter().filter(|(rater, _)| asked[*rater as usize]) {
                if std::mem::replace(&mut last[rater as usize], item) == item {
                    let rater = &names[rater as usize];
                    return Err(format!("`{rater}` labels record {item} twice"));
                }
                let label = (columns[rater as usize], codes[value as usize]);
                chosen.given.push(label);
            }
            chosen.ends.push(chosen.given.len());
        }
        Ok(chosen)
    }
}

impl Table for Chosen {
    fn raters(&self) -> usize {
        self.raters
    }

    fn categories(&self) -> usize {
        self.values.len()
    }

    fn items(&self) -> usize {
        self.ends.len()
    }

    fn each_row(&self, each: &mut dyn FnMut(&[Given])) {
        let mut start = 0;
        for &end in &self.ends {
            each(&self.given[start..end]);
            start = end;
        }
    }
}

/// The category of each value that is used, and the numbers that categories stand for.
fn categories(
    estimator: &Estimator,
    values: &Names,
    used: &[bool],
) -> Result<(Vec<u32>, Vec<f64>), String> {
    let number = |text: &str| people_number(text).filter(|number| number.is_finite());
    let mut codes = vec![0; values.names.len()];
    let mut used: Vec<u32> = (0..values.names.len() as u32)
        .filter(|&value| used[value as usize])
        .collect();
    let name = |value: u32| values.names[value as usize].as_str();
    if !estimator.categories.is_empty() {
        let listed = (0..).zip(&estimator.categories);
        let places: FxHashMap<&str, u32> =
            listed.map(|(place, name)| (name.as_str(), place)).collect();
        for value in used {
            codes[value as usize] = *places.get(name(value)).ok_or_else(|| {
                format!(
                    "`{}` is none of the categories of `{}`",
                    name(value),
                    estimator.name
                )
            })?;
        }
        let numbers: Option<Vec<f64>> = estimator.categories.iter().map(|c| number(c)).collect();
        return Ok((codes, scale(numbers, estimator.categories.len())));
    }
    let numbers: Option<Vec<f64>> = used.iter().map(|&value| number(name(value))).collect();
    let Some(numbers) = numbers else {
        used.sort_unstable_by_key(|&value| name(value));
        for (place, &value) in (0..).zip(&used) {
            codes[value as usize] = place;
        }
        return Ok((codes, scale(None, used.len())));
    };
    // Equal doubles may have been different numbers, identifiers for example.
    let exact = |value: u32| Decimal::read(name(value).trim().as_bytes());
    let numbers = numbers.into_iter().zip(used);
    let mut sorted: Vec<(f64, Option<Decimal>, u32)> = numbers
        .map(|(number, value)| (number, exact(value), value))
        .collect();
    sorted.sort_unstable_by(|a, b| {
        let by_value = a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal);
        by_value.then_with(|| a.1.cmp(&b.1))
    });
    let mut found = Vec::new();
    for group in sorted.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1) {
        for (.., value) in group {
            codes[*value as usize] = found.len() as u32;
        }
        found.push(group[0].0);
    }
    let count = found.len();
    Ok((codes, scale(Some(found), count)))
}

#[cfg(test)]
#[path = "groups_tests.rs"]
mod tests;
