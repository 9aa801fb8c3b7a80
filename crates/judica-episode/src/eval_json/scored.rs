//! What scoring found as an eval JSON.

use std::collections::BTreeMap;

use judica_model::metric::MetricValue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::document::EvalDocument;
use super::metrics::{ActionTypeMetrics, InputRows, Metrics};
use crate::score::{RowCounts, ScoreOutcome};
use crate::tally::TypeMetrics;

/// What scoring cannot know about an evaluation: who was evaluated, when and on what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvalContext {
    /// Path of the configuration that was evaluated.
    pub config_path: String,
    /// Backend of the model.
    pub backend: String,
    /// When the evaluation ran, as RFC 3339.
    pub eval_timestamp: Option<String>,
    /// When the model was trained, as RFC 3339.
    pub training_timestamp: Option<String>,
    /// What the model ran on.
    pub device: Option<String>,
    /// The name of the graphics processor.
    pub gpu_model: Option<String>,
    /// Its memory, in gigabytes.
    pub memory_gb: Option<f64>,
    /// Path of the weights that were evaluated.
    pub checkpoint_path: Option<String>,
}

impl EvalDocument {
    /// The document of an evaluation.
    pub fn scored(context: EvalContext, outcome: &ScoreOutcome) -> EvalDocument {
        let mut undefined = BTreeMap::new();
        let metrics = metrics(outcome, &mut undefined);
        let by_type = outcome.by_action_type.iter();
        EvalDocument {
            eval_timestamp: context.eval_timestamp,
            training_timestamp: context.training_timestamp,
            device: context.device,
            gpu_model: context.gpu_model,
            memory_gb: context.memory_gb,
            checkpoint_path: context.checkpoint_path,
            metrics_by_action_type: by_type
                .map(|of| (of.action_type.clone(), of_type(of)))
                .collect(),
            counts: match serde_json::to_value(outcome.counts) {
                Ok(Value::Object(counts)) => counts,
                _ => Map::new(),
            },
            inputs: BTreeMap::from([
                ("episodes".to_owned(), rows(outcome.episode_rows)),
                ("predictions".to_owned(), rows(outcome.prediction_rows)),
            ]),
            undefined,
            notes: outcome.notes.clone(),
            ..EvalDocument::new(
                context.config_path,
                context.backend,
                outcome.mode.name(),
                metrics,
            )
        }
    }
}

fn metrics(outcome: &ScoreOutcome, undefined: &mut BTreeMap<String, String>) -> Metrics {
    let found = &outcome.metrics;
    let mut take = |name: &str, value: &MetricValue| {
        match value {
            MetricValue::Undefined { reason } => {
                undefined.insert(name.to_owned(), reason.clone());
            }
            MetricValue::Defined { ci_undefined, .. } => {
                let why = ci_undefined.iter().cloned();
                undefined.extend(why.map(|why| (format!("{name}_ci"), why)));
            }
        }
        (value.value(), interval(value))
    };
    let type_accuracy = take("action_type_accuracy", &found.action_type_accuracy);
    let coord_error = take("mean_coord_error", &found.mean_coord_error);
    let success = take("episode_success_rate", &found.episode_success_rate);
    let click = take("click_hit_rate", &found.click_hit_rate);
    let bbox = take("bbox_hit_rate", &found.bbox_hit_rate);
    let progress = take("mean_episode_progress", &found.mean_episode_progress);
    let step_score = take("mean_episode_step_score", &found.mean_episode_step_score);
    let weak = take(
        "weak_episode_success_rate",
        &found.weak_episode_success_rate,
    );
    let state = take("state_success_rate", &found.state_success_rate);
    let element = take("element_accuracy", &found.element_accuracy);
    Metrics {
        num_episodes: found.num_episodes,
        num_steps: found.num_steps,
        action_type_accuracy: type_accuracy.0,
        mean_coord_error: coord_error.0,
        coord_error_count: found.coord_error_count,
        episode_success_rate: success.0,
        click_hit_rate: click.0,
        bbox_hit_rate: bbox.0,
        mean_episode_progress: progress.0,
        mean_episode_step_score: step_score.0,
        weak_episode_success_rate: weak.0,
        state_success_rate: state.0,
        element_accuracy: element.0,
        action_type_accuracy_ci: type_accuracy.1,
        mean_coord_error_ci: coord_error.1,
        episode_success_rate_ci: success.1,
        click_hit_rate_ci: click.1,
        bbox_hit_rate_ci: bbox.1,
        mean_episode_progress_ci: progress.1,
        mean_episode_step_score_ci: step_score.1,
        weak_episode_success_rate_ci: weak.1,
        state_success_rate_ci: state.1,
        element_accuracy_ci: element.1,
        extra_steps: Some(outcome.counts.extra_steps),
        other: Map::new(),
    }
}

fn of_type(found: &TypeMetrics) -> ActionTypeMetrics {
    ActionTypeMetrics {
        num_steps: Some(found.num_steps),
        action_type_accuracy: found.action_type_accuracy.value(),
        step_score: found.step_score.value(),
        mean_coord_error: found.mean_coord_error.value(),
        coord_error_count: Some(found.coord_error_count),
        click_hit_rate: found.click_hit_rate.value(),
        bbox_count: Some(n(&found.bbox_hit_rate)),
        bbox_hit_rate: found.bbox_hit_rate.value(),
        element_count: Some(n(&found.element_accuracy)),
        element_accuracy: found.element_accuracy.value(),
        action_type_accuracy_ci: interval(&found.action_type_accuracy),
        step_score_ci: interval(&found.step_score),
        click_hit_rate_ci: interval(&found.click_hit_rate),
        bbox_hit_rate_ci: interval(&found.bbox_hit_rate),
        element_accuracy_ci: interval(&found.element_accuracy),
        other: Map::new(),
    }
}

/// What a value rests on; a rate without a value rests on nothing.
fn n(value: &MetricValue) -> u64 {
    match value {
        MetricValue::Defined { n, .. } => *n,
        MetricValue::Undefined { .. } => 0,
    }
}

fn interval(value: &MetricValue) -> Option<[f64; 2]> {
    match value {
        MetricValue::Defined { ci, .. } => *ci,
        MetricValue::Undefined { .. } => None,
    }
}

fn rows(rows: RowCounts) -> InputRows {
    InputRows {
        inputs: rows.inputs,
        records: rows.records,
        rejects: rows.rejects,
    }
}

#[cfg(test)]
#[path = "scored_tests.rs"]
mod tests;
