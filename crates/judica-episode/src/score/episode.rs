//! One episode against all that was predicted for it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use judica_data::rejects::Refusal;

use super::step::{StepScore, judge};
use crate::action::{Action, Mode};
use crate::load::episode::Episode;
use crate::load::milestone::Milestone;
use crate::load::prediction::{Did, PredictedStep, Prediction};
use crate::load::usage::Usage;

/// The predictions of one episode, gathered row by row.
#[derive(Debug, Default)]
pub struct Gathered<'a> {
    form: Option<Form>,
    /// Steps that the recorded episode has, too.
    slots: Vec<Option<PredictedStep<'a>>>,
    /// Actions beyond its end, those that cannot be read included.
    pub extra_steps: u64,
    /// Which single steps beyond its end were predicted.
    beyond: BTreeSet<u64>,
    /// What was said last beyond its end about success, and at which step.
    last_beyond: Option<(u64, bool)>,
    /// What the rows say they stand or fall with.
    pub cluster: Option<Cow<'a, str>>,
    /// What they took together.
    pub usage: Usage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    Steps,
}

impl<'a> Gathered<'a> {
    /// Nothing yet, for an episode of so many steps. Memory is used again.
    pub fn reset(&mut self, steps: usize) {
        self.form = None;
        self.slots.clear();
        self.slots.resize_with(steps, || None);
        self.extra_steps = 0;
        self.beyond.clear();
        self.last_beyond = None;
        self.cluster = None;
        self.usage = Usage::default();
    }

    /// Whether any row was taken.
    pub fn any(&self) -> bool {
        self.form.is_some()
    }

    /// Adds a row. What is predicted twice counts as it was predicted first.
    pub fn add(&mut self, row: Prediction<'a>) -> Result<(), Refusal> {
        let (usage, cluster) = (row.usage, row.cluster.clone());
        self.put_row(row)?;
        self.usage.add(&usage);
        self.cluster = self.cluster.take().or(cluster);
        Ok(())
    }

    fn put_row(&mut self, row: Prediction<'a>) -> Result<(), Refusal> {
        match (self.form, row.step_index) {
            (Some(Form::Whole), _) | (Some(Form::Steps), None) => Err(Refusal::new(
                "duplicate_prediction",
                format!("{:?} was predicted before", row.name),
            )),
            (None, None) => {
                self.form = Some(Form::Whole);
                for (index, step) in row.steps.into_iter().enumerate() {
                    self.put(index as u64, step);
                }
                Ok(())
            }
            (_, Some(index)) => {
                let place = usize::try_from(index).ok().and_then(|i| self.slots.get(i));
                let taken = match place {
                    Some(slot) => slot.is_some(),
                    None => !self.beyond.insert(index),
                };
                if taken {
                    let detail = format!("step {index} of {:?} was predicted before", row.name);
                    return Err(Refusal::new("duplicate_step", detail));
                }
                self.form = Some(Form::Steps);
                let step = row.steps.into_iter().next().unwrap_or_default();
                self.put(index, step);
                Ok(())
            }
        }
    }

    fn put(&mut self, index: u64, step: PredictedStep<'a>) {
        let place = usize::try_from(index).ok();
        if let Some(slot) = place.and_then(|i| self.slots.get_mut(i)) {
            *slot = Some(step);
            return;
        }
        self.extra_steps += u64::from(step.did != Did::Nothing);
        if let Some(success) = step.success
            && self.last_beyond.is_none_or(|(last, _)| last < index)
        {
            self.last_beyond = Some((index, success));
        }
    }

    /// What was done at a step.
    pub fn did(&self, index: usize) -> &Did<'a> {
        let step = self.slots.get(index).and_then(Option::as_ref);
        step.map_or(&Did::Nothing, |step| &step.did)
    }

    /// The action predicted for a step, if there is one that can be read.
    pub fn action(&self, index: usize) -> Option<&Action<'a>> {
        match self.did(index) {
            Did::Action(action) => Some(action),
            Did::Nothing | Did::Unreadable(_) => None,
        }
    }
}

/// What one episode adds up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Steps that were compared.
    pub steps: u64,
    /// Steps that were left out.
    pub left_out: u64,
    /// Steps without a prediction.
    pub missing: u64,
    /// Steps whose prediction cannot be read.
    pub unreadable: u64,
    /// Steps whose types match.
    pub type_matches: u64,
    /// Steps that are right in all.
    pub full: u64,
    /// Coordinate errors.
    pub coord_errors: u64,
    /// Those that are hits.
    pub hits: u64,
    /// Targets with an area.
    pub bbox_targets: u64,
    /// Those that were hit.
    pub bbox_hits: u64,
    /// Targets with a mark.
    pub element_targets: u64,
    /// Those that were hit.
    pub element_hits: u64,
}

