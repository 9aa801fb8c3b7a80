//! What a schema says of one value.

use serde_json::{Map, Value, json};

use super::is_object;
use super::join::same;
use super::pattern::ours;
use crate::calibrate::fit::quoted;
use crate::render::plain_number;

/// What one value is said to be.
#[derive(Default)]
pub(super) struct Said {
    pub(super) kind: &'static str,
    pub(super) keys: Vec<String>,
    /// Id, condition over VALUE, message.
    pub(super) rules: Vec<(&'static str, String, String)>,
    pub(super) unsaid: Vec<String>,
}

/// The kind of a schema: its type, or that of its values.
pub(super) fn kind(schema: &Map<String, Value>) -> Option<&'static str> {
    if ["anyOf", "oneOf", "not", "if"]
        .iter()
        .any(|key| schema.contains_key(*key))
    {
        // Of objects a schema says it all.
        let object = schema.get("type") == Some(&json!("object"));
        return object.then_some("object").filter(|_| !is_object(schema));
    }
    let values = schema.get("enum").and_then(Value::as_array);
    let mut values = values.into_iter().flatten().chain(schema.get("const"));
    let named = schema.get("type").and_then(Value::as_str);
    match named {
        Some("string") => Some("string"),
        Some("integer") => Some("integer"),
        Some("number") => Some("number"),
        Some("boolean") => Some("boolean"),
        Some("array") => Some("array"),
        Some("object") => Some("object"),
        Some(_) => None,
        None if schema.contains_key("type") => None,
        None if is_object(schema) => Some("object"),
        None => match values.next() {
            Some(Value::String(_)) if values.all(Value::is_string) => Some("string"),
            Some(Value::Number(_)) if values.all(Value::is_number) => Some("number"),
            _ => None,
        },
    }
}

pub(super) const OF_OBJECTS: [&str; 11] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "title",
    "description",
    "$defs",
    "definitions",
    "$schema",
    "$id",
    "strict",
];
pub(super) const OF_LISTS: [&str; 4] = ["items", "minItems", "maxItems", "uniqueItems"];
const OF_TEXTS: [&str; 6] = [
    "enum",
    "const",
    "format",
    "pattern",
    "minLength",
    "maxLength",
];
const OF_NUMBERS: [&str; 8] = [
    "enum",
    "const",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];
pub(super) const NOTED: [&str; 7] = [
    "type",
    "title",
    "description",
    "default",
    "examples",
    "$comment",
    "deprecated",
];

/// Keywords with a meaning that is not said.
pub(super) fn unsaid<'m>(
    schema: &'m Map<String, Value>,
    said: &'m [&str],
) -> impl Iterator<Item = String> + 'm {
    let rest = schema.iter().filter(|(key, _)| {
        !said.contains(&key.as_str()) && !NOTED.contains(&key.as_str()) && !key.starts_with("x-")
    });
    rest.map(|(key, value)| format!("{key} {value}"))
}

/// Keywords that would be said, with a value that cannot be read: in older drafts, for one,
/// `exclusiveMinimum` is true.
pub(super) fn unread<'m>(
    schema: &'m Map<String, Value>,
    said: &'m [&str],
    is_read: impl Fn(&str) -> bool + 'm,
) -> impl Iterator<Item = String> + 'm {
    let found = said.iter().filter_map(|key| Some((key, schema.get(*key)?)));
    let unread = found.filter(move |(key, value)| **value != false && !is_read(key));
    unread.map(|(key, value)| format!("{key} {value}"))
}

/// Title and description.
pub(super) fn notes(schema: &Map<String, Value>) -> Vec<String> {
    let texts = ["title", "description"]
        .iter()
        .filter_map(|key| schema.get(*key)?.as_str());
    texts.map(str::to_owned).collect()
}

pub(super) fn scalar(kind: &'static str, schema: &Map<String, Value>) -> Option<Said> {
    let mut said = Said::default();
    let constant = schema.get("const");
    let values = schema.get("enum").and_then(Value::as_array);
    let values: Option<Vec<Value>> = match (values, constant) {
        (Some(values), Some(only)) => {
            Some(values.iter().filter(|of| same(of, only)).cloned().collect())
        }
        (values, only) => values.cloned().or(only.map(|only| vec![only.clone()])),
    };
    let known: &[&str] = match kind {
        "string" => {
            text(schema, values.as_deref(), &mut said)?;
            // Of values their names are all that is said.
            let of_values = if values.is_some() { 2 } else { OF_TEXTS.len() };
            &OF_TEXTS[..of_values]
        }
        "integer" | "number" => {
            said.kind = if kind == "integer" {
                "integer"
            } else {
                "linear"
            };
            number(schema, values.as_deref(), &mut said)?;
            &OF_NUMBERS
        }
        "boolean" => {
            said.kind = "boolean";
            &[]
        }
        _ => return None,
    };
    said.unsaid.extend(unsaid(schema, known));
    Some(said)
}

