//! A value of a row: as it stands in the text, as text, as a number, as JSON to be kept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Number, Value as Json};

use super::{DEPTH, bad_epoch, whole_epoch};
use crate::json::scan::RawString;
use crate::json::{ScanError, Scanner, ValueKind};
use crate::rejects::Refusal;

/// A value that is not null, as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// A string.
    Text(RawString<'a>),
    /// Anything else.
    Other(ValueKind, &'a [u8]),
}

impl<'a> Value<'a> {
    /// Takes the next value; `None` for null.
    #[inline]
    pub fn scan(
        scanner: &mut Scanner<'a>,
        depth: usize,
        limit: usize,
    ) -> Result<Option<Value<'a>>, ScanError> {
        if let Some(text) = scanner.string_if_next()? {
            return Ok(Some(Value::Text(text)));
        }
        let kind = scanner.kind()?;
        let start = scanner.pos;
        scanner.skip_value(depth, limit)?;
        let bytes = scanner.slice(start, scanner.pos);
        Ok((kind != ValueKind::Null).then_some(Value::Other(kind, bytes)))
    }

    /// Text as it is, everything else as it is written.
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Value::Text(text) if !text.escaped => as_text(text.raw),
            Value::Text(text) => {
                let mut buffer = Vec::with_capacity(text.raw.len());
                text.decode(&mut buffer);
                Cow::Owned(String::from_utf8_lossy(&buffer).into_owned())
            }
            Value::Other(_, bytes) => as_text(bytes),
        }
    }

    /// The same with lists and objects written without blanks, as other writers have them.
    pub fn compact(self) -> Cow<'a, str> {
        match self {
            Value::Other(ValueKind::Array | ValueKind::Object, bytes) => {
                match serde_json::from_slice::<Json>(bytes) {
                    Ok(value) => Cow::Owned(value.to_string()),
                    // NaN and its like, which this reader allows and JSON does not.
                    Err(_) => as_text(bytes),
                }
            }
            _ => self.text(),
        }
    }

    /// A name: text that is not blank, or what else is single, as it is written. Columns of
    /// numbers that name models, data sets or clusters are text in one kind of table alone.
    pub fn name(self) -> Option<Cow<'a, str>> {
        let single = match self {
            Value::Text(_) => true,
            Value::Other(kind, _) => matches!(kind, ValueKind::Number | ValueKind::Boolean),
        };
        let named = single.then(|| self.text());
        named.filter(|name| !name.trim().is_empty())
    }

    /// A finite number, or a text that is one.
    pub fn number(self) -> Option<f64> {
        let value = match self {
            Value::Other(ValueKind::Number, bytes) => Scanner::new(bytes, 0).number().ok(),
            Value::Text(_) => crate::json::number::people_number(&self.text()),
            Value::Other(..) => None,
        };
        value.filter(|value| value.is_finite())
    }

    /// Which repeat of a question it says something is, from 1; blank text says nothing. What is
    /// no such number is refused: repeats that are counted from 0, or called by a word, would
    /// be taken for each other.
    pub fn epoch(self) -> Result<Option<i32>, Refusal> {
        match self.number().and_then(whole_epoch) {
            None if matches!(self, Value::Text(_)) && self.text().trim().is_empty() => Ok(None),
            None => Err(bad_epoch(&self.text())),
            epoch => Ok(epoch),
        }
    }

    /// true and false, as such or as the cell of a table has them.
    pub fn truth(self) -> Option<bool> {
        match (self, &*self.text()) {
            (Value::Other(ValueKind::Boolean, bytes), _) => Some(bytes == b"true"),
            (Value::Text(_), "true" | "True" | "TRUE") => Some(true),
            (Value::Text(_), "false" | "False" | "FALSE") => Some(false),
            _ => None,
        }
    }

    /// true and false, 1 and 0.
    pub fn boolean(self) -> Option<bool> {
        self.truth().or_else(|| match self.number()? {
            1.0 => Some(true),
            0.0 => Some(false),
            _ => None,
        })
    }

    /// Whether it is a list that holds nothing.
    pub fn is_empty_list(self) -> bool {
        let Value::Other(ValueKind::Array, [_, inside @ ..]) = self else {
            return false;
        };
        inside.trim_ascii_start().starts_with(b"]")
    }

    /// What an object has under a name; the last, if it stands there twice.
    pub fn member(self, name: &str) -> Option<Value<'a>> {
        self.entry(name).flatten()
    }

    /// The same with `Some(None)` for null.
    fn entry(self, name: &str) -> Option<Option<Value<'a>>> {
        let Value::Other(ValueKind::Object, bytes) = self else {
            return None;
        };
        let mut found = None;
        let walked = Scanner::new(bytes, 0).members(|key, scanner| {
            let value = Value::scan(scanner, 1, DEPTH + 1)?;
            if key == name.as_bytes() {
                found = Some(value);
            }
            Ok::<_, ScanError>(())
        });
        walked.ok().and(found)
    }

    /// What a JSON pointer finds in it.
    pub fn at(self, pointer: &[String]) -> Option<Value<'a>> {
        Value::standing(Some(self), pointer).flatten()
    }

    /// What a JSON pointer leads to in a value or in null; `Some(None)` is null that stands there.
    pub(super) fn standing(
        value: Option<Value<'a>>,
        pointer: &[String],
    ) -> Option<Option<Value<'a>>> {
        pointer.iter().try_fold(value, |value, part| match value? {
            Value::Other(ValueKind::Array, bytes) => element(bytes, part.parse().ok()?),
            value => value.entry(part),
        })
    }

    /// The elements of a list, `Some(None)` if one of them is null or a list; `None` if it
    /// is no list.
    pub fn items(self) -> Option<Option<Vec<Value<'a>>>> {
        let Value::Other(ValueKind::Array, bytes) = self else {
            return None;
        };
        Some(elements(bytes))
    }
}

