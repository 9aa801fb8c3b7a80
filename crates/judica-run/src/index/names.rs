//! Names of an index, and how a parameter gives them.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::NONE;
use super::query::LONG;
use crate::names::Names;

/// What a record has that has no name.
pub(super) const NO_NAME: &str = "none";

/// A name of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name<'i> {
    /// In full.
    pub name: &'i str,
    /// How a parameter gives it: by itself, or as `#N` where that would be long or ambiguous,
    /// or would not outlast a form.
    pub value: Cow<'i, str>,
}

/// As its name alone.
impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

/// Names by number, and by their place in byte order.
pub(super) struct Numbered {
    names: Names,
    ranks: Vec<u32>,
    /// By place.
    order: Vec<u32>,
    /// Whether `none` stands for records without a name.
    with_none: bool,
}

impl Numbered {
    pub fn new(names: Names, with_none: bool) -> Self {
        let ranks = names.ranks();
        let mut order = vec![0; ranks.len()];
        for (number, rank) in (0..).zip(&ranks) {
            order[*rank as usize] = number;
        }
        Numbered {
            names,
            ranks,
            order,
            with_none,
        }
    }

    /// All names, in byte order.
    pub fn sorted(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(|number| self.name(*number))
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// A name.
    pub fn get(&self, number: u32) -> Name<'_> {
        Name {
            name: self.name(number),
            value: self.value(number),
        }
    }

    /// A name, in full.
    pub fn name(&self, number: u32) -> &str {
        let name = self.names.names.get(number as usize);
        name.map_or(NO_NAME, String::as_str)
    }

    /// Its place in byte order; that of no name is behind all.
    pub fn rank(&self, number: u32) -> u32 {
        self.ranks.get(number as usize).copied().unwrap_or(NONE)
    }

    /// How a parameter gives it: by itself, or as `#N`, its place in byte order from 1, where
    /// it is long, or empty, or could be taken for none, or has control characters, which forms
    /// of browsers change.
    fn value(&self, number: u32) -> Cow<'_, str> {
        let name = self.name(number);
        let plain = !name.is_empty() && name.len() <= LONG && !name.contains(char::is_control);
        let itself = number == NONE || (plain && !(self.with_none && name == NO_NAME));
        let place = || format!("#{}", u64::from(self.rank(number)) + 1);
        match itself {
            true => Cow::Borrowed(name),
            false => match place() {
                taken if self.names.known(&taken).is_some() => Cow::Borrowed(name),
                place => Cow::Owned(place),
            },
        }
    }

    /// The name that a parameter gives.
    pub fn find(&self, value: &str) -> Option<u32> {
        if self.with_none && value == NO_NAME {
            return Some(NONE);
        }
        self.names.known(value).or_else(|| {
            let place: usize = value.strip_prefix('#')?.parse().ok()?;
            self.order.get(place.checked_sub(1)?).copied()
        })
    }
}
