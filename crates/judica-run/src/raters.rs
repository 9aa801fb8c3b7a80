//! How far raters agree, two by two, and on which items they do not.

use std::cmp::Ordering;

use judica_data::json::number::people_number;
use judica_data::work_error::WorkError;
use judica_model::heatmap::{HeatCell, HeatMap};
use judica_model::metric::MetricValue;
use judica_model::run::Estimator;
use judica_stats::clusters::Intervals;
use serde::Serialize;

use crate::labels::Labels;
use crate::layout::head;
use crate::open::Run;
use crate::rows::{Rows, Scratch};
use crate::values::{cluster_ranks, coefficient};

/// With more raters than this only the first ones are held against each other.
pub const MOST: usize = 20;

/// What the labels of a run say of those who gave them.
#[derive(Debug, Serialize)]
pub struct Raters {
    /// Who they are, in the order of their names.
    pub names: Vec<String>,
    /// Every two of them.
    pub pairs: Vec<Agreed>,
    /// How many records somebody labelled.
    pub labelled: u64,
    /// The rows of the records that were labelled differently.
    #[serde(skip)]
    pub disagreements: Vec<u32>,
}

/// How far two raters agree.
#[derive(Debug, Serialize)]
pub struct Agreed {
    /// One of them.
    pub first: String,
    /// The other.
    pub second: String,
    /// The share of common items of which they say the same.
    pub percent_agreement: MetricValue,
    /// The same beyond chance.
    pub cohen_kappa: MetricValue,
}

/// Puts raters into the order in which every two of them are held against each other: that of
/// their names, or of the numbers if all names are numbers. Neither who is the first of two nor
/// what resamples draw then depends on the order of rows.
pub fn by_name<'n, R>(raters: &mut [R], name: impl Fn(&R) -> &'n str) {
    raters.sort_by(|a, b| name(a).cmp(name(b)));
    let number = |rater: &R| people_number(name(rater));
    if raters.iter().all(|rater| number(rater).is_some()) {
        raters.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal));
    }
}

/// The categories that the run's own coefficients of two raters count by, in their order.
fn declared<'r>(run: &'r Run, both: [&String; 2]) -> &'r [String] {
    let estimators = run.manifest.metrics.iter();
    let mut estimators = estimators.filter_map(|spec| spec.estimator.as_ref());
    let reads =
        |of: &Estimator| of.raters.is_empty() || both.iter().all(|rater| of.raters.contains(rater));
    let found = estimators.find(|of| reads(of) && !of.categories.is_empty());
    found.map_or(&[], |of| &of.categories)
}

impl Raters {
    /// Reads the labels of a run.
    pub fn read(run: &Run, threads: usize) -> Result<Self, WorkError> {
        let clusters = cluster_ranks(run)?;
        let mut labels = Labels::default();
        let mut found = Raters {
            names: Vec::new(),
            pairs: Vec::new(),
            labelled: 0,
            disagreements: Vec::new(),
        };
        let mut row = 0;
        for batch in run.records()?.batches(&[head::LABELS])? {
            let batch = batch?;
            let rows = Rows::new(&batch);
            let mut scratch = Scratch::default();
            for at in 0..rows.len() {
                let said = rows.get(at, &mut scratch).labels;
                labels.push(clusters[row as usize], said);
                found.labelled += u64::from(!said.is_empty());
                if said.windows(2).any(|two| two[0].value != two[1].value) {
                    found.disagreements.push(row);
                }
                row += 1;
            }
        }
        let mut names: Vec<&str> = labels.raters.names.iter().map(String::as_str).collect();
        by_name(&mut names, |name| name);
        found.names = names.into_iter().map(str::to_owned).collect();
        let intervals = Intervals::on_threads(threads);
        let compared = &found.names[..found.names.len().min(MOST)];
        for (at, first) in compared.iter().enumerate() {
            for second in &compared[at + 1..] {
                let categories = declared(run, [first, second]);
                let of = |name: &str| {
                    let estimator = Estimator {
                        name: name.to_owned(),
                        level: None,
                        raters: vec![first.clone(), second.clone()],
                        categories: categories.to_vec(),
                    };
                    let value = coefficient(&estimator, &labels, &intervals);
                    value.unwrap_or_else(MetricValue::undefined)
                };
                found.pairs.push(Agreed {
                    first: first.clone(),
                    second: second.clone(),
                    percent_agreement: of("percent_agreement"),
                    cohen_kappa: of("cohen_kappa"),
                });
            }
        }
        Ok(found)
    }

    /// The agreement of every two beyond chance, to be drawn.
    pub fn map(&self) -> HeatMap {
        let names = self.names[..self.names.len().min(MOST)].to_vec();
        let place = |name: &String| names.iter().position(|known| known == name);
        let mut map = HeatMap::new(
            "Agreement of every two raters beyond chance",
            "Cohen's kappa",
            names.clone(),
        );
        for pair in &self.pairs {
            let cell = match &pair.cohen_kappa {
                MetricValue::Defined { value, .. } => HeatCell::Value(*value),
                MetricValue::Undefined { reason } => HeatCell::Missing(reason.clone()),
            };
            if let (Some(a), Some(b)) = (place(&pair.first), place(&pair.second)) {
                map.set(a, b, cell);
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_numbers_are_in_the_order_of_the_numbers() {
        let ordered = |names: &[&'static str]| {
            let mut names = names.to_vec();
            by_name(&mut names, |name| name);
            names
        };
        assert_eq!(ordered(&["10", "9", "1"]), ["1", "9", "10"]);
        assert_eq!(ordered(&["r9", "r10", "a"]), ["a", "r10", "r9"]);
    }
}