/// What has been checked to be text is borrowed quickly; the slow way is for callers that
/// have not.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// What a list has at a place, from 0, whatever stands beside it; `Some(None)` for null.
fn element(bytes: &[u8], at: usize) -> Option<Option<Value<'_>>> {
    let mut found = None;
    let walked = Scanner::new(bytes, 0).elements(|place, scanner| {
        let value = Value::scan(scanner, 1, DEPTH + 1)?;
        if place == at {
            found = Some(value);
        }
        Ok::<_, ScanError>(())
    });
    walked.ok().and(found)
}

fn elements(bytes: &[u8]) -> Option<Vec<Value<'_>>> {
    let mut scanner = Scanner::new(bytes, 0);
    let mut found = Vec::new();
    scanner.expect(b'[').ok()?;
    while !scanner.take(b']') {
        if !found.is_empty() {
            scanner.expect(b',').ok()?;
        }
        let value = Value::scan(&mut scanner, 1, DEPTH + 1).ok()??;
        if matches!(value, Value::Other(ValueKind::Array, _)) {
            return None;
        }
        found.push(value);
    }
    Some(found)
}

/// The texts of members, by key.
pub type Spelt = BTreeMap<String, Box<RawValue>>;

/// The value as JSON to be kept and written again: keys in their order, the last of several
/// equal ones, numbers as 64-bit integers or doubles. What JSON cannot say (`NaN`, a number
/// beyond all doubles) is null. The bytes have been scanned before, so that their nesting is
/// within the limit.
pub fn kept(bytes: &[u8]) -> Json {
    keep(&mut Scanner::new(bytes, 0), &mut false).unwrap_or(Json::Null)
}

/// The text of a value with a number that would be written otherwise than it stands there
/// (`1.10`, `1e5`, more digits than a double has), as far as that is JSON.
pub fn spelt(bytes: &[u8]) -> Option<Box<RawValue>> {
    let mut otherwise = false;
    keep(&mut Scanner::new(bytes, 0), &mut otherwise).ok()?;
    let text = std::str::from_utf8(bytes).ok().filter(|_| otherwise)?;
    // Whoever reads what is written must be able to.
    serde_json::from_str::<Json>(text).ok()?;
    RawValue::from_string(text.trim().to_owned()).ok()
}

/// The members of an object with such a text.
pub fn spelt_members(bytes: &[u8]) -> Spelt {
    let mut found = Spelt::new();
    // What cannot be walked has been refused before.
    let _ = Scanner::new(bytes, 0).members(|key, scanner| {
        scanner.peek();
        let start = scanner.pos;
        scanner.skip_value(1, DEPTH + 1)?;
        let key = String::from_utf8_lossy(key).into_owned();
        match spelt(scanner.slice(start, scanner.pos)) {
            Some(text) => found.insert(key, text),
            None => found.remove(&key),
        };
        Ok::<_, ScanError>(())
    });
    found
}

