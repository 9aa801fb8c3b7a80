//! A JSON value that can be compared and ordered.

use judica_data::json::decimal::Decimal;
use judica_data::json::scan::{RawString, ScanError, Scanner, ValueKind};
use judica_data::json::text::write_string;
use std::collections::BTreeMap;

/// How many containers may be open at once.
const DEPTH: usize = 128;

/// A JSON value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    Null,
    Boolean(bool),
    Number(Decimal),
    String(Characters),
    Array(Vec<Value>),
    Object(BTreeMap<Characters, Value>),
}

/// The contents of a string.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Characters {
    Whole(String),
    /// With half a character in it (a surrogate without its partner), which has no text
    /// of its own: as it is written, so that two different halves stay different.
    AsWritten(String),
}

impl Value {
    /// Reads a whole text as one value.
    pub fn parse(text: &str) -> Option<Value> {
        let mut scanner = Scanner::new(text.as_bytes(), 0);
        let value = value(&mut scanner, 0).ok()?;
        scanner.at_end().then_some(value)
    }

    /// The value as text: keys in order, no white space.
    pub fn canonical(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        // It was put together from text.
        String::from_utf8_lossy(&out).into_owned()
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Boolean(true) => out.extend_from_slice(b"true"),
            Value::Boolean(false) => out.extend_from_slice(b"false"),
            Value::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Value::String(characters) => characters.write(out),
            Value::Array(items) => {
                out.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    item.write(out);
                }
                out.push(b']');
            }
            Value::Object(members) => {
                out.push(b'{');
                for (at, (key, member)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    key.write(out);
                    out.push(b':');
                    member.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

impl Characters {
    fn read(raw: RawString<'_>) -> Characters {
        let mut buffer = Vec::new();
        let decoded = String::from_utf8_lossy(raw.decode(&mut buffer));
        if raw.escaped && decoded.contains(char::REPLACEMENT_CHARACTER) {
            Characters::AsWritten(String::from_utf8_lossy(raw.raw).into_owned())
        } else {
            Characters::Whole(decoded.into_owned())
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Characters::Whole(text) => write_string(text, out),
            Characters::AsWritten(raw) => {
                out.push(b'"');
                out.extend_from_slice(raw.as_bytes());
                out.push(b'"');
            }
        }
    }
}

/// Reads the next value; `open` containers are open around it.
fn value(scanner: &mut Scanner<'_>, open: usize) -> Result<Value, ScanError> {
    match scanner.kind()? {
        ValueKind::Null if scanner.take_bytes(b"null") => Ok(Value::Null),
        ValueKind::Boolean if scanner.take_bytes(b"true") => Ok(Value::Boolean(true)),
        ValueKind::Boolean if scanner.take_bytes(b"false") => Ok(Value::Boolean(false)),
        ValueKind::String => Ok(Value::String(Characters::read(scanner.string()?))),
        ValueKind::Number => {
            let start = scanner.pos;
            scanner.number()?;
            match Decimal::read(scanner.slice(start, scanner.pos)) {
                Some(number) => Ok(Value::Number(number)),
                // `-Infinity`, which the scanner knows and JSON does not.
                None => Err(ScanError::Syntax(start)),
            }
        }
        ValueKind::Array | ValueKind::Object if open >= DEPTH => {
            Err(ScanError::TooDeep(scanner.pos))
        }
        ValueKind::Array => array(scanner, open + 1),
        ValueKind::Object => object(scanner, open + 1),
        _ => scanner.fail(),
    }
}

fn array(scanner: &mut Scanner<'_>, open: usize) -> Result<Value, ScanError> {
    let mut items = Vec::new();
    scanner.expect(b'[')?;
    if !scanner.take(b']') {
        items.push(value(scanner, open)?);
        while scanner.take(b',') {
            items.push(value(scanner, open)?);
        }
        scanner.expect(b']')?;
    }
    Ok(Value::Array(items))
}

fn object(scanner: &mut Scanner<'_>, open: usize) -> Result<Value, ScanError> {
    let mut members = BTreeMap::new();
    scanner.expect(b'{')?;
    if !scanner.take(b'}') {
        loop {
            let key = Characters::read(scanner.key()?);
            members.insert(key, value(scanner, open)?);
            if !scanner.take(b',') {
                break;
            }
        }
        scanner.expect(b'}')?;
    }
    Ok(Value::Object(members))
}
