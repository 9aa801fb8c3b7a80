//! What became of each episode: one JSON line each, in the order of the episodes.
//!
//! A line holds the numbers of the episode, one entry per step, and the evidence: an atom
//! for every check, so that a failed click can be looked at. Whoever compares two runs
//! needs the numbers only; reading leaves the evidence where it is.

mod atom;
pub mod evidence;

use std::path::Path;

use judica_data::error::DataError;
use judica_data::lines::ValueReader;
use serde::{Deserialize, Serialize};

use crate::score::episode::Compared;

/// One episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeDetail {
    /// What it is called.
    pub episode_id: String,
    /// Of which data set, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Which repeat of it; the first is not told.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub epoch: i32,
    /// What it stands or falls with, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What was to be done.
    #[serde(default)]
    pub goal: Option<String>,
    /// Steps that were compared.
    pub n_steps: u64,
    /// Steps whose type matches.
    pub type_matches: u64,
    /// Steps that are right in all.
    pub full_steps: u64,
    /// Steps without a predicted action.
    pub missing_steps: u64,
    /// Steps whose predicted action cannot be read.
    #[serde(default)]
    pub unreadable_steps: u64,
    /// Predicted actions beyond the end.
    pub extra_steps: u64,
    /// The share of steps whose type matches; null without steps.
    pub progress: Option<f64>,
    /// The share of steps that are right in all; null without steps.
    pub step_score: Option<f64>,
    /// Whether every step's type matches; null without steps.
    pub success: Option<bool>,
    /// Whether every milestone was reached; null without milestones.
    pub weak_success: Option<bool>,
    /// What the model said last about success; null if it said nothing.
    pub state_success: Option<bool>,
    /// The sum of the distances from targets; null if none was measured.
    pub coord_error_sum: Option<f64>,
    /// How many distances that is.
    pub coord_error_count: u64,
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
    /// The steps that were compared.
    pub steps: Vec<StepDetail>,
}

fn first() -> i32 {
    1
}

fn is_first(epoch: &i32) -> bool {
    *epoch == 1
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepDetail {
    /// Its place in the recording, from 0, steps that were left out included.
    pub index: u64,
    /// The recorded type.
    pub gold_type: String,
    /// The predicted type; null if nothing was predicted, or nothing that can be read.
    pub predicted_type: Option<String>,
    /// Whether something was predicted that cannot be read.
    #[serde(default)]
    pub unreadable: bool,
    /// Whether they are the same.
    pub type_match: bool,
    /// Whether the target was hit, too, if there is one.
    pub full: bool,
    /// The distance from the target, where it was measured.
    pub coord_error: Option<f64>,
    /// Whether that is a hit.
    pub hit: Option<bool>,
    /// Whether the target's area was hit.
    pub bbox_hit: Option<bool>,
    /// Whether the marked target was named.
    pub element_hit: Option<bool>,
}

/// Appends the line of an episode.
pub fn write_line(of: &Compared, out: &mut Vec<u8>) {
    let detail = detail(of);
    // Our own shapes hold text, numbers and lists only; they always serialise. The object
    // stays open for the evidence, which is no part of what is read back.
    let json = serde_json::to_vec(&detail).unwrap_or_default();
    out.extend_from_slice(json.strip_suffix(b"}").unwrap_or(&json));
    out.extend_from_slice(b",\"evidence\":{\"atoms\":");
    evidence::write_atoms(of, out);
    out.extend_from_slice(b"}}\n");
}

fn detail(of: &Compared) -> EpisodeDetail {
    let Compared {
        episode,
        steps,
        predicted,
        outcome,
        ..
    } = *of;
    let totals = &outcome.totals;
    let mut entries = Vec::with_capacity(totals.steps as usize);
    for (index, (gold, verdict)) in steps.iter().zip(&outcome.verdicts).enumerate() {
        let (Some(gold), Some(verdict)) = (gold, verdict) else {
            continue;
        };
        entries.push(StepDetail {
            index: index as u64,
            gold_type: gold.name.clone().into_owned(),
            predicted_type: predicted.action(index).map(|a| a.name.clone().into_owned()),
            unreadable: verdict.unreadable,
            type_match: verdict.type_match,
            full: verdict.full,
            coord_error: verdict.coord_error,
            hit: verdict.hit,
            bbox_hit: verdict.bbox_hit,
            element_hit: verdict.element_hit,
        });
    }
    EpisodeDetail {
        episode_id: episode.name.clone().into_owned(),
        dataset: episode.dataset.as_deref().map(str::to_owned),
        epoch: episode.epoch.unwrap_or(1),
        cluster: of.cluster().map(str::to_owned),
        goal: episode.goal.clone().map(|goal| goal.into_owned()),
        n_steps: totals.steps,
        type_matches: totals.type_matches,
        full_steps: totals.full,
        missing_steps: totals.missing,
        unreadable_steps: totals.unreadable,
        extra_steps: predicted.extra_steps,
        progress: totals.progress(),
        step_score: totals.step_score(),
        success: totals.success(),
        weak_success: outcome.weak_success(),
        state_success: outcome.state_success,
        coord_error_sum: outcome.coord_error_sum(),
        coord_error_count: totals.coord_errors,
        click_hits: totals.hits,
        bbox_targets: totals.bbox_targets,
        bbox_hits: totals.bbox_hits,
        element_targets: totals.element_targets,
        element_hits: totals.element_hits,
        steps: entries,
    }
}

/// Reads a file of details, one episode after the other, up to the first error.
pub fn read(path: &Path) -> Result<ValueReader<EpisodeDetail>, DataError> {
    ValueReader::open(path, "a detail of an episode", |bytes| {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    })
}
