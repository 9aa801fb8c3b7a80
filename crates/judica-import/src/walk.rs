//! One JSON document of any size, or a file of rows, of which parts are handed over one after
//! the other: memory holds the largest part that is wanted, never the document.

use std::path::Path;

use judica_data::chunks::{ChunkReader, LINE_TOO_LONG};
use judica_data::error::DataError;
use judica_data::limits;
use judica_data::rejects::{Raw as Kept, RawPieces};
use judica_data::source::Source;
use judica_data::work_error::WorkError;
use judica_run::family::Input;
use memchr::memchr2;

use crate::log::{Found, RefusedSample};
use crate::raw::Raw;

/// How much is read at once.
const STEP: usize = 1 << 20;

/// What is done with a member of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// It is passed over.
    Skip,
    /// It is handed over.
    Take,
    /// Its elements, which are objects, are handed over, or itself where it is no list.
    Each,
    /// Its members are asked for, or itself is handed over where it is no object.
    Into,
}

/// A part of a document.
pub struct Part<'a> {
    /// Its keys, joined by points.
    pub path: &'a str,
    /// The line, or the number of an element of a list, from 1; 0 of other parts.
    pub place: u64,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// The value, or why there is none.
    pub value: Result<Raw<'a>, Bad>,
}

impl Part<'_> {
    /// Its line or number, and where it begins.
    pub fn at(&self) -> (u64, u64) {
        (self.place, self.offset)
    }
}

/// What cannot be read.
pub struct Bad {
    /// A short code.
    pub reason: &'static str,
    /// A sentence.
    pub detail: String,
    /// The bytes.
    pub raw: Kept,
}

impl Bad {
    /// A row that lacks what makes it one.
    pub fn missing(row: Raw, detail: impl Into<String>) -> Self {
        Bad {
            reason: "missing_field",
            detail: detail.into(),
            raw: row.json().as_bytes().into(),
        }
    }

    /// Where a sample was looked for.
    pub fn found(self, file: &str, (line, offset): (u64, u64)) -> Found<'_> {
        Found::Refused(RefusedSample {
            file,
            line,
            offset,
            reason: self.reason,
            detail: self.detail,
            raw: self.raw,
        })
    }
}

/// Reads a value; a row is an object.
fn read(bytes: &[u8], row: bool) -> Result<Raw<'_>, Bad> {
    let (reason, detail) = match Raw::read(bytes) {
        Ok(value) if row && !value.json().starts_with('{') => {
            ("not_an_object", "a row is a JSON object".to_owned())
        }
        Ok(value) => return Ok(value),
        Err(detail) => ("malformed_json", detail),
    };
    Err(Bad {
        reason,
        detail,
        raw: bytes.into(),
    })
}

/// Takes the parts.
pub type TakePart<'t> = dyn FnMut(Part) -> Result<(), WorkError> + 't;

/// Hands over every row of a file, be it lines or one list.
pub fn rows(path: &Path, take: &mut TakePart) -> Result<(), WorkError> {
    let mut chunks = ChunkReader::unhashed(&[path.to_owned()], STEP)?;
    while let Some(chunk) = chunks.next_chunk()? {
        for record in chunk.records() {
            let value = match record.fault {
                None => read(record.bytes, true),
                Some(fault) => {
                    let refusal = fault.refusal();
                    Err(Bad {
                        reason: refusal.reason,
                        detail: refusal.detail,
                        raw: record.raw(),
                    })
                }
            };
            take(Part {
                path: "",
                place: record.position,
                offset: record.offset,
                value,
            })?;
        }
        chunks.recycle(chunk);
    }
    Ok(())
}

/// Hands over the parts of a document that are wanted. One that ends too early or is broken is
/// refused as a whole, after the parts before: half of a log would pass for all of it.
pub fn document(
    file: &Input,
    want: &dyn Fn(&str) -> Want,
    take: &mut TakePart,
) -> Result<(), WorkError> {
    match perhaps_document(&file.path, want, take)? {
        None => Ok(()),
        Some(why) => Err(not_whole(file, &why)),
    }
}

