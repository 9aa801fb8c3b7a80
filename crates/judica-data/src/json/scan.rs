//! The scanner: walks over JSON text without building anything.

use super::number::{json_number, json_number_length};
use super::open::OpenContainers;
use super::text::{plain_run_end, run_end_before_tail, unescape_one};

/// Why a value could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanError {
    /// The text is not JSON at this position.
    Syntax(usize),
    /// Containers are nested deeper than allowed.
    TooDeep(usize),
}

impl ScanError {
    /// Where the reader stopped.
    pub fn position(self) -> usize {
        match self {
            ScanError::Syntax(at) | ScanError::TooDeep(at) => at,
        }
    }
}

/// What kind of value begins at a position, told by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// A digit or `-` (also `-Infinity`).
    Number,
    /// `true` or `false`
    Boolean,
    /// `null`
    Null,
    /// `NaN` or `Infinity`
    BareWord,
}

/// A string as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub struct RawString<'a> {
    /// Between the quotes, escapes not undone.
    pub raw: &'a [u8],
    /// Whether there is any escape.
    pub escaped: bool,
}

impl<'a> RawString<'a> {
    /// The contents with escapes undone; `buffer` is used only when there are any.
    pub fn decode<'b>(&self, buffer: &'b mut Vec<u8>) -> &'b [u8]
    where
        'a: 'b,
    {
        if !self.escaped {
            return self.raw;
        }
        buffer.clear();
        let mut at = 0;
        while at < self.raw.len() {
            let end = plain_run_end(self.raw, at);
            buffer.extend_from_slice(&self.raw[at..end]);
            // The scanner has checked every escape, so this cannot fail half way.
            at = match self.raw.get(end) {
                Some(b'\\') => unescape_one(self.raw, end, buffer).unwrap_or(self.raw.len()),
                Some(_) => end + 1,
                None => end,
            };
        }
        buffer
    }
}

/// Walks over JSON text. `pos` is where the next token is looked for.
#[derive(Debug, Clone)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    /// The position of the next unread byte.
    pub pos: usize,
}

type Scan<T> = Result<T, ScanError>;

impl<'a> Scanner<'a> {
    /// A scanner over `bytes` that begins at `pos`.
    pub fn new(bytes: &'a [u8], pos: usize) -> Self {
        Scanner { bytes, pos }
    }

