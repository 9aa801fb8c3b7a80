//! Names: of episodes, of types, of elements.

use std::borrow::Cow;

use judica_data::json::Scanner;
use judica_data::json::scan::{RawString, ValueKind};

use super::fault::Fault;
use super::walk::{self, skip};
use crate::action::Element;

/// Text with escapes undone. Rows are checked to be UTF-8 before they are read.
pub fn decode(raw: RawString<'_>) -> Cow<'_, str> {
    if !raw.escaped {
        return String::from_utf8_lossy(raw.raw);
    }
    let mut decoded = Vec::new();
    let decoded = raw.decode(&mut decoded);
    Cow::Owned(String::from_utf8_lossy(decoded).into_owned())
}

/// The name of an episode: text, or a number as it is written; `None` for null.
///
/// Half a character (a surrogate without its partner) has no text of its own, so a text
/// with one stays as it is written: two of them must not become one episode.
pub fn episode_name<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Cow<'a, str>>, Fault> {
    match scanner.kind()? {
        ValueKind::String => {
            let raw = scanner.string()?;
            let name = decode(raw);
            Ok(Some(if raw.escaped && name.contains('\u{fffd}') {
                String::from_utf8_lossy(raw.raw)
            } else {
                name
            }))
        }
        ValueKind::Number => {
            let start = scanner.pos;
            skip(scanner)?;
            let digits = scanner.slice(start, scanner.pos);
            Ok(Some(String::from_utf8_lossy(digits)))
        }
        ValueKind::Null => skip(scanner).map(|()| None),
        found => Err(Fault::wrong_type("text", found)),
    }
}

/// The name of the row's episode, reading no further than to it.
pub fn name_of_row(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let mut scanner = Scanner::new(bytes, 0);
    let mut decoded = Vec::new();
    if scanner.take(b'{') && !scanner.take(b'}') {
        loop {
            let key = scanner.key()?;
            if key.decode(&mut decoded) == b"episode_id" {
                let name = episode_name(&mut scanner).map_err(|f| f.under(b"episode_id"))?;
                return name.ok_or_else(no_name);
            }
            skip(&mut scanner)?;
            if !scanner.take(b',') {
                break;
            }
        }
    }
    // What is not a row at all has a plainer reason than a missing name.
    walk::row(bytes, |_, scanner| skip(scanner))?;
    Err(no_name())
}

/// The fault of a row that names no episode.
pub fn no_name() -> Fault {
    Fault::new("missing_episode_id", "no `episode_id`")
}

/// The name of a type: text without white space around it, in lower case.
#[inline]
pub fn type_name<'a>(scanner: &mut Scanner<'a>) -> Result<Cow<'a, str>, Fault> {
    let Some(raw) = scanner.string_if_next()? else {
        let found = scanner.kind()?;
        return Err(Fault::wrong_type("the name of a type", found));
    };
    let plain = |byte: &u8| matches!(byte, b'a'..=b'z' | b'_' | b'-' | b'0'..=b'9');
    let name = if !raw.escaped && raw.raw.iter().all(plain) {
        String::from_utf8_lossy(raw.raw)
    } else {
        folded(&decode(raw))
    };
    if name.is_empty() {
        return Err(Fault::new("missing_type", "the type has no name"));
    }
    Ok(name)
}

#[cold]
fn folded(name: &str) -> Cow<'static, str> {
    Cow::Owned(name.trim().to_lowercase())
}

/// Which element: a whole number or text; `None` for null and for empty text.
pub fn element<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Element<'a>>, Fault> {
    match scanner.kind()? {
        ValueKind::String => Ok(named_element(decode(scanner.string()?))),
        ValueKind::Null => skip(scanner).map(|()| None),
        ValueKind::Number => {
            let start = scanner.pos;
            let value = scanner.number()?;
            let digits = scanner.slice(start, scanner.pos);
            // The digits themselves first: a double cannot tell large numbers apart.
            let exact = std::str::from_utf8(digits)
                .ok()
                .and_then(|d| d.parse().ok());
            let whole = value.fract() == 0.0 && value.abs() < 9.0e15;
            match exact.or(whole.then_some(value as i64)) {
                Some(index) => Ok(Some(Element::Index(index))),
                // Whole, and too large for a number: its digits are its name, as they are in text.
                None if digits.iter().all(u8::is_ascii_digit) => {
                    Ok(named_element(String::from_utf8_lossy(digits)))
                }
                None => {
                    let found = String::from_utf8_lossy(digits);
                    let detail = format!("expected a whole number or text, found {found}");
                    Err(Fault::new("bad_index", detail))
                }
            }
        }
        found => Err(Fault::wrong_type("a whole number or text", found)),
    }
}

fn named_element(name: Cow<'_, str>) -> Option<Element<'_>> {
    let trimmed = name.trim();
    if trimmed.is_empty() {
        return None;
    }
    if let Ok(index) = trimmed.parse() {
        return Some(Element::Index(index));
    }
    Some(Element::Name(if trimmed.len() == name.len() {
        name
    } else {
        Cow::Owned(trimmed.to_owned())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_the_same_however_they_are_written() {
        let read = |text: &'static str| element(&mut Scanner::new(text.as_bytes(), 0));
        for three in ["3", "3.0", "\"3\"", "\" 3 \"", "\"03\"", "3e0", "\"+3\""] {
            assert_eq!(read(three), Ok(Some(Element::Index(3))), "{three}");
        }
        assert_eq!(
            read("9007199254740993"),
            Ok(Some(Element::Index(9007199254740993)))
        );
        assert_eq!(read("\" OK \""), Ok(Some(Element::Name("OK".into()))));
        assert_eq!(read("null"), Ok(None));
        assert_eq!(read("\"  \""), Ok(None));
        for bad in ["3.5", "true", "[3]", "1e400", "NaN"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn types_are_folded() {
        let read = |text: &'static str| type_name(&mut Scanner::new(text.as_bytes(), 0));
        assert_eq!(read("\"click\"").unwrap(), "click");
        assert_eq!(read("\" CLICK\\n\"").unwrap(), "click");
        assert_eq!(read("\"Öffnen\"").unwrap(), "öffnen");
        for bad in ["\"\"", "\" \"", "3", "null", "[]"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_read_no_further_than_needed() {
        let name = |row: &str| name_of_row(row.as_bytes()).map(Cow::into_owned);
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(name(r#"{"episode_id":"a","steps":[{"#), ok("a"));
        assert_eq!(name(r#" {"steps":[1,{}],"episode_id":7}"#), ok("7"));
        assert_eq!(name(r#"{"episode_id":"\u0061"}"#), ok("a"));
        assert_eq!(name(r#"{"episode_id":"\ud800"}"#), ok(r"\ud800"));
        let reason = |row: &str| name_of_row(row.as_bytes()).unwrap_err().refusal().reason;
        assert_eq!(reason("{}"), "missing_episode_id");
        assert_eq!(reason(r#"{"episode_id":null}"#), "missing_episode_id");
        assert_eq!(reason(r#"{"episode_id":[1]}"#), "wrong_type");
        assert_eq!(reason(r#"{"a":1"#), "malformed_json");
        assert_eq!(reason("[1]"), "not_an_object");
        assert_eq!(reason("nonsense"), "malformed_json");
    }
}