/// The members of an object, to be kept.
pub fn kept_members(bytes: &[u8]) -> Map<String, Json> {
    match kept(bytes) {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// `otherwise` is set where a number is not written as it stands.
fn keep(scanner: &mut Scanner, otherwise: &mut bool) -> Result<Json, ScanError> {
    let kind = scanner.kind()?;
    let start = scanner.pos;
    Ok(match kind {
        ValueKind::String => Json::String(text(scanner)?),
        ValueKind::Object => {
            scanner.pos += 1;
            let mut members = Map::new();
            while !scanner.take(b'}') {
                if !members.is_empty() {
                    scanner.expect(b',')?;
                }
                let key = text(scanner)?;
                scanner.expect(b':')?;
                members.insert(key, keep(scanner, otherwise)?);
            }
            Json::Object(members)
        }
        ValueKind::Array => {
            scanner.pos += 1;
            let mut items = Vec::new();
            while !scanner.take(b']') {
                if !items.is_empty() {
                    scanner.expect(b',')?;
                }
                items.push(keep(scanner, otherwise)?);
            }
            Json::Array(items)
        }
        scalar => {
            scanner.skip_value(0, 1)?;
            let bytes = scanner.slice(start, scanner.pos);
            match scalar {
                ValueKind::Boolean => Json::Bool(bytes == b"true"),
                ValueKind::Number => match serde_json::from_slice::<Number>(bytes) {
                    Ok(number) => {
                        *otherwise |= number.to_string().as_bytes() != bytes;
                        Json::Number(number)
                    }
                    Err(_) => Json::Null,
                },
                _ => Json::Null,
            }
        }
    })
}

fn text(scanner: &mut Scanner) -> Result<String, ScanError> {
    let mut bytes = Vec::new();
    scanner.peek();
    scanner.string_into(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_json_cannot_say_is_null() {
        let text = r#"{"b": NaN, "a": [1, 1e999, -Infinity, "\ud800", 1.50], "b": {"x": []}}"#;
        assert_eq!(
            kept(text.as_bytes()).to_string(),
            "{\"b\":{\"x\":[]},\"a\":[1,null,null,\"\u{fffd}\",1.5]}"
        );
        assert_eq!(
            kept(b"18446744073709551615").to_string(),
            "18446744073709551615"
        );
    }

    #[test]
    fn numbers_are_names_too() {
        let name = |value: &str| {
            let mut scanner = Scanner::new(value.as_bytes(), 0);
            let value = Value::scan(&mut scanner, 1, 9).ok().flatten()?;
            value.name().map(Cow::into_owned)
        };
        assert_eq!(name("\"7\""), name("7"));
        assert_eq!(
            name("12345678901234567890123").as_deref(),
            Some("12345678901234567890123")
        );
        assert_eq!(
            [name("\" \""), name("{}"), name("[1]")],
            [const { None }; 3]
        );
    }

    #[test]
    fn numbers_keep_their_text() {
        let text = |value: &str| spelt(value.as_bytes()).map(|raw| raw.get().to_owned());
        for odd in [
            "1.10",
            "1e5",
            "12345678901234567890123",
            "-0",
            "[1, {\"a\": 2.50}]",
        ] {
            assert_eq!(text(odd).as_deref(), Some(odd));
        }
        for plain in [
            "1",
            "1.5",
            "\"1.10\"",
            "[1.5]",
            "null",
            "1e999",
            "[1.10, NaN]",
        ] {
            assert_eq!(text(plain), None, "{plain}");
        }
        let members = spelt_members(br#"{"a": 1.10, "b": 1, "c": 2.0, "d": 1e2, "d": 3}"#);
        assert_eq!(members.into_keys().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn lists_hold_texts_and_what_reads_as_text() {
        let items = |text: &'static str| {
            let mut scanner = Scanner::new(text.as_bytes(), 0);
            let value = Value::scan(&mut scanner, 0, DEPTH).unwrap().unwrap();
            let items = value.items()?;
            Some(items.map(|items| {
                items
                    .iter()
                    .map(|v| v.text().into_owned())
                    .collect::<Vec<_>>()
            }))
        };
        assert_eq!(items(r#""a""#), None);
        assert_eq!(items("[]"), Some(Some(vec![])));
        let three = ["a\n", "1", "{\"x\": 1}"].map(str::to_owned).to_vec();
        assert_eq!(items(r#"["a\n", 1, {"x": 1}]"#), Some(Some(three)));
        assert_eq!(items("[null]"), Some(None));
        assert_eq!(items("[[1]]"), Some(None));
    }

    #[test]
    fn a_pointer_finds_its_element_whatever_stands_beside_it() {
        let text = r#"{"a": [0, null, [1, ["x"]], {"b": [[], 2]}]}"#;
        let value = Value::scan(&mut Scanner::new(text.as_bytes(), 0), 0, DEPTH);
        let value = value.unwrap().unwrap();
        for (path, expected) in [
            ("a/0", Some("0")),
            ("a/1", None),
            ("a/2/0", Some("1")),
            ("a/2/1/0", Some("x")),
            ("a/3/b/1", Some("2")),
            ("a/3/b/2", None),
            ("a/b", None),
        ] {
            let path: Vec<String> = path.split('/').map(str::to_owned).collect();
            let found = value.at(&path).map(Value::text);
            assert_eq!(found.as_deref(), expected, "{path:?}");
        }
        // Null that stands there is not nothing.
        let second = |at: &str| Value::standing(Some(value), &["a".to_owned(), at.to_owned()]);
        assert!(matches!(second("1"), Some(None)) && second("4").is_none());
    }

    fn json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            any::<f64>().prop_map(|x| if x.is_finite() {
                Json::from(x)
            } else {
                Json::Null
            }),
            ".*".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
                proptest::collection::vec((".*", inner), 0..5)
                    .prop_map(|members| Json::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn whatever_is_json_is_kept(value in json()) {
            prop_assert_eq!(kept(value.to_string().as_bytes()), value.clone());
            prop_assert_eq!(kept(serde_json::to_string_pretty(&value).unwrap().as_bytes()), value);
        }
    }
}