    /// The text between two positions.
    pub fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    /// Skips white space and returns the next byte without taking it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.pos) {
            if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.pos += 1;
        }
        None
    }

    /// Takes these bytes if they come next, right here.
    #[inline]
    pub fn take_exact(&mut self, wanted: &[u8]) -> bool {
        let found = starts_with(&self.bytes[self.pos..], wanted);
        if found {
            self.pos += wanted.len();
        }
        found
    }

    /// Takes `byte` if it is the next one after white space.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.pos += 1;
        }
        found
    }

    /// Takes these bytes if they come next after white space.
    #[inline]
    pub fn take_bytes(&mut self, wanted: &[u8]) -> bool {
        self.peek();
        self.take_exact(wanted)
    }

    /// Requires `byte` next.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Scan<()> {
        if self.take(byte) { Ok(()) } else { self.fail() }
    }

    /// True when only white space is left.
    pub fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// A syntax error here.
    pub fn fail<T>(&self) -> Scan<T> {
        Err(ScanError::Syntax(self.pos))
    }

    /// What kind of value comes next.
    #[inline]
    pub fn kind(&mut self) -> Scan<ValueKind> {
        Ok(match self.peek() {
            Some(b'"') => ValueKind::String,
            Some(b'-' | b'0'..=b'9') => ValueKind::Number,
            Some(b'{') => ValueKind::Object,
            Some(b'[') => ValueKind::Array,
            Some(b't' | b'f') => ValueKind::Boolean,
            Some(b'n') => ValueKind::Null,
            Some(b'N' | b'I') => ValueKind::BareWord,
            _ => return self.fail(),
        })
    }

    /// Reads a string; the scanner stands on its opening quote (after white space).
    #[inline]
    pub fn string(&mut self) -> Scan<RawString<'a>> {
        self.expect(b'"')?;
        self.string_contents()
    }

    /// Reads a string if one comes next after white space.
    #[inline(always)]
    pub fn string_if_next(&mut self) -> Scan<Option<RawString<'a>>> {
        if !self.take(b'"') {
            return Ok(None);
        }
        self.string_contents().map(Some)
    }

    /// Reads a string up to its closing quote; the opening one has been taken.
    #[inline(always)]
    pub fn string_contents(&mut self) -> Scan<RawString<'a>> {
        let start = self.pos;
        // Most strings are plain. Those end here, in the caller's own code.
        if let Some(raw) = self.plain_contents(start) {
            let escaped = false;
            return Ok(RawString { raw, escaped });
        }
        let text = any_string(self.bytes, start)?;
        self.pos = start + text.raw.len() + 1;
        Ok(text)
    }

    /// Reads a string that begins right here, if nothing in it is escaped; none may be found if
    /// it ends with the text. What is none is not taken.
    #[inline(always)]
    pub fn plain_string(&mut self) -> Option<&'a [u8]> {
        match self.bytes.get(self.pos) {
            Some(b'"') => self.plain_contents(self.pos + 1),
            _ => None,
        }
    }

    #[inline(always)]
    fn plain_contents(&mut self, start: usize) -> Option<&'a [u8]> {
        let end = run_end_before_tail(self.bytes, start)?;
        if self.bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.pos = end + 1;
        Some(&self.bytes[start..end])
    }

    /// Reads a string and appends its contents, escapes undone, to `out`: one walk
    /// instead of two where the contents are wanted anyway.
    pub fn string_into(&mut self, out: &mut Vec<u8>) -> Scan<()> {
        self.string_into_at_most(out, usize::MAX)
    }

    /// The same for a string of which only a beginning is wanted: so many whole characters
    /// as fit into `most` bytes.
    pub fn string_into_at_most(&mut self, out: &mut Vec<u8>, most: usize) -> Scan<()> {
        self.expect(b'"')?;
        let mut at = self.pos;
        loop {
            let end = plain_run_end(self.bytes, at);
            let room = most.saturating_sub(out.len());
            if end - at > room {
                out.extend_from_slice(whole_characters(&self.bytes[at..end], room));
                return self.skip_rest_of_string(end);
            }
            out.extend_from_slice(&self.bytes[at..end]);
            at = match self.bytes.get(end) {
                Some(b'"') => break self.pos = end + 1,
                // No escape stands for more than four bytes.
                Some(b'\\') if most.saturating_sub(out.len()) < 4 => {
                    return self.skip_rest_of_string(end);
                }
                Some(b'\\') => match unescape_one(self.bytes, end, out) {
                    Some(next) => next,
                    None => return Err(ScanError::Syntax(end)),
                },
                _ => return Err(ScanError::Syntax(end)),
            };
        }
        Ok(())
    }

    fn skip_rest_of_string(&mut self, at: usize) -> Scan<()> {
        self.pos = at;
        self.string_contents().map(drop)
    }

    /// Reads a number, or one of the bare words `NaN`, `Infinity`, `-Infinity`.
    #[inline]
    pub fn number(&mut self) -> Scan<f64> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => {
                if let Some((value, length)) = json_number(&self.bytes[self.pos..]) {
                    self.pos += length;
                    return Ok(value);
                }
                self.word(b"-Infinity").map(|()| f64::NEG_INFINITY)
            }
            Some(b'N') => self.word(b"NaN").map(|()| f64::NAN),
            _ => self.word(b"Infinity").map(|()| f64::INFINITY),
        }
    }

    /// Skips what [`Scanner::number`] reads.
    fn skip_number(&mut self) -> Scan<()> {
        match json_number_length(&self.bytes[self.pos..]) {
            Some(length) => {
                self.pos += length;
                Ok(())
            }
            None => self.number().map(|_| ()),
        }
    }

    fn word(&mut self, word: &[u8]) -> Scan<()> {
        if self.take_exact(word) {
            Ok(())
        } else {
            self.fail()
        }
    }

    /// Skips one scalar of a known kind.
    fn skip_scalar(&mut self, kind: ValueKind) -> Scan<()> {
        match kind {
            ValueKind::String => self.string().map(|_| ()),
            ValueKind::Number | ValueKind::BareWord => self.skip_number(),
            ValueKind::Null => self.word(b"null"),
            ValueKind::Boolean if self.bytes.get(self.pos) == Some(&b't') => self.word(b"true"),
            ValueKind::Boolean => self.word(b"false"),
            ValueKind::Object | ValueKind::Array => self.fail(),
        }
    }

    /// Skips one whole value, checking its syntax. `depth` is how many containers are
    /// open around it, `limit` how many may be open at once.
    pub fn skip_value(&mut self, depth: usize, limit: usize) -> Scan<()> {
        let kind = self.kind()?;
        if !matches!(kind, ValueKind::Object | ValueKind::Array) {
            return self.skip_scalar(kind);
        }
        let mut open = OpenContainers::default();
        loop {
            // Here a value is due.
            let kind = self.kind()?;
            let mut value_done = true;
            match kind {
                ValueKind::Object | ValueKind::Array => {
                    let is_object = kind == ValueKind::Object;
                    if depth + open.count >= limit {
                        return Err(ScanError::TooDeep(self.pos));
                    }
                    self.pos += 1;
                    if !self.take(if is_object { b'}' } else { b']' }) {
                        open.push(is_object);
                        if is_object {
                            self.key()?;
                        }
                        value_done = false;
                    }
                }
                scalar => self.skip_scalar(scalar)?,
            }
            // After a value: close what ends here, or go on to the next value.
            while value_done {
                let Some(is_object) = open.last() else {
                    return Ok(());
                };
                if self.take(b',') {
                    if is_object {
                        self.key()?;
                    }
                    value_done = false;
                } else {
                    self.expect(if is_object { b'}' } else { b']' })?;
                    open.pop();
                }
            }
        }
    }

    /// Reads an object key and its colon.
    #[inline]
    pub fn key(&mut self) -> Scan<RawString<'a>> {
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }
}

