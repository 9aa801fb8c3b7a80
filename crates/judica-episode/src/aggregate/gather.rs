//! The numbers of many files, by group and metric.

use std::collections::BTreeMap;

use judica_model::metric::MetricValue;
use judica_stats::{describe, exact_sum};
use serde_json::Value;

use super::key::GroupKey;
use super::report::{AggregateReport, Group, MetricSummary, RefusedFile, SCHEMA_VERSION};
use crate::eval_json::catalogue::{Kind, interval_of, place, spec};
use crate::eval_json::fault::Fault;
use crate::eval_json::{EvalFile, Reading};

/// How many reasons for not using files a report names.
const NAMED: usize = 1000;

/// What has been read so far.
pub(super) struct Gathered<'a> {
    by: Option<&'a GroupKey>,
    all: Numbers,
    /// In the order in which groups first appear.
    groups: Vec<(Value, Numbers)>,
    /// Where a group is, by its JSON.
    places: BTreeMap<String, usize>,
    refused: Vec<RefusedFile>,
    refused_total: u64,
}

/// The numbers of some files.
#[derive(Default)]
struct Numbers {
    files: u64,
    metrics: BTreeMap<String, Column>,
}

/// The numbers of one metric.
#[derive(Default)]
struct Column {
    values: Vec<f64>,
    nulls: u64,
    /// Values times what they rest on, and that; `None` once a file does not say.
    weighted: Option<(Vec<f64>, u64)>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(by: Option<&'a GroupKey>) -> Self {
        Gathered {
            by,
            all: Numbers::default(),
            groups: Vec::new(),
            places: BTreeMap::new(),
            refused: Vec::new(),
            refused_total: 0,
        }
    }

    pub(super) fn add(&mut self, file: &EvalFile) {
        self.all.add(file);
        let Some(by) = self.by else { return };
        let group = by.of(file);
        let place = *self.places.entry(group.to_string()).or_insert_with(|| {
            self.groups.push((group, Numbers::default()));
            self.groups.len() - 1
        });
        self.groups[place].1.add(file);
    }

    pub(super) fn refuse(&mut self, file: String, fault: Fault) {
        self.refused_total += 1;
        if self.refused.len() < NAMED {
            self.refused.push(RefusedFile {
                file,
                line: fault.line,
                pointer: fault.pointer,
                reason: fault.reason,
                detail: fault.detail,
            });
        }
    }

    pub(super) fn finish(self, mut notes: Vec<String>) -> AggregateReport {
        let unnamed = self.refused_total - self.refused.len() as u64;
        if unnamed > 0 {
            notes.push(format!("{unnamed} more files could not be used"));
        }
        let overall = self.all.finish(Value::Null);
        AggregateReport {
            schema_version: SCHEMA_VERSION,
            mean_action_accuracy: overall.mean_action_accuracy,
            mean_click_hit_rate: overall.mean_click_hit_rate,
            mean_episode_success: overall.mean_episode_success,
            inputs: overall.files + self.refused_total,
            files: overall.files,
            rejects: self.refused_total,
            by: self.by.map(|by| by.shown().to_owned()),
            metrics: overall.metrics,
            groups: self
                .groups
                .into_iter()
                .map(|(group, numbers)| numbers.finish(group))
                .collect(),
            refused: self.refused,
            notes,
        }
    }
}

impl Numbers {
    fn add(&mut self, file: &EvalFile) {
        self.files += 1;
        for name in file.metrics().keys() {
            // A null interval is no metric without a value.
            let own = match interval_of(name) {
                Some(metric) => !file.metrics().contains_key(metric),
                None => true,
            };
            let reading = file.reading(name);
            if own && reading != Reading::Absent {
                let column = self.metrics.entry(name.clone()).or_insert_with(|| Column {
                    weighted: Some(Default::default()),
                    ..Column::default()
                });
                column.add(reading, file.n(name));
            }
        }
    }

    fn finish(self, group: Value) -> Group {
        let mut names: Vec<&String> = self.metrics.keys().collect();
        names.sort_by_key(|name| (place(name), *name));
        let summaries: Vec<(String, MetricSummary)> = names
            .into_iter()
            .filter_map(|name| {
                let column = self.metrics.get(name)?;
                // Nothing is known about a key that is null in every file and has no
                // meaning here; a known metric is shown as having no value.
                let known = spec(name).is_some() || !column.values.is_empty();
                known.then(|| (name.clone(), column.summary(name, self.files)))
            })
            .collect();
        let mean = |metric: &str| {
            let found = summaries.iter().find(|(name, _)| name == metric);
            found.and_then(|(_, summary)| summary.mean)
        };
        Group {
            group,
            files: self.files,
            mean_action_accuracy: mean("action_type_accuracy"),
            mean_click_hit_rate: mean("click_hit_rate"),
            mean_episode_success: mean("episode_success_rate"),
            metrics: summaries.into_iter().collect(),
        }
    }
}

impl Column {
    fn add(&mut self, reading: Reading, n: Option<u64>) {
        let Some(value) = reading.value() else {
            self.nulls += 1;
            return;
        };
        self.values.push(value);
        match (&mut self.weighted, n) {
            (Some((products, total)), Some(n)) => {
                products.push(value * n as f64);
                *total = total.saturating_add(n);
            }
            (weighted, _) => *weighted = None,
        }
    }

    fn summary(&self, name: &str, files: u64) -> MetricSummary {
        let described = describe(&self.values);
        let n = self.values.len() as u64;
        // Runs are a sample of the runs there could be; of one run no spread can be told.
        let spread =
            |population: f64| (n > 1).then(|| population * (n as f64 / (n - 1) as f64).sqrt());
        MetricSummary {
            mean: described.map(|d| d.mean),
            n,
            nulls: self.nulls,
            missing: files - n - self.nulls,
            std: described.and_then(|d| spread(d.std)),
            min: described.map(|d| d.min),
            max: described.map(|d| d.max),
            pooled: self.pooled(name),
            undefined: match (described, self.nulls) {
                (Some(_), _) => None,
                (None, 0) => Some("not a finite mean".to_owned()),
                (None, _) => Some("null in every file that has it".to_owned()),
            },
        }
    }

    /// The metric over the items of all files together.
    fn pooled(&self, name: &str) -> Option<MetricValue> {
        let kind = spec(name).map(|spec| spec.kind);
        if kind.is_none_or(|kind| kind == Kind::Count) || self.values.is_empty() {
            return None;
        }
        Some(match &self.weighted {
            Some((products, n)) if *n > 0 => MetricValue::new(exact_sum(products) / *n as f64, *n),
            Some(_) => MetricValue::undefined("it rests on no items"),
            None => MetricValue::undefined("not every file says how many items it rests on"),
        })
    }
}
