//! The metrics of a run, each with its n and interval, or the reason for having none.

use judica_model::metric::MetricValue;
use judica_stats::{ExactSum, wilson_interval};
use serde::Serialize;

use super::counts::Tally;
use super::intervals::{CONFIDENCE, intervals};
use super::types::TypeTally;
use crate::action::Mode;
use crate::score::episode::Totals;

/// The metrics of the eval JSON, in its order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Episodes that were compared.
    pub num_episodes: u64,
    /// Their steps, without those that were left out.
    pub num_steps: u64,
    /// The share of steps whose type matches.
    pub action_type_accuracy: MetricValue,
    /// The mean distance of clicks and drags from their targets.
    pub mean_coord_error: MetricValue,
    /// How many distances that is.
    pub coord_error_count: u64,
    /// The share of episodes with steps of which every step's type matches.
    pub episode_success_rate: MetricValue,
    /// The share of distances that are hits.
    pub click_hit_rate: MetricValue,
    /// The share of targets with an area that were hit.
    pub bbox_hit_rate: MetricValue,
    /// The mean over episodes of the share of steps whose type matches.
    pub mean_episode_progress: MetricValue,
    /// The mean over episodes of the share of steps that are right in all.
    pub mean_episode_step_score: MetricValue,
    /// The share of episodes with milestones that reached them all.
    pub weak_episode_success_rate: MetricValue,
    /// The share of episodes that say whether they succeeded and say yes.
    pub state_success_rate: MetricValue,
    /// The share of marked targets that were named.
    pub element_accuracy: MetricValue,
}

/// Every numerator and denominator, so that every rate can be made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Episodes that were compared.
    pub episodes: u64,
    /// Those with at least one step that was compared.
    pub episodes_with_steps: u64,
    /// Those without any prediction.
    pub episodes_without_predictions: u64,
    /// Those of which every step's type matches.
    pub successful_episodes: u64,
    /// Those with milestones.
    pub episodes_with_milestones: u64,
    /// Those that reached all of them.
    pub weakly_successful_episodes: u64,
    /// Those whose model says whether it succeeded.
    pub episodes_with_state: u64,
    /// Those whose model says yes.
    pub state_successes: u64,
    /// Steps that were compared.
    pub steps: u64,
    /// Recorded steps that were left out.
    pub left_out_steps: u64,
    /// Steps without a predicted action.
    pub missing_steps: u64,
    /// Steps whose predicted action cannot be read.
    pub unreadable_steps: u64,
    /// Recorded clicks, drags and types without an element index; 0 in coord mode.
    pub steps_without_index: u64,
    /// Predicted points outside the screen; 0 in som mode.
    pub points_outside: u64,
    /// Predicted actions beyond the end of their episode.
    pub extra_steps: u64,
    /// Steps whose type matches.
    pub type_matches: u64,
    /// Steps that are right in all.
    pub full_steps: u64,
    /// Distances that were measured.
    pub coord_errors: u64,
    /// Those that are hits.
    pub click_hits: u64,
    /// Targets with an area.
    pub bbox_targets: u64,
    /// Those that were hit.
    pub bbox_hits: u64,
    /// Marked targets.
    pub element_targets: u64,
    /// Those that were named.
    pub element_hits: u64,
}

/// The metrics of one type of recorded action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TypeMetrics {
    /// The type.
    pub action_type: String,
    /// Its steps.
    pub num_steps: u64,
    /// The share of them whose type matches.
    pub action_type_accuracy: MetricValue,
    /// The share of them that are right in all.
    pub step_score: MetricValue,
    /// The mean distance from their targets.
    pub mean_coord_error: MetricValue,
    /// How many distances that is.
    pub coord_error_count: u64,
    /// The share of distances that are hits.
    pub click_hit_rate: MetricValue,
    /// The share of targets with an area that were hit.
    pub bbox_hit_rate: MetricValue,
    /// The share of marked targets that were named.
    pub element_accuracy: MetricValue,
}

/// A rate with its Wilson interval.
fn rate(hits: u64, n: u64, reason: &str) -> MetricValue {
    match wilson_interval(hits, n, CONFIDENCE) {
        Some(ci) => MetricValue::new(hits as f64 / n as f64, n).with_ci([ci.lo, ci.hi]),
        None => MetricValue::undefined(reason),
    }
}

fn mean(sum: &ExactSum, n: u64, ci: Option<[f64; 2]>, reason: &str) -> MetricValue {
    let Some(mean) = sum.mean(n) else {
        return MetricValue::undefined(reason);
    };
    let value = MetricValue::new(mean, n);
    match ci {
        Some(ci) => value.with_ci(ci),
        None => value,
    }
}

/// Why there is nothing to divide by.
struct Reasons {
    coord: String,
    bbox: String,
    element: String,
}

