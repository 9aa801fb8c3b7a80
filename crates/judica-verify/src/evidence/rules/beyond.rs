//! Rules that read more than numbers of the step at hand: the gold, the sample's current
//! state, neighbouring steps, what jumps are measured from, and values that are no numbers.
//!
//! Where one of these is not there, the rule leaves no atom, unless it asks by `is_null`
//! whether it is.

use judica_model::evidence::Severity;

use super::super::family::Look;
use super::super::{Atoms, Known};
use super::adjust;
use crate::checks::{Check, Checks};
use crate::expr::{Read, Slots, Source};
use crate::protocol::rule::Finding;
use crate::protocol::{Rule, Shape};
use crate::render::told;
use crate::response::FieldState;
use crate::value::{NULL, Value};

/// What stands in the slots of a protocol's rules at a step.
struct Filled<'a> {
    look: &'a Look<'a>,
    numbers: Vec<f64>,
    values: Vec<&'a Value>,
}

impl<'a> Filled<'a> {
    fn new(look: &'a Look<'a>) -> Self {
        let all = look.protocol.fields.len() + look.protocol.reads_beyond.len();
        Filled {
            look,
            numbers: vec![f64::NAN; all],
            values: vec![&NULL; all],
        }
    }

    /// Fills the slots of a rule; false where something is not there that it needs.
    fn fill(&mut self, rule: &Rule, step: usize) -> bool {
        let protocol = self.look.protocol;
        rule.slots.iter().all(|slot| {
            let read = match slot.checked_sub(protocol.fields.len()) {
                Some(beyond) => protocol.reads_beyond[beyond],
                None => Read {
                    source: Source::Own,
                    field: *slot,
                    offset: 0,
                },
            };
            let dispensable = || rule.dispensable.binary_search(slot).is_ok();
            let Some((number, value)) = self.look.at(read, step, dispensable) else {
                return false;
            };
            (self.numbers[*slot], self.values[*slot]) = (number, value);
            true
        })
    }

    fn slots(&self) -> Slots<'_> {
        Slots {
            numbers: &self.numbers,
            values: &self.values,
        }
    }

    /// What a failure says.
    fn told(&self, check: &Check, rule: &Rule, found: Finding, score: Option<f64>) -> Box<str> {
        let protocol = self.look.protocol;
        let show = |slot: usize| {
            let read = slot.checked_sub(protocol.fields.len());
            let field = read.map_or(slot, |beyond| protocol.reads_beyond[beyond].field);
            protocol.fields[field].shown(self.numbers[slot], self.values[slot])
        };
        told(protocol, check, rule, found, score, show).into()
    }
}

pub(super) fn verify(
    look: &Look,
    checks: &Checks,
    rule: &Rule,
    first_check: u16,
    atoms: &mut Atoms,
) {
    let mut filled = Filled::new(look);
    for step in 0..look.layout.horizon {
        if !filled.fill(rule, step) {
            continue;
        }
        let Some(finding) = rule.check(filled.slots()) else {
            continue;
        };
        let check = first_check + step as u16;
        if finding.severity != Severity::Info {
            let text = filled.told(checks.get(check), rule, finding, None);
            atoms.texts.push((atoms.len() as u32, text));
        }
        atoms.push(check, finding.severity, finding.observed, finding.limit);
    }
}

/// A rule with levels, whatever it reads: those that adjust it may read more.
pub(super) fn graded(
    look: &Look,
    checks: &Checks,
    rule: &Rule,
    first_check: u16,
    atoms: &mut Atoms,
) {
    let mut filled = Filled::new(look);
    for step in 0..look.layout.horizon {
        if !filled.fill(rule, step) {
            continue;
        }
        let Some((mut grade, observed, limit)) = rule.grade(filled.slots()) else {
            continue;
        };
        adjust(rule, &mut grade, |rule| {
            rule.runs_for(look.layout.shape)
                && filled.fill(rule, step)
                && rule
                    .when
                    .as_ref()
                    .is_some_and(|when| when.eval_bool(filled.slots()))
        });
        let check = first_check + step as u16;
        if rule.beyond && !grade.passed() {
            let found = Finding {
                severity: grade.severity,
                observed,
                limit: f64::NAN,
            };
            let text = filled.told(checks.get(check), rule, found, Some(grade.score));
            atoms.texts.push((atoms.len() as u32, text));
        }
        atoms.push_graded(check, grade, observed, limit);
    }
}

impl<'a> Look<'a> {
    /// What is read at a step; `None` where it is not there and the rule needs it, or where
    /// what it would be read from is not there at all.
    fn at(
        &self,
        read: Read,
        step: usize,
        dispensable: impl Fn() -> bool,
    ) -> Option<(f64, &'a Value)> {
        let horizon = self.layout.horizon;
        let nothing = || dispensable().then_some((f64::NAN, &NULL));
        let reading = self.reading;
        let own = |step: usize| {
            let known = Known {
                numbers: reading.values,
                values: reading.held,
            };
            match reading.states[read.field] {
                FieldState::Valid => known.at(read.field * horizon + step).or_else(nothing),
                FieldState::Missing | FieldState::Null | FieldState::NotAsked => nothing(),
                // Something is there that is not what it should be.
                FieldState::Invalid | FieldState::WrongShape => None,
            }
        };
        let step = step
            .checked_add_signed(read.offset as isize)
            .filter(|step| *step < horizon);
        match (read.source, self.layout.shape) {
            (Source::Own, _) => own(step?),
            (Source::Gold, _) => reading
                .gold?
                .at(read.field * horizon + step?)
                .or_else(nothing),
            (Source::Context, _) => match reading.context {
                Some(context) => context.at(read.field).or_else(nothing),
                None => nothing(),
            },
            (Source::Previous, Shape::Array) => own(step?.checked_sub(1)?),
            (Source::Previous, Shape::Scalar) => {
                let number = reading.references[read.field];
                match number.is_nan() {
                    true => nothing(),
                    false => Some((number, &NULL)),
                }
            }
        }
    }
}
