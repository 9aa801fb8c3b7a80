//! How every check came out on the truth.

use std::collections::BTreeMap;

use judica_model::evidence::Severity;

use crate::checks::Checks;
use crate::evidence::Atoms;
use crate::evidence::family::Says;
use crate::protocol::Protocol;
use crate::response::FieldState;

/// How often the truth violates one rule on one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// `<family>.<rule>`.
    pub rule: String,
    /// The field, or none for several.
    pub field: Option<String>,
    /// How often the rule was applied.
    pub checks: u64,
    /// How often the truth violated it.
    pub violations: u64,
    /// Of them critical.
    pub critical: u64,
    /// The smallest and the largest value observed.
    pub observed: Option<(f64, f64)>,
}

/// One count per check, by its number.
pub(super) struct Tallies {
    checks: Checks,
    field_names: Vec<String>,
    counts: Vec<Count>,
    /// How often each field was there: so often its shape was looked at, though only a
    /// wrong one leaves an atom.
    there: Vec<u64>,
}

#[derive(Clone, Default)]
struct Count {
    checks: u64,
    violations: u64,
    critical: u64,
    observed: Option<(f64, f64)>,
}

impl Count {
    fn merge(&mut self, other: &Count) {
        self.checks += other.checks;
        self.violations += other.violations;
        self.critical += other.critical;
        if let Some((min, max)) = other.observed {
            self.observe(min);
            self.observe(max);
        }
    }

    fn observe(&mut self, value: f64) {
        let (min, max) = self.observed.unwrap_or((value, value));
        self.observed = Some((min.min(value), max.max(value)));
    }
}

impl Tallies {
    pub(super) fn new(protocol: &Protocol, checks: &Checks) -> Self {
        let names = protocol.fields.iter().map(|field| field.name.clone());
        Tallies {
            field_names: names.collect(),
            counts: vec![Count::default(); checks.list.len()],
            there: vec![0; protocol.fields.len()],
            checks: checks.clone(),
        }
    }

    pub(super) fn add(&mut self, states: &[FieldState], atoms: &Atoms) {
        for (there, state) in self.there.iter_mut().zip(states) {
            *there += u64::from(*state != FieldState::Missing);
        }
        let record = atoms.of_record(0..atoms.len());
        let outcomes = atoms.check.iter().zip(&atoms.severity).zip(&atoms.observed);
        for (atom, ((number, severity), observed)) in outcomes.enumerate() {
            let count = &mut self.counts[usize::from(*number)];
            count.checks += 1;
            count.violations += u64::from(!record.passed(atom));
            count.critical += u64::from(*severity == Severity::Critical as u8);
            if observed.is_finite() {
                count.observe(*observed);
            }
        }
    }

    /// Takes over what another one counted.
    pub(super) fn absorb(&mut self, other: &mut Tallies) {
        for (count, seen) in self.counts.iter_mut().zip(&mut other.counts) {
            count.merge(&std::mem::take(seen));
        }
        for (there, seen) in self.there.iter_mut().zip(&mut other.there) {
            *there += std::mem::take(seen);
        }
    }

    /// Steps and shapes of tasks put together, in the order of the rules.
    pub(super) fn by_rule_and_field(self) -> Vec<Tally> {
        let mut merged: BTreeMap<(usize, Option<usize>), Count> = BTreeMap::new();
        for (check, count) in self.checks.list.iter().zip(&self.counts) {
            // A gold that leaves a field out breaks no rule.
            if count.checks == 0 || check.says() == Says::Missing {
                continue;
            }
            merged
                .entry((check.rule, check.field))
                .or_default()
                .merge(count);
            if let (Says::WrongShape, Some(field)) = (check.says(), check.field) {
                let of_field = merged.entry((check.rule, check.field)).or_default();
                of_field.checks = self.there[field];
            }
        }
        let named = merged.into_iter().map(|((rule, field), count)| Tally {
            rule: self.checks.rule_names[rule].clone(),
            field: field.map(|field| self.field_names[field].clone()),
            checks: count.checks,
            violations: count.violations,
            critical: count.critical,
            observed: count.observed,
        });
        named.collect()
    }
}
