//! `type_validity`: every required field that is no number is there and is what it should be;
//! and no key is there that the protocol does not know, where that matters.
//!
//! Why: what is not of its kind cannot be compared with anything, so every failure here is
//! critical. One atom per field, in array tasks one per element; a list is one value. Cites
//! the value, or what stood in its place.

use judica_model::evidence::Severity;

use super::family::{BuiltIn, BuiltInRule, Limits, Look, Per, Says, Spot, the_same};
use super::{Atoms, at_step, holds_none, null_answers};
use crate::protocol::Field;
use crate::protocol::file::ExtraKeys;
use crate::response::{EXCERPT_BYTES, EXTRA_KEYS, FieldState, excerpt_of};
use crate::value::Value;

/// The name of the family.
pub const NAME: &str = "type_validity";

/// The family.
pub const FAMILY: BuiltIn = BuiltIn {
    name: NAME,
    depends_on: &["protocol"],
    description: "Every required field that is no number is there and is what it should be.",
    rules: &[
        BuiltInRule {
            id: "missing_field",
            per: Per::Field,
            says: Says::Missing,
            checks: "Every required field stands where the protocol says.",
            why: "An answer that leaves a field out has not answered the question.",
            fails_when: |_| vec!["critical: nothing stands there".to_owned()],
            one_atom_per: "required field that is absent",
            of_field: the_same,
            example: "An object without `currency`: critical.",
            limits: |spot| Limits::Expected(expected(spot)),
            message: |spot, _, _| format!("{} is missing", spot.label),
        },
        BuiltInRule {
            id: "wrong_shape",
            per: Per::Field,
            says: Says::WrongShape,
            checks: "A list stands where one is due, with as many items as it may have, and a single value where that is due.",
            why: "One name where all were asked for says nothing about the others.",
            fails_when: |_| {
                let when = "critical: a list for a single value, a single value for a list, too few or too many items, an item twice where they must differ, or something else on the way to the field";
                vec![when.to_owned()]
            },
            one_atom_per: "field of the wrong shape",
            of_field: the_same,
            example: "`\"a, b\"` where a list is wanted: critical.",
            limits: |spot| Limits::Expected(expected(spot)),
            message: |spot, _, text| {
                format!("{} should be {}, found {text}", spot.label, expected(spot))
            },
        },
        BuiltInRule {
            id: "invalid_value",
            per: Per::Value,
            says: Says::Value,
            checks: "Every value is of its field's kind, and fits what the field asks of it.",
            why: "What is not of its kind cannot be compared with anything.",
            fails_when: |_| {
                let when = "critical: another kind, null where it is no answer, a text that does not fit, a name that is none of the values (case matters), a date that does not exist, or an object that breaks its schema";
                vec![when.to_owned()]
            },
            one_atom_per: "field; in array tasks, per element",
            of_field: |field| {
                let other = !field.is_number();
                other.then(|| format!("{}: {}", field.name, field.expected()))
            },
            example: "`\"2023-02-29\"` for a date: critical.",
            limits: |spot| Limits::Expected(expected(spot)),
            message: |spot, _, text| {
                format!("{} should be {}, found {text}", spot.label, expected(spot))
            },
        },
        BuiltInRule {
            id: "extra_keys",
            per: Per::Response,
            says: Says::Nothing,
            checks: "The response has no keys that the protocol does not know.",
            why: "An argument that a tool does not have makes the call fail.",
            fails_when: |protocol| match protocol.extra_keys {
                ExtraKeys::Allow => vec!["never: `extra_keys` is \"allow\"".to_owned()],
                ExtraKeys::Warning => vec!["warning: there is one".to_owned()],
                ExtraKeys::Critical => vec!["critical: there is one".to_owned()],
            },
            one_atom_per: "response, where `extra_keys` is not \"allow\"",
            of_field: the_same,
            example: "`{\"city\": \"Bern\", \"unit\": \"C\"}` where only `city` is known.",
            limits: |_| Limits::Expected("only keys that the protocol knows".to_owned()),
            message: |_, _, text| format!("the protocol does not know: {text}"),
        },
    ],
    verify,
};

/// What a field should hold, or one element of an array task.
fn expected(spot: &Spot) -> String {
    let one = spot.field().map(Field::expected).unwrap_or_default();
    match (spot.check.array, spot.check.step) {
        (Some(horizon), None) => format!("an array of {horizon}, each {one}"),
        _ => one,
    }
}

fn verify(look: &Look, first: &[u16], atoms: &mut Atoms) {
    let (&[missing, wrong_shape, value, extra], layout, reading) =
        (first, look.layout, look.reading)
    else {
        return;
    };
    let mut shown = String::new();
    for (field, entry) in look.protocol.fields.iter().enumerate() {
        let first = [missing, wrong_shape, value];
        if entry.is_number() || holds_none(look, field, first, atoms) {
            continue;
        }
        let invalid_list = entry.list.is_some() && reading.states[field] == FieldState::Invalid;
        for step in 0..layout.horizon {
            let slot = field * layout.horizon + step;
            if null_answers(look, field, slot) {
                continue;
            }
            let check = at_step(value, layout, field, step);
            let text = match &reading.held[slot] {
                held if held.is_null() || invalid_list => {
                    atoms.fail_with_text(check, reading.text_of(slot));
                    continue;
                }
                Value::Text(text) => excerpt_of(text),
                held => {
                    shown.clear();
                    entry.show(reading.values[slot], held, EXCERPT_BYTES, &mut shown);
                    excerpt_of(&shown)
                }
            };
            atoms.pass_text(check, text);
        }
    }
    let severity = match look.protocol.extra_keys {
        ExtraKeys::Allow => return,
        ExtraKeys::Warning => Severity::Warning,
        ExtraKeys::Critical => Severity::Critical,
    };
    match reading.text_of(EXTRA_KEYS as usize) {
        None => atoms.pass(extra, f64::NAN),
        Some(keys) => {
            atoms.texts.push((atoms.len() as u32, keys.into()));
            atoms.push(extra, severity, f64::NAN, f64::NAN);
        }
    }
}
