//! What is computed from more than numbers: text, lists, what may be null.

use std::borrow::Cow;

use regex::Regex;

use super::code::Program;
use super::scope::Slots;
use crate::value::{NULL, Value};

/// Something that is text or a list, and needs no code of its own.
#[derive(Debug, Clone)]
pub(super) enum Term {
    /// A variable.
    Slot(usize),
    /// Written down.
    Literal(Value),
    /// In lower case.
    Lower(Box<Term>),
}

/// What is computed of terms.
#[derive(Debug, Clone)]
pub(super) enum Beyond {
    /// Whether two are equal.
    Equal(Term, Term),
    /// Whether the second is within the first: a piece of text, or an element.
    Holds(Term, Needle),
    /// Whether a pattern is found in it.
    Matches(Term, Regex),
    /// Characters or elements.
    Length(Term),
    /// Whether there is no value.
    IsNull(usize),
    /// Over the elements of lists, which stand in these slots.
    Over(Fold, Program, Box<[usize]>),
}

/// What is looked for.
#[derive(Debug, Clone)]
pub(super) enum Needle {
    Term(Term),
    /// The number that was just computed.
    Number,
}

/// How elements are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Any,
    All,
    Sum,
    Max,
    Min,
}

impl Fold {
    /// All, by name.
    pub(super) const NAMED: [(&'static str, Fold); 5] = [
        ("any", Fold::Any),
        ("all", Fold::All),
        ("sum", Fold::Sum),
        ("max", Fold::Max),
        ("min", Fold::Min),
    ];

    /// Whether it takes conditions together.
    pub(super) fn of_conditions(self) -> bool {
        matches!(self, Fold::Any | Fold::All)
    }
}

fn slot<'a>(slots: Slots<'a>, index: usize) -> &'a Value {
    slots.values.get(index).copied().unwrap_or(&NULL)
}

impl Term {
    fn value<'a>(&'a self, slots: Slots<'a>) -> Cow<'a, Value> {
        match self {
            Term::Slot(index) => Cow::Borrowed(slot(slots, *index)),
            Term::Literal(value) => Cow::Borrowed(value),
            Term::Lower(inner) => Cow::Owned(match inner.value(slots).text() {
                Some(text) => Value::Text(text.to_lowercase().into()),
                None => Value::Null,
            }),
        }
    }
}

impl Beyond {
    /// Whether it goes over lists side by side that are not equally long: what stands beside
    /// the rest of the longer one is not known.
    pub(super) fn is_misaligned(&self, slots: Slots) -> bool {
        let Beyond::Over(_, _, lists) = self else {
            return false;
        };
        // Of one that is null there is nothing that could stand beside something else.
        let lists = lists.iter().map(|list| slot(slots, *list));
        let mut lengths = lists
            .filter(|list| !list.is_null())
            .map(|list| list.items().len());
        let first = lengths.next();
        lengths.any(|length| Some(length) != first)
    }

    /// Its value, 1 or 0 for a condition; `number` is what was computed last.
    pub(super) fn value(&self, slots: Slots, number: f64) -> f64 {
        let truth = |yes: bool| f64::from(u8::from(yes));
        match self {
            Beyond::Equal(left, right) => {
                let (left, right) = (left.value(slots), right.value(slots));
                // Nothing equals nothing that is known.
                truth(!left.is_null() && left == right)
            }
            Beyond::Holds(within, Needle::Number) => {
                let within = within.value(slots);
                let mut items = within.items().iter();
                truth(items.any(|item| item.number() == number))
            }
            Beyond::Holds(within, Needle::Term(needle)) => {
                truth(holds(&within.value(slots), &needle.value(slots)))
            }
            Beyond::Matches(term, pattern) => {
                let value = term.value(slots);
                truth(value.text().is_some_and(|text| pattern.is_match(text)))
            }
            Beyond::Length(term) => match &*term.value(slots) {
                Value::Text(text) => text.chars().count() as f64,
                Value::List(items) => items.len() as f64,
                _ => f64::NAN,
            },
            Beyond::IsNull(index) => {
                let number = slots.numbers.get(*index);
                truth(slot(slots, *index).is_null() && number.is_none_or(|n| n.is_nan()))
            }
            Beyond::Over(fold, body, lists) => over(*fold, body, lists, slots),
        }
    }
}

fn holds(within: &Value, needle: &Value) -> bool {
    match (within, needle) {
        (_, Value::Null) => false,
        (Value::Text(text), Value::Text(piece)) => text.contains(&**piece),
        (Value::List(items), needle) => items.contains(needle),
        _ => false,
    }
}

/// Goes over lists side by side; where they are not equally long nobody uses the result.
fn over(fold: Fold, body: &Program, lists: &[usize], slots: Slots) -> f64 {
    let items = |list: &usize| slot(slots, *list).items();
    if lists.iter().any(|list| slot(slots, *list).is_null()) {
        return match fold.of_conditions() {
            true => 0.0,
            false => f64::NAN,
        };
    }
    let length = lists.iter().map(|list| items(list).len()).max();
    let mut numbers = slots.numbers.to_vec();
    let mut values = slots.values.to_vec();
    let mut elements = (0..length.unwrap_or(0)).map(|at| {
        for list in lists {
            let element = items(list).get(at).unwrap_or(&NULL);
            values[*list] = element;
            if let Some(number) = numbers.get_mut(*list) {
                *number = element.number();
            }
        }
        let outcome = body.run(Slots {
            numbers: &numbers,
            values: &values,
        });
        match fold.of_conditions() {
            true => f64::from(u8::from(outcome.condition)),
            false => outcome.number,
        }
    });
    match fold {
        Fold::Any => f64::from(u8::from(elements.any(|held| held == 1.0))),
        Fold::All => f64::from(u8::from(elements.all(|held| held == 1.0))),
        Fold::Sum => elements.sum::<f64>() + 0.0,
        Fold::Max => elements.reduce(super::functions::max).unwrap_or(f64::NAN),
        Fold::Min => elements.reduce(super::functions::min).unwrap_or(f64::NAN),
    }
}
