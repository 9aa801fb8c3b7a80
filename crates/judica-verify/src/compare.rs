//! An answer held against its gold, field by field and of any kind: how wrong each field is,
//! from 0 to 1, and what was right, missed and invented.
//!
//! Gold that says null wants nothing: an answer without a value is right, one with a value is
//! invented. Gold that leaves a field out says nothing about it.

mod assign;

use judica_text::comparison::Comparison;

use crate::evidence::Known;
use crate::moment::DAY;
use crate::protocol::file::{By, Errors};
use crate::protocol::form::Form;
use crate::protocol::nodes::Group;
use crate::protocol::{Field, Protocol};
use crate::value::Value;

/// What became of a field, or of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// How wrong, from 0 to 1 whatever the errors that count are; NaN where the gold says nothing.
    pub error: f64,
    /// Values that are right.
    pub right: f64,
    /// Values that the answer gives where the gold says something.
    pub given: f64,
    /// Values that the gold has.
    pub wanted: f64,
}

impl Outcome {
    const NONE: Outcome = Outcome {
        error: f64::NAN,
        right: 0.0,
        given: 0.0,
        wanted: 0.0,
    };

    /// Of what is given, the share that is right; NaN where nothing is.
    pub fn precision(&self) -> f64 {
        self.right / self.given
    }

    /// Of what is wanted, the share that is right; NaN where nothing is.
    pub fn recall(&self) -> f64 {
        self.right / self.wanted
    }
}

/// An answer against its gold.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// What became of each field.
    pub fields: Vec<Outcome>,
    /// The weighted sum of errors, of their squares, and of the weights.
    pub sums: [f64; 3],
    /// How many values were compared.
    pub compared: u32,
}

impl Compared {
    /// Whether all that was compared is right; `None` where nothing was.
    pub fn wholly_right(&self) -> Option<bool> {
        let mut errors = self.fields.iter().map(|field| field.error);
        let known = errors.clone().any(|error| !error.is_nan());
        known.then(|| errors.all(|error| error.is_nan() || error == 0.0))
    }

    fn add(&mut self, field: &Field, error: f64) {
        if !error.is_nan() {
            self.sums[0] += field.weight * error;
            self.sums[1] += field.weight * error * error;
            self.sums[2] += field.weight;
            self.compared += 1;
        }
    }
}

/// Compares all fields, in their order.
pub fn compare(protocol: &Protocol, answer: Known, gold: Known, horizon: usize) -> Compared {
    let mut compared = Compared {
        fields: vec![Outcome::NONE; protocol.fields.len()],
        ..Compared::default()
    };
    for (field, entry) in protocol.fields.iter().enumerate() {
        let slots = field * horizon..(field + 1) * horizon;
        let (said, truth) = (&answer.values[slots.clone()], &gold.values[slots]);
        match &entry.list {
            None => {
                let mut whole = Outcome::NONE;
                let mut steps = 0.0;
                for (said, truth) in said.iter().zip(truth) {
                    let (error, one) = scalar(protocol.errors, entry, said, truth);
                    compared.add(entry, error);
                    whole.right += one.right;
                    whole.given += one.given;
                    whole.wanted += one.wanted;
                    if !one.error.is_nan() {
                        whole.error = if steps == 0.0 {
                            one.error
                        } else {
                            whole.error + one.error
                        };
                        steps += 1.0;
                    }
                }
                whole.error /= f64::max(steps, 1.0);
                compared.fields[field] = whole;
            }
            // Those of objects come below, list by list.
            Some(list) if list.of_objects => {}
            Some(list) => compared.fields[field] = lists(entry, list.by, &said[0], &truth[0]),
        }
    }
    for group in &protocol.groups {
        objects(protocol, group, answer, gold, &mut compared.fields);
    }
    for (field, entry) in protocol.fields.iter().enumerate() {
        if entry.list.is_some() {
            let error = compared.fields[field].error;
            compared.add(entry, error);
        }
    }
    compared
}

/// One value against its gold: the error that counts, and what it is.
fn scalar(errors: Errors, field: &Field, said: &Value, truth: &Value) -> (f64, Outcome) {
    if !truth.is_known() {
        return (f64::NAN, Outcome::NONE);
    }
    let one = |yes: bool| f64::from(u8::from(yes));
    let both = !said.is_null() && !truth.is_null();
    let scaled = element(field, said, truth);
    let error = match (errors, &field.form) {
        // Numbers that are not there have no error of their own unit.
        (Errors::Raw, Form::Number { .. }) if !both => f64::NAN,
        (Errors::Raw, Form::Number { .. } | Form::Date(_)) if both => distance(field, said, truth),
        _ => scaled,
    };
    let outcome = Outcome {
        error: scaled,
        right: one(both && scaled == 0.0),
        given: one(is_given(said)),
        wanted: one(!truth.is_null()),
    };
    (error, outcome)
}

