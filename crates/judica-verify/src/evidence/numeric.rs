//! `numeric_validity`: every required field is there and holds finite numbers in the
//! shape the task asks for.
//!
//! Why: nothing can be said about a value that is not a number, so every failure here
//! is critical. One atom per required field, in array tasks one per element; a field
//! that is missing or of the wrong shape has no elements and leaves one atom. Cites
//! the value, or the text that stood in its place.

use super::{Atoms, Reading, at_step};
use crate::checks::Layout;
use crate::protocol::Protocol;
use crate::response::FieldState;

pub fn verify(protocol: &Protocol, layout: &Layout, reading: &Reading, atoms: &mut Atoms) {
    // Nearly every response is whole, and then slots and checks run side by side.
    if reading
        .states
        .iter()
        .all(|state| *state == FieldState::Valid)
    {
        atoms.pass_all(layout.value, reading.values);
        return;
    }
    let text_of = |slot: usize| {
        reading
            .texts
            .iter()
            .find(|(at, _)| *at as usize == slot)
            .map(|(_, text)| &**text)
    };
    for (field, state) in reading.states.iter().enumerate() {
        let first_slot = field * layout.horizon;
        match state {
            FieldState::Missing if protocol.fields[field].required => {
                atoms.fail_with_text(layout.missing + field as u16, None);
            }
            // An optional field that is not there is nothing to look at.
            FieldState::Missing => {}
            FieldState::WrongShape => {
                atoms.fail_with_text(layout.wrong_shape + field as u16, text_of(first_slot));
            }
            FieldState::Valid | FieldState::Invalid => {
                for step in 0..layout.horizon {
                    let check = at_step(layout.value, layout, field, step);
                    let value = reading.values[first_slot + step];
                    if value.is_nan() {
                        atoms.fail_with_text(check, text_of(first_slot + step));
                    } else {
                        atoms.pass(check, value);
                    }
                }
            }
        }
    }
}
