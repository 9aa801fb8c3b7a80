//! One value of any kind, read and held against what it should be.

use judica_data::json::number::people_number;
use judica_data::json::{Scanner, ValueKind};
use judica_text::comparison::Comparison;

use crate::protocol::Field;
use crate::protocol::form::{Form, TextForm};
use crate::value::Value;

/// What stands at a place, read as one value of a field or one element of its list;
/// `Value::Unusable` for what it cannot be.
pub(super) fn read(field: &Field, span: &[u8], buffer: &mut Vec<u8>) -> Value {
    let mut scanner = Scanner::new(span, 0);
    let Ok(kind) = scanner.kind() else {
        return Value::Unusable;
    };
    if kind == ValueKind::Null {
        return Value::Null;
    }
    let text = match kind {
        ValueKind::String => match scanner.string() {
            Ok(text) => std::str::from_utf8(text.decode(buffer)).ok(),
            Err(_) => None,
        },
        _ => None,
    };
    let usable = |number: f64| match number.is_finite() {
        true => Value::Number(number),
        false => Value::Unusable,
    };
    match &field.form {
        Form::Number { whole } => {
            let number = match (kind, text) {
                (ValueKind::Number | ValueKind::BareWord, _) => scanner.number().ok(),
                (_, Some(text)) => people_number(text),
                _ => None,
            };
            let number = number.unwrap_or(f64::NAN);
            // Elements of lists have no family of their own that looks at their limits.
            let [lo, hi] = match (&field.list, field.limit) {
                (Some(_), Some(limit)) => limit,
                _ => [f64::NEG_INFINITY, f64::INFINITY],
            };
            match *whole && number.fract() != 0.0 || number < lo || number > hi {
                true => Value::Unusable,
                false => usable(number),
            }
        }
        Form::Text(form) => match text.filter(|text| fits(form, text)) {
            Some(text) => Value::Text(text.into()),
            None => Value::Unusable,
        },
        Form::Enum(form) => {
            let written = match kind {
                ValueKind::Number | ValueKind::Boolean => {
                    std::str::from_utf8(span.trim_ascii()).ok()
                }
                _ => text,
            };
            match written.and_then(|text| form.position(text)) {
                Some(position) => Value::Text(form.values[position].as_str().into()),
                None => Value::Unusable,
            }
        }
        Form::Boolean { yes, no } => {
            let spelt =
                |words: &[String]| text.is_some_and(|text| words.iter().any(|word| word == text));
            match span.trim_ascii() {
                b"true" => Value::Number(1.0),
                b"false" => Value::Number(0.0),
                _ if spelt(yes) => Value::Number(1.0),
                _ if spelt(no) => Value::Number(0.0),
                _ => Value::Unusable,
            }
        }
        Form::Date(form) => {
            let moment = text.and_then(|text| form.read(text)).unwrap_or(f64::NAN);
            let early = form.earliest.is_some_and(|earliest| moment < earliest);
            let late = form.latest.is_some_and(|latest| moment > latest);
            match early || late {
                true => Value::Unusable,
                false => usable(moment),
            }
        }
        Form::Object(schema) => {
            // An object given as JSON text is that object.
            let json = match (kind, text) {
                (ValueKind::Object, _) => std::str::from_utf8(span).ok(),
                (_, text) => text,
            };
            let parsed = json.and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
            let fits = |value: &serde_json::Value| value.is_object() && schema.is_valid(value);
            match (json, parsed.as_ref().is_some_and(fits)) {
                (Some(json), true) => match Comparison::Json.canonical(json) {
                    Some(canonical) => Value::Text(canonical.into()),
                    None => Value::Unusable,
                },
                _ => Value::Unusable,
            }
        }
    }
}

fn fits(form: &TextForm, text: &str) -> bool {
    if form.length != [None; 2] {
        let length = text.chars().count();
        let [least, most] = form.length;
        if least.is_some_and(|least| length < least as usize)
            || most.is_some_and(|most| length > most as usize)
        {
            return false;
        }
    }
    form.pattern
        .as_ref()
        .is_none_or(|pattern| pattern.is_match(text))
        && (form.one_of.is_empty() || form.one_of.iter().any(|one| one == text))
}
