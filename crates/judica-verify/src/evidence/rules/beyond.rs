//! Rules that read more than numbers of the step at hand: the gold, the sample's current
//! state, neighbouring steps, what jumps are measured from, and values that are no numbers.
//!
//! Where one of these is not there, the rule leaves no atom, unless it asks by `is_null`
//! whether it is.

use judica_model::evidence::Severity;

use super::super::family::Look;
use super::super::{Atoms, Known};
use crate::checks::Checks;
use crate::expr::{Read, Slots, Source};
use crate::protocol::{Rule, Shape};
use crate::render::told;
use crate::response::FieldState;
use crate::value::{NULL, Value};

pub(super) fn verify(
    look: &Look,
    checks: &Checks,
    rule: &Rule,
    first_check: u16,
    atoms: &mut Atoms,
) {
    let protocol = look.protocol;
    let fields = protocol.fields.len();
    let all = fields + protocol.reads_beyond.len();
    let mut numbers = vec![f64::NAN; all];
    let mut values = vec![&NULL; all];
    for step in 0..look.layout.horizon {
        let found = rule.slots.iter().all(|slot| {
            let read = match slot.checked_sub(fields) {
                Some(beyond) => protocol.reads_beyond[beyond],
                None => Read {
                    source: Source::Own,
                    field: *slot,
                    offset: 0,
                },
            };
            let dispensable = || rule.dispensable.binary_search(slot).is_ok();
            let Some((number, value)) = look.at(read, step, dispensable) else {
                return false;
            };
            (numbers[*slot], values[*slot]) = (number, value);
            true
        });
        if !found {
            continue;
        }
        let slots = Slots {
            numbers: &numbers,
            values: &values,
        };
        let Some(finding) = rule.check(slots) else {
            continue;
        };
        let check = first_check + step as u16;
        if finding.severity != Severity::Info {
            let show = |slot: usize| {
                let read = slot.checked_sub(fields);
                let field = read.map_or(slot, |beyond| protocol.reads_beyond[beyond].field);
                protocol.fields[field].shown(numbers[slot], values[slot])
            };
            let text = told(protocol, checks.get(check), rule, finding, show);
            atoms.texts.push((atoms.len() as u32, text.into()));
        }
        atoms.push(check, finding.severity, finding.observed, finding.limit);
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
                FieldState::Valid => known.at(read.field * horizon + step),
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
            (Source::Context, _) => reading.context?.at(read.field).or_else(nothing),
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
