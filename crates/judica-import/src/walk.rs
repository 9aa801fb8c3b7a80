//! One JSON document of any size, or a file of rows, of which parts are handed over one after
//! the other: memory holds the largest part that is wanted, never the document.

use std::path::Path;

use judica_data::chunks::{ChunkReader, LINE_TOO_LONG};
use judica_data::error::DataError;
use judica_data::limits;
use judica_data::source::Source;
use judica_data::work_error::WorkError;
use memchr::memchr2;

use crate::log::{Found, Refusal};
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
    /// The value, or why there is none.
    pub value: Result<Raw<'a>, Bad<'a>>,
}

/// What cannot be read.
pub struct Bad<'a> {
    /// A short code.
    pub reason: &'static str,
    /// A sentence.
    pub detail: String,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl<'a> Bad<'a> {
    /// A row that lacks what makes it one.
    pub fn missing(row: Raw<'a>, detail: impl Into<String>) -> Self {
        Bad {
            reason: "missing_field",
            detail: detail.into(),
            bytes: row.json().as_bytes(),
        }
    }

    /// Where a sample was looked for.
    pub fn found(self, file: &'a str, line: u64) -> Found<'a> {
        Found::Refused(Refusal {
            file,
            line,
            reason: self.reason,
            detail: self.detail,
            bytes: self.bytes,
        })
    }
}

/// Reads a value; a row is an object.
fn read(bytes: &[u8], row: bool) -> Result<Raw<'_>, Bad<'_>> {
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
        bytes,
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
                        bytes: record.bytes,
                    })
                }
            };
            take(Part {
                path: "",
                place: record.position,
                value,
            })?;
        }
        chunks.recycle(chunk);
    }
    Ok(())
}

/// Hands over the parts of a document that are wanted. A document that ends too early or is
/// broken ends with a part that says so.
pub fn document(
    path: &Path,
    want: &dyn Fn(&str) -> Want,
    take: &mut TakePart,
) -> Result<(), WorkError> {
    let mut document = Document {
        source: Source::open_unhashed(path)?,
        buffer: Vec::new(),
        at: 0,
        kept: None,
        too_long: false,
    };
    let mut keys = String::new();
    let whole = document.value(&mut keys, want, take)?;
    if whole && document.next()?.is_none() {
        return Ok(());
    }
    let detail = match document.next()? {
        None => "the file ends within the document".to_owned(),
        Some(_) => {
            let offset = document.source.offset() - (document.buffer.len() - document.at) as u64;
            format!("not JSON from byte {offset} on")
        }
    };
    let (reason, bytes) = ("malformed_json", &[][..]);
    take(Part {
        path: &keys,
        place: 0,
        value: Err(Bad {
            reason,
            detail,
            bytes,
        }),
    })
}

struct Document {
    source: Source,
    buffer: Vec<u8>,
    /// The next byte of the buffer to look at.
    at: usize,
    /// Where in the buffer the value begins that is wanted.
    kept: Option<usize>,
    /// Whether that value was too long to be kept.
    too_long: bool,
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

