//! The verifier graph at work: the numbers of a response become atoms of evidence.
//!
//! Families run in the protocol's order: first those of [`built_in`], each a value in a file
//! of its own, then those of the protocol file. A family sees
//! only fields that its dependencies passed: everything after `numeric_validity`
//! looks at fields that passed it whole; a range failure hides nothing.

pub(crate) mod family;
mod jump;
mod numeric;
mod protocol;
mod range;
mod rules;
mod side_by_side;
mod types;

pub(crate) use rules::field_slots;
pub(crate) use side_by_side::SideBySide;
pub(crate) use types::NAME as TYPE_VALIDITY;

use std::ops::Range;

use judica_model::evidence::Severity;

use self::family::{BuiltIn, Look};
use crate::checks::{Checks, Layout};
use crate::external::ExternalAtom;
use crate::protocol::Protocol;
use crate::protocol::levels::Grade;
use crate::response::{FieldState, ParseOutcome};
use crate::value::{NULL, Value};

/// The families that every protocol has, in execution order, and the one that only those have
/// that hold more than numbers.
static BUILT_IN: [BuiltIn; 5] = [
    protocol::FAMILY,
    numeric::FAMILY,
    range::FAMILY,
    jump::FAMILY,
    types::FAMILY,
];

/// The families of a protocol that are written in Rust.
pub(crate) fn built_in(mixed: bool) -> &'static [BuiltIn] {
    match mixed {
        true => &BUILT_IN,
        false => &BUILT_IN[..4],
    }
}

/// Atoms of many records, as columns.
#[derive(Debug, Default, Clone)]
pub struct Atoms {
    /// Which check.
    pub check: Vec<u16>,
    /// Its outcome: a [`Severity`] code, 0 (info) for passed.
    pub severity: Vec<u8>,
    /// The observed value, NaN for none.
    pub observed: Vec<f64>,
    /// The threshold that was crossed, for atoms that crossed one: (atom, limit).
    pub limits: Vec<(u32, f64)>,
    /// What stood where a number should have: (atom, text).
    pub texts: Vec<(u32, Box<str>)>,
    /// What atoms of rules with levels are worth: (atom, grade).
    pub graded: Vec<(u32, Grade)>,
    /// How many have a severity above info.
    grave: usize,
}

/// How far evidence has come.
#[derive(Clone, Copy)]
struct Mark {
    atoms: usize,
    graded: usize,
    grave: usize,
}

impl Atoms {
    fn mark(&self) -> Mark {
        Mark {
            atoms: self.len(),
            graded: self.graded.len(),
            grave: self.grave,
        }
    }

