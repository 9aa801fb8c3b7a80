//! The evidence of an episode: an atom for every check of every step.
//!
//! | rule | fails when | severity of a failure |
//! |---|---|---|
//! | `action_type.mismatch` | the types differ | critical |
//! | `action_type.missing_step` | nothing was predicted for the step | critical |
//! | `action_type.unreadable` | what was predicted for the step cannot be read | critical |
//! | `action_type.extra_steps` | there are actions beyond the end | warning |
//! | `coordinate.miss` | the distance is 0.05 or more, or the point is outside the screen | warning; critical beyond 0.075 |
//! | `bbox.miss` | the prediction is not in the area, or has no coordinates | warning |
//! | `element.mismatch` | another element, or none, was named | critical |
//! | `milestone.missed` | a milestone was not reached | warning |
//!
//! A check that passed has its atom, too: a pass can be cited like a failure.

use judica_model::evidence::{Scope, Severity};

use super::atom::{Atom, Cited, Message, Meta};
use crate::action::Action;
use crate::load::milestone::Milestone;
use crate::load::prediction::Did;
use crate::score::episode::{Gathered, Outcome};
use crate::score::step::{HIT_RADIUS, Verdict};

/// A miss by more than this many times the radius is critical.
const FAR: f64 = 1.5;

/// Appends the atoms of an episode, in the order of its steps, as a JSON list.
pub fn write_atoms(
    steps: &[Option<Action>],
    milestones: &[Milestone],
    predicted: &Gathered,
    outcome: &Outcome,
    out: &mut Vec<u8>,
) {
    out.push(b'[');
    let mut atoms = Atoms { out, count: 0 };
    for (index, (gold, verdict)) in steps.iter().zip(&outcome.verdicts).enumerate() {
        if let (Some(gold), Some(verdict)) = (gold, verdict) {
            atoms.step(index, gold, predicted.did(index), verdict);
        }
    }
    if predicted.extra_steps > 0 {
        atoms.add(Check {
            rule: "action_type.extra_steps",
            fields: &[],
            step: None,
            pass: false,
            severity: Severity::Warning,
            observed: Cited::Count(predicted.extra_steps),
            limit: Cited::Count(0),
            message: Message::Extra(predicted.extra_steps),
        });
    }
    for (milestone, reached) in milestones.iter().zip(&outcome.milestones) {
        atoms.milestone(milestone, *reached, outcome);
    }
    out.push(b']');
}

struct Check<'a> {
    rule: &'static str,
    /// What it reads of an action; nothing for a check of the whole episode.
    fields: &'static [&'static str],
    step: Option<u64>,
    pass: bool,
    /// Of a failure.
    severity: Severity,
    observed: Cited<'a>,
    limit: Cited<'a>,
    message: Message<'a>,
}

struct Atoms<'o> {
    out: &'o mut Vec<u8>,
    count: usize,
}

impl Atoms<'_> {
    fn add(&mut self, check: Check) {
        if self.count > 0 {
            self.out.push(b',');
        }
        self.count += 1;
        let (field, scope, fields) = match check.fields {
            [] => (None, Scope::Sample, &[][..]),
            [field] => (Some(*field), Scope::Field, &[][..]),
            several => (None, Scope::CrossField, several),
        };
        let atom = Atom {
            id: self.count,
            family: check.rule.split_once('.').map_or("", |(family, _)| family),
            rule: check.rule,
            field,
            pass: check.pass,
            severity: if check.pass {
                Severity::Info
            } else {
                check.severity
            },
            scope,
            message: check.message,
            meta: Meta {
                checker: "episodes",
                config_version: "1",
                step: check.step,
                observed: check.observed,
                limit: check.limit,
                fields,
            },
        };
        // Text and finite numbers into memory: nothing that can fail.
        let _ = serde_json::to_writer(&mut *self.out, &atom);
    }

    fn step(&mut self, index: usize, gold: &Action, did: &Did, verdict: &Verdict) {
        let step = Some(index as u64);
        let wanted = &*gold.name;
        let limit = Cited::Type(Some(wanted));
        self.add(match did {
            Did::Nothing => Check {
                rule: "action_type.missing_step",
                fields: &["action"],
                step,
                pass: false,
                severity: Severity::Critical,
                observed: Cited::Type(None),
                limit,
                message: Message::Missing(index, wanted),
            },
            Did::Unreadable(fault) => Check {
                rule: "action_type.unreadable",
                fields: &["action"],
                step,
                pass: false,
                severity: Severity::Critical,
                observed: Cited::Unreadable(fault),
                limit,
                message: Message::Unreadable(index, wanted, fault),
            },
            Did::Action(predicted) => Check {
                rule: "action_type.mismatch",
                fields: &["action.type"],
                step,
                pass: verdict.type_match,
                severity: Severity::Critical,
                observed: Cited::Type(Some(&predicted.name)),
                limit,
                message: Message::Types(index, wanted, &predicted.name),
            },
        });
        let predicted = match did {
            Did::Action(action) => Some(action),
            Did::Nothing | Did::Unreadable(_) => None,
        };
        let point = predicted.and_then(|predicted| predicted.point);
        if let (Some(error), Some(hit)) = (verdict.coord_error, verdict.hit) {
            self.add(Check {
                rule: "coordinate.miss",
                fields: &["action.x", "action.y"],
                step,
                pass: hit,
                severity: if error > FAR * HIT_RADIUS {
                    Severity::Critical
                } else {
                    Severity::Warning
                },
                observed: Cited::Distance {
                    error,
                    predicted: point,
                    target: gold.point,
                },
                limit: Cited::Number(HIT_RADIUS),
                message: Message::Distance(index, error, verdict.outside),
            });
        }
        if let Some(hit) = verdict.bbox_hit {
            self.add(Check {
                rule: "bbox.miss",
                fields: &["action.x", "action.y"],
                step,
                pass: hit,
                severity: Severity::Warning,
                observed: Cited::Point(point),
                limit: Cited::Area(gold.area),
                message: Message::Box(index, point, hit),
            });
        }
        if let (Some(hit), Some(target)) = (verdict.element_hit, &gold.element) {
            let named = predicted.and_then(|predicted| predicted.element.as_ref());
            self.add(Check {
                rule: "element.mismatch",
                fields: &["action.element_index"],
                step,
                pass: hit,
                severity: Severity::Critical,
                observed: Cited::Element(named),
                limit: Cited::Element(Some(target)),
                message: Message::Elements(index, target, named),
            });
        }
    }

    fn milestone(&mut self, milestone: &Milestone, reached: bool, outcome: &Outcome) {
        let index = usize::try_from(milestone.step_index).unwrap_or(usize::MAX);
        let verdict = outcome.verdicts.get(index).copied().flatten();
        self.add(Check {
            rule: "milestone.missed",
            fields: &[],
            step: Some(milestone.step_index),
            pass: reached,
            severity: Severity::Warning,
            observed: Cited::Reached {
                type_match: verdict.map(|verdict| verdict.type_match),
                coord_error: verdict.and_then(|verdict| verdict.coord_error),
            },
            limit: Cited::Milestone {
                name: &milestone.name,
                action_type: &milestone.action_type,
                coord_threshold: milestone.coord_threshold,
            },
            message: Message::Milestone(&milestone.name, reached),
        });
    }
}