/// Whether an answer says something there, be it nothing of use.
fn is_given(said: &Value) -> bool {
    !said.is_null() || *said == Value::Unusable
}

/// How far apart two numbers or dates are, in the field's unit, days or seconds.
fn distance(field: &Field, said: &Value, truth: &Value) -> f64 {
    let distance = field.distance(said.number(), truth.number());
    match &field.form {
        Form::Date(form) if !form.with_time => distance / DAY,
        _ => distance,
    }
}

/// Whether two are the same without being looked into. Text that is no number, or no JSON,
/// equals nothing where it should be.
fn alike(field: &Field, said: &Value, truth: &Value) -> bool {
    let looked_into = matches!(
        &field.form,
        Form::Text(form) if matches!(form.compare, Comparison::Number | Comparison::Json)
    );
    !looked_into && said == truth && said.is_known() && !matches!(said, Value::List(_))
}

/// How wrong one value is, from 0 to 1.
fn element(field: &Field, said: &Value, truth: &Value) -> f64 {
    if alike(field, said, truth) {
        return 0.0;
    }
    match (said.is_null(), truth.is_null()) {
        _ if *said == Value::Unusable => return 1.0,
        (true, true) => return 0.0,
        (false, false) => {}
        _ => return 1.0,
    }
    let unequal = || f64::from(u8::from(said != truth));
    match (&field.form, said, truth) {
        (Form::Number { .. } | Form::Date(_), ..) => {
            (distance(field, said, truth) / field.scale).min(1.0)
        }
        (Form::Text(form), Value::Text(said), Value::Text(truth)) => {
            1.0 - form.compare.similarity(truth, said)
        }
        (Form::Enum(form), Value::Text(said), Value::Text(truth)) => {
            let Some(order) = &form.order else {
                return unequal();
            };
            let place = |name: &str| form.position(name).map_or(0, |at| order[at]) as f64;
            let last = (order.len() - 1).max(1) as f64;
            (place(said) - place(truth)).abs() / last
        }
        _ => unequal(),
    }
}

/// What equal elements have in common.
fn canonical(field: &Field, value: &Value) -> Option<String> {
    match (&field.form, value) {
        (_, Value::Nothing | Value::Unusable | Value::Null) => None,
        (Form::Text(form), Value::Text(text)) => form.compare.canonical(text),
        (_, Value::Text(text)) => Comparison::Exact.canonical(text),
        (_, Value::Number(number)) => Some((number + 0.0).to_string()),
        (_, Value::List(_)) => None,
    }
}

/// Whether an element of a gold list of objects says anything: what cannot be used, and null
/// or nothing where they are no answer, is not held against whoever answers.
fn gold_says(field: &Field, truth: &Value) -> bool {
    match truth {
        Value::Unusable => false,
        Value::Null => field.nullable,
        Value::Nothing => !field.required,
        _ => true,
    }
}

/// Two lists, as sets in which a value may stand several times, or by position. Elements of the
/// gold that cannot be used are left out.
fn lists(field: &Field, by: By, said: &Value, truth: &Value) -> Outcome {
    if !truth.is_known() {
        return Outcome::NONE;
    }
    let (items, wanted) = (said.items(), truth.items());
    let usable = |item: &&Value| !item.is_null();
    let usable = wanted.iter().filter(usable).count();
    if usable == 0 && !wanted.is_empty() {
        return Outcome::NONE;
    }
    if said.is_null() || truth.is_null() {
        return without_list(said, truth, usable as f64);
    }
    let mut outcome = Outcome {
        error: 0.0,
        right: 0.0,
        given: items.len() as f64,
        wanted: usable as f64,
    };
    match by {
        // A null is given, and never right; so it counts wherever it stands.
        By::Set
            if said == truth
                && items
                    .iter()
                    .all(|item| !item.is_null() && alike(field, item, item)) =>
        {
            outcome.right = outcome.wanted;
        }
        By::Set => {
            let mut left: Vec<Option<String>> =
                items.iter().map(|item| canonical(field, item)).collect();
            left.sort_unstable();
            let mut taken = vec![false; left.len()];
            for form in wanted.iter().filter_map(|item| canonical(field, item)) {
                let form = Some(form);
                let first = left.partition_point(|other| *other < form);
                let free = (first..left.len())
                    .take_while(|at| left[*at] == form)
                    .find(|at| !taken[*at]);
                if let Some(at) = free {
                    taken[at] = true;
                    outcome.right += 1.0;
                }
            }
            outcome.error = 1.0 - f1(outcome.right, outcome.given, outcome.wanted);
        }
        By::Position => {
            let longest = items.len().max(wanted.len());
            let (mut sum, mut compared) = (0.0, 0.0);
            for at in 0..longest {
                let error = match (items.get(at), wanted.get(at)) {
                    (said, Some(truth)) if truth.is_null() => {
                        outcome.given -= f64::from(u8::from(said.is_some()));
                        continue;
                    }
                    (Some(said), Some(truth)) => element(field, said, truth),
                    _ => 1.0,
                };
                outcome.right += f64::from(u8::from(error == 0.0));
                sum += error;
                compared += 1.0;
            }
            outcome.error = sum / f64::max(compared, 1.0);
        }
    }
    outcome
}

