//! `jump_dynamics`: no field changes faster than it can.
//!
//! Why: the state one second later is never far from the state before. Scalar tasks
//! are compared with the last valid value of the same field, model and task (or the
//! sample's current state, if the protocol says so); arrays take their largest change
//! from one element to the next. Angles take the shortest arc. Beyond the threshold a
//! warning, beyond `critical_factor` times it critical. Cites the size of the change.

use judica_model::evidence::Severity;

use super::family::{BuiltIn, BuiltInRule, Limits, Look, Per, Says};
use super::{Atoms, at_step, largest_change};
use crate::protocol::{JumpReference, Shape};
use crate::render::{in_unit, number_beside, plain_number, with_unit};
use crate::response::FieldState;

/// The family.
pub const FAMILY: BuiltIn = BuiltIn {
    name: "jump_dynamics",
    depends_on: &["numeric_validity"],
    description: "No field changes faster than it can.",
    rules: &[BuiltInRule {
        id: "mutation_violation",
        per: Per::FieldAndStep,
        says: Says::Nothing,
        checks: "No field changes faster than it can. Angles take the shortest arc.",
        why: "The next state is never far from the last one.",
        fails_when: |protocol| {
            let factor = plain_number(protocol.critical_factor);
            let reference = match protocol.jump_reference {
                JumpReference::PreviousOutput => {
                    "the last valid value of the same model, task and epoch, in input order"
                }
                JumpReference::CurrentState => "the sample's own context.current_state",
            };
            vec![
                "warning: the change exceeds the field's jump threshold".to_owned(),
                format!("critical: it exceeds {factor} times the threshold"),
                format!(
                    "scalar tasks compare with {reference}; arrays take the largest change inside"
                ),
            ]
        },
        one_atom_per: "field with a jump threshold and something to compare with",
        of_field: |field| {
            let jump = with_unit(field.jump?, &field.unit);
            Some(format!("{}: {jump}", field.name))
        },
        example: "A heading that goes from 355 to 40 degrees changes by 45; 30 x 1.5 allows 45: warning.",
        limits: |spot| {
            let jump = spot
                .field()
                .and_then(|field| field.jump)
                .unwrap_or(f64::NAN);
            let critical = jump * spot.protocol.critical_factor;
            Limits::Bounds([("warning_above", jump), ("critical_above", critical)])
        },
        message: |spot, observed, _| {
            let jump = spot
                .field()
                .and_then(|field| field.jump)
                .unwrap_or(f64::NAN);
            let change = in_unit(number_beside(observed, jump), spot.unit());
            let (label, jump) = (spot.label, number_beside(jump, observed));
            format!("{label} jumps by {change}; at most {jump} is plausible")
        },
    }],
    verify,
};

fn verify(look: &Look, first: &[u16], atoms: &mut Atoms) {
    let (&[jump], layout, reading) = (first, look.layout, look.reading) else {
        return;
    };
    let protocol = look.protocol;
    // Nearly every response is whole, follows another and is near it. What there is nothing to
    // compare with is no number, and within nothing.
    if look.whole
        && layout.shape == Shape::Scalar
        && atoms.pass_within(
            jump,
            &layout.jumping,
            |field| {
                protocol.fields[field].distance(reading.values[field], reading.references[field])
            },
            |change, threshold| change <= threshold,
        )
    {
        return;
    }
    for (field, threshold) in layout.jumping.iter().copied() {
        let entry = &protocol.fields[field];
        if reading.states[field] != FieldState::Valid {
            continue;
        }
        let (change, step) = match layout.shape {
            Shape::Scalar => {
                let reference = reading.references[field];
                if reference.is_nan() {
                    continue;
                }
                (entry.distance(reading.values[field], reference), 0)
            }
            Shape::Array => {
                let values = &reading.values[field * layout.horizon..(field + 1) * layout.horizon];
                match largest_change(protocol, field, values) {
                    Some(largest) => largest,
                    None => continue,
                }
            }
        };
        let check = at_step(jump, layout, field, step);
        let critical = threshold * protocol.critical_factor;
        if change <= threshold {
            atoms.pass(check, change);
        } else if change > critical {
            atoms.push(check, Severity::Critical, change, critical);
        } else {
            atoms.push(check, Severity::Warning, change, threshold);
        }
    }
}
