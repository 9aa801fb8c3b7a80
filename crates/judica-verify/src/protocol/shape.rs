//! From the text of a protocol file to its TOML shape, with all mistakes of shape in one go.
//!
//! The TOML reader stops at the first. So what it stumbled over is told of, mended in memory
//! (a misspelt key gets its name, what is missing gets a placeholder that stands
//! [`NOWHERE`]), and the file is read again.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::{self, ProtocolFile};
use super::place::{NOWHERE, Place, did_you_mean};
use judica_model::nearest::nearest;

/// So many mistakes of shape are looked for; a file with more is no protocol with mistakes.
const MOST: usize = 100;

/// What must stand in a protocol file, as one can begin it.
const SKELETON: &str = r#"[protocol]
name = "mine"
version = "1"

[[field]]
name = "Speed (m/s)"
alias = "speed"
limit = [0, 100]

[[task]]
name = "next"
shape = "scalar"

[[family]]
name = "physics"

[[rule]]
family = "physics"
id = "fast"
value = "speed"
warning_above = 50
message = "speed {value}"

[scores]
weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
mae_weight = 0.6
rmse_weight = 0.4
mae_curve = [[0, 100], [10, 50], [100, 0]]
rmse_curve = [[0, 100], [20, 50], [200, 0]]
"#;

/// The file, or what can be made of it; nothing where it is not TOML.
pub(super) fn read(place: &Place) -> Option<ProtocolFile> {
    if let Ok(file) = toml::from_str(place.source) {
        return Some(file);
    }
    let (mut root, errors) = DeTable::parse_recoverable(place.source);
    if !errors.is_empty() {
        // One mistake can be told of several times on its line.
        let mut lines = std::collections::BTreeSet::new();
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let before = place.source.get(..span.start).unwrap_or_default();
            if lines.insert(before.matches('\n').count()) {
                place.tell(span, error.message(), None);
            }
        }
        return None;
    }
    for _ in 0..MOST {
        let error = match ProtocolFile::deserialize(toml::Deserializer::from(root.clone())) {
            Ok(file) => return Some(file),
            Err(error) => error,
        };
        let span = error.span().unwrap_or(0..0);
        let words = error.message();
        let mending = Mending {
            place,
            span: span.clone(),
            words,
            names: words.split('`').skip(1).step_by(2).collect(),
        };
        let whole = root.span() == span;
        if !mending.table(root.get_mut(), whole, &mut Vec::new()) {
            place.tell(span, words, None);
            return None;
        }
    }
    None
}

/// A section of the skeleton, as a help: a sentence, then the lines.
pub(super) fn skeleton(section: &str) -> Option<String> {
    let mut parts = SKELETON.split("\n\n");
    let part = parts.find(|part| part.trim_start_matches('[').starts_with(section))?;
    Some(format!("write, for example:\n{}", part.trim_end()))
}

/// The line of the skeleton that sets this key in this section.
pub(super) fn skeleton_line(section: &str, key: &str) -> Option<String> {
    let part = skeleton(section)?;
    let mut lines = part.lines();
    let line = lines.find(|line| {
        line.strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(" ="))
    });
    line.map(|line| format!("write, for example, `{line}`"))
}

/// One complaint of the TOML reader, on its way to the table that it is about.
struct Mending<'e> {
    place: &'e Place<'e>,
    span: Range<usize>,
    words: &'e str,
    /// What the words quote: the wrong or missing name first, then those expected.
    names: Vec<&'e str>,
}