impl Totals {
    /// Counts a step.
    pub fn add(&mut self, verdict: &StepScore) {
        self.steps += 1;
        self.missing += u64::from(!verdict.predicted);
        self.unreadable += u64::from(verdict.unreadable);
        self.type_matches += u64::from(verdict.type_match);
        self.full += u64::from(verdict.full);
        let mut count = |all: fn(&mut Totals) -> (&mut u64, &mut u64), hit: Option<bool>| {
            let (targets, hits) = all(self);
            *targets += u64::from(hit.is_some());
            *hits += u64::from(hit == Some(true));
        };
        count(|t| (&mut t.coord_errors, &mut t.hits), verdict.hit);
        count(
            |t| (&mut t.bbox_targets, &mut t.bbox_hits),
            verdict.bbox_hit,
        );
        count(
            |t| (&mut t.element_targets, &mut t.element_hits),
            verdict.element_hit,
        );
    }

    /// Adds another's.
    pub fn merge(&mut self, other: &Totals) {
        self.steps += other.steps;
        self.left_out += other.left_out;
        self.missing += other.missing;
        self.unreadable += other.unreadable;
        self.type_matches += other.type_matches;
        self.full += other.full;
        self.coord_errors += other.coord_errors;
        self.hits += other.hits;
        self.bbox_targets += other.bbox_targets;
        self.bbox_hits += other.bbox_hits;
        self.element_targets += other.element_targets;
        self.element_hits += other.element_hits;
    }

    /// Whether every step's type matches; `None` without steps.
    pub fn success(&self) -> Option<bool> {
        (self.steps > 0).then_some(self.type_matches == self.steps)
    }

    /// The share of steps whose types match.
    pub fn progress(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.type_matches as f64 / self.steps as f64)
    }

    /// The share of steps that are right in all.
    pub fn step_score(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.full as f64 / self.steps as f64)
    }
}

/// How one episode went.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Counts.
    pub totals: Totals,
    /// One per recorded step; `None` for one that was left out.
    pub verdicts: Vec<Option<StepScore>>,
    /// Which milestones were reached.
    pub milestones: Vec<bool>,
    /// What the model said last about success.
    pub state_success: Option<bool>,
}

impl Outcome {
    /// The sum of the distances from targets, in the order of steps; `None` if there is none.
    pub fn coord_error_sum(&self) -> Option<f64> {
        let verdicts = self.verdicts.iter().flatten();
        let errors = verdicts.filter_map(|verdict| verdict.coord_error);
        errors.reduce(|sum, error| sum + error)
    }

    /// Whether every milestone was reached; `None` without milestones.
    pub fn weak_success(&self) -> Option<bool> {
        (!self.milestones.is_empty()).then(|| self.milestones.iter().all(|reached| *reached))
    }
}

/// An episode, what was predicted for it, and how it went.
#[derive(Clone, Copy)]
pub struct Compared<'c> {
    /// The episode.
    pub episode: &'c Episode<'c>,
    /// Its steps.
    pub steps: &'c [Option<Action<'c>>],
    /// What it was to reach.
    pub milestones: &'c [Milestone],
    /// What was predicted.
    pub predicted: &'c Gathered<'c>,
    /// How it went.
    pub outcome: &'c Outcome,
}

impl Compared<'_> {
    /// What it stands or falls with, where that is said.
    pub fn cluster(&self) -> Option<&str> {
        let own = self.episode.cluster.as_deref();
        own.or(self.predicted.cluster.as_deref())
    }
}

/// Compares an episode with its predictions. Memory of `outcome` is used again.
pub fn compare(
    mode: Mode,
    steps: &[Option<Action>],
    milestones: &[Milestone],
    predicted: &Gathered,
    outcome: &mut Outcome,
) {
    let Outcome {
        totals,
        verdicts,
        milestones: reached,
        state_success,
    } = outcome;
    *totals = Totals::default();
    *state_success = None;
    verdicts.clear();
    reached.clear();
    for (index, gold) in steps.iter().enumerate() {
        let Some(gold) = gold else {
            totals.left_out += 1;
            verdicts.push(None);
            continue;
        };
        let verdict = judge(mode, gold, predicted.did(index));
        totals.add(&verdict);
        verdicts.push(Some(verdict));
        if let Some(slot) = predicted.slots.get(index).and_then(Option::as_ref) {
            *state_success = slot.success.or(*state_success);
        }
    }
    if let Some((_, success)) = predicted.last_beyond {
        *state_success = Some(success);
    }
    reached.extend(milestones.iter().map(|milestone| {
        let index = usize::try_from(milestone.step_index).unwrap_or(usize::MAX);
        let gold = steps.get(index).and_then(Option::as_ref);
        let verdict = verdicts.get(index).copied().flatten();
        let (Some(gold), Some(verdict)) = (gold, verdict) else {
            return false;
        };
        let near = milestone
            .coord_threshold
            .is_none_or(|limit| verdict.coord_error.is_some_and(|error| error < limit));
        gold.name == milestone.action_type && verdict.type_match && near
    }));
}

#[cfg(test)]
#[path = "episode_tests.rs"]
mod tests;
