//! The block of metrics. Fields are in the order in which they are written.
//!
//! The first thirteen are those of the first published shape, in its order. The doc
//! comments are the descriptions of the published JSON Schema.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// All metrics of an evaluation. A metric is null where it does not apply or its
/// denominator is 0; that is not an error. Unknown metrics are allowed and kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Metrics {
    /// Number of episodes evaluated.
    pub num_episodes: u64,
    /// Number of steps across all episodes.
    pub num_steps: u64,
    /// Fraction of steps with the right type of action. Null only if there is no step.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub action_type_accuracy: Option<f64>,
    /// Mean normalised L2 distance of clicks and drags from their targets; lower is better.
    /// Null if no prediction has coordinates to compare.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub mean_coord_error: Option<f64>,
    /// Number of clicks and drags whose coordinates could be compared.
    pub coord_error_count: u64,
    /// Fraction of episodes in which every step has the right type of action. Null only if
    /// there is no episode.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub episode_success_rate: Option<f64>,
    /// Fraction of compared clicks and drags less than 0.05 away from their targets. Null if
    /// none could be compared.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub click_hit_rate: Option<f64>,
    /// Fraction of clicks and drags inside the bounding box of their element. Null if no
    /// recorded action has a bounding box.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bbox_hit_rate: Option<f64>,
    /// Mean over episodes of the fraction of steps with the right type of action.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mean_episode_progress: Option<f64>,
    /// Mean over episodes of the fraction of steps that are right in full: the type, and the
    /// target where there is one.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mean_episode_step_score: Option<f64>,
    /// Fraction of episodes that reach all their milestones. Null if no episode has any.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weak_episode_success_rate: Option<f64>,
    /// Fraction of episodes whose last stated success is true. Null if none was stated.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub state_success_rate: Option<f64>,
    /// Fraction of steps that choose the right element. Null in coordinate mode.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub element_accuracy: Option<f64>,

    /// 95 % interval of `action_type_accuracy`, over episodes.
    #[serde(default)]
    pub action_type_accuracy_ci: Option<[f64; 2]>,
    /// 95 % interval of `mean_coord_error`, over episodes.
    #[serde(default)]
    pub mean_coord_error_ci: Option<[f64; 2]>,
    /// 95 % interval of `episode_success_rate`, over episodes.
    #[serde(default)]
    pub episode_success_rate_ci: Option<[f64; 2]>,
    /// 95 % interval of `click_hit_rate`, over episodes.
    #[serde(default)]
    pub click_hit_rate_ci: Option<[f64; 2]>,
    /// 95 % interval of `bbox_hit_rate`, over episodes.
    #[serde(default)]
    pub bbox_hit_rate_ci: Option<[f64; 2]>,
    /// 95 % interval of `mean_episode_progress`, over episodes.
    #[serde(default)]
    pub mean_episode_progress_ci: Option<[f64; 2]>,
    /// 95 % interval of `mean_episode_step_score`, over episodes.
    #[serde(default)]
    pub mean_episode_step_score_ci: Option<[f64; 2]>,
    /// 95 % interval of `weak_episode_success_rate`, over episodes.
    #[serde(default)]
    pub weak_episode_success_rate_ci: Option<[f64; 2]>,
    /// 95 % interval of `state_success_rate`, over episodes.
    #[serde(default)]
    pub state_success_rate_ci: Option<[f64; 2]>,
    /// 95 % interval of `element_accuracy`, over episodes.
    #[serde(default)]
    pub element_accuracy_ci: Option<[f64; 2]>,

    /// Number of predicted steps beyond the end of their recorded episode.
    #[serde(default)]
    pub extra_steps: Option<u64>,

    /// Metrics this version does not know, as they stood.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The metrics of the steps whose recorded action has one type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ActionTypeMetrics {
    /// Number of steps whose recorded action has this type.
    #[serde(default)]
    pub num_steps: Option<u64>,
    /// Fraction of them predicted with this type.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub action_type_accuracy: Option<f64>,
    /// Fraction of them that are right in full: the type, and the target where there is one.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub step_score: Option<f64>,
    /// Mean distance from their targets.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub mean_coord_error: Option<f64>,
    /// Number of them whose coordinates could be compared.
    #[serde(default)]
    pub coord_error_count: Option<u64>,
    /// Fraction of those less than 0.05 away.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub click_hit_rate: Option<f64>,
    /// Number of them that have a bounding box.
    #[serde(default)]
    pub bbox_count: Option<u64>,
    /// Fraction of those inside it.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bbox_hit_rate: Option<f64>,
    /// Number of them that have an element to choose.
    #[serde(default)]
    pub element_count: Option<u64>,
    /// Fraction of those that choose the right one.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub element_accuracy: Option<f64>,
    /// 95 % interval of `action_type_accuracy`, over episodes.
    #[serde(default)]
    pub action_type_accuracy_ci: Option<[f64; 2]>,
    /// 95 % interval of `step_score`, over episodes.
    #[serde(default)]
    pub step_score_ci: Option<[f64; 2]>,
    /// 95 % interval of `click_hit_rate`, over episodes.
    #[serde(default)]
    pub click_hit_rate_ci: Option<[f64; 2]>,
    /// 95 % interval of `bbox_hit_rate`, over episodes.
    #[serde(default)]
    pub bbox_hit_rate_ci: Option<[f64; 2]>,
    /// 95 % interval of `element_accuracy`, over episodes.
    #[serde(default)]
    pub element_accuracy_ci: Option<[f64; 2]>,
    /// What this version does not know, as it stood.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Rows of an input: `inputs = records + rejects`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputRows {
    /// All of them.
    pub inputs: u64,
    /// Those that were used.
    pub records: u64,
    /// Those that were refused.
    pub rejects: u64,
}

/// The count that a value spells, if it spells one: also as a number without a fraction, such
/// as `32.0`.
pub(crate) fn whole(value: &Value) -> Option<u64> {
    // 2^64 and above do not fit; the cast would stop at the largest.
    let float = || {
        value
            .as_f64()
            .filter(|v| *v >= 0.0 && v.fract() == 0.0 && *v < 18_446_744_073_709_551_616.0)
            .map(|v| v as u64)
    };
    value.as_u64().or_else(float)
}

#[cfg(test)]
mod tests {
    use super::whole;
    use serde_json::json;

    #[test]
    fn counts_may_be_spelt_with_a_point_but_not_with_a_fraction() {
        for (spelt, read) in [
            (json!(32.0), Some(32)),
            (json!(1e3), Some(1000)),
            (json!(u64::MAX), Some(u64::MAX)),
            (json!(32.5), None),
            (json!(-1), None),
            (json!(1.8446744073709552e19), None),
            (json!("32"), None),
            (json!(null), None),
            (json!(true), None),
        ] {
            assert_eq!(whole(&spelt), read, "{spelt}");
        }
    }
}
