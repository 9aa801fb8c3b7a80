//! One table of a file, read key by key.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::place::{Place, Problem, did_you_mean};

/// A text, and where it stands.
pub type Text = (String, Range<usize>);

/// A value, and where it stands.
type Found<T> = Result<Option<(T, Range<usize>)>, Problem>;

/// A table with what it is and its name, if it has one, for complaints.
#[derive(Debug)]
pub struct Entry<'a, 'i> {
    place: &'a Place<'a>,
    table: &'a DeTable<'i>,
    span: Range<usize>,
    what: &'static str,
    name: Option<String>,
}

impl<'a, 'i> Entry<'a, 'i> {
    /// A table that is a `what`.
    pub fn new(
        place: &'a Place<'a>,
        table: &'a DeTable<'i>,
        span: Range<usize>,
        what: &'static str,
    ) -> Self {
        Entry {
            place,
            table,
            span,
            what,
            name: None,
        }
    }

    /// Where it stands.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Its keys, as they stand in the file.
    pub fn keys(&self) -> Vec<(&'a str, Range<usize>)> {
        let keys = self.table.keys();
        let mut keys: Vec<_> = keys.map(|key| (&**key.get_ref(), key.span())).collect();
        keys.sort_by_key(|(_, span)| span.start);
        keys
    }

    /// A complaint about each key that is not one of `known`.
    pub fn unknown_keys(&self, known: &[&str]) -> impl Iterator<Item = Problem> {
        let unknown = self.keys().into_iter();
        unknown
            .filter(|(key, _)| !known.contains(key))
            .map(|(key, span)| {
                let help = did_you_mean(key, known);
                self.problem(span, &format!("unknown key `{key}`"), Some(help))
            })
    }

    /// The same table, whose complaints say whose it is.
    pub fn named(self, name: &str) -> Self {
        Entry {
            name: Some(name.to_owned()),
            ..self
        }
    }

    /// The first key in the file that is refused.
    pub fn first_key(&self, refused: impl Fn(&str) -> bool) -> Option<(&str, Range<usize>)> {
        self.keys().into_iter().find(|(key, _)| refused(key))
    }

    /// A complaint about this table.
    pub fn problem(&self, span: Range<usize>, message: &str, help: Option<String>) -> Problem {
        let named = |name| format!("{} `{name}`: {message}", self.what);
        let message = self.name.as_ref().map_or_else(|| message.to_owned(), named);
        self.place.problem(span, message, help)
    }

    /// A key the table cannot do without, read by `read`; `wanted` says what it holds.
    pub fn required<T>(
        &self,
        key: &str,
        wanted: &str,
        read: impl Fn(&Self, &str) -> Found<T>,
    ) -> Result<(T, Range<usize>), Problem> {
        read(self, key)?.ok_or_else(|| {
            let whose = match self.name {
                Some(_) => String::new(),
                None => format!("a {}: ", self.what),
            };
            let message = format!("{whose}`{key}` is missing: {wanted}");
            self.problem(self.span.clone(), &message, None)
        })
    }

    /// A text.
    pub fn text(&self, key: &str) -> Found<String> {
        self.read(key, "a string", |value| match value {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        })
    }

    /// Texts in a list, or one that stands alone, each with its place.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<Text>>, Problem> {
        let text = |value: &Spanned<DeValue>| match value.get_ref() {
            DeValue::String(text) => Some((text.to_string(), value.span())),
            _ => None,
        };
        let Some(value) = self.table.get(key) else {
            return Ok(None);
        };
        let found = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(text).collect::<Option<Vec<_>>>(),
            _ => text(value).map(|one| vec![one]),
        };
        match found {
            Some(found) => Ok(Some(found)),
            None => {
                let what = kind(value.get_ref());
                let message = format!("`{key}` is a string or a list of strings, not {what}");
                Err(self.problem(value.span(), &message, None))
            }
        }
    }

    /// A table within this one, whose complaints say the same.
    pub fn table(&self, key: &str) -> Result<Option<Entry<'a, 'i>>, Problem> {
        let Some(value) = self.table.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::Table(table) => Ok(Some(Entry {
                place: self.place,
                table,
                span: value.span(),
                what: self.what,
                name: self.name.clone(),
            })),
            other => {
                let message = format!("`{key}` is a table, not {}", kind(other));
                Err(self.problem(value.span(), &message, None))
            }
        }
    }

    /// The tables under `[[key]]`, each a `key`; none if there is no such key.
    pub fn tables(&self, key: &'static str) -> Result<Vec<Entry<'a, 'i>>, Problem> {
        let Some(value) = self.table.get(key) else {
            return Ok(Vec::new());
        };
        let wrong = || {
            let message = format!("every {key} is a table of its own, under [[{key}]]");
            self.problem(value.span(), &message, None)
        };
        let DeValue::Array(list) = value.get_ref() else {
            return Err(wrong());
        };
        let entry = |value: &'a Spanned<DeValue<'i>>| match value.get_ref() {
            DeValue::Table(table) => Ok(Entry::new(self.place, table, value.span(), key)),
            _ => Err(wrong()),
        };
        list.iter().map(entry).collect()
    }

    /// A number.
    pub fn number(&self, key: &str) -> Found<f64> {
        self.read(key, "a finite number", number)
    }

    /// Two numbers.
    pub fn two_numbers(&self, key: &str) -> Found<[f64; 2]> {
        self.read(key, "two numbers, [lo, hi]", |value| match value {
            DeValue::Array(ends) => match ends.iter().as_slice() {
                [lo, hi] => Some([number(lo.get_ref())?, number(hi.get_ref())?]),
                _ => None,
            },
            _ => None,
        })
    }

    /// True or false.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, Problem> {
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