fn text(schema: &Map<String, Value>, values: Option<&[Value]>, said: &mut Said) -> Option<()> {
    if let Some(values) = values {
        let names: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
        let mut names = names.filter(|names| !names.is_empty())?;
        let mut seen = Vec::new();
        names.retain(|name| {
            !seen.contains(name) && {
                seen.push(*name);
                true
            }
        });
        said.kind = "enum";
        let bare = |name: &&str| match serde_json::from_str(name) {
            Ok(read) => matches!(read, Value::Number(_) | Value::Bool(_)),
            Err(_) => false,
        };
        let spelt: Vec<&str> = names.iter().copied().filter(|name| bare(name)).collect();
        if !spelt.is_empty() {
            let spelt = spelt.join(", ");
            said.unsaid.push(format!(
                "that {spelt} must be text: without quotes it counts, too"
            ));
        }
        let names: Vec<String> = names.into_iter().map(quoted).collect();
        said.keys.push(format!("values = [{}]", names.join(", ")));
        return Some(());
    }
    said.kind = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "date",
        Some("date-time") => "datetime",
        Some(format) => {
            said.unsaid.push(format!("format {format}"));
            "text"
        }
        None => "text",
    };
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let lengths = ["minLength", "maxLength"].map(|key| whole(schema, key));
    if said.kind != "text" {
        let odd = pattern.is_some() || lengths.iter().any(Option::is_some);
        said.unsaid
            .extend(odd.then(|| "pattern and length of a date".to_owned()));
        return Some(());
    }
    said.unsaid.extend(unread(schema, &OF_TEXTS[4..], |key| {
        whole(schema, key).is_some()
    }));
    let plain = pattern.and_then(ours);
    match (pattern, plain) {
        (_, Some(plain)) if regex::Regex::new(&plain).is_ok() => {
            said.keys.push(format!("pattern = {}", quoted(&plain)));
        }
        (Some(pattern), _) => said.unsaid.push(format!(
            "pattern {pattern}, which takes more than linear time"
        )),
        (None, _) => {}
    }
    for (key, length) in ["min_length", "max_length"].iter().zip(lengths) {
        said.keys
            .extend(length.map(|length| format!("{key} = {length}")));
    }
    Some(())
}

fn number(schema: &Map<String, Value>, values: Option<&[Value]>, said: &mut Said) -> Option<()> {
    let bound = |key: &str| {
        schema
            .get(key)
            .and_then(Value::as_f64)
            .filter(|n| n.is_finite())
    };
    let shown = |number: f64| format!("{number:?}");
    if let Some(values) = values {
        let numbers: Option<Vec<String>> = values
            .iter()
            .map(|value| Some(shown(value.as_f64()?)))
            .collect();
        let condition = format!("not VALUE in [{}]", numbers?.join(", "));
        said.rules
            .push(("values", condition, "is none of the values".to_owned()));
    }
    said.unsaid
        .extend(unread(schema, &OF_NUMBERS[3..], |key| bound(key).is_some()));
    let (lo, hi) = (bound("minimum"), bound("maximum"));
    let mut rule =
        |id, condition: String, message: String| said.rules.push((id, condition, message));
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo < hi => {
            said.keys
                .push(format!("limit = [{}, {}]", shown(lo), shown(hi)));
        }
        _ => {
            if let Some(lo) = lo {
                rule(
                    "minimum",
                    format!("VALUE < {}", shown(lo)),
                    format!("below {}", plain_number(lo)),
                );
            }
            if let Some(hi) = hi {
                rule(
                    "maximum",
                    format!("VALUE > {}", shown(hi)),
                    format!("above {}", plain_number(hi)),
                );
            }
        }
    }
    if let Some(lo) = bound("exclusiveMinimum") {
        rule(
            "above",
            format!("VALUE <= {}", shown(lo)),
            format!("not above {}", plain_number(lo)),
        );
    }
    if let Some(hi) = bound("exclusiveMaximum") {
        rule(
            "below",
            format!("VALUE >= {}", shown(hi)),
            format!("not below {}", plain_number(hi)),
        );
    }
    if let Some(of) = bound("multipleOf").filter(|of| *of > 0.0) {
        let of_it = format!("VALUE / {}", shown(of));
        let condition = format!("abs({of_it} - round({of_it})) > 1e-9");
        rule(
            "multiple",
            condition,
            format!("no multiple of {}", plain_number(of)),
        );
    }
    Some(())
}

pub(super) fn whole(schema: &Map<String, Value>, key: &str) -> Option<u32> {
    let value = schema.get(key)?;
    let count = value
        .as_u64()
        .or_else(|| Some(value.as_f64().filter(|count| count.fract() == 0.0)? as u64))?;
    u32::try_from(count).ok()
}

/// Text on one line, as a comment can hold it.
pub(super) fn one_line(text: &str) -> String {
    let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let text: String = visible.collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
