//! `numeric_validity`: every required field is there and holds finite numbers in the
//! shape the task asks for.
//!
//! Why: nothing can be said about a value that is not a number, so every failure here
//! is critical. One atom per required field, in array tasks one per element; a field
//! that is missing or of the wrong shape has no elements and leaves one atom. Cites
//! the value, or the text that stood in its place.

use super::family::{BuiltIn, BuiltInRule, Limits, Look, Per, Says, Spot, the_same};
use super::{Atoms, at_step, holds_none, null_answers};
use crate::protocol::form::Form;

/// The family.
pub const FAMILY: BuiltIn = BuiltIn {
    name: "numeric_validity",
    depends_on: &["protocol"],
    description: "Every required field is there and holds a finite number of the right shape.",
    rules: &[
        BuiltInRule {
            id: "missing_field",
            per: Per::Field,
            says: Says::Missing,
            checks: "Every required field is a key of the object.",
            why: "A prediction that leaves a field out has not answered the question.",
            fails_when: |_| vec!["critical: the key is absent".to_owned()],
            one_atom_per: "required field that is absent",
            of_field: the_same,
            example: "An object without `Pitch (deg)`: critical.",
            limits: |spot| Limits::Expected(shape(spot)),
            message: |spot, _, _| format!("{} is missing", spot.label),
        },
        BuiltInRule {
            id: "wrong_shape",
            per: Per::Field,
            says: Says::WrongShape,
            checks: "Every field has the shape the task asks for: a number, or an array of the task's horizon.",
            why: "A scalar where three steps were asked for says nothing about two of them.",
            fails_when: |_| {
                let when =
                    "critical: a scalar for an array, an array for a scalar, or the wrong length";
                vec![when.to_owned()]
            },
            one_atom_per: "field of the wrong shape",
            of_field: the_same,
            example: "`[1, 2]` where three values are wanted: critical.",
            limits: |spot| Limits::Expected(shape(spot)),
            message: |spot, _, text| {
                format!("{} should be {}, found {text}", spot.label, shape(spot))
            },
        },
        BuiltInRule {
            id: "invalid_value",
            per: Per::Value,
            says: Says::Value,
            checks: "Every value is a finite number. Numeric strings such as \" 5. \" or \"1e3\" count.",
            why: "null, true, text, NaN and infinities cannot be compared with anything.",
            fails_when: |_| {
                let when =
                    "critical: null, boolean, empty or non-numeric text, NaN, or an infinity";
                vec![when.to_owned()]
            },
            one_atom_per: "required field; in array tasks, per element",
            of_field: the_same,
            example: "`\"about 90\"` for an airspeed: critical.",
            limits: |spot| Limits::Expected(number(spot).to_owned()),
            message: |spot, _, text| {
                let kind = number(spot).trim_start_matches("a ");
                format!("{} is not a {kind}: {text}", spot.label)
            },
        },
    ],
    verify,
};

/// What a value should be.
fn number(spot: &Spot) -> &'static str {
    match spot.field().map(|field| &field.form) {
        Some(Form::Number { whole: true }) => "a whole number",
        _ => "a finite number",
    }
}

/// What a field should have held.
fn shape(spot: &Spot) -> String {
    match spot.check.array {
        Some(horizon) => format!("an array of {horizon} numbers"),
        None => number(spot).to_owned(),
    }
}

fn verify(look: &Look, first: &[u16], atoms: &mut Atoms) {
    let (&[missing, wrong_shape, value], layout, reading) = (first, look.layout, look.reading)
    else {
        return;
    };
    // Nearly every response is whole, and then slots and checks run side by side.
    if look.whole {
        atoms.pass_all(value, reading.values);
        return;
    }
    for (field, entry) in look.protocol.fields.iter().enumerate() {
        let first = [missing, wrong_shape, value];
        if !entry.is_number() || holds_none(look, field, first, atoms) {
            continue;
        }
        for step in 0..layout.horizon {
            let slot = field * layout.horizon + step;
            if null_answers(look, field, slot) {
                continue;
            }
            let check = at_step(value, layout, field, step);
            match reading.values[slot].is_nan() {
                true => atoms.fail_with_text(check, reading.text_of(slot)),
                false => atoms.pass(check, reading.values[slot]),
            }
        }
    }
}
