//! `jump_dynamics`: no field changes faster than it can.
//!
//! Why: the state one second later is never far from the state before. Scalar tasks
//! are compared with the last valid value of the same field, model and task (or the
//! sample's current state, if the protocol says so); arrays take their largest change
//! from one element to the next. Angles take the shortest arc. Beyond the threshold a
//! warning, beyond `critical_factor` times it critical. Cites the size of the change.

use judica_model::evidence::Severity;

use super::{Atoms, Reading, at_step, largest_change};
use crate::checks::Layout;
use crate::protocol::{Protocol, Shape};
use crate::response::FieldState;

pub fn verify(protocol: &Protocol, layout: &Layout, reading: &Reading, atoms: &mut Atoms) {
    for (field, entry) in protocol.fields.iter().enumerate() {
        let Some(threshold) = entry.jump else {
            continue;
        };
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
        let check = at_step(layout.jump, layout, field, step);
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
