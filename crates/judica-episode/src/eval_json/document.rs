//! The typed document.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::metrics::{ActionTypeMetrics, InputRows, Metrics};
use super::version::VERSION;

/// One evaluation of a model on recorded episodes.
///
/// What is not known is null. Unknown keys are allowed and kept.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvalDocument {
    /// Path of the configuration that was evaluated; `unknown` in migrated files.
    pub config_path: String,
    /// Backend of the model, such as `qwen3`, `claude` or `openai`; `unknown` in migrated
    /// files.
    pub backend: String,
    /// How actions name their targets: `coord` (coordinates) or `som` (set of marks).
    #[serde(default = "coordinates")]
    pub dsl_mode: String,
    /// Version of this shape, `major.minor`. Files without it are of version 1.0.
    #[serde(default = "version")]
    #[schemars(regex(pattern = r"^1\.(0|[1-9][0-9]*)$"))]
    pub schema_version: String,
    /// When the evaluation ran, as RFC 3339.
    #[serde(default)]
    pub eval_timestamp: Option<String>,
    /// When the model was trained, as RFC 3339.
    #[serde(default)]
    pub training_timestamp: Option<String>,
    /// What the model ran on, such as `cuda` or `cpu`.
    #[serde(default)]
    pub device: Option<String>,
    /// The name of the graphics processor.
    #[serde(default)]
    pub gpu_model: Option<String>,
    /// Its memory, in gigabytes.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub memory_gb: Option<f64>,
    /// Path of the weights that were evaluated.
    #[serde(default)]
    pub checkpoint_path: Option<String>,
    /// The metrics.
    pub metrics: Metrics,
    /// The same for the steps of each recorded type of action, by its name.
    #[serde(default)]
    pub metrics_by_action_type: BTreeMap<String, ActionTypeMetrics>,
    /// Numerators and denominators of the metrics, and other counts.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub counts: Map<String, Value>,
    /// Rows that were read, used and refused, by input.
    #[serde(default)]
    pub inputs: BTreeMap<String, InputRows>,
    /// Why a metric is null, by its name.
    #[serde(default)]
    pub undefined: BTreeMap<String, String>,
    /// What a reader should know.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Keys this version does not know, as they stood.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

fn coordinates() -> String {
    "coord".to_owned()
}

fn version() -> String {
    VERSION.to_owned()
}

impl EvalDocument {
    /// A document of the current version about which nothing else is known.
    pub fn new(
        config_path: impl Into<String>,
        backend: impl Into<String>,
        dsl_mode: impl Into<String>,
        metrics: Metrics,
    ) -> Self {
        EvalDocument {
            config_path: config_path.into(),
            backend: backend.into(),
            dsl_mode: dsl_mode.into(),
            schema_version: version(),
            eval_timestamp: None,
            training_timestamp: None,
            device: None,
            gpu_model: None,
            memory_gb: None,
            checkpoint_path: None,
            metrics,
            metrics_by_action_type: BTreeMap::new(),
            counts: Map::new(),
            inputs: BTreeMap::new(),
            undefined: BTreeMap::new(),
            notes: Vec::new(),
            other: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_stands_beside_the_rest_and_nothing_is_not_a_number() {
        let mut metrics = Metrics {
            click_hit_rate: Some(f64::NAN),
            ..Metrics::default()
        };
        metrics
            .other
            .insert("click_distance_p50".to_owned(), 0.042.into());
        let mut document = EvalDocument::new("c", "b", "coord", metrics);
        document.other.insert("run".to_owned(), "r".into());
        let written = serde_json::to_value(&document).unwrap();
        assert_eq!(written["metrics"]["click_hit_rate"], Value::Null);
        assert_eq!(written["metrics"]["click_distance_p50"], 0.042);
        assert_eq!(written["run"], "r");
    }
}
