//! Every known metric: what kind of number, which way is better, what it rests on.
//!
//! One constant table feeds validation, comparison, aggregation and figures.

use judica_model::run::{Direction, Range};
use serde_json::Value;

/// What kind of number a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number from 0.
    Count,
    /// A share from 0 to 1 of things that each are a hit or not.
    Rate,
    /// A mean from 0 to 1.
    Share,
    /// A mean from 0.
    Distance,
}

impl Kind {
    /// What such a number can be.
    pub fn range(self) -> Range {
        let most = matches!(self, Kind::Rate | Kind::Share).then_some(1);
        [Some(0), most]
    }
}

/// What is known about a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricSpec {
    /// Its key.
    pub name: &'static str,
    /// What kind of number it is.
    pub kind: Kind,
    /// Whether every file has it.
    pub primary: bool,
    /// The count without which it may be null: a metric that is null although this count
    /// is not 0 is a mistake. `None`: it may be null at any time. Counts are never null.
    pub null_without: Option<&'static str>,
    /// Which way is better; counts have no better way.
    pub direction: Direction,
    /// The metric that says how many items it rests on, where the file has no `counts`.
    pub rests_on: Option<&'static str>,
    /// The key in `counts` of how many items it rests on.
    pub items: Option<&'static str>,
    /// The key in `counts` of how many of them are hits.
    pub hits: Option<&'static str>,
    /// Whether it rests on steps, which come in episodes and are not independent.
    pub of_steps: bool,
}

const COUNT: MetricSpec = MetricSpec {
    name: "",
    kind: Kind::Count,
    primary: true,
    null_without: None,
    direction: Direction::None,
    rests_on: None,
    items: None,
    hits: None,
    of_steps: false,
};

const RATE: MetricSpec = MetricSpec {
    kind: Kind::Rate,
    primary: false,
    direction: Direction::Higher,
    ..COUNT
};

/// The metrics of the first published shape, in its order.
pub const METRICS: [MetricSpec; 13] = [
    MetricSpec {
        name: "num_episodes",
        ..COUNT
    },
    MetricSpec {
        name: "num_steps",
        ..COUNT
    },
    MetricSpec {
        name: "action_type_accuracy",
        primary: true,
        null_without: Some("num_steps"),
        rests_on: Some("num_steps"),
        of_steps: true,
        items: Some("steps"),
        hits: Some("type_matches"),
        ..RATE
    },
    MetricSpec {
        name: "mean_coord_error",
        kind: Kind::Distance,
        primary: true,
        direction: Direction::Lower,
        rests_on: Some("coord_error_count"),
        of_steps: true,
        items: Some("coord_errors"),
        ..RATE
    },
    MetricSpec {
        name: "coord_error_count",
        ..COUNT
    },
    MetricSpec {
        name: "episode_success_rate",
        primary: true,
        null_without: Some("num_steps"),
        rests_on: Some("num_episodes"),
        items: Some("episodes_with_steps"),
        hits: Some("successful_episodes"),
        ..RATE
    },
    MetricSpec {
        name: "click_hit_rate",
        primary: true,
        rests_on: Some("coord_error_count"),
        of_steps: true,
        items: Some("coord_errors"),
        hits: Some("click_hits"),
        ..RATE
    },
    MetricSpec {
        name: "bbox_hit_rate",
        of_steps: true,
        items: Some("bbox_targets"),
        hits: Some("bbox_hits"),
        ..RATE
    },
    MetricSpec {
        name: "mean_episode_progress",
        kind: Kind::Share,
        rests_on: Some("num_episodes"),
        items: Some("episodes_with_steps"),
        ..RATE
    },
    MetricSpec {
        name: "mean_episode_step_score",
        kind: Kind::Share,
        rests_on: Some("num_episodes"),
        items: Some("episodes_with_steps"),
        ..RATE
    },
    MetricSpec {
        name: "weak_episode_success_rate",
        items: Some("episodes_with_milestones"),
        hits: Some("weakly_successful_episodes"),
        ..RATE
    },
    MetricSpec {
        name: "state_success_rate",
        items: Some("episodes_with_state"),
        hits: Some("state_successes"),
        ..RATE
    },
    MetricSpec {
        name: "element_accuracy",
        of_steps: true,
        items: Some("element_targets"),
        hits: Some("element_hits"),
        ..RATE
    },
];

