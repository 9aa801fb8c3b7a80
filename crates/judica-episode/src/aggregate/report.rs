//! The report of an aggregation. Fields are in the order in which they are written.

use judica_model::metric::MetricValue;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The version of the report's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// Many eval files as one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AggregateReport {
    /// `SCHEMA_VERSION`.
    pub schema_version: u32,
    /// The mean of `action_type_accuracy` over the files that have it.
    pub mean_action_accuracy: Option<f64>,
    /// The mean of `click_hit_rate` over the files that have it.
    pub mean_click_hit_rate: Option<f64>,
    /// The mean of `episode_success_rate` over the files that have it.
    pub mean_episode_success: Option<f64>,
    /// How many files there were: those used and those refused.
    pub inputs: u64,
    /// How many were used.
    pub files: u64,
    /// How many could not be used.
    pub rejects: u64,
    /// What files were grouped by.
    pub by: Option<String>,
    /// Every metric over all files.
    pub metrics: Summaries,
    /// The same for each group, in the order in which groups first appear.
    pub groups: Vec<Group>,
    /// The files that could not be used, and why.
    pub refused: Vec<RefusedFile>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The files that share a value of the key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// That value; null where a file has none.
    pub group: Value,
    /// How many files.
    pub files: u64,
    /// The mean of `action_type_accuracy` over the files that have it.
    pub mean_action_accuracy: Option<f64>,
    /// The mean of `click_hit_rate` over the files that have it.
    pub mean_click_hit_rate: Option<f64>,
    /// The mean of `episode_success_rate` over the files that have it.
    pub mean_episode_success: Option<f64>,
    /// Every metric.
    pub metrics: Summaries,
}

/// Metrics by name: known ones in their order, then others by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summaries(pub Vec<(String, MetricSummary)>);

impl FromIterator<(String, MetricSummary)> for Summaries {
    fn from_iter<I: IntoIterator<Item = (String, MetricSummary)>>(summaries: I) -> Self {
        Summaries(summaries.into_iter().collect())
    }
}

impl Summaries {
    /// The summary of a metric.
    pub fn get(&self, metric: &str) -> Option<&MetricSummary> {
        let found = self.0.iter().find(|(name, _)| name == metric);
        found.map(|(_, summary)| summary)
    }
}

impl Serialize for Summaries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, summary) in &self.0 {
            map.serialize_entry(name, summary)?;
        }
        map.end()
    }
}

/// One metric over several files; `n`, `nulls` and `missing` add up to the files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricSummary {
    /// The mean over the files in which it is defined, each counting once.
    pub mean: Option<f64>,
    /// How many those are.
    pub n: u64,
    /// In how many it is null.
    pub nulls: u64,
    /// How many do not have it.
    pub missing: u64,
    /// The standard deviation of the values as a sample, divided by n − 1; null below two.
    pub std: Option<f64>,
    /// The least.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// Over the items of all files together, each item counting once; for known metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pooled: Option<MetricValue>,
    /// Why there is no mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// A file that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedFile {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The value it is about, as a JSON pointer; empty for the whole file.
    pub pointer: String,
    /// A short code for programs.
    pub reason: &'static str,
    /// What was found and what was expected.
    pub detail: String,
}
