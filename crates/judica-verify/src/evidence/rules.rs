//! The protocol's own rules: expressions over the fields of one step, or over one
//! field of a whole array.
//!
//! A rule runs only if every field it reads passed `numeric_validity` whole: an array
//! with one invalid element is out for every step. Rules that read more than numbers of the
//! step at hand are in `beyond`.

mod beyond;

use super::family::Look;
use super::{Atoms, Reading, at_step, largest_change};
use crate::checks::{Checks, Layout};
use crate::expr::Expr;
use crate::protocol::file::Each;
use crate::protocol::levels::Grade;
use crate::protocol::rule::Rule;
use crate::protocol::{Protocol, Shape};
use crate::response::FieldState;

pub fn verify(
    look: &Look,
    checks: &Checks,
    position: usize,
    first_check: u16,
    slots: &mut [f64],
    atoms: &mut Atoms,
) {
    let rule = &look.protocol.rules[position];
    let (layout, reading) = (look.layout, look.reading);
    match rule.each {
        Each::Field => each_field(look.protocol, rule, first_check, layout, reading, atoms),
        Each::Step if rule.levels.is_some() => {
            beyond::graded(look, checks, rule, first_check, atoms);
        }
        Each::Step if rule.beyond => beyond::verify(look, checks, rule, first_check, atoms),
        Each::Step => each_step(rule, first_check, layout, reading, slots, atoms),
    }
}

fn each_step(
    rule: &Rule,
    first_check: u16,
    layout: &Layout,
    reading: &Reading,
    slots: &mut [f64],
    atoms: &mut Atoms,
) {
    if rule
        .reads
        .iter()
        .any(|field| reading.states[*field] != FieldState::Valid)
    {
        return;
    }
    for step in 0..layout.horizon {
        let is_null = |field: &usize| reading.values[field * layout.horizon + step].is_nan();
        if layout.shape == Shape::Array && rule.reads.iter().any(is_null) {
            continue;
        }
        let finding = if layout.horizon == 1 {
            rule.check(reading.values)
        } else {
            for field in &rule.reads {
                slots[*field] = reading.values[field * layout.horizon + step];
            }
            rule.check(&*slots)
        };
        if let Some(finding) = finding {
            atoms.push(
                first_check + step as u16,
                finding.severity,
                finding.observed,
                finding.limit,
            );
        }
    }
}

/// Has the rules that apply change a score, in their order.
fn adjust(rule: &Rule, grade: &mut Grade, mut applies: impl FnMut(&Rule) -> bool) {
    for (number, adjusting) in rule.adjusted_by.iter().enumerate() {
        if applies(&adjusting.rule) {
            grade.set_score(adjusting.adjust(grade.score));
            grade.adjusted |= 1 << number;
        }
    }
}

fn each_field(
    protocol: &Protocol,
    rule: &Rule,
    first_check: u16,
    layout: &Layout,
    reading: &Reading,
    atoms: &mut Atoms,
) {
    for field in 0..protocol.fields.len() {
        if reading.states[field] != FieldState::Valid {
            continue;
        }
        let values = &reading.values[field * layout.horizon..(field + 1) * layout.horizon];
        let largest = largest_change(protocol, field, values);
        let slots = field_slots(protocol, field, largest.map(|(change, _)| change));
        if !slots_defined(rule, &slots) {
            continue;
        }
        let step = largest.map_or(0, |(_, step)| step);
        let check = at_step(first_check, layout, field, step);
        if let Some((mut grade, observed, limit)) = rule.grade(&slots) {
            adjust(rule, &mut grade, |rule| {
                let holds = |when: &Expr| when.eval_bool(&slots);
                rule.runs_for(layout.shape)
                    && slots_defined(rule, &slots)
                    && rule.when.as_ref().is_some_and(holds)
            });
            atoms.push_graded(check, grade, observed, limit);
        } else if rule.levels.is_none()
            && let Some(finding) = rule.check(&slots)
        {
            atoms.push(check, finding.severity, finding.observed, finding.limit);
        }
    }
}

/// The values of [`crate::protocol::rule::FIELD_RULE_NAMES`] for a field; NaN for
/// those it does not have.
pub fn field_slots(protocol: &Protocol, field: usize, max_change: Option<f64>) -> [f64; 4] {
    let entry = &protocol.fields[field];
    let [lo, hi] = entry.limit.unwrap_or([f64::NAN; 2]);
    [
        max_change.unwrap_or(f64::NAN),
        entry.jump.unwrap_or(f64::NAN),
        lo,
        hi,
    ]
}

/// A per-field rule skips fields that lack something it reads (no jump threshold, no limit).
fn slots_defined(rule: &Rule, slots: &[f64; 4]) -> bool {
    rule.expressions()
        .all(|expr| expr.variables().iter().all(|slot| !slots[*slot].is_nan()))
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
