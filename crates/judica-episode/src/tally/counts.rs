//! What a run of episodes adds up to.

use judica_stats::ExactSum;
use judica_stats::keyed::Keys;

use super::types::TypeTallies;
use crate::action::Mode;
use crate::family::METRICS;
use crate::score::episode::{Compared, Totals};

/// Where something was seen first, and how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// How often.
    pub count: u64,
    /// The line of the episode and the step where it was seen first.
    pub first: Option<(u64, usize)>,
}

impl Sighting {
    fn see(&mut self, line: u64, step: usize) {
        self.count += 1;
        self.first.get_or_insert((line, step));
    }

    fn merge(&mut self, later: &Sighting) {
        self.count += later.count;
        self.first = self.first.or(later.first);
    }
}

/// What a run of episodes adds up to. Merging is exact, so that it does not matter how the
/// episodes were cut into runs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Episodes.
    pub episodes: u64,
    /// Episodes of which every step was left out, or that have none.
    pub empty: u64,
    /// Episodes without any prediction.
    pub without_predictions: u64,
    /// Predicted actions beyond the end of the episode.
    pub extra_steps: u64,
    /// Counts over all steps.
    pub totals: Totals,
    /// Episodes of which every step's type matches.
    pub successes: u64,
    /// Episodes with milestones, and those that reached them all.
    pub weak: [u64; 2],
    /// Episodes that say whether they succeeded, and those that say yes.
    pub stated: [u64; 2],
    /// Shares of matching types.
    pub progress: ExactSum,
    /// Shares of steps that are right in all.
    pub step_score: ExactSum,
    /// Coordinate errors.
    pub coord_error: ExactSum,
    /// By type.
    pub types: TypeTallies,
    /// What each episode stands or falls with,
    pub keys: Keys,
    /// and what it adds to each metric.
    pub terms: Vec<[[f64; 2]; METRICS.len()]>,
    /// Recorded steps with a target that was compared.
    pub targets: u64,
    /// Recorded clicks, drags and types without an element index, in som mode.
    pub without_index: u64,
    /// Recorded steps with a target in pixels that could not be used.
    pub in_pixels: Sighting,
    /// Recorded steps with something like a target where nothing looks.
    pub elsewhere: Sighting,
    /// Where in its step the first of them has it.
    pub elsewhere_at: Option<Box<str>>,
    /// Predicted points outside the screen.
    pub outside: Sighting,
    /// Recorded steps with a target that only the other mode compares.
    pub other_gold: Sighting,
    /// The same of predictions whose recorded step has a target that was compared.
    pub other_predicted: Sighting,
    /// Milestones that cannot be reached because no coordinate error is measured there.
    pub blind_milestones: Sighting,
}

impl Tally {
    /// Adds an episode.
    pub fn add(&mut self, mode: Mode, line: u64, dataset: &str, of: &Compared) {
        let Compared {
            episode,
            milestones,
            predicted,
            outcome,
            ..
        } = *of;
        self.keys.push(of.cluster(), dataset, &episode.name);
        self.terms.push(METRICS.map(|(_, terms)| terms(outcome)));
        let totals = &outcome.totals;
        self.episodes += 1;
        self.empty += u64::from(totals.steps == 0);
        self.without_predictions += u64::from(!predicted.any());
        self.extra_steps += predicted.extra_steps;
        self.totals.merge(totals);
        self.successes += u64::from(totals.success() == Some(true));
        count(&mut self.weak, outcome.weak_success());
        count(&mut self.stated, outcome.state_success);
        if let (Some(progress), Some(step_score)) = (totals.progress(), totals.step_score()) {
            self.progress.add(progress);
            self.step_score.add(step_score);
        }
        self.add_steps(mode, line, of);
        for milestone in milestones {
            let measured =
                mode == Mode::Coord && matches!(&*milestone.action_type, "click" | "drag");
            if milestone.coord_threshold.is_some() && !measured {
                self.blind_milestones
                    .see(line, milestone.step_index as usize);
            }
        }
    }

    fn add_steps(&mut self, mode: Mode, line: u64, of: &Compared) {
        let Compared {
            steps,
            predicted,
            outcome,
            ..
        } = *of;
        let pairs = steps.iter().zip(&outcome.verdicts).enumerate();
        for (index, (gold, verdict)) in pairs {
            let (Some(gold), Some(verdict)) = (gold, verdict) else {
                continue;
            };
            self.types.add(&gold.name, self.terms.len() - 1, verdict);
            if let Some(error) = verdict.coord_error {
                self.coord_error.add(error);
            }
            if !mode.aims(gold.kind) {
                continue;
            }
            if verdict.outside {
                self.outside.see(line, index);
            }
            if gold.unused.in_pixels {
                self.in_pixels.see(line, index);
            }
            if gold.has_target(mode) {
                self.targets += 1;
            } else {
                self.without_index += u64::from(mode == Mode::Som);
                if gold.unused.other_target {
                    self.other_gold.see(line, index);
                }
                if let Some(at) = &gold.unused.elsewhere {
                    self.elsewhere.see(line, index);
                    self.elsewhere_at.get_or_insert_with(|| at.clone());
                }
                continue;
            }
            if let Some(action) = predicted.action(index)
                && action.unused.other_target
                && action.point.is_none()
                && action.element.is_none()
            {
                self.other_predicted.see(line, index);
            }
        }
    }

    /// Adds the episodes that follow.
    pub fn merge(&mut self, later: &Tally) {
        self.episodes += later.episodes;
        self.empty += later.empty;
        self.without_predictions += later.without_predictions;
        self.extra_steps += later.extra_steps;
        self.totals.merge(&later.totals);
        self.successes += later.successes;
        for (ours, theirs) in [
            (&mut self.weak, later.weak),
            (&mut self.stated, later.stated),
        ] {
            ours[0] += theirs[0];
            ours[1] += theirs[1];
        }
        self.progress.merge(&later.progress);
        self.step_score.merge(&later.step_score);
        self.coord_error.merge(&later.coord_error);
        self.types.merge(&later.types, self.terms.len());
        self.keys.merge(&later.keys);
        self.terms.extend_from_slice(&later.terms);
        self.targets += later.targets;
        self.without_index += later.without_index;
        self.in_pixels.merge(&later.in_pixels);
        self.elsewhere.merge(&later.elsewhere);
        if self.elsewhere_at.is_none() {
            self.elsewhere_at.clone_from(&later.elsewhere_at);
        }
        self.outside.merge(&later.outside);
        self.other_gold.merge(&later.other_gold);
        self.other_predicted.merge(&later.other_predicted);
        self.blind_milestones.merge(&later.blind_milestones);
    }
}

fn count([all, yes]: &mut [u64; 2], answer: Option<bool>) {
    *all += u64::from(answer.is_some());
    *yes += u64::from(answer == Some(true));
}