/// Of two of which one at least is no list; the gold wants so many values.
fn without_list(said: &Value, truth: &Value, wanted: f64) -> Outcome {
    let unusable = *said == Value::Unusable;
    let differ = unusable || said.is_null() != truth.is_null();
    Outcome {
        error: f64::from(u8::from(differ)),
        right: 0.0,
        given: said.items().len().max(usize::from(unusable)) as f64,
        wanted,
    }
}

/// Twice what is right of all that is given and wanted; 1 where nothing is.
fn f1(right: f64, given: f64, wanted: f64) -> f64 {
    match given + wanted {
        0.0 => 1.0,
        all => 2.0 * right / all,
    }
}

/// What a field says of an object of its list.
fn said_of(of: Known<'_>, field: usize, at: usize) -> &Value {
    of.values[field].items().get(at).unwrap_or(&Value::Null)
}

/// A list of objects: matched first, then compared field by field.
fn objects(
    protocol: &Protocol,
    group: &Group,
    answer: Known,
    gold: Known,
    outcomes: &mut [Outcome],
) {
    let fields = &group.fields;
    let known = |field: &&usize| gold.values[**field].is_known();
    let compared: Vec<usize> = fields.iter().filter(known).copied().collect();
    let length = |of: Known| {
        let lengths = fields.iter().map(|field| of.values[*field].items().len());
        lengths.max().unwrap_or(0)
    };
    let (said, wanted) = (length(answer), length(gold));
    let pairs = match group.key {
        Some(key) => {
            // Null is a key like any other; what is none of its kind is no key.
            let form = |of, at| match said_of(of, key, at) {
                Value::Null | Value::Nothing => Some(None),
                value => canonical(&protocol.fields[key], value).map(Some),
            };
            assign::by_key(said, wanted, |i| form(answer, i), |j| form(gold, j))
        }
        None => {
            let same = |i: usize, j: usize| {
                compared.iter().all(|field| {
                    let (said, truth) = (said_of(answer, *field, i), said_of(gold, *field, j));
                    let entry = &protocol.fields[*field];
                    !gold_says(entry, truth) || alike(entry, said, truth)
                })
            };
            let cost = |i: usize, j: usize| {
                let errors = compared.iter().map(|field| {
                    let entry = &protocol.fields[*field];
                    let (said, truth) = (said_of(answer, *field, i), said_of(gold, *field, j));
                    match gold_says(entry, truth) {
                        true => entry.weight * element(entry, said, truth),
                        false => 0.0,
                    }
                });
                errors.sum::<f64>()
            };
            // Where each has its like, no other assignment is better.
            assign::alike(said, wanted, same).unwrap_or_else(|| assign::best(said, wanted, cost))
        }
    };
    for field in compared {
        let entry = &protocol.fields[field];
        let (list, truth) = (&answer.values[field], &gold.values[field]);
        // An object whose key cannot be used is nobody's.
        let says = |j: usize| {
            let nobodys = |key| *said_of(gold, key, j) == Value::Unusable;
            gold_says(entry, said_of(gold, field, j)) && !group.key.is_some_and(nobodys)
        };
        let of_use: Vec<usize> = (0..truth.items().len()).filter(|j| says(*j)).collect();
        if of_use.is_empty() && !truth.items().is_empty() {
            continue;
        }
        let is_wanted = |j: &&usize| !said_of(gold, field, **j).is_null();
        let wanted_values = of_use.iter().filter(is_wanted).count() as f64;
        // Of an answer without the list, what the gold wants is missed, be it that there is
        // nothing in it.
        if truth.is_null() || list.is_null() {
            outcomes[field] = without_list(list, truth, wanted_values);
            continue;
        }
        let given = |i: usize| f64::from(u8::from(is_given(said_of(answer, field, i))));
        let mut outcome = Outcome {
            error: 0.0,
            right: 0.0,
            given: (0..list.items().len()).map(given).sum(),
            wanted: wanted_values,
        };
        let (mut similar, mut objects) = (0.0, said);
        for (i, j) in &pairs {
            if !says(*j) {
                outcome.given -= given(*i);
                objects -= 1;
                continue;
            }
            let (said, truth) = (said_of(answer, field, *i), said_of(gold, field, *j));
            let error = element(entry, said, truth);
            similar += 1.0 - error;
            outcome.right += f64::from(u8::from(error == 0.0 && !truth.is_null()));
        }
        outcome.error = 1.0 - f1(similar, objects as f64, of_use.len() as f64);
        outcomes[field] = outcome;
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