    /// How many atoms there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.check.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.check.is_empty()
    }

    /// Those of one record, which stand together.
    pub fn of_record(&self, atoms: Range<usize>) -> OfRecord<'_> {
        OfRecord {
            all: self,
            first: atoms.start,
            check: &self.check[atoms.clone()],
            severity: &self.severity[atoms.clone()],
            observed: &self.observed[atoms],
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.check.clear();
        self.severity.clear();
        self.observed.clear();
        self.limits.clear();
        self.texts.clear();
        self.graded.clear();
        self.grave = 0;
    }

    /// Makes room for more.
    pub fn reserve(&mut self, atoms: usize) {
        self.check.reserve(atoms);
        self.severity.reserve(atoms);
        self.observed.reserve(atoms);
    }

    #[inline]
    fn pass(&mut self, check: u16, observed: f64) {
        self.check.push(check);
        self.severity.push(0);
        self.observed.push(observed);
    }

    /// Passes for these checks.
    #[inline]
    fn pass_these(&mut self, checks: &[u16], observed: impl Iterator<Item = f64>) {
        self.check.extend_from_slice(checks);
        self.observed.extend(observed);
        self.severity.resize(self.check.len(), 0);
    }

    /// Passes for consecutive checks.
    fn pass_all(&mut self, first_check: u16, observed: &[f64]) {
        self.check.extend((first_check..).take(observed.len()));
        self.severity
            .resize(self.severity.len() + observed.len(), 0);
        self.observed.extend_from_slice(observed);
    }

    /// Passes for the checks of all these fields, if each one's value is within what stands
    /// beside it; else nothing.
    fn pass_within<T: Copy>(
        &mut self,
        first_check: u16,
        fields: &[(usize, T)],
        value: impl Fn(usize) -> f64,
        within: impl Fn(f64, T) -> bool,
    ) -> bool {
        let start = self.observed.len();
        self.observed
            .extend(fields.iter().map(|(field, _)| value(*field)));
        let mut values = self.observed[start..].iter().zip(fields);
        if !values.all(|(value, (_, limit))| within(*value, *limit)) {
            self.observed.truncate(start);
            return false;
        }
        let checks = fields.iter().map(|(field, _)| first_check + *field as u16);
        self.check.extend(checks);
        self.severity.resize(self.check.len(), 0);
        true
    }

    #[inline]
    pub(crate) fn push(&mut self, check: u16, severity: Severity, observed: f64, limit: f64) {
        if !limit.is_nan() {
            self.limits.push((self.check.len() as u32, limit));
        }
        self.grave += usize::from(severity != Severity::Info);
        self.check.push(check);
        self.severity.push(severity as u8);
        self.observed.push(observed);
    }

    /// Takes what a program gave.
    fn take(&mut self, atom: &ExternalAtom) {
        let text = atom.text.iter().cloned();
        let number = self.check.len() as u32;
        self.texts.extend(text.map(|text| (number, text)));
        self.push(atom.check, atom.severity, atom.observed, atom.limit);
    }

    /// A pass that shows a value which is no number.
    fn pass_text(&mut self, check: u16, text: Box<str>) {
        self.texts.push((self.check.len() as u32, text));
        self.pass(check, f64::NAN);
    }

    pub(crate) fn push_graded(&mut self, check: u16, grade: Grade, observed: f64, limit: f64) {
        self.graded.push((self.check.len() as u32, grade));
        let limit = if grade.passed() { f64::NAN } else { limit };
        let severity = Severity::ALL[usize::from(grade.code())];
        self.push(check, severity, observed, limit);
    }

    fn fail_with_text(&mut self, check: u16, text: Option<&str>) {
        if let Some(text) = text {
            self.texts.push((self.check.len() as u32, text.into()));
        }
        self.push(check, Severity::Critical, f64::NAN, f64::NAN);
    }
}

/// The atoms of one record, in the columns of many.
#[derive(Debug, Clone, Copy)]
pub struct OfRecord<'a> {
    all: &'a Atoms,
    first: usize,
    /// Which checks.
    pub check: &'a [u16],
    /// Their outcomes: [`Severity`] codes, 0 (info) for passed.
    pub severity: &'a [u8],
    /// The observed values, NaN for none.
    pub observed: &'a [f64],
}

impl<'a> OfRecord<'a> {
    /// What stood where a number should have.
    pub fn text(&self, atom: usize) -> Option<&'a str> {
        Some(&**found(&self.all.texts, self.first + atom)?)
    }

    /// What an atom of a rule with levels is worth.
    pub fn grade(&self, atom: usize) -> Option<Grade> {
        found(&self.all.graded, self.first + atom).copied()
    }

    /// Whether an atom passed: one that failed may be of severity info.
    #[inline]
    pub fn passed(&self, atom: usize) -> bool {
        self.severity[atom] == 0 && self.grade(atom).is_none_or(|grade| grade.passed())
    }

    /// The threshold that was crossed.
    pub fn limit(&self, atom: usize) -> Option<f64> {
        found(&self.all.limits, self.first + atom).copied()
    }
}

fn found<T>(of_atoms: &[(u32, T)], atom: usize) -> Option<&T> {
    let at = of_atoms.binary_search_by_key(&(atom as u32), |(atom, _)| *atom);
    Some(&of_atoms[at.ok()?].1)
}