impl Mending<'_> {
    /// Looks for the place of the complaint in this table and in those within, tells of it
    /// and mends it. `path` are the keys that lead here.
    fn table(&self, table: &mut DeTable<'_>, meant: bool, path: &mut Vec<String>) -> bool {
        if meant && self.words.starts_with("missing field") {
            let key = self.names.first().copied().unwrap_or_default();
            if !table.contains_key(key) {
                self.missing(key, path);
                return place_held(table, key, path, self.place.told());
            }
        }
        let at = |span: Range<usize>| span.start <= self.span.start && self.span.end <= span.end;
        let keys: Vec<(String, Range<usize>, Range<usize>)> = table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), key.span(), value.span()))
            .collect();
        for (key, key_span, value_span) in keys {
            if key_span == self.span && self.words.starts_with("unknown field") {
                self.unknown(table, &key, path);
                return true;
            }
            let Some(value) = table.get_mut(key.as_str()) else {
                continue;
            };
            path.push(key.clone());
            if self.value(value, path) {
                return true;
            }
            path.pop();
            if at(value_span) && !self.words.starts_with("missing") {
                self.wrong_value(table, &key, path);
                return true;
            }
        }
        false
    }

    fn value(&self, value: &mut Spanned<DeValue<'_>>, path: &mut Vec<String>) -> bool {
        let meant = value.span() == self.span;
        match value.get_mut() {
            DeValue::Table(table) => self.table(table, meant, path),
            DeValue::Array(items) => items.iter_mut().any(|item| {
                // Numbers in lists are mended as the list that they stand in.
                matches!(item.get_ref(), DeValue::Table(_) | DeValue::Array(_))
                    && self.value(item, path)
            }),
            _ => false,
        }
    }

    fn missing(&self, key: &str, path: &[String]) {
        match path {
            [] => {
                let many = ["field", "task"].contains(&key);
                let section = if many {
                    format!("[[{key}]]")
                } else {
                    format!("[{key}]")
                };
                let end = self.place.source.trim_end().len();
                let message = format!("the section `{section}` is missing");
                self.place.tell(end..end, message, skeleton(key));
            }
            [section, ..] => {
                let help = skeleton_line(section, key);
                self.place.tell(self.span.clone(), self.words, help);
            }
        }
    }

    /// A misspelt key gets the name that was meant; another goes.
    fn unknown(&self, table: &mut DeTable<'_>, key: &str, path: &[String]) {
        let expected = self.names.iter().skip(1).copied();
        let meant = nearest(key, expected);
        let help = meant.map(did_you_mean).or_else(|| elsewhere(key, path));
        // Who is told what was meant needs no list of all that could be.
        let words = match (&help, self.words.split_once(", expected")) {
            (Some(_), Some((words, _))) => words,
            _ => self.words,
        };
        self.place.tell(self.span.clone(), words, help);
        if let Some((_, value)) = table.remove_entry(key)
            && let Some(meant) = meant
            && !table.contains_key(meant)
        {
            let name = Cow::Owned(meant.to_owned());
            table.insert(Spanned::new(self.span.clone(), name), value);
        }
    }

    /// A misspelt word is read as what was meant; for another value of the wrong kind stands a
    /// placeholder, where one is needed.
    fn wrong_value(&self, table: &mut DeTable<'_>, key: &str, path: &[String]) {
        let wrong = self.names.first().copied().unwrap_or_default();
        let expected = self.names.iter().skip(1).copied();
        let variant = self.words.starts_with("unknown variant");
        let meant = variant.then(|| nearest(wrong, expected)).flatten();
        let section = path.is_empty() && self.words.starts_with("invalid type: map");
        let help = meant
            .map(did_you_mean)
            .or_else(|| section.then(|| format!("a protocol may have several: write `[[{key}]]`")));
        self.place.tell(self.span.clone(), self.words, help);
        let Some(value) = table.get_mut(key) else {
            return;
        };
        if let (Some(meant), DeValue::String(text)) = (meant, value.get_mut()) {
            *text = Cow::Owned(meant.to_owned());
            return;
        }
        table.remove(key);
        if key == "shape" {
            table.remove("horizon");
        }
        place_held(table, key, path, self.place.told());
    }
}

/// Puts something in the place of a key, so that the rest can be read; false where nothing is
/// known that could stand there. Names are made `unlike` each other.
fn place_held(table: &mut DeTable<'_>, key: &str, path: &[String], unlike: usize) -> bool {
    let text = |text: String| DeValue::String(Cow::Owned(text));
    let value = match key {
        "name" | "alias" | "id" => text(format!("missing_{unlike}")),
        "value" | "when" | "warning_if" | "critical_if" | "family" | "message" | "version"
        | "adjusts" => text(String::new()),
        _ => {
            let number = match key {
                "warning_above" | "critical_above" | "warning_below" | "critical_below" => "nan",
                "horizon" | "score" | "subtract" | "cap" | "weight" => "1",
                "levels" => "[]",
                _ => "",
            };
            let number = DeValue::parse(number).ok().map(Spanned::into_inner);
            match number.or_else(|| from_skeleton(key, path)) {
                Some(value) => value,
                None => return false,
            }
        }
    };
    table.insert(
        Spanned::new(NOWHERE, Cow::Owned(key.to_owned())),
        Spanned::new(NOWHERE, value),
    );
    true
}

/// What stands under this key in the skeleton.
fn from_skeleton(key: &str, path: &[String]) -> Option<DeValue<'static>> {
    let mut table = DeTable::parse(SKELETON).ok()?.into_inner();
    for step in path {
        let value = table.remove(step.as_str())?.into_inner();
        table = match value {
            DeValue::Table(table) => table,
            DeValue::Array(items) => match items.into_iter().next()?.into_inner() {
                DeValue::Table(table) => table,
                _ => return None,
            },
            _ => return None,
        };
    }
    table.remove(key).map(Spanned::into_inner)
}

/// The section that knows a key which this one does not.
fn elsewhere(key: &str, path: &[String]) -> Option<String> {
    let sections = [
        ("[protocol]", keys::<file::Header>()),
        ("[parsing]", keys::<file::ParsingSection>()),
        ("[[field]]", keys::<file::FieldEntry>()),
        ("[[task]]", keys::<file::TaskEntry>()),
        ("[severity]", keys::<file::SeveritySection>()),
        ("[range]", keys::<file::RangeSection>()),
        ("[jump]", keys::<file::JumpSection>()),
        ("[[family]]", keys::<file::FamilyEntry>()),
        ("[[rule]]", keys::<file::RuleEntry>()),
        ("[[verifier]]", keys::<file::VerifierEntry>()),
        ("[[dimension]]", keys::<file::DimensionEntry>()),
        ("[gating]", keys::<file::GatingSection>()),
        ("[attribution]", keys::<file::AttributionSection>()),
        ("[scores]", keys::<file::ScoresSection>()),
        ("[summary]", keys::<file::SummarySection>()),
    ];
    let here = path.first().map(String::as_str).unwrap_or_default();
    let other = |(section, keys): &&(&str, Vec<String>)| {
        section.trim_matches(['[', ']']) != here && keys.iter().any(|known| known == key)
    };
    let (section, _) = sections.iter().find(other)?;
    Some(format!("`{key}` is a key of `{section}`"))
}

/// The keys of a section, as the reader lists them to who gives one that does not exist.
fn keys<T: DeserializeOwned>() -> Vec<String> {
    let words = toml::from_str::<T>("\"\" = 0").err();
    let words = words
        .map(|error| error.message().to_owned())
        .unwrap_or_default();
    let quoted = words.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