/// What is said of a file that is a part of a log.
pub fn not_whole(file: &Input, why: &str) -> WorkError {
    WorkError::BadInput(format!("{}: not a whole log: {why}", file.name))
}

/// The same of a file that may be something else; says why it is no document.
pub fn perhaps_document(
    path: &Path,
    want: &dyn Fn(&str) -> Want,
    take: &mut TakePart,
) -> Result<Option<String>, WorkError> {
    let mut document = Document {
        source: Source::open_unhashed(path)?,
        buffer: Vec::new(),
        at: 0,
        kept: None,
        long: None,
        wrong: None,
    };
    let whole = document.value(&mut String::new(), want, take)?;
    if document.wrong.is_some() {
        return Ok(document.wrong);
    }
    let next = document.next()?;
    let offset = document.offset(document.at);
    Ok(match (whole, next) {
        (true, None) => None,
        (false, None) => Some(format!("it ends within the document, after byte {offset}")),
        (_, Some(_)) => Some(format!("not JSON from byte {offset} on")),
    })
}

/// A value that is longer than the limit, however much of it happens to be held: what was
/// passed over, and the bytes behind that.
fn too_long(passed: Option<RawPieces>, bytes: &[u8]) -> Option<Kept> {
    match passed {
        Some(mut pieces) => {
            pieces.take(bytes);
            Some(pieces.finish())
        }
        None => (bytes.len() > limits::longest()).then(|| bytes.into()),
    }
}

struct Document {
    source: Source,
    buffer: Vec<u8>,
    /// The next byte of the buffer to look at.
    at: usize,
    /// Where in the buffer the value begins that is wanted.
    kept: Option<usize>,
    /// What was passed over of that value, where it is too long to be kept.
    long: Option<RawPieces>,
    /// What is wrong within a part that there is once: then the document is broken.
    wrong: Option<String>,
}

/// Whether the document goes on as it should.
type Whole = Result<bool, WorkError>;

impl Document {
    /// The value here, by what is wanted of it.
    fn value(
        &mut self,
        keys: &mut String,
        want: &dyn Fn(&str) -> Want,
        take: &mut TakePart,
    ) -> Whole {
        match (want(keys), self.next()?) {
            (Want::Skip, _) => Ok(self.pass()?),
            (Want::Into, Some(b'{')) => self.inside(b'}', &mut |document, _| {
                document.kept = Some(document.at);
                let (key, around) = (document.pass()?, keys.len());
                let name = document
                    .kept
                    .take()
                    .map(|from| &document.buffer[from..document.at]);
                let name = name.and_then(|name| Raw::read(name).ok()?.text());
                let (true, Some(name)) = (key, name) else {
                    return Ok(false);
                };
                if around > 0 {
                    keys.push('.');
                }
                keys.push_str(&name);
                let whole = document.take(b':')? && document.value(keys, want, take)?;
                if whole {
                    keys.truncate(around);
                }
                Ok(whole)
            }),
            (Want::Each, Some(b'[')) => self.inside(b']', &mut |document, place| {
                document.part(keys, place, take)
            }),
            _ => self.part(keys, 0, take),
        }
    }

    /// Everything between brackets, with its number.
    fn inside(&mut self, end: u8, each: &mut dyn FnMut(&mut Self, u64) -> Whole) -> Whole {
        self.at += 1;
        if self.take(end)? {
            return Ok(true);
        }
        for place in 1.. {
            self.next()?;
            if !each(self, place)? {
                return Ok(false);
            }
            if !self.take(b',')? {
                break;
            }
        }
        self.take(end)
    }

    /// Where a byte of the buffer stands in the document.
    fn offset(&self, at: usize) -> u64 {
        self.source.offset() - (self.buffer.len() - at) as u64
    }

