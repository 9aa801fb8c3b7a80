//! What a log says of itself: `header.json`, `_journal/start.json`, or a `.json` log without
//! its samples.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{InOrder, Words};

/// The version of logs that is known.
const VERSION: f64 = 2.0;

/// What a log says of itself.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "a header")]
pub(super) struct Header {
    pub version: Option<f64>,
    pub status: Option<String>,
    pub eval: Eval,
    pub results: Option<Results>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
pub(super) struct Eval {
    pub task: Words,
    pub model: Words,
    pub created: Words,
    config: Option<Config>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Config {
    epochs_reducer: Option<Vec<String>>,
}

/// The numbers of a log.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
pub(super) struct Results {
    pub completed_samples: Option<f64>,
    scores: Vec<EvalScore>,
    /// How logs of the first versions had the one scorer they could have.
    scorer: Option<EvalScore>,
    metrics: Option<InOrder<EvalMetric>>,
}

/// The numbers of a scorer under one reducer.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct EvalScore {
    /// The scorer, or the key of its values.
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub scorer: String,
    pub reducer: Option<String>,
    pub scored_samples: Option<f64>,
    pub unscored_samples: Option<f64>,
    #[serde(default = "no_metrics")]
    pub metrics: InOrder<EvalMetric>,
}

fn no_metrics() -> InOrder<EvalMetric> {
    InOrder(Vec::new())
}

/// A number.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct EvalMetric {
    #[serde(default)]
    pub name: String,
    /// None: NaN.
    #[serde(default)]
    pub value: Value,
    pub group: Option<String>,
    params: Option<BTreeMap<String, Value>>,
    /// What parameters were called once.
    options: Option<BTreeMap<String, Value>>,
}

impl EvalMetric {
    /// A parameter.
    pub fn param(&self, name: &str) -> Option<&Value> {
        [&self.params, &self.options]
            .into_iter()
            .flatten()
            .find_map(|params| params.get(name))
    }
}

impl EvalScore {
    /// The scorer, and the key of its values that this is about.
    pub fn of(&self) -> (&str, Option<&str>) {
        match self.scorer.is_empty() || self.name == self.scorer {
            true => (&self.name, None),
            false => (&self.scorer, Some(&self.name)),
        }
    }
}

impl Header {
    /// The same with what older logs have elsewhere in its place.
    pub fn settled(mut self) -> Self {
        if let Some(results) = &mut self.results
            && let Some(mut scorer) = results.scorer.take()
        {
            if let Some(metrics) = results.metrics.take() {
                scorer.metrics = metrics;
            }
            results.scores.push(scorer);
        }
        self
    }

    /// What a person should know of it.
    pub fn notes(&self) -> Vec<String> {
        match self.version {
            Some(VERSION) => Vec::new(),
            Some(other) => vec![format!(
                "version {other} of the format, where {VERSION} was expected: what is known was read"
            )],
            None => vec![format!(
                "no version of the format, where {VERSION} was expected"
            )],
        }
    }

    /// All numbers by scorer and reducer.
    pub fn scores(&self) -> &[EvalScore] {
        self.results.as_ref().map_or(&[], |results| &results.scores)
    }

    /// The keys of a scorer that gives several values at once.
    pub fn keys<'h>(&'h self, scorer: &'h str) -> Vec<&'h str> {
        let scores = self.scores().iter();
        let keyed = scores.filter(|score| score.scorer == scorer && score.name != scorer);
        let mut keys: Vec<&str> = Vec::new();
        for score in keyed {
            if !keys.contains(&&*score.name) {
                keys.push(&score.name);
            }
        }
        keys
    }

    /// Whether numbers of no named reducer are over all epochs as they are, and not over
    /// their means.
    pub fn is_unreduced(&self, score: &EvalScore) -> bool {
        let reducers = self
            .eval
            .config
            .as_ref()
            .and_then(|c| c.epochs_reducer.as_ref());
        let others = self.scores().iter();
        let mut others = others.filter(|other| other.of() == score.of());
        score.reducer.is_none()
            && (reducers.is_some_and(Vec::is_empty) || others.any(|other| other.reducer.is_some()))
    }

    /// The keys of samples' metadata that numbers are grouped by.
    pub fn metadata(&self) -> Vec<String> {
        let metrics = self.scores().iter().flat_map(|score| &score.metrics.0);
        let mut keys: Vec<String> = metrics
            .flat_map(|(_, metric)| {
                let inner = metric.param("metric").and_then(|inner| inner.get("params"));
                let inner = inner.and_then(|params| params.get("cluster"));
                [metric.param("cluster"), metric.param("group_key"), inner]
            })
            .filter_map(|key| Some(key?.as_str()?.to_owned()))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}
