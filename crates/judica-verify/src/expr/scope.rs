//! What names mean in an expression, and where their values are found.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::Kind;
use crate::value::Value;

/// A name and what it stands for.
#[derive(Debug, Clone, Copy)]
pub struct Variable<'a> {
    /// The name.
    pub name: &'a str,
    /// What it gives.
    pub kind: Kind,
    /// What its elements are, of a list.
    pub element: Kind,
    /// The only texts that it, or an element of it, can be, where they are listed.
    pub values: Option<Values<'a>>,
}

/// The texts that an enumeration can be.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// Their names.
    pub names: &'a [String],
    /// Other spellings, and the position of the name that is read instead.
    pub aliases: &'a BTreeMap<String, usize>,
}

impl<'a> Variable<'a> {
    /// A number.
    pub fn number(name: &'a str) -> Self {
        Variable {
            name,
            kind: Kind::Number,
            element: Kind::Number,
            values: None,
        }
    }
}

/// Whose value of a field is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The response's own.
    Own,
    /// The gold's.
    Gold,
    /// That of the sample's current state.
    Context,
    /// That from which a jump is measured.
    Previous,
}

impl Source {
    /// Those that are named, with their names.
    pub const NAMED: [(&'static str, Source); 3] = [
        ("gold", Source::Gold),
        ("context", Source::Context),
        ("previous", Source::Previous),
    ];
}

/// One thing that an expression reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// Whose.
    pub source: Source,
    /// Which field.
    pub field: usize,
    /// How many steps later, or earlier where negative.
    pub offset: i32,
}

/// The slots of all expressions of a protocol: first one for each field's own value at the
/// step at hand, then those that were asked for besides.
#[derive(Debug, Default)]
pub struct Reads {
    fields: usize,
    beyond: RefCell<Vec<Read>>,
}

impl Reads {
    /// Nothing asked for yet.
    pub fn new(fields: usize) -> Self {
        Reads {
            fields,
            beyond: RefCell::default(),
        }
    }

    pub(super) fn slot(&self, read: Read) -> usize {
        if (read.source, read.offset) == (Source::Own, 0) {
            return read.field;
        }
        let mut beyond = self.beyond.borrow_mut();
        let known = beyond.iter().position(|known| *known == read);
        self.fields
            + known.unwrap_or_else(|| {
                beyond.push(read);
                beyond.len() - 1
            })
    }

    /// What stands in a slot.
    pub fn of(&self, slot: usize) -> Read {
        match slot.checked_sub(self.fields) {
            Some(beyond) => self.beyond.borrow()[beyond],
            None => Read {
                source: Source::Own,
                field: slot,
                offset: 0,
            },
        }
    }

    /// What was asked for besides the fields' own values, in the order of slots.
    pub fn into_beyond(self) -> Vec<Read> {
        self.beyond.into_inner()
    }
}

/// What an expression may read.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The names; the first of them are slots 0, 1, …
    pub variables: &'a [Variable<'a>],
    /// Where other reads of them get slots, if there are others than their own.
    pub reads: Option<&'a Reads>,
}

/// The values of an expression's slots.
#[derive(Debug, Clone, Copy)]
pub struct Slots<'a> {
    /// Those that are numbers.
    pub numbers: &'a [f64],
    /// All, of a protocol that has others than numbers.
    pub values: &'a [&'a Value],
}

impl<'a> From<&'a [f64]> for Slots<'a> {
    #[inline]
    fn from(numbers: &'a [f64]) -> Self {
        Slots {
            numbers,
            values: &[],
        }
    }
}

impl<'a> From<&'a Vec<f64>> for Slots<'a> {
    fn from(numbers: &'a Vec<f64>) -> Self {
        numbers.as_slice().into()
    }
}

impl<'a, const N: usize> From<&'a [f64; N]> for Slots<'a> {
    fn from(numbers: &'a [f64; N]) -> Self {
        numbers.as_slice().into()
    }
}
