//! Rows from JSON: a line or an array element is an object.

use std::sync::atomic::Ordering;

use judica_data::chunks::{ChunkReader, RawRecord};
use judica_data::json::scan::RawString;
use judica_data::json::{ScanError, Scanner, ValueKind};
use judica_data::rejects::Refusal;
use judica_data::source::InputDigest;

use super::columns::{Columns, Part};
use super::load::{Loader, Place};
use super::value::Field;
use crate::error::AgreeError;

/// How deep a row may be nested.
const DEPTH: usize = 128;

/// Reads all rows of a file.
pub(super) fn read(
    mut reader: ChunkReader,
    columns: &Columns,
    file: &str,
    loader: &mut Loader,
    done_before: u64,
) -> Result<InputDigest, AgreeError> {
    let mut keys = Keys::new(columns);
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records() {
            row(&record, &mut keys, file, loader)?;
        }
        reader.recycle(chunk);
        (loader.hooks.progress)(done_before + reader.raw_bytes());
        if loader.hooks.interrupted.load(Ordering::Relaxed) {
            return Err(AgreeError::Interrupted);
        }
    }
    keys.check(file)?;
    // One source, read to its end.
    Ok(reader.digests().first().cloned().unwrap_or_default())
}

fn row(
    record: &RawRecord,
    keys: &mut Keys,
    file: &str,
    loader: &mut Loader,
) -> Result<(), AgreeError> {
    let place = Place {
        file,
        line: record.line,
        offset: record.offset,
        raw: record.bytes,
    };
    if let Some(fault) = record.fault {
        let Refusal { reason, detail } = fault.refusal();
        return loader.refuse_as(place, reason, detail, record.raw());
    }
    if let Err(error) = std::str::from_utf8(record.bytes) {
        let detail = format!("invalid UTF-8 at byte {} of the row", error.valid_up_to());
        return loader.refuse(place, "invalid_utf8", detail);
    }
    match keys.pick(record.bytes, file)? {
        Err((reason, detail)) => loader.refuse(place, reason, detail),
        Ok(picked) => {
            let mut buffers = [const { Vec::new() }; 3];
            let [item, rater, value] = &mut buffers;
            let fields = [
                picked[0].field(item),
                picked[1].field(rater),
                picked[2].field(value),
            ];
            loader.row(fields, place)
        }
    }
}

/// A value of a key, not yet decoded.
#[derive(Clone, Copy, Default)]
struct Picked<'a>(Option<(ValueKind, &'a [u8], Option<RawString<'a>>)>);

impl<'a> Picked<'a> {
    /// The value; `buffer` is used only if it has escapes to undo.
    fn field<'b>(&self, buffer: &'b mut Vec<u8>) -> Field<'b>
    where
        'a: 'b,
    {
        let Some((kind, span, string)) = self.0 else {
            return Field::Absent;
        };
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
        match (kind, string) {
            (ValueKind::String, Some(string)) => Field::text(text(string.decode(buffer))),
            (ValueKind::Number | ValueKind::BareWord, _) => {
                let number = Scanner::new(span, 0).number();
                Field::Number(number.unwrap_or(f64::NAN), text(span))
            }
            (ValueKind::Boolean, _) => Field::Boolean(span == b"true"),
            (ValueKind::Object, _) => Field::Nested("an object"),
            (ValueKind::Array, _) => Field::Nested("an array"),
            (ValueKind::Null | ValueKind::String, _) => Field::Empty,
        }
    }
}

type BadRow = (&'static str, String);

/// Which key holds which part. There is no header, so the first row that has a part tells
/// its key, for the whole file.
struct Keys<'c> {
    columns: &'c Columns,
    known: [Option<String>; 3],
    /// The keys of the first object, for a message.
    first: Option<Vec<String>>,
}

impl<'c> Keys<'c> {
    fn new(columns: &'c Columns) -> Self {
        Keys {
            columns,
            known: [const { None }; 3],
            first: None,
        }
    }

