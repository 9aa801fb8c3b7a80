//! Response parsing: from a model's text to the numbers of the protocol's fields.
//!
//! Looked for in this order: the whole text as a JSON object; the first fenced code
//! block whose body is one, fences being found anywhere, then the object that a fence opens
//! and another closes, `fences` says how; the object that parses from the earliest `{` from which
//! one does. Values of the protocol's fields are taken as they are read; nothing
//! else of the object is kept. `nodes` reads what is more than numbers under keys of their own.

use judica_data::json::number::people_number;
use judica_data::json::{ScanError, Scanner, ValueKind};
use memchr::memmem;

use crate::protocol::{Protocol, Shape, Task};
use crate::value::Value;

mod fences;
mod nodes;
mod scalar;

/// The slot of what is said of keys that the protocol does not know.
pub const EXTRA_KEYS: u32 = u32::MAX;

/// Containers that may be open at once in a response.
pub const MAX_DEPTH: usize = 128;
/// Bytes a response may have.
pub const MAX_BYTES: usize = 16 << 20;
/// Characters of an unusable value that are kept as evidence.
const EXCERPT_CHARS: usize = 80;
/// Bytes that they have at most.
pub const EXCERPT_BYTES: usize = 4 * EXCERPT_CHARS;

/// How a response was read, or why it was not. The discriminant is its code in columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ParseOutcome {
    /// The whole text was an object.
    Direct = 0,
    /// An object in a fenced code block.
    Fenced = 1,
    /// An object inside other text.
    Embedded = 2,
    /// No object, and no sign of a provider failure.
    ParseFailure = 3,
    /// No object, and the text looks like a provider failure.
    ApiError = 4,
}

impl ParseOutcome {
    /// All outcomes, by code.
    pub const ALL: [ParseOutcome; 5] = [
        ParseOutcome::Direct,
        ParseOutcome::Fenced,
        ParseOutcome::Embedded,
        ParseOutcome::ParseFailure,
        ParseOutcome::ApiError,
    ];

    /// Whether an object was found.
    pub fn succeeded(self) -> bool {
        matches!(
            self,
            ParseOutcome::Direct | ParseOutcome::Fenced | ParseOutcome::Embedded
        )
    }

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            ParseOutcome::Direct => "direct",
            ParseOutcome::Fenced => "fenced",
            ParseOutcome::Embedded => "embedded",
            ParseOutcome::ParseFailure => "parse_failure",
            ParseOutcome::ApiError => "api_error",
        }
    }
}

/// What became of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FieldState {
    /// The key is absent.
    Missing = 0,
    /// Every value is what it should be: a finite number, or what the field's kind asks for; one
    /// of an array may be null where that is an answer (NaN in the values).
    Valid = 1,
    /// The shape is right, a value is not what it should be (NaN in the values).
    Invalid = 2,
    /// A scalar for an array, an array for a scalar, the wrong length.
    WrongShape = 3,
    /// That there is none.
    Null = 4,
    /// It is not looked at: its `when` does not hold.
    NotAsked = 5,
}

/// What an array is where a task wants one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArrayAs {
    /// No answer to what was asked.
    #[default]
    WrongShape,
    /// Its first element.
    First,
    /// Its last element.
    Last,
}

/// Where the fields of one response are written to.
pub struct FieldSink<'a> {
    /// One state per field.
    pub states: &'a mut [FieldState],
    /// `horizon` values per field, field by field; NaN where there is no usable one.
    pub values: &'a mut [f64],
    /// As many values as such, of a protocol that has others than numbers.
    pub held: &'a mut [Value],
    /// What stood where a usable value should have: (slot, excerpt).
    pub texts: &'a mut Vec<(u32, Box<str>)>,
    /// Length of `texts` before this response.
    pub texts_before: usize,
}

impl FieldSink<'_> {
    fn clear(&mut self) {
        self.states.fill(FieldState::Missing);
        self.values.fill(f64::NAN);
        self.held.fill(Value::Nothing);
        self.texts.truncate(self.texts_before);
    }

    fn forget_texts(&mut self, slots: std::ops::Range<usize>) {
        let before = self.texts_before;
        let mut position = 0;
        self.texts.retain(|(slot, _)| {
            position += 1;
            position <= before || !slots.contains(&(*slot as usize))
        });
    }
}

/// Reads responses of one protocol. Holds scratch memory: one per thread.
pub struct ResponseReader<'p> {
    protocol: &'p Protocol,
    /// What an array is where a task wants one number: in a response, the wrong shape.
    pub array_as: ArrayAs,
    /// Where the object begins that the latest response was read from.
    pub object_at: usize,
    api_errors: Vec<memmem::Finder<'p>>,
    key_buffer: Vec<u8>,
    value_buffer: Vec<u8>,
}

type Scan<T> = Result<T, ScanError>;

