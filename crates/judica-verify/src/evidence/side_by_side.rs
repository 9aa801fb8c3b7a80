//! Several responses at once.
//!
//! Most responses hold a number for each field and pass every check. So some that follow one
//! another are laid side by side, field by field, and every check is made of all of them
//! together, which takes a fraction of the time. Where all of it passes, the atoms are those of
//! the layout, in its order; where anything does not, or cannot be looked at in this way, the
//! families look at that response by itself, but for rules of which nothing fails. So this saves
//! time and never decides.

use std::ops::Range;

use super::{Atoms, FamilyCount};
use crate::carry::Carried;
use crate::checks::{Checks, Layout};
use crate::expr::{Flags, LANES, Lanes};
use crate::outputs::Batch;
use crate::protocol::file::Each;
use crate::protocol::rule::Seen;
use crate::protocol::{Protocol, Shape};
use crate::response::FieldState;
use crate::samples::Samples;
use crate::score::Errors;

/// The atoms of a response that passes everything.
struct Usual {
    /// The checks of the built-in families, then those of rules.
    checks: Vec<u16>,
    /// How many stand before those of rules.
    built_in: usize,
    /// Positions of the rules.
    rules: Vec<usize>,
    counts: Vec<FamilyCount>,
}

impl Usual {
    /// Those of a layout; `None` where responses are looked at one by one.
    fn of(protocol: &Protocol, layout: &Layout) -> Option<Usual> {
        let simple = !protocol.is_mixed() && protocol.verifiers.is_empty();
        if !simple || layout.shape != Shape::Scalar || layout.horizon != 1 {
            return None;
        }
        let &[.., value, range, jump] = layout.built_in.as_slice() else {
            return None;
        };
        let mut counts = vec![FamilyCount::default(); protocol.families.len()];
        let of_fields = protocol.fields.len() as u16;
        let mut checks: Vec<u16> = (value..value + of_fields).collect();
        checks.extend(
            layout
                .limited
                .iter()
                .map(|(field, _)| range + *field as u16),
        );
        checks.extend(layout.jumping.iter().map(|(field, _)| jump + *field as u16));
        let built_in = checks.len();
        let lengths = [
            protocol.fields.len(),
            layout.limited.len(),
            layout.jumping.len(),
        ];
        for (count, length) in counts[1..].iter_mut().zip(lengths) {
            count.atoms = length as u32;
        }
        let mut rules = Vec::new();
        for (position, (rule, check)) in protocol.rules.iter().zip(&layout.rules).enumerate() {
            let Some(check) = check else { continue };
            if rule.each != Each::Step || rule.levels.is_some() || rule.beyond {
                return None;
            }
            checks.push(*check);
            rules.push(position);
            counts[rule.family].atoms += 1;
        }
        Some(Usual {
            checks,
            built_in,
            rules,
            counts,
        })
    }
}

/// Puts the numbers of a record, one per field, into its lane.
fn lay(fields: &mut [Lanes], lane: usize, numbers: &[f64]) {
    for (field, number) in fields.iter_mut().zip(numbers) {
        field[lane] = *number;
    }
}

/// Some responses that follow one another.
pub struct SideBySide<'p> {
    protocol: &'p Protocol,
    checks: &'p Checks,
    samples: &'p Samples,
    /// By task.
    usual: Vec<Option<Usual>>,
    /// The task of those that stand here.
    task: usize,
    /// Values by field.
    values: Vec<Lanes>,
    /// What jumps are measured from, by field.
    references: Vec<Lanes>,
    /// The gold, by field.
    gold: Vec<Lanes>,
    /// What stands there for a sample without gold.
    no_gold: Box<[f64]>,
    /// What the atoms of [`Usual::checks`] observed.
    observed: Vec<Lanes>,
    /// What each rule says.
    rules: Vec<Seen>,
    /// Of whom all rules were looked at, and values held against the gold.
    looked: Flags,
    /// Who passes everything.
    passed: Flags,
    /// For whom all rules run.
    whole: Flags,
    /// How many values there are to compare with, the sums of errors and of their squares.
    compared: [u32; LANES],
    sums: [Lanes; 2],
    counts: Vec<FamilyCount>,
}

impl<'p> SideBySide<'p> {
    /// Nothing yet.
    pub fn new(protocol: &'p Protocol, checks: &'p Checks, samples: &'p Samples) -> Self {
        let tasks = 0..protocol.tasks.len();
        SideBySide {
            protocol,
            checks,
            samples,
            usual: tasks
                .map(|task| Usual::of(protocol, checks.layout_of(task)))
                .collect(),
            task: 0,
            values: vec![[f64::NAN; LANES]; protocol.fields.len()],
            references: vec![[f64::NAN; LANES]; protocol.fields.len()],
            gold: vec![[f64::NAN; LANES]; protocol.fields.len()],
            no_gold: vec![f64::NAN; protocol.fields.len()].into(),
            observed: Vec::new(),
            rules: Vec::new(),
            looked: [0; LANES],
            passed: [0; LANES],
            whole: [0; LANES],
            compared: [0; LANES],
            sums: [[0.0; LANES]; 2],
            counts: Vec::new(),
        }
    }

