//! One table of a gates file, read key by key.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::place::{Place, Problem};

/// A value, and where it stands.
type Found<T> = Result<Option<(T, Range<usize>)>, Problem>;

/// A table with the gate's name, if it has one, for complaints.
pub(super) struct Entry<'a, 'i> {
    place: &'a Place<'a>,
    table: &'a DeTable<'i>,
    span: Range<usize>,
    name: Option<String>,
}

impl<'a, 'i> Entry<'a, 'i> {
    pub(super) fn new(place: &'a Place<'a>, table: &'a DeTable<'i>, span: Range<usize>) -> Self {
        Entry {
            place,
            table,
            span,
            name: None,
        }
    }

    /// The same table, whose complaints say whose it is.
    pub(super) fn named(self, name: &str) -> Self {
        Entry {
            name: Some(name.to_owned()),
            ..self
        }
    }

    /// The first key in the file that is refused.
    pub(super) fn first_key(&self, refused: impl Fn(&str) -> bool) -> Option<(&str, Range<usize>)> {
        let refused = self.table.keys().filter(|key| refused(key.get_ref()));
        let first = refused.min_by_key(|key| key.span().start)?;
        Some((first.get_ref(), first.span()))
    }

    /// A complaint about this table.
    pub(super) fn problem(
        &self,
        span: Range<usize>,
        message: &str,
        help: Option<String>,
    ) -> Problem {
        let named = |name| format!("gate `{name}`: {message}");
        let message = self.name.as_ref().map_or_else(|| message.to_owned(), named);
        self.place.problem(span, message, help)
    }

    /// A key the table cannot do without, read by `read`; `wanted` says what it holds.
    pub(super) fn required<T>(
        &self,
        key: &str,
        wanted: &str,
        read: impl Fn(&Self, &str) -> Found<T>,
    ) -> Result<(T, Range<usize>), Problem> {
        read(self, key)?.ok_or_else(|| {
            let whose = if self.name.is_some() { "" } else { "a gate: " };
            let message = format!("{whose}`{key}` is missing: {wanted}");
            self.problem(self.span.clone(), &message, None)
        })
    }

    pub(super) fn text(&self, key: &str) -> Found<String> {
        self.read(key, "a string", |value| match value {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        })
    }

    pub(super) fn number(&self, key: &str) -> Found<f64> {
        self.read(key, "a finite number", number)
    }

    pub(super) fn two_numbers(&self, key: &str) -> Found<[f64; 2]> {
        self.read(key, "two numbers, [lo, hi]", |value| match value {
            DeValue::Array(ends) => match ends.iter().as_slice() {
                [lo, hi] => Some([number(lo.get_ref())?, number(hi.get_ref())?]),
                _ => None,
            },
            _ => None,
        })
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Problem> {
        let flag = self.read(key, "true or false", DeValue::as_bool)?;
        Ok(flag.map(|(flag, _)| flag))
    }

    fn read<T>(
        &self,
        key: &str,
        wanted: &str,
        convert: impl Fn(&DeValue<'i>) -> Option<T>,
    ) -> Found<T> {
        let Some(value) = self.table.get(key) else {
            return Ok(None);
        };
        match convert(value.get_ref()) {
            Some(converted) => Ok(Some((converted, value.span()))),
            None => {
                let message = format!("`{key}` is {wanted}, not {}", kind(value.get_ref()));
                Err(self.problem(value.span(), &message, None))
            }
        }
    }
}

/// An integer or a float, if it is finite.
fn number(value: &DeValue) -> Option<f64> {
    let number = match value {
        DeValue::Integer(integer) => {
            i128::from_str_radix(integer.as_str(), integer.radix()).ok()? as f64
        }
        DeValue::Float(float) => float.as_str().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// What a value is, for a complaint.
fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(float) if number(value).is_none() => match float.as_str() {
            text if text.contains("nan") => "nan",
            _ => "infinite",
        },
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "such an array",
        DeValue::Table(_) => "a table",
    }
}
