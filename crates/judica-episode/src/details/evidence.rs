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

use std::fmt::Write;

use judica_model::evidence::{Scope, Severity};
use judica_model::run::Evidence;

use super::atom::{Atom, Cited, Message, Meta};
use crate::action::Action;
use crate::load::milestone::Milestone;
use crate::load::prediction::Did;
use crate::score::episode::{Compared, Outcome};
use crate::score::step::{HIT_RADIUS, StepScore};

/// A miss by more than this many times the radius is critical.
const FAR: f64 = 1.5;

/// Appends the atoms of an episode as a JSON list.
pub fn write_atoms(of: &Compared, out: &mut Vec<u8>) {
    out.push(b'[');
    let mut count = 0;
    checks(of, &mut |check| {
        if count > 0 {
            out.push(b',');
        }
        count += 1;
        // Text and finite numbers into memory: nothing that can fail.
        let _ = serde_json::to_writer(&mut *out, &check.atom(count));
    });
    out.push(b']');
}

/// The atoms of an episode as a run keeps them. What passed is told by its numbers alone;
/// the sentences on what failed stand in `texts`.
pub fn evidence<'t>(of: &Compared<'t>, texts: &'t mut String) -> Vec<Evidence<'t>> {
    let mut evidence = Vec::with_capacity(of.steps.len() * 2);
    let mut ends = Vec::new();
    checks(of, &mut |check| {
        if !check.pass {
            // Writing into memory cannot fail.
            let _ = write!(texts, "{}", check.message);
            ends.push((evidence.len(), texts.len()));
        }
        evidence.push(Evidence {
            rule: check.rule,
            field: match check.fields {
                [field] => Some(field),
                _ => None,
            },
            step: check.step.and_then(|step| i32::try_from(step).ok()),
            pass: check.pass,
            severity: check.severity().name(),
            observed: check.observed.number(),
            limit: check.limit.number(),
            ..Evidence::default()
        });
    });
    let (texts, mut begin) = (&*texts, 0);
    for (at, end) in ends {
        evidence[at].text = Some(&texts[begin..end]);
        begin = end;
    }
    evidence
}

/// Calls `each` with every check of an episode, in the order of its steps.
fn checks<'c>(of: &Compared<'c>, each: &mut impl FnMut(Check<'c>)) {
    let Compared {
        steps,
        milestones,
        predicted,
        outcome,
        ..
    } = *of;
    for (index, (gold, verdict)) in steps.iter().zip(&outcome.verdicts).enumerate() {
        if let (Some(gold), Some(verdict)) = (gold, verdict) {
            check_step(index, gold, predicted.did(index), verdict, each);
        }
    }
    if predicted.extra_steps > 0 {
        each(Check {
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
        each(check_milestone(milestone, *reached, outcome));
    }
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

impl<'a> Check<'a> {
    fn severity(&self) -> Severity {
        match self.pass {
            true => Severity::Info,
            false => self.severity,
        }
    }

    fn atom(self, id: usize) -> Atom<'a> {
        let severity = self.severity();
        let (field, scope, fields) = match self.fields {
            [] => (None, Scope::Sample, &[][..]),
            [field] => (Some(*field), Scope::Field, &[][..]),
            several => (None, Scope::CrossField, several),
        };
        Atom {
            id,
            family: self.rule.split_once('.').map_or("", |(family, _)| family),
            rule: self.rule,
            field,
            pass: self.pass,
            severity,
            scope,
            message: self.message,
            meta: Meta {
                checker: "episodes",
                config_version: "1",
                step: self.step,
                observed: self.observed,
                limit: self.limit,
                fields,
            },
        }
    }
}

fn check_step<'c>(
    index: usize,
    gold: &'c Action<'c>,
    did: &'c Did<'c>,
    verdict: &StepScore,
    each: &mut impl FnMut(Check<'c>),
) {
    let step = Some(index as u64);
    let wanted = &*gold.name;
    let limit = Cited::Type(Some(wanted));
    each(match did {
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
        each(Check {
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
        each(Check {
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
        each(Check {
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

fn check_milestone<'c>(milestone: &'c Milestone, reached: bool, outcome: &Outcome) -> Check<'c> {
    let index = usize::try_from(milestone.step_index).unwrap_or(usize::MAX);
    let verdict = outcome.verdicts.get(index).copied().flatten();
    Check {
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
    }
}
