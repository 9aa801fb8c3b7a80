//! The evidence of an episode: an atom for every check of every step.
//!
//! | rule | fails when | severity of a failure |
//! |---|---|---|
//! | `action_type.mismatch` | the types differ | critical |
//! | `action_type.missing_step` | nothing was predicted for the step | critical |
//! | `action_type.extra_steps` | there are actions beyond the end | warning |
//! | `coordinate.miss` | the distance is 0.05 or more | warning; critical beyond 0.075 |
//! | `bbox.miss` | the prediction is not in the area, or has no coordinates | warning |
//! | `element.mismatch` | another element, or none, was named | critical |
//! | `milestone.missed` | a milestone was not reached | warning |
//!
//! A check that passed has its atom, too: a pass can be cited like a failure.

use judica_model::evidence::{EvidenceAtom, Scope, Severity};
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::load::milestone::Milestone;
use crate::score::episode::{Gathered, Outcome};
use crate::score::step::{HIT_RADIUS, Verdict};

/// A miss by more than this many times the radius is critical.
const FAR: f64 = 1.5;

/// The atoms of an episode, in the order of its steps.
pub fn atoms(
    steps: &[Option<Action>],
    milestones: &[Milestone],
    predicted: &Gathered,
    outcome: &Outcome,
) -> Vec<EvidenceAtom> {
    let mut atoms = Atoms::default();
    for (index, (gold, verdict)) in steps.iter().zip(&outcome.verdicts).enumerate() {
        if let (Some(gold), Some(verdict)) = (gold, verdict) {
            atoms.step(index, gold, predicted.action(index), verdict);
        }
    }
    if predicted.extra_steps > 0 {
        atoms.add(Check {
            rule: "extra_steps",
            pass: false,
            severity: Severity::Warning,
            observed: json!(predicted.extra_steps),
            limit: json!(0),
            message: format!("{} actions beyond the end", predicted.extra_steps),
            ..Check::of("action_type", None)
        });
    }
    for (milestone, reached) in milestones.iter().zip(&outcome.milestones) {
        atoms.milestone(milestone, *reached, outcome);
    }
    atoms.list
}

struct Check {
    family: &'static str,
    rule: &'static str,
    /// What it reads of an action; nothing for a check of the whole episode.
    fields: &'static [&'static str],
    step: Option<u64>,
    pass: bool,
    /// Of a failure.
    severity: Severity,
    observed: Value,
    limit: Value,
    message: String,
}

impl Check {
    fn of(family: &'static str, step: Option<u64>) -> Check {
        Check {
            family,
            rule: "",
            fields: &[],
            step,
            pass: true,
            severity: Severity::Critical,
            observed: Value::Null,
            limit: Value::Null,
            message: String::new(),
        }
    }
}

#[derive(Default)]
struct Atoms {
    list: Vec<EvidenceAtom>,
}

impl Atoms {
    fn add(&mut self, check: Check) {
        let mut meta = Map::new();
        meta.insert("checker".to_owned(), json!("episodes"));
        meta.insert("config_version".to_owned(), json!("1"));
        if let Some(step) = check.step {
            meta.insert("step".to_owned(), json!(step));
        }
        meta.insert("observed".to_owned(), check.observed);
        meta.insert("limit".to_owned(), check.limit);
        let (field, scope) = match check.fields {
            [] => (None, Scope::Sample),
            [field] => (Some((*field).to_owned()), Scope::Field),
            several => {
                meta.insert("fields".to_owned(), json!(several));
                (None, Scope::CrossField)
            }
        };
        self.list.push(EvidenceAtom {
            id: format!("EVID_{:03}", self.list.len() + 1),
            family: check.family.to_owned(),
            rule: format!("{}.{}", check.family, check.rule),
            field,
            pass: check.pass,
            severity: if check.pass {
                Severity::Info
            } else {
                check.severity
            },
            scope,
            message: check.message,
            meta,
        });
    }

    fn step(&mut self, index: usize, gold: &Action, predicted: Option<&Action>, verdict: &Verdict) {
        let step = Some(index as u64);
        let wanted = &*gold.name;
        self.add(match predicted {
            None => Check {
                rule: "missing_step",
                fields: &["action"],
                pass: false,
                limit: json!(wanted),
                message: format!("step {index}: {wanted} was expected, nothing was predicted"),
                ..Check::of("action_type", step)
            },
            Some(predicted) => Check {
                rule: "mismatch",
                fields: &["action.type"],
                pass: verdict.type_match,
                observed: json!(predicted.name),
                limit: json!(wanted),
                message: if verdict.type_match {
                    format!("step {index}: {wanted}, as expected")
                } else {
                    let found = &predicted.name;
                    format!("step {index}: {wanted} was expected, {found} was predicted")
                },
                ..Check::of("action_type", step)
            },
        });
        let point = predicted.and_then(|predicted| predicted.point);
        if let (Some(error), Some(hit)) = (verdict.coord_error, verdict.hit) {
            self.add(Check {
                rule: "miss",
                fields: &["action.x", "action.y"],
                pass: hit,
                severity: if error > FAR * HIT_RADIUS {
                    Severity::Critical
                } else {
                    Severity::Warning
                },
                observed: json!({"error": error, "predicted": point, "target": gold.point}),
                limit: json!(HIT_RADIUS),
                message: format!(
                    "step {index}: {error:.4} from the target, a hit is below {HIT_RADIUS}"
                ),
                ..Check::of("coordinate", step)
            });
        }
        if let Some(hit) = verdict.bbox_hit {
            let place = match point {
                Some([x, y]) => format!("({x:.4}, {y:.4}) is"),
                None => "no coordinates, so".to_owned(),
            };
            let side = if hit { "inside" } else { "not inside" };
            self.add(Check {
                rule: "miss",
                fields: &["action.x", "action.y"],
                pass: hit,
                severity: Severity::Warning,
                observed: json!(point),
                limit: json!(gold.area),
                message: format!("step {index}: {place} {side} the bounding box"),
                ..Check::of("bbox", step)
            });
        }
        if let (Some(hit), Some(target)) = (verdict.element_hit, &gold.element) {
            let named = predicted.and_then(|predicted| predicted.element.as_ref());
            let observed = named.map(ToString::to_string);
            let found = observed.as_deref().unwrap_or("none");
            self.add(Check {
                rule: "mismatch",
                fields: &["action.element_index"],
                pass: hit,
                message: format!("step {index}: element {target} was expected, {found} was named"),
                observed: json!(observed),
                limit: json!(target.to_string()),
                ..Check::of("element", step)
            });
        }
    }

    fn milestone(&mut self, milestone: &Milestone, reached: bool, outcome: &Outcome) {
        let index = usize::try_from(milestone.step_index).unwrap_or(usize::MAX);
        let verdict = outcome.verdicts.get(index).copied().flatten();
        let word = if reached { "reached" } else { "not reached" };
        self.add(Check {
            rule: "missed",
            pass: reached,
            severity: Severity::Warning,
            observed: json!({
                "type_match": verdict.map(|verdict| verdict.type_match),
                "coord_error": verdict.and_then(|verdict| verdict.coord_error),
            }),
            limit: json!({
                "name": milestone.name,
                "type": milestone.action_type,
                "coord_threshold": milestone.coord_threshold,
            }),
            message: format!("milestone {:?} was {word}", milestone.name),
            ..Check::of("milestone", Some(milestone.step_index))
        });
    }
}
