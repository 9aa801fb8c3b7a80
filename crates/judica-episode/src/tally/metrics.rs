//! The metrics of a run, each with its n and interval, or the reason for having none.

use judica_model::metric::MetricValue;
use judica_model::run::within;
use judica_run::values::with_interval;
use judica_stats::ExactSum;
use judica_stats::clusters::Intervals;
use judica_stats::estimate::{Estimate, Kind, estimates};
use judica_stats::keyed::ByCluster;
use serde::Serialize;

use super::counts::Tally;
use super::types::TypeTally;
use crate::action::Mode;
use crate::eval_json::catalogue::{self, spec};
use crate::family::{METRICS, place};
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

/// A tally whose episodes are in the order of what they stand or fall with.
pub struct Measured<'t> {
    tally: &'t Tally,
    episodes: ByCluster,
    intervals: Intervals,
    /// The metrics of records, in their order.
    found: Vec<Option<Estimate>>,
}

/// What a metric is, as far as its interval goes.
fn kind(name: &str) -> Kind {
    match spec(name).map(|spec| spec.kind) {
        Some(catalogue::Kind::Rate) => Kind::Rate,
        _ => Kind::Mean,
    }
}

/// With the interval of an estimate, or why there is none.
fn estimated(value: MetricValue, found: Option<Estimate>) -> MetricValue {
    match found {
        Some(found) => with_interval(value, found.ci),
        None => value,
    }
}

impl<'t> Measured<'t> {
    /// The result does not depend on `threads`.
    pub fn new(tally: &'t Tally, threads: usize) -> Self {
        let intervals = Intervals::on_threads(threads);
        let episodes = tally.keys.by_cluster();
        let mut found = vec![None; METRICS.len()];
        // All means at once: they are resampled side by side.
        for wanted in [Kind::Rate, Kind::Mean] {
            let names = METRICS.iter().map(|(name, _)| kind(name)).enumerate();
            let places = names.filter(|(_, kind)| *kind == wanted);
            let places: Vec<usize> = places.map(|(at, _)| at).collect();
            let terms = |at: usize| episodes.clustered(|episode| tally.terms[episode][at]);
            let all = places.iter().map(|at| terms(*at)).collect();
            for (at, estimate) in places.iter().zip(estimates(all, wanted, &intervals)) {
                found[*at] = estimate;
            }
        }
        Measured {
            tally,
            episodes,
            intervals,
            found,
        }
    }

    /// A metric of a run, with what it rests on.
    fn of(&self, name: &str, value: Option<f64>, n: u64, reason: &str) -> MetricValue {
        let (Some(value), Some(at)) = (value, place(name)) else {
            return MetricValue::undefined(reason);
        };
        // As of records, and readers of eval files take ends beyond for a mistake.
        let range = spec(name).map(|spec| spec.kind.range());
        let most = within(range, [f64::NEG_INFINITY, f64::INFINITY]);
        estimated(MetricValue::new(value, n), self.found[at]).within(most)
    }

    /// The metrics of the eval file.
    pub fn metrics(&self, mode: Mode) -> Metrics {
        const NO_STEPS: &str = "no episode has a step";
        let tally = self.tally;
        let reasons = reasons(tally, mode);
        let rate = |name: &str, hits: u64, n: u64, reason: &str| {
            self.of(name, (n > 0).then(|| hits as f64 / n as f64), n, reason)
        };
        let mean = |name: &str, sum: &ExactSum, n: u64, reason: &str| {
            self.of(name, sum.mean(n), n, reason)
        };
        let Totals {
            steps,
            type_matches,
            coord_errors,
            hits,
            bbox_hits,
            bbox_targets,
            element_hits,
            element_targets,
            ..
        } = tally.totals;
        let with_steps = tally.episodes - tally.empty;
        let [weak, weakly] = tally.weak;
        let [stated, succeeded] = tally.stated;
        Metrics {
            num_episodes: tally.episodes,
            num_steps: steps,
            action_type_accuracy: rate("action_type_accuracy", type_matches, steps, NO_STEPS),
            mean_coord_error: mean(
                "mean_coord_error",
                &tally.coord_error,
                coord_errors,
                &reasons.coord,
            ),
            coord_error_count: coord_errors,
            episode_success_rate: rate(
                "episode_success_rate",
                tally.successes,
                with_steps,
                NO_STEPS,
            ),
            click_hit_rate: rate("click_hit_rate", hits, coord_errors, &reasons.coord),
            bbox_hit_rate: rate("bbox_hit_rate", bbox_hits, bbox_targets, &reasons.bbox),
            mean_episode_progress: mean(
                "mean_episode_progress",
                &tally.progress,
                with_steps,
                NO_STEPS,
            ),
            mean_episode_step_score: mean(
                "mean_episode_step_score",
                &tally.step_score,
                with_steps,
                NO_STEPS,
            ),
            weak_episode_success_rate: rate(
                "weak_episode_success_rate",
                weakly,
                weak,
                "no episode defines milestones",
            ),
            state_success_rate: rate(
                "state_success_rate",
                succeeded,
                stated,
                "no prediction states `success`",
            ),
            element_accuracy: rate(
                "element_accuracy",
                element_hits,
                element_targets,
                &reasons.element,
            ),
        }
    }

    /// The metrics of each type of recorded action, sorted by name.
    pub fn by_type(&self, mode: Mode) -> Vec<TypeMetrics> {
        let reasons = reasons(self.tally, mode);
        let types = self.tally.types.sorted();
        types.iter().map(|of| self.of_type(of, &reasons)).collect()
    }

    fn of_type(&self, tally: &TypeTally, reasons: &Reasons) -> TypeMetrics {
        const NO_STEPS: &str = "no such step";
        let mut of_episode = vec![None; self.tally.terms.len()];
        for (episode, totals) in &tally.episodes {
            of_episode[*episode as usize] = Some(totals);
        }
        let rate = |of: fn(&Totals) -> [u64; 2], reason: &str| {
            let [hits, n] = of(&tally.totals);
            if n == 0 {
                return MetricValue::undefined(reason);
            }
            let terms = |episode: usize| {
                let totals = of_episode[episode];
                totals.map_or([0.0; 2], |totals| of(totals).map(|count| count as f64))
            };
            let found = self.episodes.estimate(Kind::Rate, &self.intervals, terms);
            estimated(MetricValue::new(hits as f64 / n as f64, n), found)
        };
        let totals = &tally.totals;
        let errors = tally.coord_error.as_deref();
        let errors = errors.and_then(|sum| sum.mean(totals.coord_errors));
        TypeMetrics {
            action_type: tally.name.to_string(),
            num_steps: totals.steps,
            action_type_accuracy: rate(|of| [of.type_matches, of.steps], NO_STEPS),
            step_score: rate(|of| [of.full, of.steps], NO_STEPS),
            mean_coord_error: match errors {
                Some(mean) => MetricValue::new(mean, totals.coord_errors),
                None => MetricValue::undefined(&*reasons.coord),
            },
            coord_error_count: totals.coord_errors,
            click_hit_rate: rate(|of| [of.hits, of.coord_errors], &reasons.coord),
            bbox_hit_rate: rate(|of| [of.bbox_hits, of.bbox_targets], &reasons.bbox),
            element_accuracy: rate(|of| [of.element_hits, of.element_targets], &reasons.element),
        }
    }
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
