//! Values as categories: which are the same, and in which order they stand.
//!
//! Rows come one by one and categories are known only at the end, so values get codes in
//! the order in which they first come up, and new ones at the end.
//!
//! * Names (the nominal level): any text. If every value is a number, two that are the
//!   same number (`1` and `1.0`) are the same category, and categories are in the order
//!   of the numbers; else in the order of their code points.
//! * Values that are listed, with their order or without: these and no others.
//! * Numbers (all other levels): by their value.

use std::cmp::Ordering;

use judica_data::json::number::{is_kept, people_number};
use judica_data::work_error::WorkError;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::scale;

use super::names::Names;
use super::order::{Listed, Order};
use super::slots::Slots;
use super::value::{EXACT, Field, exact, marks_missing, shortest, spells_not_finite};
use crate::panel::LARGEST_CONFUSION;

/// Reads values.
#[derive(Debug)]
pub(super) enum Scale {
    /// Any text.
    Names(Names),
    /// What the user listed.
    Order(Order),
    /// Numbers.
    Numbers(Numbers),
}

/// Numbers in the order in which they first came up.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Whether text that is no number means that an order should have been given.
    ordinal: bool,
    values: Vec<f64>,
    slots: Slots,
}

/// Why a value has no code.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoCode {
    /// This one cannot be used.
    Refused(&'static str, String),
    /// None can: they have no order.
    NeedsOrder,
}

/// The categories of all values that were read.
#[derive(Debug, PartialEq)]
pub(super) struct Categories {
    /// How many there are.
    pub(super) count: usize,
    /// Their names, in order, if they are few enough to be shown.
    pub(super) labels: Vec<String>,
    /// Their values, rising: the numbers themselves or, where they are none, ranks.
    pub(super) values: Vec<f64>,
    /// For each code that was given out, the place of its category.
    pub(super) recoded: Vec<u32>,
    /// Whether the order of the categories is one that means something.
    pub(super) ordered: bool,
    /// Whether values that are written differently were the same number.
    pub(super) merged: bool,
    /// Whether they were listed, and not found in the values.
    pub(super) declared: bool,
}

impl Scale {
    /// A scale for a level of measurement.
    pub(super) fn new(level: Level, listed: Option<Listed>) -> Result<Self, WorkError> {
        match (level, listed) {
            (Level::Nominal, None) => Ok(Scale::Names(Names::default())),
            (Level::Interval | Level::Ratio, Some(Listed::Order(_))) => Err(WorkError::BadInput(
                "--order is for nominal and ordinal values; others are in the order of \
                 their numbers"
                    .to_owned(),
            )),
            (_, Some(listed)) => Ok(Scale::Order(Order::new(listed, level)?)),
            (_, None) => Ok(Scale::Numbers(Numbers {
                ordinal: level == Level::Ordinal,
                ..Numbers::default()
            })),
        }
    }

    /// The code of a value that is there; `buffer` is scratch memory.
    #[inline]
    pub(super) fn code(&mut self, value: Field, buffer: &mut String) -> Result<u32, NoCode> {
        if let Field::Nested(what) = value {
            let detail = format!("the value is {what}, and should be text or a number");
            return Err(NoCode::Refused("wrong_type", detail));
        }
        if let Scale::Numbers(numbers) = self {
            return numbers.code(value);
        }
        let Some(text) = value.name(buffer) else {
            return Err(not_finite(value));
        };
        match self {
            Scale::Names(names) => Ok(names.number(text)),
            Scale::Order(order) => order.code(text).ok_or_else(|| {
                NoCode::Refused(
                    "unknown_value",
                    format!("`{text}` is none of the values listed"),
                )
            }),
            Scale::Numbers(_) => Err(NoCode::NeedsOrder),
        }
    }

    /// Whether two codes mean the same value.
    pub(super) fn same(&self, a: u32, b: u32) -> bool {
        match self {
            Scale::Names(names) if a != b => {
                let number = exact(names.name(a));
                number.is_some() && number == exact(names.name(b))
            }
            _ => a == b,
        }
    }

    /// The value behind a code, as text.
    pub(super) fn label(&self, code: u32) -> String {
        match self {
            Scale::Names(names) => names.name(code).to_owned(),
            Scale::Order(order) => order.label(code).to_owned(),
            Scale::Numbers(numbers) => shortest(numbers.values[code as usize]),
        }
    }

    /// How many codes were given out.
    pub(super) fn codes(&self) -> usize {
        match self {
            Scale::Names(names) => names.len(),
            Scale::Order(order) => order.len(),
            Scale::Numbers(numbers) => numbers.values.len(),
        }
    }

    /// No value will be asked for any more: what finds codes goes.
    pub(super) fn close(&mut self) {
        match self {
            Scale::Names(names) => names.close(),
            Scale::Numbers(numbers) => numbers.slots = Slots::default(),
            Scale::Order(_) => {}
        }
    }

    /// The categories. `used` are the codes that became a rating: a value that stood in
    /// refused rows only is no category, unless it was listed.
    pub(super) fn finish(&self, used: &[u32]) -> Categories {
        let mut categories = match self {
            Scale::Names(names) => of_names(names, used),
            Scale::Order(order) => order.categories(),
            Scale::Numbers(numbers) => of_numbers(&numbers.values, None, used),
        };
        if few(categories.count) {
            categories.labels = self.labels(used, &categories);
        }
        categories
    }