    /// Hands over the value here.
    fn part(&mut self, path: &str, place: u64, take: &mut TakePart) -> Whole {
        (self.kept, self.too_long) = (Some(self.at), false);
        let whole = self.pass()?;
        let bytes = match self.kept.take() {
            Some(from) => &self.buffer[from..self.at],
            None => &[],
        };
        let value = match (whole, self.too_long) {
            // What is said of the document says it of its last value.
            (false, _) => return Ok(false),
            (true, false) => read(bytes, place > 0),
            (true, true) => Err(Bad {
                reason: LINE_TOO_LONG,
                detail: format!(
                    "longer than the {} that --max-line allows",
                    limits::shown(limits::longest() as u64)
                ),
                bytes,
            }),
        };
        take(Part { path, place, value })?;
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
                    let from = self.at;
                    while self.at < self.buffer.len() || self.fill()? {
                        let rest = &self.buffer[self.at..];
                        let end = rest.iter().position(bare);
                        self.at += end.unwrap_or(rest.len());
                        if end.is_some() {
                            break;
                        }
                    }
                    return Ok(self.at > from || self.kept.is_some_and(|kept| kept < self.at));
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
            (self.kept, self.too_long) = (None, true);
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
mod tests {
    use super::*;

    /// The parts of a document: where they stand and their JSON, or why there is none.
    fn parts(
        text: &str,
        want: &dyn Fn(&str) -> Want,
    ) -> Vec<(String, u64, Result<String, String>)> {
        let file = tempfile::NamedTempFile::new().expect("file");
        std::fs::write(file.path(), text).expect("written");
        let mut parts = Vec::new();
        document(file.path(), want, &mut |part| {
            let value = part.value.map(|raw| raw.json().to_owned());
            parts.push((
                part.path.to_owned(),
                part.place,
                value.map_err(|bad| bad.detail),
            ));
            Ok(())
        })
        .expect("walked");
        parts
    }

    fn want(keys: &str) -> Want {
        match keys {
            "" | "run" => Want::Into,
            "run.rows" => Want::Each,
            "run.name" => Want::Take,
            _ => Want::Skip,
        }
    }

    fn ok(path: &str, place: u64, json: &str) -> (String, u64, Result<String, String>) {
        (path.to_owned(), place, Ok(json.to_owned()))
    }

    #[test]
    fn wanted_parts_come_in_order() {
        let text = r#"{"skipped": {"rows": [1, "]}\"", {}]}, "run": { "rows" : [ {"a": "[\\"}, {"b": NaN},{} , []], "name":"ü"}, "run.name": 1}"#;
        let expected = vec![
            ok("run.rows", 1, r#"{"a": "[\\"}"#),
            ok("run.rows", 2, r#"{"b": NaN}"#),
            ok("run.rows", 3, "{}"),
            (
                "run.rows".to_owned(),
                4,
                Err("a row is a JSON object".to_owned()),
            ),
            ok("run.name", 0, "\"ü\""),
            ok("run.name", 0, "1"),
        ];
        assert_eq!(parts(text, &want), expected);
        assert_eq!(parts(r#"{"run": {"rows": []}}"#, &want), []);
        assert_eq!(parts(r#"{"run": 7}"#, &want), [ok("run", 0, "7")]);
        assert_eq!(
            parts(r#"{"run": {"rows": {}}}"#, &want),
            [ok("run.rows", 0, "{}")]
        );
    }

    #[test]
    fn parts_may_be_longer_than_what_is_read_at_once() {
        let long = "y".repeat(STEP - 7);
        let row = format!("{{\"a\": \"{long}\\\"\"}}");
        let text = format!("{{\"z\": [{row}], \"run\": {{\"rows\": [{row}, {row}, {{}}]}}}}");
        let found = parts(&text, &want);
        assert_eq!(found.len(), 3);
        assert_eq!(found[1], ok("run.rows", 2, &row));
    }

    #[test]
    fn a_document_that_breaks_off_says_so_after_what_was_whole() {
        for (text, whole) in [
            (r#"{"run": {"rows": [{"a": 1}, {"a": "#, 1),
            (r#"{"run": {"rows": [{}, {}"#, 2),
            (r#"{"run": {"rows": [{}]} "x": 1}"#, 1),
            (r#"{"run": {"rows": [{},]}}"#, 1),
            (r#"{"run" 1}"#, 0),
            (r#"{run: 1}"#, 0),
            (r#"{"run": {"rows": [{}]}} {"#, 1),
            ("", 0),
        ] {
            let found = parts(text, &want);
            assert_eq!(found.len(), whole + 1, "{text}: {found:?}");
            assert!(
                found[..whole].iter().all(|(_, _, value)| value.is_ok()),
                "{text}"
            );
            assert!(found[whole].2.is_err(), "{text}");
        }
        // What is wrong within a part spoils that part alone.
        let found = parts(r#"{"run": {"rows": [{"a" 1}, {}]}}"#, &want);
        assert!(found[0].2.is_err() && found[1].2.is_ok() && found.len() == 2);
    }
}