impl<'p> ResponseReader<'p> {
    /// A reader for this protocol.
    pub fn new(protocol: &'p Protocol) -> Self {
        let keywords = protocol.api_error_keywords.iter();
        ResponseReader {
            protocol,
            array_as: ArrayAs::default(),
            object_at: 0,
            api_errors: keywords.map(memmem::Finder::new).collect(),
            key_buffer: Vec::new(),
            value_buffer: Vec::new(),
        }
    }

    /// Reads a response into `sink`. Whatever the text, this ends and says something.
    pub fn read(&mut self, text: &str, task: &Task, sink: &mut FieldSink) -> ParseOutcome {
        let outcome = self.find_object(text, task, sink);
        if outcome.succeeded() {
            return outcome;
        }
        sink.clear();
        outcome
    }

    fn find_object(&mut self, text: &str, task: &Task, sink: &mut FieldSink) -> ParseOutcome {
        if text.len() > MAX_BYTES {
            return ParseOutcome::ParseFailure;
        }
        let trimmed = text.trim().as_bytes();
        if trimmed.first() == Some(&b'{')
            && let Ok(end) = self.read_object(trimmed, 0, task, sink)
            && end == trimmed.len()
        {
            self.object_at = text.len() - text.trim_start().len();
            return ParseOutcome::Direct;
        }
        for (body, _) in fences::blocks(text) {
            let body = body.trim().as_bytes();
            if body.first() == Some(&b'{')
                && let Ok(end) = self.read_object(body, 0, task, sink)
                && end == body.len()
            {
                // Both are parts of one text.
                self.object_at = body.as_ptr().addr() - text.as_ptr().addr();
                return ParseOutcome::Fenced;
            }
        }
        // A string may hold what looks like a fence, and such things in prose hide real ones.
        let begun = fences::blocks(text).map(|(_, begun)| (begun, fences::TICKS));
        for (begun, fence) in begun.chain(fences::by_lines(text)) {
            let begun = begun.trim_start();
            if self.reads_up_to(fence, begun, task, sink) {
                self.object_at = begun.as_ptr().addr() - text.as_ptr().addr();
                return ParseOutcome::Fenced;
            }
        }
        for start in memchr::memchr_iter(b'{', text.as_bytes()) {
            match self.read_object(text.as_bytes(), start, task, sink) {
                Ok(_) => {
                    self.object_at = start;
                    return ParseOutcome::Embedded;
                }
                // An object nested beyond all reason: looking for a piece of it that
                // parses would put words into the model's mouth.
                Err(ScanError::TooDeep(_)) => return ParseOutcome::ParseFailure,
                Err(ScanError::Syntax(_)) => {}
            }
        }
        if self.looks_like_api_error(text) {
            ParseOutcome::ApiError
        } else {
            ParseOutcome::ParseFailure
        }
    }

    /// Reads an object after which nothing comes before the fence, or the end.
    fn reads_up_to(&mut self, fence: &str, text: &str, task: &Task, sink: &mut FieldSink) -> bool {
        if !text.starts_with('{') {
            return false;
        }
        self.read_object(text.as_bytes(), 0, task, sink)
            .is_ok_and(|end| {
                let after = text[end..].trim_start();
                after.is_empty() || after.starts_with(fence)
            })
    }

    fn looks_like_api_error(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let mut keywords = self.api_errors.iter();
        keywords.any(|keyword| keyword.find(lower.as_bytes()).is_some())
    }

    /// Reads one object that begins at `start`; returns where it ends.
    fn read_object(
        &mut self,
        bytes: &[u8],
        start: usize,
        task: &Task,
        sink: &mut FieldSink,
    ) -> Scan<usize> {
        sink.clear();
        let mut scanner = Scanner::new(bytes, start);
        if let Some(root) = &self.protocol.nodes {
            return self.read_whole(scanner, root, task, sink);
        }
        scanner.expect(b'{')?;
        if scanner.take(b'}') {
            return Ok(scanner.pos);
        }
        // Models mostly answer in the order they were asked in.
        let mut expected = 0;
        loop {
            let field = match self.protocol.quoted_name(expected) {
                Some(quoted) if scanner.take_bytes(quoted) => {
                    scanner.expect(b':')?;
                    Some(expected)
                }
                _ => {
                    let key = scanner.key()?;
                    self.protocol.field_index(key.decode(&mut self.key_buffer))
                }
            };
            match field {
                Some(field) => {
                    expected = field + 1;
                    self.read_field(&mut scanner, field, task, sink)?;
                }
                None => scanner.skip_value(1, MAX_DEPTH)?,
            }
            if !scanner.take(b',') {
                scanner.expect(b'}')?;
                return Ok(scanner.pos);
            }
        }
    }