    /// Hands over the value here.
    fn part(&mut self, path: &str, place: u64, take: &mut TakePart) -> Whole {
        let offset = self.offset(self.at);
        (self.kept, self.long) = (Some(self.at), None);
        let whole = self.pass()?;
        // Of one that is too long the buffer begins somewhere within.
        let bytes = &self.buffer[self.kept.take().unwrap_or(0)..self.at];
        // What is said of the document says it of its last value.
        if !whole {
            return Ok(false);
        }
        let value = match too_long(self.long.take(), bytes) {
            None => read(bytes, place > 0),
            Some(raw) => Err(Bad {
                reason: LINE_TOO_LONG,
                detail: format!(
                    "longer than the {} that --max-line allows",
                    limits::shown(limits::longest() as u64)
                ),
                raw,
            }),
        };
        if let (0, Err(bad)) = (place, &value) {
            self.wrong = Some(match path {
                "" => bad.detail.clone(),
                _ => format!("`{path}`: {}", bad.detail),
            });
            return Ok(false);
        }
        take(Part {
            path,
            place,
            offset,
            value,
        })?;
        Ok(true)
    }

    /// Passes over the value here; which bracket closes which is left to who reads it.
    fn pass(&mut self) -> Result<bool, DataError> {
        let mut depth = 0u64;
        loop {
            if self.at == self.buffer.len() && !self.fill()? {
                return Ok(false);
            }
            let rest = &self.buffer[self.at..];
            let bare = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b':') || *byte <= b' ';
            let stop = match depth {
                0 => 0,
                _ => rest
                    .iter()
                    .position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))
                    .unwrap_or(rest.len()),
            };
            let Some(&byte) = rest.get(stop) else {
                self.at += stop;
                continue;
            };
            self.at += stop;
            match byte {
                b'"' => {
                    self.at += 1;
                    if !self.pass_string()? {
                        return Ok(false);
                    }
                }
                b'{' | b'[' => {
                    self.at += 1;
                    depth += 1;
                    continue;
                }
                b'}' | b']' if depth > 0 => {
                    self.at += 1;
                    depth -= 1;
                }
                _ => {
                    // Places cannot tell: reading on forgets what was passed over.
                    let mut any = false;
                    while self.at < self.buffer.len() || self.fill()? {
                        let rest = &self.buffer[self.at..];
                        let end = rest.iter().position(bare);
                        any |= end != Some(0);
                        self.at += end.unwrap_or(rest.len());
                        if end.is_some() {
                            break;
                        }
                    }
                    return Ok(any);
                }
            }
            if depth == 0 {
                return Ok(true);
            }
        }
    }

    fn pass_string(&mut self) -> Result<bool, DataError> {
        loop {
            if self.at == self.buffer.len() && !self.fill()? {
                return Ok(false);
            }
            let rest = &self.buffer[self.at..];
            let Some(found) = memchr2(b'"', b'\\', rest) else {
                self.at = self.buffer.len();
                continue;
            };
            let quote = rest[found] == b'"';
            self.at += found + 1;
            if quote {
                return Ok(true);
            }
            if self.at == self.buffer.len() && !self.fill()? {
                return Ok(false);
            }
            self.at += 1;
        }
    }

    /// The next byte that is not blank, which is not taken.
    fn next(&mut self) -> Result<Option<u8>, DataError> {
        loop {
            let rest = &self.buffer[self.at..];
            if let Some(blanks) = rest.iter().position(|byte| *byte > b' ') {
                self.at += blanks;
                return Ok(Some(self.buffer[self.at]));
            }
            self.at = self.buffer.len();
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    fn take(&mut self, byte: u8) -> Whole {
        let found = self.next()? == Some(byte);
        self.at += usize::from(found);
        Ok(found)
    }

    /// Reads on, and forgets what is not wanted any more.
    fn fill(&mut self) -> Result<bool, DataError> {
        if self
            .kept
            .is_some_and(|kept| self.at - kept > limits::longest())
        {
            self.long = Some(RawPieces::default());
        }
        if let Some(long) = &mut self.long {
            long.take(&self.buffer[self.kept.take().unwrap_or(0)..self.at]);
        }
        let from = self.kept.unwrap_or(self.at);
        self.buffer.drain(..from);
        self.at -= from;
        self.kept = self.kept.map(|_| 0);
        let end = self.buffer.len();
        self.buffer.resize(end + STEP, 0);
        let read = self.source.read_bytes(&mut self.buffer[end..]);
        self.buffer.truncate(end + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