/// A string that begins here, its opening quote taken; it ends right before a quote. No
/// method, since a scanner that is lent has to lie in memory wherever it may come to that.
#[inline(never)]
fn any_string(bytes: &[u8], start: usize) -> Scan<RawString<'_>> {
    let mut escaped = false;
    let mut at = start;
    loop {
        at = plain_run_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => break,
            Some(b'\\') => {
                escaped = true;
                at = escape_end(bytes, at)?;
            }
            // A control character, or the end of the text.
            _ => return Err(ScanError::Syntax(at)),
        }
    }
    Ok(RawString {
        raw: &bytes[start..at],
        escaped,
    })
}

fn escape_end(bytes: &[u8], at: usize) -> Scan<usize> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'n' | b't' | b'r' | b'b' | b'f') => Ok(at + 2),
        Some(b'u') => match bytes.get(at + 2..at + 6) {
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            _ => Err(ScanError::Syntax(at)),
        },
        _ => Err(ScanError::Syntax(at)),
    }
}

/// `text.starts_with(start)` without a call where `start` has the length of a key with
/// what stands around it: its first and last bytes, which overlap, are compared as words.
#[inline(always)]
pub fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let Some(text) = text.get(..start.len()) else {
        return false;
    };
    fn ends<const N: usize>(bytes: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
        Some((bytes.first_chunk()?, bytes.last_chunk()?))
    }
    match start.len() {
        8..=16 => ends::<8>(text) == ends::<8>(start),
        17..=32 => ends::<16>(text) == ends::<16>(start),
        33..=64 => ends::<32>(text) == ends::<32>(start),
        4..=7 => ends::<4>(text) == ends::<4>(start),
        2..=3 => ends::<2>(text) == ends::<2>(start),
        _ => text == start,
    }
}

/// `one == other` without a call, in the same way.
#[inline(always)]
pub fn same_bytes(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && starts_with(one, other)
}

/// The first bytes of a text, at most so many, without half a character at the end.
fn whole_characters(text: &[u8], most: usize) -> &[u8] {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut end = most.min(text.len());
    while end > 0 && continues(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