/// Top-level keys of a document that are not metrics.
pub const TOP_LEVEL: [&str; 16] = [
    "config_path",
    "backend",
    "dsl_mode",
    "schema_version",
    "eval_timestamp",
    "training_timestamp",
    "device",
    "gpu_model",
    "memory_gb",
    "checkpoint_path",
    "metrics",
    "metrics_by_action_type",
    "counts",
    "inputs",
    "undefined",
    "notes",
];

/// Whether what stands at the top of a file from before 1.0 is a metric: a known one or its
/// interval, or a number that nobody knows, or null in its place.
pub fn is_metric(key: &str, value: &Value) -> bool {
    let may_be_own = value.is_number() || value.is_null();
    let is_known = spec(key).is_some() || interval_of(key).is_some();
    !TOP_LEVEL.contains(&key) && (is_known || may_be_own)
}

/// What is known about a metric of this name.
pub fn spec(name: &str) -> Option<&'static MetricSpec> {
    METRICS.iter().find(|spec| spec.name == name)
}

/// Whether a metric is a whole number: a count of the first published shape, or the one
/// that came later.
pub fn is_count(name: &str) -> bool {
    name == "extra_steps" || spec(name).is_some_and(|spec| spec.kind == Kind::Count)
}

/// The metric whose interval stands under this key.
pub fn interval_of(key: &str) -> Option<&str> {
    key.strip_suffix("_ci").filter(|metric| !metric.is_empty())
}

/// The place of a metric in tables: known ones in their order, others after them.
pub fn place(name: &str) -> usize {
    let known = METRICS.iter().position(|spec| spec.name == name);
    known.unwrap_or(METRICS.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_json::{EvalDocument, Metrics};

    fn keys(value: &impl serde::Serialize) -> Vec<String> {
        let value = serde_json::to_value(value).unwrap();
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn the_table_and_the_typed_document_have_the_same_keys_in_the_same_order() {
        let written = keys(&Metrics::default());
        let names: Vec<_> = METRICS.iter().map(|spec| spec.name).collect();
        assert_eq!(written[..names.len()], names);
        let intervals: Vec<_> = written.iter().filter_map(|key| interval_of(key)).collect();
        let with_interval: Vec<_> = METRICS
            .iter()
            .filter(|spec| spec.kind != Kind::Count)
            .map(|spec| spec.name)
            .collect();
        assert_eq!(intervals, with_interval);
        let document = EvalDocument::new("c", "b", "coord", Metrics::default());
        assert_eq!(keys(&document), TOP_LEVEL);
    }

    #[test]
    fn the_keys_of_counts_are_those_that_scoring_writes() {
        let written = keys(&crate::tally::metrics::Counts::default());
        for spec in &METRICS {
            for key in [spec.items, spec.hits].into_iter().flatten() {
                assert!(written.iter().any(|name| name == key), "{key}");
            }
            assert_eq!(spec.items.is_none(), spec.kind == Kind::Count);
            assert_eq!(spec.hits.is_some(), spec.kind == Kind::Rate);
        }
    }

    #[test]
    fn what_a_metric_rests_on_is_a_count() {
        assert!(is_count("extra_steps") && !is_count("unknown"));
        for spec in &METRICS {
            for name in [spec.null_without, spec.rests_on].into_iter().flatten() {
                assert_eq!(self::spec(name).map(|spec| spec.kind), Some(Kind::Count));
            }
            let counts = spec.kind == Kind::Count;
            assert_eq!(spec.direction == Direction::None, counts);
            assert_eq!(is_count(spec.name), spec.kind == Kind::Count);
        }
    }
}