/// How many atoms a family left in a record, and how they came out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct FamilyCount {
    /// All atoms.
    pub atoms: u32,
    /// Failed as critical.
    pub critical: u32,
    /// Failed as warnings.
    pub warning: u32,
    /// Failed, and of no severity: levels may say so.
    pub info: u32,
}

impl FamilyCount {
    /// How many passed.
    pub fn passed(&self) -> u32 {
        self.atoms - self.critical - self.warning - self.info
    }
}

/// Values of all fields, of a response, a gold or a state.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Those that are numbers, NaN for the others: one per field and step.
    pub numbers: &'a [f64],
    /// All of them, of a protocol that has others than numbers.
    pub values: &'a [Value],
}

impl<'a> Known<'a> {
    /// What stands at a place, if anything does.
    fn at(&self, place: usize) -> Option<(f64, &'a Value)> {
        let number = self.numbers[place];
        let value = self.values.get(place).unwrap_or(&NULL);
        (!number.is_nan() || !value.is_null()).then_some((number, value))
    }
}

/// One response, as its numbers.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// How it was read.
    pub outcome: ParseOutcome,
    /// One state per field.
    pub states: &'a [FieldState],
    /// `horizon` values per field.
    pub values: &'a [f64],
    /// Unusable values: (slot, what stood there).
    pub texts: &'a [(u32, Box<str>)],
    /// Scalar tasks: one value per field to measure the jump from, NaN for none.
    pub references: &'a [f64],
    /// The values, of a protocol that has others than numbers.
    pub held: &'a [Value],
    /// What would have been right.
    pub gold: Option<Known<'a>>,
    /// The sample's current state, one value per field.
    pub context: Option<Known<'a>>,
    /// What programs say of it, by family.
    pub external: &'a [ExternalAtom],
}

impl<'a> Reading<'a> {
    /// What stood in a slot where a usable value should have.
    fn text_of(&self, slot: usize) -> Option<&'a str> {
        let mut texts = self.texts.iter();
        let found = texts.find(|(at, _)| *at as usize == slot);
        found.map(|(_, text)| &**text)
    }
}

/// Whether a value of an array is null where that is an answer: there is nothing to look at.
fn null_answers(look: &Look, field: usize, slot: usize) -> bool {
    let null = || matches!(look.reading.held.get(slot), Some(Value::Null));
    look.protocol.fields[field].nullable && null()
}

/// Says of a field that it holds no values of its own to look at, if that is so: it is absent,
/// null, of another shape, or not asked for. The checks are the first of the family's rules
/// for what is missing, of the wrong shape, and no value.
fn holds_none(look: &Look, field: usize, first: [u16; 3], atoms: &mut Atoms) -> bool {
    let [missing, wrong_shape, value] = first;
    let entry = &look.protocol.fields[field];
    match look.reading.states[field] {
        FieldState::Valid | FieldState::Invalid => return false,
        FieldState::Missing if entry.required => {
            atoms.fail_with_text(missing + field as u16, None);
        }
        // An optional field that is not there is nothing to look at.
        FieldState::Missing | FieldState::NotAsked => {}
        FieldState::Null if entry.nullable => {}
        FieldState::Null => {
            atoms.fail_with_text(at_step(value, look.layout, field, 0), Some("null"));
        }
        FieldState::WrongShape => {
            let text = look.reading.text_of(field * look.layout.horizon);
            atoms.fail_with_text(wrong_shape + field as u16, text);
        }
    }
    true
}

/// Verifies responses of one protocol. Holds scratch memory: one per thread.
pub struct Verifier<'p> {
    protocol: &'p Protocol,
    checks: &'p Checks,
    families: &'static [BuiltIn],
    slots: Vec<f64>,
    counts: Vec<FamilyCount>,
}

impl<'p> Verifier<'p> {
    /// A verifier.
    pub fn new(protocol: &'p Protocol, checks: &'p Checks) -> Self {
        Verifier {
            protocol,
            checks,
            families: built_in(protocol.is_mixed()),
            slots: vec![f64::NAN; protocol.fields.len()],
            counts: vec![FamilyCount::default(); protocol.families.len()],
        }
    }

