//! `range_sanity`: every value lies within its field's limits.
//!
//! Why: a value outside is not a bad prediction but an impossible one. One atom per
//! field with a limit, about the element that lies farthest out (or, inside, nearest
//! to the edge). Deviation = distance outside / width of the limit; beyond the
//! protocol's `critical_deviation` it is critical, else a warning. Cites the value.

use judica_model::evidence::Severity;

use super::family::{BuiltIn, BuiltInRule, Limits, Look, Per, Says};
use super::{Atoms, at_step};
use crate::render::{in_unit, number_beside, plain_number, with_unit};
use crate::response::FieldState;

/// The family.
pub const FAMILY: BuiltIn = BuiltIn {
    name: "range_sanity",
    depends_on: &["numeric_validity"],
    description: "Every value lies within its field's limits.",
    rules: &[BuiltInRule {
        id: "out_of_range",
        per: Per::FieldAndStep,
        says: Says::Nothing,
        checks: "Every value lies within its field's limits.",
        why: "A value outside is not a bad prediction but an impossible one.",
        fails_when: |protocol| {
            let share = plain_number(100.0 * protocol.critical_deviation);
            vec![
                "warning: outside the limits".to_owned(),
                format!("critical: outside by more than {share} % of their width"),
            ]
        },
        one_atom_per: "field with a limit (arrays: the element farthest out)",
        of_field: |field| {
            let [lo, hi] = field.limit.filter(|_| field.is_number())?;
            let (name, hi) = (&field.name, with_unit(hi, &field.unit));
            Some(format!("{name}: {} to {hi}", plain_number(lo)))
        },
        example: "A latitude of 95 degrees lies 5 outside [-90, 90], 2.8 % of its width: warning.",
        limits: |spot| {
            let [lo, hi] = spot.field().and_then(|field| field.limit).unwrap_or(NONE);
            Limits::Bounds([("lo", lo), ("hi", hi)])
        },
        message: |spot, observed, _| {
            let [lo, hi] = spot.field().and_then(|field| field.limit).unwrap_or(NONE);
            let crossed = if observed < lo { lo } else { hi };
            let value = in_unit(number_beside(observed, crossed), spot.unit());
            let [lo, hi] = [lo, hi].map(|bound| number_beside(bound, observed));
            let label = spot.label;
            format!("{label} is {value}, outside [{lo}, {hi}]")
        },
    }],
    verify,
};

/// The limit of a field without one.
const NONE: [f64; 2] = [f64::NAN; 2];

fn verify(look: &Look, first: &[u16], atoms: &mut Atoms) {
    let (&[range], layout, reading) = (first, look.layout, look.reading) else {
        return;
    };
    // Nearly every response is whole and within all limits.
    if look.whole
        && layout.horizon == 1
        && atoms.pass_within(
            range,
            &layout.limited,
            |field| reading.values[field],
            |value, [lo, hi]| (lo..=hi).contains(&value),
        )
    {
        return;
    }
    for (field, [lo, hi]) in layout.limited.iter().copied() {
        let entry = &look.protocol.fields[field];
        if reading.states[field] != FieldState::Valid || entry.list.is_some() {
            continue;
        }
        if layout.horizon == 1 {
            let value = reading.values[field];
            if value >= lo && value <= hi {
                atoms.pass(range + field as u16, value);
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
        // All of them are null.
        if worst_excess == f64::NEG_INFINITY {
            continue;
        }
        let value = values[worst];
        let check = at_step(range, layout, field, worst);
        if worst_excess <= 0.0 {
            atoms.pass(check, value);
            continue;
        }
        // Outside of the widest limits it may be too small for a number, and is still something.
        let deviation = (worst_excess / (hi - lo)).max(f64::MIN_POSITIVE);
        let severity = if deviation > look.protocol.critical_deviation {
            Severity::Critical
        } else {
            Severity::Warning
        };
        atoms.push(check, severity, value, if value < lo { lo } else { hi });
    }
}
