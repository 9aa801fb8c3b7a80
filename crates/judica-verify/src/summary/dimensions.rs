//! What dimensions say of models: their means per task, how far models lie apart in each, and
//! how the dimensions of records go together.
//!
//! Sums are exact, so that they do not depend on the order of records.

use std::collections::BTreeMap;

use judica_stats::ExactSum;
use judica_stats::pearson::{NoCorrelation, Pearson};
use serde::Serialize;

use super::report::ordered_map;
use super::state::GroupKey;
use crate::protocol::Protocol;

/// Values by dimension, in the order of the protocol.
type ByDimension<T> = Vec<(String, T)>;

/// The name of the total beside the dimensions.
const TOTAL: &str = "total";

/// The best score.
const BEST: f64 = 100.0;

/// Means of some scores as they come.
#[derive(Debug, Clone, Default)]
struct Means(Vec<(ExactSum, u64)>);

impl Means {
    fn add(&mut self, values: impl Iterator<Item = f64>) {
        for (at, value) in values.enumerate() {
            if self.0.len() == at {
                self.0.push((ExactSum::new(), 0));
            }
            if !value.is_nan() {
                let (sum, n) = &mut self.0[at];
                sum.add(value);
                *n += 1;
            }
        }
    }

    fn merge(&mut self, other: &Means) {
        for (at, (theirs, count)) in other.0.iter().enumerate() {
            if self.0.len() == at {
                self.0.push((ExactSum::new(), 0));
            }
            let (sum, n) = &mut self.0[at];
            sum.merge(theirs);
            *n += count;
        }
    }
}

/// Sums over the dimensions of records.
#[derive(Debug, Clone, Default)]
pub struct DimensionSums {
    groups: BTreeMap<GroupKey, (u64, Means)>,
    /// Of each dimension with each later one.
    pairs: Vec<Pearson>,
}

impl DimensionSums {
    /// Adds a record, in any order.
    pub fn add(&mut self, key: GroupKey, dimensions: &[f64], total: f64) {
        let (records, means) = self.groups.entry(key).or_default();
        *records += 1;
        means.add(dimensions.iter().copied().chain([total]));
        let pairs = pairs(dimensions.len()).enumerate();
        for (at, (a, b)) in pairs {
            if self.pairs.len() == at {
                self.pairs.push(Pearson::near(BEST));
            }
            if !dimensions[a].is_nan() && !dimensions[b].is_nan() {
                self.pairs[at].add(dimensions[a], dimensions[b]);
            }
        }
    }

    /// What they come to; `models` are numbers and names, in the order of the report.
    pub fn report(&self, protocol: &Protocol, models: &[(u32, &str)]) -> Option<DimensionReport> {
        if protocol.dimensions.is_empty() || self.groups.is_empty() {
            return None;
        }
        let names: Vec<&str> = protocol
            .dimensions
            .iter()
            .map(|d| d.name.as_str())
            .collect();
        let tasks: Vec<(u32, &str)> = (0..)
            .zip(protocol.tasks.iter().map(|task| task.name.as_str()))
            .filter(|(task, _)| self.groups.keys().any(|(of, _)| of == task))
            .collect();
        let mut summaries = Vec::new();
        if tasks.len() > 1 {
            let all: Vec<u32> = tasks.iter().map(|(task, _)| *task).collect();
            summaries.push(self.task(None, &all, &names, models));
        }
        summaries.extend(tasks.iter().map(|(task, name)| {
            let name = Some((*name).to_owned());
            self.task(name, &[*task], &names, models)
        }));
        let correlation = pairs(names.len()).enumerate().map(|(at, (a, b))| {
            let r = self.pairs[at].value();
            let why = |why: NoCorrelation| match why {
                NoCorrelation::TooFew => "fewer than two records have both".to_owned(),
                NoCorrelation::Constant(which) => {
                    format!("{} is the same in all of them", names[[a, b][which]])
                }
                NoCorrelation::TooClose => "they differ too little to tell".to_owned(),
            };
            Correlation {
                dimensions: [names[a].to_owned(), names[b].to_owned()],
                n: self.pairs[at].n(),
                undefined: r.err().map(why),
                r: r.ok(),
            }
        });
        Some(DimensionReport {
            correlation: correlation.collect(),
            tasks: summaries,
        })
    }