    /// The three parts of a row, or why it has none.
    fn pick<'a>(
        &mut self,
        bytes: &'a [u8],
        file: &str,
    ) -> Result<Result<[Picked<'a>; 3], BadRow>, AgreeError> {
        if self.known.iter().any(Option::is_none) {
            match keys_of(bytes) {
                Ok(keys) => self.learn(keys, file)?,
                Err(bad) => return Ok(Err(bad)),
            }
        }
        let mut picked = [Picked::default(); 3];
        let walked = walk(bytes, |key, value| {
            let part = self.known.iter().position(|known| {
                known
                    .as_deref()
                    .is_some_and(|known| known.as_bytes() == key)
            });
            if let Some(part) = part {
                picked[part] = Picked(Some(value));
            }
        });
        Ok(walked.map(|()| picked))
    }

    fn learn(&mut self, keys: Vec<String>, file: &str) -> Result<(), AgreeError> {
        for (known, part) in self.known.iter_mut().zip(Part::ALL) {
            if known.is_none() {
                let at = self.columns.find(part, &keys, file)?;
                *known = at.map(|at| keys[at].clone());
            }
        }
        self.first.get_or_insert(keys);
        Ok(())
    }

    /// Fails if there were rows and none of them had one of the parts.
    fn check(&self, file: &str) -> Result<(), AgreeError> {
        let Some(first) = &self.first else {
            return Ok(());
        };
        let lacking = self
            .known
            .iter()
            .zip(Part::ALL)
            .find(|(known, _)| known.is_none());
        lacking.map_or(Ok(()), |(_, part)| {
            Err(self.columns.missing(part, first, file))
        })
    }
}

/// The different keys of an object, in its order.
fn keys_of(bytes: &[u8]) -> Result<Vec<String>, BadRow> {
    let mut keys: Vec<String> = Vec::new();
    walk(bytes, |key, _| {
        let key = String::from_utf8_lossy(key);
        if !keys.iter().any(|known| *known == key) {
            keys.push(key.into_owned());
        }
    })?;
    Ok(keys)
}

type Value<'a> = (ValueKind, &'a [u8], Option<RawString<'a>>);

/// Visits the members of an object that is all of `bytes`.
fn walk<'a>(bytes: &'a [u8], mut visit: impl FnMut(&[u8], Value<'a>)) -> Result<(), BadRow> {
    let malformed = |error: ScanError| match error {
        ScanError::Syntax(at) => (
            "malformed_json",
            format!("not JSON at byte {at} of the row"),
        ),
        ScanError::TooDeep(at) => (
            "malformed_json",
            format!("nested too deeply at byte {at} of the row"),
        ),
    };
    let mut scanner = Scanner::new(bytes, 0);
    let kind = scanner.kind().map_err(malformed)?;
    if kind != ValueKind::Object {
        // Not JSON at all is the plainer reason, if it is one.
        scanner.skip_value(0, DEPTH).map_err(malformed)?;
        if scanner.at_end() {
            return Err((
                "not_an_object",
                format!("expected an object, found {kind:?}"),
            ));
        }
    } else {
        members(&mut scanner, &mut visit).map_err(malformed)?;
    }
    if scanner.at_end() {
        return Ok(());
    }
    let detail = format!(
        "something follows the object at byte {} of the row",
        scanner.pos
    );
    Err(("malformed_json", detail))
}

fn members<'a>(
    scanner: &mut Scanner<'a>,
    visit: &mut impl FnMut(&[u8], Value<'a>),
) -> Result<(), ScanError> {
    scanner.expect(b'{')?;
    if scanner.take(b'}') {
        return Ok(());
    }
    let mut buffer = Vec::new();
    loop {
        let key = scanner.key()?;
        let kind = scanner.kind()?;
        let start = scanner.pos;
        let string = if kind == ValueKind::String {
            Some(scanner.string()?)
        } else {
            scanner.skip_value(1, DEPTH)?;
            None
        };
        let span = scanner.slice(start, scanner.pos);
        visit(key.decode(&mut buffer), (kind, span, string));
        if !scanner.take(b',') {
            return scanner.expect(b'}');
        }
    }
}
