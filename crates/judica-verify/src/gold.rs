//! The gold itself, looked at: which samples have any that can be used, what is wrong with
//! the rest, and whether the truth would pass the protocol that models are held against.
//!
//! Gold that nobody can use is not refused, because the sample can still be answered and
//! verified. So it has to be counted and named here, or nobody would hear of it.

mod notes;
mod tally;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::checks::Checks;
use crate::evidence::{Atoms, Known, Reading, Verifier};
use crate::protocol::{JumpReference, Protocol, Shape};
use crate::response::{EXTRA_KEYS, FieldState, ParseOutcome};
use crate::samples::{GivenGold, GoldReading};
use crate::score::gating_failures;
use crate::value::Value;
pub(crate) use notes::PLACES;
use tally::Tallies;
pub use tally::Tally;

/// What the samples' gold is worth.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldReport {
    /// Samples that came with gold.
    pub given: u64,
    /// Of them with at least one value that can be compared.
    pub usable: u64,
    /// Of them without any, by reason.
    pub unusable: BTreeMap<String, u64>,
    /// What is wrong, by field: of samples whose gold can be used in part, too.
    pub problems: Vec<GoldProblem>,
    /// Samples whose gold was held against the protocol, as if a model had said it.
    pub verified: u64,
    /// Of them those that would be ineligible. A field that the gold leaves out is not
    /// held against it.
    pub ineligible: u64,
    /// Under a protocol whose gate looks at no rule: of them those that break a critical one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub critical: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One thing that is wrong with gold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldProblem {
    /// The field, or null where the gold as a whole cannot be read.
    pub field: Option<String>,
    /// What is wrong with it.
    pub reason: String,
    /// How often.
    pub count: u64,
    /// The first sample where it is so.
    pub first_sample: String,
    /// What stands there.
    pub found: String,
}

/// Per task, the last valid value of each field: what a jump is measured from.
#[derive(Clone)]
pub(crate) struct LastGold {
    scalar: Vec<bool>,
    by_task: Vec<Vec<f64>>,
}

impl LastGold {
    /// Nothing seen yet.
    pub fn new(protocol: &Protocol) -> Self {
        let tasks = protocol.tasks.iter();
        LastGold {
            scalar: tasks.map(|task| task.shape == Shape::Scalar).collect(),
            by_task: vec![vec![f64::NAN; protocol.fields.len()]; protocol.tasks.len()],
        }
    }

    /// Takes over the gold of the next sample.
    pub fn see(&mut self, gold: &GoldReading) {
        let Some(known) = gold.values.filter(|_| self.scalar[gold.task]) else {
            return;
        };
        let last = self.by_task[gold.task].iter_mut();
        for ((last, value), state) in last.zip(known.numbers).zip(gold.states) {
            if *state == FieldState::Valid {
                *last = *value;
            }
        }
    }
}

/// Looks at the gold of one sample after the other, in input order.
pub struct GoldAudit<'p> {
    protocol: &'p Protocol,
    checks: &'p Checks,
    verifier: Verifier<'p>,
    atoms: Atoms,
    last: LastGold,
    no_values: Vec<f64>,
    /// The same of a protocol that has others than numbers.
    none_held: Vec<Value>,
    report: GoldReport,
    /// By field (none for the gold as a whole) and reason.
    problems: BTreeMap<(Option<usize>, &'static str), GoldProblem>,
    tallies: Option<Tallies>,
}

impl<'p> GoldAudit<'p> {
    /// Nothing seen yet.
    pub fn new(protocol: &'p Protocol, checks: &'p Checks) -> Self {
        let fields = protocol.fields.len();
        let longest = protocol.tasks.iter().map(|task| task.horizon).max();
        let slots = fields * longest.unwrap_or(1);
        GoldAudit {
            protocol,
            checks,
            verifier: Verifier::new(protocol, checks),
            atoms: Atoms::default(),
            last: LastGold::new(protocol),
            no_values: vec![f64::NAN; slots],
            none_held: match protocol.is_mixed() {
                true => vec![Value::Unusable; slots],
                false => Vec::new(),
            },
            report: GoldReport::default(),
            problems: BTreeMap::new(),
            tallies: None,
        }
    }

    /// The same, counting the outcome of every check.
    pub fn tallying(protocol: &'p Protocol, checks: &'p Checks) -> Self {
        GoldAudit {
            tallies: Some(Tallies::new(protocol, checks)),
            ..Self::new(protocol, checks)
        }
    }

    /// Looks at the gold of the next sample.
    pub fn look(&mut self, gold: &GoldReading) {
        match gold.given {
            GivenGold::Nothing => {}
            GivenGold::Unreadable { reason, found } => {
                self.report.given += 1;
                self.unusable(reason);
                self.problem(None, reason, gold.sample_id, found);
            }
            GivenGold::Read => {
                self.report.given += 1;
                self.name_problems(gold);
                if gold.values.is_some() {
                    self.report.usable += 1;
                } else {
                    let wrong_shape = gold.states.contains(&FieldState::WrongShape);
                    self.unusable(if wrong_shape {
                        WRONG_SHAPE
                    } else {
                        INVALID_VALUE
                    });
                }
                self.verify(gold);
            }
        }
    }