    fn task(
        &self,
        task_id: Option<String>,
        tasks: &[u32],
        names: &[&str],
        models: &[(u32, &str)],
    ) -> TaskDimensions {
        let mut rows = Vec::new();
        for (model, name) in models {
            let mut records = 0;
            let mut means = Means::default();
            let groups = tasks
                .iter()
                .filter_map(|task| self.groups.get(&(*task, *model)));
            for (count, of_group) in groups {
                records += count;
                means.merge(of_group);
            }
            if records > 0 {
                let mut values = means.0.iter().map(|(sum, n)| sum.mean(*n));
                rows.push(ModelDimensions {
                    model_name: (*name).to_owned(),
                    records,
                    scores: names
                        .iter()
                        .map(|name| (*name).to_owned())
                        .zip(&mut values)
                        .collect(),
                    total: values.next().flatten(),
                });
            }
        }
        let spread = |at: usize, name: &str| {
            let value = |row: &ModelDimensions| match row.scores.get(at) {
                Some((_, value)) => *value,
                None => row.total,
            };
            let values: Vec<f64> = rows.iter().filter_map(value).collect();
            (name.to_owned(), Spread::of(&values))
        };
        let named = names.iter().copied().chain([TOTAL]).enumerate();
        TaskDimensions {
            std_over_models: named.map(|(at, name)| spread(at, name)).collect(),
            task_id,
            models: rows,
        }
    }
}

/// Every pair of different dimensions.
fn pairs(dimensions: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..dimensions).flat_map(move |a| (a + 1..dimensions).map(move |b| (a, b)))
}

/// What dimensions say of models.
#[derive(Debug, Clone, Serialize)]
pub struct DimensionReport {
    /// All tasks together, if there are several; then one each.
    pub tasks: Vec<TaskDimensions>,
    /// Pearson's coefficient of each two dimensions, over records that have both.
    pub correlation: Vec<Correlation>,
}

impl DimensionReport {
    /// How many there are.
    pub fn dimensions(&self) -> usize {
        let first = self.tasks.first();
        let with_total = first.map_or(0, |task| task.std_over_models.len());
        with_total.saturating_sub(1)
    }
}

/// Dimensions in one task, or in all.
#[derive(Debug, Clone, Serialize)]
pub struct TaskDimensions {
    /// The task, or null for all.
    pub task_id: Option<String>,
    /// One per model, by name.
    pub models: Vec<ModelDimensions>,
    /// How far their means lie apart.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub std_over_models: ByDimension<Spread>,
}

/// The dimensions of one model.
#[derive(Debug, Clone, Serialize)]
pub struct ModelDimensions {
    /// The model.
    pub model_name: String,
    /// Its records.
    pub records: u64,
    /// Means over those of them that have the dimension; null where none has.
    #[serde(serialize_with = "ordered_map::serialize")]
    pub scores: ByDimension<Option<f64>>,
    /// The mean total.
    pub total: Option<f64>,
}

/// How far values lie apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spread {
    /// Models that have the dimension.
    pub n: u64,
    /// The standard deviation (of a sample: n − 1).
    pub std: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

impl Spread {
    fn of(values: &[f64]) -> Spread {
        let n = values.len();
        let described = judica_stats::describe(values).filter(|_| n > 1);
        let std = described.map(|d| d.std * (n as f64 / (n - 1) as f64).sqrt());
        let why = match n {
            0 => "no model has it",
            _ => "one model alone",
        };
        Spread {
            n: n as u64,
            undefined: std.is_none().then(|| why.to_owned()),
            std,
        }
    }
}

/// How two dimensions go together.
#[derive(Debug, Clone, Serialize)]
pub struct Correlation {
    /// Which.
    pub dimensions: [String; 2],
    /// Records that have both.
    pub n: u64,
    /// From −1 to 1.
    pub r: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}