    fn read_field(
        &mut self,
        scanner: &mut Scanner,
        field: usize,
        task: &Task,
        sink: &mut FieldSink,
    ) -> Scan<()> {
        let slots = field * task.horizon..(field + 1) * task.horizon;
        // Duplicate keys: the last one wins, so whatever an earlier one left goes.
        if sink.states[field] != FieldState::Missing {
            sink.values[slots.clone()].fill(f64::NAN);
            sink.forget_texts(slots.clone());
        }
        let kind = scanner.kind()?;
        let start = scanner.pos;
        sink.states[field] = match (task.shape, kind) {
            (Shape::Scalar, ValueKind::Array) => match self.read_element(scanner)? {
                None => FieldState::WrongShape,
                Some(value) => keep(value, &mut sink.values[slots.start]),
            },
            (Shape::Scalar, _) => {
                let value = self.read_number(scanner, kind, 1)?;
                keep(value, &mut sink.values[slots.start])
            }
            (Shape::Array, ValueKind::Array) => {
                return self.read_array(scanner, field, slots, sink);
            }
            (Shape::Array, _) => {
                scanner.skip_value(1, MAX_DEPTH)?;
                FieldState::WrongShape
            }
        };
        if sink.states[field] != FieldState::Valid {
            sink.texts.push((
                slots.start as u32,
                excerpt(scanner.slice(start, scanner.pos)),
            ));
        }
        Ok(())
    }

    /// Reads an array where one number is wanted: the element that stands for it, if any.
    fn read_element(&mut self, scanner: &mut Scanner) -> Scan<Option<f64>> {
        if self.array_as == ArrayAs::WrongShape {
            scanner.skip_value(1, MAX_DEPTH)?;
            return Ok(None);
        }
        scanner.expect(b'[')?;
        let mut element = None;
        if scanner.take(b']') {
            return Ok(element);
        }
        loop {
            let kind = scanner.kind()?;
            let value = self.read_number(scanner, kind, 2)?;
            if element.is_none() || self.array_as == ArrayAs::Last {
                element = Some(value);
            }
            if !scanner.take(b',') {
                scanner.expect(b']')?;
                return Ok(element);
            }
        }
    }

    fn read_array(
        &mut self,
        scanner: &mut Scanner,
        field: usize,
        slots: std::ops::Range<usize>,
        sink: &mut FieldSink,
    ) -> Scan<()> {
        let array_start = scanner.pos;
        scanner.expect(b'[')?;
        let mut count = 0;
        let mut all_valid = true;
        if !scanner.take(b']') {
            loop {
                if count < slots.len() {
                    let kind = scanner.kind()?;
                    let start = scanner.pos;
                    let value = self.read_number(scanner, kind, 2)?;
                    sink.values[slots.start + count] = value;
                    if value.is_nan() {
                        all_valid = false;
                        let text = excerpt(scanner.slice(start, scanner.pos));
                        sink.texts.push(((slots.start + count) as u32, text));
                    }
                } else {
                    scanner.skip_value(2, MAX_DEPTH)?;
                }
                count += 1;
                if !scanner.take(b',') {
                    scanner.expect(b']')?;
                    break;
                }
            }
        }
        sink.states[field] = if count != slots.len() {
            sink.values[slots.clone()].fill(f64::NAN);
            sink.forget_texts(slots.clone());
            sink.texts.push((
                slots.start as u32,
                excerpt(scanner.slice(array_start, scanner.pos)),
            ));
            FieldState::WrongShape
        } else if all_valid {
            FieldState::Valid
        } else {
            FieldState::Invalid
        };
        Ok(())
    }

    /// Reads any value as a number: NaN for everything that is not a finite one.
    fn read_number(&mut self, scanner: &mut Scanner, kind: ValueKind, depth: usize) -> Scan<f64> {
        let value = match kind {
            ValueKind::Number | ValueKind::BareWord => scanner.number()?,
            ValueKind::String => {
                let text = scanner.string()?;
                let text = text.decode(&mut self.value_buffer);
                std::str::from_utf8(text)
                    .ok()
                    .and_then(people_number)
                    .unwrap_or(f64::NAN)
            }
            _ => {
                scanner.skip_value(depth, MAX_DEPTH)?;
                f64::NAN
            }
        };
        Ok(if value.is_finite() { value } else { f64::NAN })
    }
}

/// Keeps a value, and says whether it is one.
fn keep(value: f64, slot: &mut f64) -> FieldState {
    *slot = value;
    if value.is_nan() {
        FieldState::Invalid
    } else {
        FieldState::Valid
    }
}

/// The same of text.
pub fn excerpt_of(text: &str) -> Box<str> {
    match text.len() <= EXCERPT_CHARS {
        true => text.into(),
        false => excerpt(text.as_bytes()),
    }
}

/// The beginning of a piece of text, for evidence.
pub fn excerpt(bytes: &[u8]) -> Box<str> {
    // Four bytes are the most a character can take, so this much is enough.
    let head = &bytes[..bytes.len().min(EXCERPT_BYTES + 4)];
    let text = String::from_utf8_lossy(head);
    match text.char_indices().nth(EXCERPT_CHARS) {
        None if head.len() == bytes.len() => text.into(),
        None => format!("{text}…").into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