    /// Appends the evidence of one response to `atoms`, and returns the counts per family.
    pub fn verify(&mut self, task: usize, reading: &Reading, atoms: &mut Atoms) -> &[FamilyCount] {
        self.verify_with(task, reading, atoms, |_| None)
    }

    /// The same where `known` may say of a rule that runs for the task, by its number among
    /// those, that nothing of it fails: what it observed, if its `when` holds.
    pub fn verify_with(
        &mut self,
        task: usize,
        reading: &Reading,
        atoms: &mut Atoms,
        known: impl Fn(usize) -> Option<Option<f64>>,
    ) -> &[FamilyCount] {
        self.counts.fill(FamilyCount::default());
        let layout = self.checks.layout_of(task);
        let look = Look {
            protocol: self.protocol,
            layout,
            reading,
            whole: !self.protocol.is_mixed()
                && reading
                    .states
                    .iter()
                    .fold(true, |whole, state| whole & (*state == FieldState::Valid)),
        };
        let mut first = layout.built_in.as_slice();
        for (family, counted) in self.families.iter().zip(&mut self.counts) {
            let of_family = first.split_off(..family.rules.len()).unwrap_or_default();
            let start = atoms.mark();
            (family.verify)(&look, of_family, atoms);
            count(counted, atoms, start);
            if !reading.outcome.succeeded() {
                break;
            }
        }
        // Rules and what programs say stand in the order of their families.
        let (mut rules, mut next) = (self.protocol.rules.as_slice(), 0);
        let mut running = 0;
        if !reading.outcome.succeeded() {
            rules = &[];
        }
        let mut external = reading.external;
        for family in self.families.len()..self.counts.len() {
            let start = atoms.mark();
            while rules.get(next).is_some_and(|rule| rule.family == family) {
                if let Some(first_check) = layout.rules[next] {
                    match known(running) {
                        Some(Some(observed)) => atoms.pass(first_check, observed),
                        Some(None) => {}
                        None => rules::verify(
                            &look,
                            self.checks,
                            next,
                            first_check,
                            &mut self.slots,
                            atoms,
                        ),
                    }
                    running += 1;
                }
                next += 1;
            }
            while let [atom, rest @ ..] = external
                && atom.family == family
            {
                atoms.take(atom);
                external = rest;
            }
            count(&mut self.counts[family], atoms, start);
        }
        &self.counts
    }
}

/// Counts what came since; nearly always nothing failed.
fn count(count: &mut FamilyCount, atoms: &Atoms, since: Mark) {
    let added = &atoms.severity[since.atoms..];
    count.atoms = added.len() as u32;
    if atoms.grave > since.grave {
        let of = |severity: Severity| added.iter().filter(move |code| **code == severity as u8);
        count.critical = of(Severity::Critical).count() as u32;
        count.warning = of(Severity::Warning).count() as u32;
    }
    let as_info = |(_, grade): &&(u32, Grade)| !grade.passed() && grade.code() == 0;
    count.info = atoms.graded[since.graded..].iter().filter(as_info).count() as u32;
}

/// The number of the check for a field at a step of a layout.
#[inline]
fn at_step(first: u16, layout: &Layout, field: usize, step: usize) -> u16 {
    first + (field * layout.horizon + step) as u16
}

/// The largest change from one element of an array to the next: its size, and the
/// step of the later element. `None` where no two neighbours are numbers.
pub(crate) fn largest_change(
    protocol: &Protocol,
    field: usize,
    values: &[f64],
) -> Option<(f64, usize)> {
    let mut largest: Option<(f64, usize)> = None;
    for (step, pair) in values.windows(2).enumerate() {
        let change = protocol.fields[field].distance(pair[1], pair[0]);
        if !change.is_nan() && largest.is_none_or(|(so_far, _)| change > so_far) {
            largest = Some((change, step + 1));
        }
    }
    largest
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