    fn unusable(&mut self, reason: &str) {
        *self.report.unusable.entry(reason.to_owned()).or_default() += 1;
    }

    fn problem(&mut self, field: Option<usize>, reason: &'static str, sample: &str, found: &str) {
        let name = |field: usize| self.protocol.fields[field].name.clone();
        let problem = self
            .problems
            .entry((field, reason))
            .or_insert_with(|| GoldProblem {
                field: field.map(name),
                reason: reason.to_owned(),
                count: 0,
                first_sample: sample.to_owned(),
                found: found.to_owned(),
            });
        problem.count += 1;
    }

    /// Every value that cannot be used has left its text.
    fn name_problems(&mut self, gold: &GoldReading) {
        let horizon = self.protocol.tasks[gold.task].horizon;
        for (slot, text) in gold.texts.iter().filter(|(slot, _)| *slot != EXTRA_KEYS) {
            let field = *slot as usize / horizon;
            let reason = match gold.states[field] {
                FieldState::WrongShape => WRONG_SHAPE,
                _ => INVALID_VALUE,
            };
            self.problem(Some(field), reason, gold.sample_id, text);
        }
    }

    fn verify(&mut self, gold: &GoldReading) {
        let protocol = self.protocol;
        let task = &protocol.tasks[gold.task];
        let known = gold.values.unwrap_or(Known {
            numbers: &self.no_values[..protocol.fields.len() * task.horizon],
            values: &self.none_held,
        });
        let values = known.numbers;
        let nothing = &self.no_values[..protocol.fields.len()];
        let references = match (task.shape, protocol.jump_reference) {
            (Shape::Array, _) => nothing,
            (Shape::Scalar, JumpReference::PreviousOutput) => &self.last.by_task[gold.task],
            (Shape::Scalar, JumpReference::CurrentState) => {
                gold.current_state.map_or(nothing, |state| state.numbers)
            }
        };
        let reading = Reading {
            outcome: ParseOutcome::Direct,
            states: gold.states,
            values,
            texts: gold.texts,
            references,
            held: known.values,
            gold: gold.values,
            context: gold.current_state,
            external: &[],
        };
        self.atoms.clear();
        let counts = self.verifier.verify(gold.task, &reading, &mut self.atoms);
        // A gold that leaves a field out breaks no rule; it has nothing to say. Each such
        // field has left one atom.
        let absent = gold.states.iter().zip(&protocol.fields);
        let absent =
            absent.filter(|(state, field)| **state == FieldState::Missing && field.required);
        let failures = gating_failures(protocol, counts) - absent.count() as u32;
        self.report.verified += 1;
        let gate = protocol.of_dimensions.and_then(|total| total.gate);
        match gate {
            None => self.report.ineligible += u64::from(failures > 0),
            Some(_) => self.report.critical += u64::from(failures > 0),
        }
        if let Some(tallies) = &mut self.tallies {
            tallies.add(gold.states, &self.atoms);
        }
        self.last.see(gold);
    }

    /// Makes others that look at the same.
    pub(crate) fn another(&self) -> impl Fn() -> GoldAudit<'p> + Sync + use<'p> {
        let (protocol, checks) = (self.protocol, self.checks);
        let tallying = self.tallies.is_some();
        move || match tallying {
            true => GoldAudit::tallying(protocol, checks),
            false => GoldAudit::new(protocol, checks),
        }
    }

    /// What comes next follows this.
    pub(crate) fn go_on_from(&mut self, last: LastGold) {
        self.last = last;
    }

    /// Takes over what another one saw, all of it after what this one did.
    pub(crate) fn absorb(&mut self, other: &mut GoldAudit) {
        let (all, seen) = (&mut self.report, std::mem::take(&mut other.report));
        all.given += seen.given;
        all.usable += seen.usable;
        all.verified += seen.verified;
        all.ineligible += seen.ineligible;
        all.critical += seen.critical;
        for (reason, count) in seen.unusable {
            *all.unusable.entry(reason).or_default() += count;
        }
        for (key, problem) in std::mem::take(&mut other.problems) {
            match self.problems.entry(key) {
                Entry::Vacant(new) => drop(new.insert(problem)),
                Entry::Occupied(mut known) => known.get_mut().count += problem.count,
            }
        }
        if let (Some(all), Some(seen)) = (&mut self.tallies, &mut other.tallies) {
            all.absorb(seen);
        }
    }

    /// What was found, and the outcome of every rule on every field if that was asked for.
    pub fn finish(self) -> (GoldReport, Vec<Tally>) {
        let report = GoldReport {
            problems: self.problems.into_values().collect(),
            ..self.report
        };
        let tallies = self.tallies.map(Tallies::by_rule_and_field);
        (report, tallies.unwrap_or_default())
    }
}

/// Reasons, as the rules of `numeric_validity` are called.
const WRONG_SHAPE: &str = "wrong_shape";
const INVALID_VALUE: &str = "invalid_value";

#[cfg(test)]
mod tests;