fn reasons(tally: &Tally, mode: Mode) -> Reasons {
    const NOT_IN_SOM: &str = "not measured in som mode";
    // Something that could not be used is the better reason.
    let unused = match &tally.elsewhere_at {
        _ if tally.targets > 0 => String::new(),
        _ if tally.in_pixels.count > 0 => "; those in pixels need --screen".to_owned(),
        Some(at) => format!("; {at} is not looked at"),
        None => String::new(),
    };
    match mode {
        Mode::Coord => Reasons {
            coord: format!("no click or drag has coordinates on both sides{unused}"),
            bbox: format!("no recorded click or drag has a bounding box{unused}"),
            element: "not measured in coord mode".to_owned(),
        },
        Mode::Som => Reasons {
            coord: NOT_IN_SOM.to_owned(),
            bbox: NOT_IN_SOM.to_owned(),
            element: format!("no recorded click, drag or type has an element index{unused}"),
        },
    }
}

/// The metrics of a tally.
pub fn metrics(tally: &Tally, mode: Mode, threads: usize) -> Metrics {
    const NO_STEPS: &str = "no episode has a step";
    let reasons = reasons(tally, mode);
    let ci = intervals(tally, threads);
    let Totals {
        steps,
        type_matches,
        coord_errors,
        hits,
        ..
    } = tally.totals;
    let with_steps = tally.episodes - tally.empty;
    let [weak, weakly] = tally.weak;
    let [stated, succeeded] = tally.stated;
    Metrics {
        num_episodes: tally.episodes,
        num_steps: steps,
        action_type_accuracy: rate(type_matches, steps, NO_STEPS),
        mean_coord_error: mean(
            &tally.coord_error,
            coord_errors,
            ci.coord_error,
            &reasons.coord,
        ),
        coord_error_count: coord_errors,
        episode_success_rate: rate(tally.successes, with_steps, NO_STEPS),
        click_hit_rate: rate(hits, coord_errors, &reasons.coord),
        bbox_hit_rate: bbox(&tally.totals, &reasons),
        mean_episode_progress: mean(&tally.progress, with_steps, ci.progress, NO_STEPS),
        mean_episode_step_score: mean(&tally.step_score, with_steps, ci.step_score, NO_STEPS),
        weak_episode_success_rate: rate(weakly, weak, "no episode defines milestones"),
        state_success_rate: rate(succeeded, stated, "no prediction states `success`"),
        element_accuracy: element(&tally.totals, &reasons),
    }
}

fn bbox(totals: &Totals, reasons: &Reasons) -> MetricValue {
    rate(totals.bbox_hits, totals.bbox_targets, &reasons.bbox)
}

fn element(totals: &Totals, reasons: &Reasons) -> MetricValue {
    rate(
        totals.element_hits,
        totals.element_targets,
        &reasons.element,
    )
}

/// The metrics of each type of recorded action, sorted by name.
pub fn by_type(tally: &Tally, mode: Mode) -> Vec<TypeMetrics> {
    let reasons = reasons(tally, mode);
    let of = |tally: &TypeTally| {
        let totals = &tally.totals;
        let nothing = ExactSum::new();
        let errors = tally.coord_error.as_deref().unwrap_or(&nothing);
        const NO_STEPS: &str = "no such step";
        TypeMetrics {
            action_type: tally.name.to_string(),
            num_steps: totals.steps,
            action_type_accuracy: rate(totals.type_matches, totals.steps, NO_STEPS),
            step_score: rate(totals.full, totals.steps, NO_STEPS),
            mean_coord_error: mean(errors, totals.coord_errors, None, &reasons.coord),
            coord_error_count: totals.coord_errors,
            click_hit_rate: rate(totals.hits, totals.coord_errors, &reasons.coord),
            bbox_hit_rate: bbox(totals, &reasons),
            element_accuracy: element(totals, &reasons),
        }
    };
    tally.types.sorted().into_iter().map(of).collect()
}

/// The counts of a tally.
pub fn counts(tally: &Tally) -> Counts {
    let totals = &tally.totals;
    Counts {
        episodes: tally.episodes,
        episodes_with_steps: tally.episodes - tally.empty,
        episodes_without_predictions: tally.without_predictions,
        successful_episodes: tally.successes,
        episodes_with_milestones: tally.weak[0],
        weakly_successful_episodes: tally.weak[1],
        episodes_with_state: tally.stated[0],
        state_successes: tally.stated[1],
        steps: totals.steps,
        left_out_steps: totals.left_out,
        missing_steps: totals.missing,
        unreadable_steps: totals.unreadable,
        steps_without_index: tally.without_index,
        points_outside: tally.outside.count,
        extra_steps: tally.extra_steps,
        type_matches: totals.type_matches,
        full_steps: totals.full,
        coord_errors: totals.coord_errors,
        click_hits: totals.hits,
        bbox_targets: totals.bbox_targets,
        bbox_hits: totals.bbox_hits,
        element_targets: totals.element_targets,
        element_hits: totals.element_hits,
    }
}
