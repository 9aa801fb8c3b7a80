//! `range_sanity`: every value lies within its field's limits.
//!
//! Why: a value outside is not a bad prediction but an impossible one. One atom per
//! field with a limit, about the element that lies farthest out (or, inside, nearest
//! to the edge). Deviation = distance outside / width of the limit; beyond the
//! protocol's `critical_deviation` it is critical, else a warning. Cites the value.

use judica_model::evidence::Severity;

use super::{Atoms, Reading, at_step};
use crate::checks::Layout;
use crate::protocol::Protocol;
use crate::response::FieldState;

pub fn verify(protocol: &Protocol, layout: &Layout, reading: &Reading, atoms: &mut Atoms) {
    for (field, entry) in protocol.fields.iter().enumerate() {
        let Some([lo, hi]) = entry.limit else {
            continue;
        };
        if reading.states[field] != FieldState::Valid {
            continue;
        }
        if layout.horizon == 1 {
            let value = reading.values[field];
            if value >= lo && value <= hi {
                atoms.pass(layout.range + field as u16, value);
                continue;
            }
        }
        let values = &reading.values[field * layout.horizon..(field + 1) * layout.horizon];
        let mut worst = 0;
        let mut worst_excess = f64::NEG_INFINITY;
        for (step, value) in values.iter().enumerate() {
            let excess = (lo - value).max(value - hi);
            if excess > worst_excess {
                (worst, worst_excess) = (step, excess);
            }
        }
        let value = values[worst];
        let check = at_step(layout.range, layout, field, worst);
        if worst_excess <= 0.0 {
            atoms.pass(check, value);
            continue;
        }
        let deviation = worst_excess / (hi - lo);
        let severity = if deviation > protocol.critical_deviation {
            Severity::Critical
        } else {
            Severity::Warning
        };
        atoms.push(check, severity, value, if value < lo { lo } else { hi });
    }
}