    /// The names of all categories, however many they are.
    pub(super) fn labels(&self, used: &[u32], categories: &Categories) -> Vec<String> {
        if let Scale::Order(order) = self {
            return order.labels.clone();
        }
        let mut labels = vec![String::new(); categories.count];
        for &code in used {
            let label = &mut labels[categories.recoded[code as usize] as usize];
            let own = self.label(code);
            *label = match label.is_empty() {
                true => own,
                false => one_text(label, &own),
            };
        }
        labels
    }
}

/// The text of a number that is written in two ways: its shortest or, where the double it is
/// read as is another number, the shorter of the two.
fn one_text(a: &str, b: &str) -> String {
    let text = people_number(a).map(shortest).unwrap_or_default();
    if exact(&text) == exact(a) {
        return text;
    }
    let [a, b] = [a.trim(), b.trim()];
    (a.len(), a).min((b.len(), b)).1.to_owned()
}

impl Numbers {
    #[inline]
    fn code(&mut self, value: Field) -> Result<u32, NoCode> {
        let number = match value {
            Field::Number(number, _) => number,
            Field::Text(text) => match people_number(text) {
                Some(number) => number,
                None if spells_not_finite(text) => return Err(not_finite(value)),
                // Of all others it says nothing that one of them is not there.
                None if self.ordinal && !marks_missing(text) => return Err(NoCode::NeedsOrder),
                None => {
                    let detail = format!("`{text}` is not a number");
                    return Err(NoCode::Refused("not_a_number", detail));
                }
            },
            _ if self.ordinal => return Err(NoCode::NeedsOrder),
            _ => {
                let detail = "true or false is not a number".to_owned();
                return Err(NoCode::Refused("not_a_number", detail));
            }
        };
        if !number.is_finite() {
            return Err(not_finite(value));
        }
        if number.abs() >= EXACT
            && let Field::Number(_, written) | Field::Text(written) = value
            && !is_kept(number, written)
        {
            let detail = format!(
                "`{}` has more digits than a double can hold, and would be taken for {}; \
                 take the same from all values, or use the nominal level",
                written.trim(),
                shortest(number)
            );
            return Err(NoCode::Refused("inexact_number", detail));
        }
        // Adding 0 makes -0 the same as 0.
        let number = number + 0.0;
        let bits = number.to_bits();
        let known = |code: u32| self.values[code as usize].to_bits() == bits;
        if let Some(code) = self.slots.find(bits, known) {
            return Ok(code);
        }
        let code = self.values.len() as u32;
        self.values.push(number);
        let values = &self.values;
        self.slots
            .add(bits, code, |code| values[code as usize].to_bits());
        Ok(code)
    }
}

fn not_finite(value: Field) -> NoCode {
    let written = match value {
        Field::Text(text) | Field::Number(_, text) => text.trim(),
        _ => "",
    };
    NoCode::Refused("not_finite", format!("`{written}` is not a finite number"))
}

fn of_names(names: &Names, used: &[u32]) -> Categories {
    let number = |text: &str| people_number(text).filter(|number| number.is_finite());
    if used.iter().all(|&code| number(names.name(code)).is_some()) {
        let numbers = names.iter().map(|text| number(text).unwrap_or(0.0));
        return of_numbers(&numbers.collect::<Vec<f64>>(), Some(names), used);
    }
    let mut used = used.to_vec();
    used.sort_unstable_by_key(|&code| names.name(code));
    let mut recoded = vec![0; names.len()];
    for (place, &code) in used.iter().enumerate() {
        recoded[code as usize] = place as u32;
    }
    Categories {
        count: used.len(),
        labels: Vec::new(),
        values: scale(None, used.len()),
        recoded,
        ordered: false,
        merged: false,
        declared: false,
    }
}

/// Categories in the order of their numbers; `texts` are how they were written, if that
/// matters.
fn of_numbers(numbers: &[f64], texts: Option<&Names>, used: &[u32]) -> Categories {
    let text = |code: u32| texts.map_or("", |texts| texts.name(code));
    // There may be millions, so each is next to its code while they are sorted.
    let mut sorted: Vec<(f64, u32)> = used
        .iter()
        .map(|&code| (numbers[code as usize], code))
        .collect();
    sorted.sort_unstable_by(|a, b| {
        // By value, not by `total_cmp`: 0 and -0 are the same.
        let by_value = a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal);
        // Equal doubles may have been different numbers, identifiers for example.
        by_value.then_with(|| exact(text(a.1)).cmp(&exact(text(b.1))))
    });
    let alike = |a: &(f64, u32), b: &(f64, u32)| {
        a.0 == b.0 && (texts.is_none() || exact(text(a.1)) == exact(text(b.1)))
    };
    let groups: Vec<&[(f64, u32)]> = sorted.chunk_by(alike).collect();
    let mut recoded = vec![0; numbers.len()];
    for (place, group) in groups.iter().enumerate() {
        for &(_, code) in *group {
            recoded[code as usize] = place as u32;
        }
    }
    let values: Vec<f64> = groups.iter().map(|group| group[0].0).collect();
    Categories {
        count: groups.len(),
        labels: Vec::new(),
        values: scale(Some(values), groups.len()),
        recoded,
        ordered: true,
        merged: groups.len() < sorted.len(),
        declared: false,
    }
}

/// Whether so many categories are few enough to be named.
pub(super) fn few(count: usize) -> bool {
    count <= LARGEST_CONFUSION
}

#[cfg(test)]
#[path = "scale_tests.rs"]
mod tests;