    /// Looks at these outputs of a batch, at most [`LANES`].
    pub fn look(&mut self, batch: &Batch, carried: &Carried, outputs: Range<usize>) {
        self.passed = [0; LANES];
        self.looked = [0; LANES];
        let fields = self.protocol.fields.len();
        let whole = |index: &usize| {
            let states = batch.states_of(*index, fields).iter();
            carried.accepted[*index]
                && batch.outputs[*index].outcome.succeeded()
                && states.fold(true, |all, state| all & (*state == FieldState::Valid))
        };
        let task = |index: usize| batch.outputs[index].task as usize;
        let usual = |index: usize| self.usual[task(index)].as_ref();
        let mut those = outputs.clone().filter(whole);
        let Some((first, usual)) = those.find_map(|index| Some((index, usual(index)?))) else {
            return;
        };
        self.task = task(first);
        for lane in 0..LANES {
            let index = outputs.start + lane;
            let there = outputs.contains(&index) && task(index) == self.task && whole(&index);
            self.passed[lane] = u64::from(there);
            // Who is not there must not make the others go different ways.
            let index = if there { index } else { first };
            let at = batch.outputs[index].values_at;
            let values = &batch.values[at..at + fields];
            let references = &carried.references[index * fields..(index + 1) * fields];
            let sample = self.samples.get(batch.outputs[index].sample);
            let gold = self.samples.gold(self.protocol, sample);
            let gold = gold.map_or(&*self.no_gold, |gold| gold.numbers);
            lay(&mut self.values, lane, values);
            lay(&mut self.references, lane, references);
            lay(&mut self.gold, lane, gold);
        }
        let there = self.passed;
        let layout = self.checks.layout_of(self.task);
        self.observed.clear();
        self.observed.extend_from_slice(&self.values);
        for (field, [lo, hi]) in &layout.limited {
            let values = &self.values[*field];
            for (passed, value) in self.passed.iter_mut().zip(values) {
                *passed &= u64::from(lo <= value) & u64::from(value <= hi);
            }
            self.observed.push(*values);
        }
        for (field, threshold) in &layout.jumping {
            let entry = &self.protocol.fields[*field];
            let mut changes = self.values[*field];
            for (change, reference) in changes.iter_mut().zip(&self.references[*field]) {
                *change = entry.distance(*change, *reference);
            }
            for (passed, change) in self.passed.iter_mut().zip(&changes) {
                *passed &= u64::from(change <= threshold);
            }
            self.observed.push(changes);
        }
        // Where there is nothing to measure jumps from, nobody is left.
        if self.passed == [0; LANES] {
            return;
        }
        self.whole = [1; LANES];
        self.rules.clear();
        for rule in &usual.rules {
            let Some(seen) = self.protocol.rules[*rule].look(&self.values) else {
                self.passed = [0; LANES];
                return;
            };
            for (lane, passed) in self.passed.iter_mut().enumerate() {
                *passed &= seen.passed[lane] | (1 - seen.runs[lane]);
                self.whole[lane] &= seen.runs[lane];
            }
            self.observed.push(seen.observed);
            self.rules.push(seen);
        }
        self.compare();
        self.looked = there;
    }

    /// Holds values against the gold, field by field, as for one response.
    fn compare(&mut self) {
        self.compared = [0; LANES];
        self.sums = [[0.0; LANES]; 2];
        let [sums, squares] = &mut self.sums;
        let fields = self.protocol.fields.iter();
        for ((field, values), gold) in fields.zip(&self.values).zip(&self.gold) {
            let mut errors = *values;
            for (error, truth) in errors.iter_mut().zip(gold) {
                *error = field.distance(*error, *truth);
            }
            for (lane, error) in errors.into_iter().enumerate() {
                let known = !gold[lane].is_nan();
                // Nothing is added where there is nothing to compare with.
                let error = if known { error } else { 0.0 };
                self.compared[lane] += u32::from(known);
                sums[lane] += error;
                squares[lane] += error * error;
            }
        }
    }

    /// How far one of them is from the gold, if it was held against it.
    #[inline]
    pub fn errors(&self, lane: usize) -> Option<Errors> {
        let compared = self.compared[lane];
        let [sum, squares] = self.sums.map(|sums| sums[lane]);
        let errors = (compared, [sum, squares, f64::from(compared)]);
        (self.looked[lane] == 1).then_some(errors)
    }

    /// What a rule that runs for the task, by its number among those, observed of one of them, if
    /// its `when` holds; `None` where something of it may fail.
    #[inline]
    pub fn known(&self, lane: usize, rule: usize) -> Option<Option<f64>> {
        if self.looked[lane] == 0 {
            return None;
        }
        let seen = self.rules.get(rule)?;
        match seen.runs[lane] {
            0 => Some(None),
            _ => (seen.passed[lane] == 1).then_some(Some(seen.observed[lane])),
        }
    }

    /// Appends the evidence of one of them to `atoms`, and says how many its atoms are and how
    /// far it is from the gold, if it passes everything.
    #[inline]
    pub fn push(&mut self, lane: usize, atoms: &mut Atoms) -> Option<(&[FamilyCount], Errors)> {
        if self.passed[lane] == 0 {
            return None;
        }
        let errors = self.errors(lane)?;
        let usual = self.usual[self.task].as_ref()?;
        if self.whole[lane] == 1 {
            let observed = self.observed.iter().map(|observed| observed[lane]);
            atoms.pass_these(&usual.checks, observed);
            return Some((&usual.counts, errors));
        }
        let (built_in, of_rules) = usual.checks.split_at(usual.built_in);
        let observed = self.observed.iter().map(|observed| observed[lane]);
        atoms.pass_these(built_in, observed.take(built_in.len()));
        self.counts.clone_from(&usual.counts);
        let rules = usual.rules.iter().zip(of_rules).zip(&self.rules);
        for ((rule, check), seen) in rules {
            match seen.runs[lane] {
                1 => atoms.pass(*check, seen.observed[lane]),
                _ => self.counts[self.protocol.rules[*rule].family].atoms -= 1,
            }
        }
        Some((&self.counts, errors))
    }
}

#[cfg(test)]
#[path = "side_by_side_tests.rs"]
mod tests;
