//! A JSON text walked once: the value it spells, where every part of it stands, and what
//! strict JSON does not allow.
//!
//! People find a mistake by its line, programs by its pointer (RFC 6901); the walk knows
//! both. It goes on where ordinary readers stop or look away: a bare `NaN`, as some
//! writers leave it, a number beyond the doubles, a key that stands twice.

use judica_data::json::{ScanError, Scanner, ValueKind, pointer_key};
use rustc_hash::FxHashMap;
use serde_json::{Map, Number, Value};

/// How deep containers may be nested.
const DEEPEST: usize = 128;

/// Something the text should not hold, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// The value it is about.
    pub pointer: String,
    /// The first byte of that value.
    pub offset: usize,
    /// The byte after it.
    pub end: usize,
    /// What it is.
    pub kind: OddityKind,
}

/// What strict JSON does not allow, or readers take differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddityKind {
    /// `NaN`, `Infinity` or `-Infinity`; the value reads as null.
    BareWord,
    /// A number beyond the doubles; the value reads as null.
    TooLarge,
    /// The key stands in this object already; the last one counts.
    Duplicate,
}

/// The text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotJson {
    /// The line where reading stopped, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// A text that was walked.
#[derive(Clone, Debug)]
pub struct Walked {
    /// The value it spells.
    pub value: Value,
    /// The first byte of each value, by its pointer.
    places: FxHashMap<String, usize>,
    /// Where lines begin, but for the first.
    lines: Vec<usize>,
    /// What strict JSON does not allow, in the order of the text.
    pub oddities: Vec<Oddity>,
}

/// Walks a text.
pub fn walk(bytes: &[u8]) -> Result<Walked, NotJson> {
    let lines: Vec<usize> = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1).collect();
    let stop = |at: usize, reason: &str| NotJson {
        line: line_of(&lines, at),
        reason: reason.to_owned(),
    };
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(stop(error.valid_up_to(), "not UTF-8"));
    }
    let mut walk = Walk {
        scanner: Scanner::new(bytes, 0),
        pointer: String::new(),
        places: FxHashMap::default(),
        oddities: Vec::new(),
    };
    if walk.scanner.at_end() {
        return Err(stop(0, "the file is empty; expected a JSON object"));
    }
    let value = walk.value(0).map_err(|error| match error {
        ScanError::Syntax(at) if at >= bytes.len() => stop(at, "the text ends too early"),
        ScanError::Syntax(at) => stop(at, "not JSON"),
        ScanError::TooDeep(at) => stop(at, "nested more than 128 deep"),
    })?;
    if !walk.scanner.at_end() {
        return Err(stop(walk.scanner.pos, "more text after the JSON value"));
    }
    Ok(Walked {
        value,
        places: walk.places,
        oddities: walk.oddities,
        lines,
    })
}

impl Walked {
    /// The line of a value, from 1. A pointer to what is not there gets the line of what
    /// it should stand in; where a key stands twice, the last one counts.
    pub fn locate(&self, pointer: &str) -> u64 {
        let mut pointer = pointer;
        loop {
            match (self.places.get(pointer), pointer.rfind('/')) {
                (Some(offset), _) => return self.line_at(*offset),
                (None, Some(parent)) => pointer = &pointer[..parent],
                (None, None) => return 1,
            }
        }
    }

    /// The line of a byte, from 1.
    pub fn line_at(&self, offset: usize) -> u64 {
        line_of(&self.lines, offset)
    }
}

fn line_of(lines: &[usize], offset: usize) -> u64 {
    lines.partition_point(|start| *start <= offset) as u64 + 1
}

struct Walk<'a> {
    scanner: Scanner<'a>,
    /// Where the walk is.
    pointer: String,
    places: FxHashMap<String, usize>,
    oddities: Vec<Oddity>,
}

impl Walk<'_> {
    /// Reads one value. The depth is bounded, and so is the recursion.
    fn value(&mut self, depth: usize) -> Result<Value, ScanError> {
        let kind = self.scanner.kind()?;
        let start = self.scanner.pos;
        // Where a key stands twice, the last one counts.
        self.places.insert(self.pointer.clone(), start);
        if depth >= DEEPEST && matches!(kind, ValueKind::Object | ValueKind::Array) {
            return Err(ScanError::TooDeep(start));
        }
        match kind {
            ValueKind::Object => self.object(depth),
            ValueKind::Array => self.array(depth),
            ValueKind::String => Ok(Value::String(self.text()?)),
            ValueKind::Number | ValueKind::BareWord => self.number(start),
            ValueKind::Boolean | ValueKind::Null => {
                self.scanner.skip_value(depth, DEEPEST)?;
                Ok(match self.scanner.slice(start, self.scanner.pos) {
                    b"true" => Value::Bool(true),
                    b"false" => Value::Bool(false),
                    _ => Value::Null,
                })
            }
        }
    }

    fn text(&mut self) -> Result<String, ScanError> {
        let mut bytes = Vec::new();
        self.scanner.string_into(&mut bytes)?;
        // The whole text is UTF-8, and escapes spell whole characters.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn number(&mut self, start: usize) -> Result<Value, ScanError> {
        let number = self.scanner.number()?;
        let end = self.scanner.pos;
        if number.is_finite() {
            // Whole numbers stay whole.
            let spelt: Option<Number> = serde_json::from_slice(self.scanner.slice(start, end)).ok();
            return Ok(spelt
                .or_else(|| Number::from_f64(number))
                .map_or(Value::Null, Value::Number));
        }
        let is_digits = self
            .scanner
            .slice(start, end)
            .iter()
            .any(u8::is_ascii_digit);
        let kind = if is_digits {
            OddityKind::TooLarge
        } else {
            OddityKind::BareWord
        };
        self.odd(start, end, kind);
        Ok(Value::Null)
    }

    fn odd(&mut self, offset: usize, end: usize, kind: OddityKind) {
        self.oddities.push(Oddity {
            pointer: self.pointer.clone(),
            offset,
            end,
            kind,
        });
    }

    fn object(&mut self, depth: usize) -> Result<Value, ScanError> {
        self.scanner.expect(b'{')?;
        let mut members = Map::new();
        let outside = self.pointer.len();
        if self.scanner.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            let key = self.text()?;
            self.scanner.expect(b':')?;
            self.pointer.push('/');
            self.pointer.push_str(&pointer_key(&key));
            self.scanner.peek();
            let start = self.scanner.pos;
            let value = self.value(depth + 1)?;
            if members.insert(key, value).is_some() {
                self.odd(start, self.scanner.pos, OddityKind::Duplicate);
            }
            self.pointer.truncate(outside);
            if !self.scanner.take(b',') {
                break;
            }
        }
        self.scanner.expect(b'}')?;
        Ok(Value::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Value, ScanError> {
        self.scanner.expect(b'[')?;
        let mut items = Vec::new();
        let outside = self.pointer.len();
        if self.scanner.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.pointer.push('/');
            self.pointer.push_str(&items.len().to_string());
            items.push(self.value(depth + 1)?);
            self.pointer.truncate(outside);
            if !self.scanner.take(b',') {
                break;
            }
        }
        self.scanner.expect(b']')?;
        Ok(Value::Array(items))
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
