//! Rows of any format become ratings.

use std::sync::atomic::Ordering;

use judica_data::chunks::{ChunkReader, RawRecord};
use judica_data::json::{ScanError, Scanner, ValueKind};
use judica_data::rows::{DEPTH, Door, Field as Declared, Placed, Value, field, malformed, text_of};
use judica_data::source::InputDigest;
use judica_data::table::Tables;
use judica_data::work_error::WorkError;

use super::columns::{Columns, Part};
use super::load::{About, Loader, Place};
use super::value::Field;
use super::{RatingsOptions, RatingsRequest};
use crate::run::Input;

/// Bytes per chunk: rows of a table take several times as much while they are objects.
const CHUNK_BYTES: usize = 1 << 16;

/// What a row may say beside its item, rater and value, whose keys are told by the first
/// rows.
static FIELDS: [Declared; 9] = [
    field("item", &[]),
    field("rater", &[]),
    field("value", &[]),
    field("epoch", &["epoch"]),
    field("cluster", &["cluster"]),
    field("latency_ms", &["latency_ms"]),
    field("tokens_in", &["tokens_in", "tokens_input"]),
    field("tokens_out", &["tokens_out", "tokens_output"]),
    field("usd", &["usd"]),
];
const EPOCH: usize = 3;
const CLUSTER: usize = 4;
const USAGE: [usize; 4] = [5, 6, 7, 8];

/// Reads one file; gives how many bytes it had on disk, and their hash if there is to be a
/// run.
pub(super) fn read(
    input: &Input,
    request: &RatingsRequest,
    loader: &mut Loader,
    done_before: u64,
) -> Result<InputDigest, WorkError> {
    let RatingsOptions {
        columns, delimiter, ..
    } = &request.options;
    let paths = [input.path.clone()];
    let reader = match request.run {
        Some(_) => ChunkReader::new(&paths, CHUNK_BYTES)?,
        None => ChunkReader::unhashed(&paths, CHUNK_BYTES)?,
    };
    let mut reader = reader.with_tables(&Tables {
        delimiter: *delimiter,
        assumed: true,
        names: columns.names(),
        ..Tables::default()
    });
    if let Some(item) = columns_joined(columns) {
        let placed = Placed::joined(item);
        let placed = placed.map_err(|why| WorkError::BadInput(format!("--item {why}")))?;
        reader = reader.with_placed(&placed);
    }
    let mut keys = Keys::new(columns);
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records() {
            keys.row(&record, &input.name, loader)?;
        }
        reader.recycle(chunk);
        (loader.hooks.progress)(done_before + reader.raw_bytes());
        if loader.hooks.interrupted.load(Ordering::Relaxed) {
            return Err(WorkError::Interrupted);
        }
    }
    let read = reader.tables_read().first();
    if let Some(read) = read.filter(|read| keys.first.is_none() && !read.columns.is_empty()) {
        keys.learn(read.columns.clone(), &input.name)?;
    }
    keys.check(&input.name)?;
    let read_as = read.map(|read| read.how.clone());
    let digest = reader.digests().first().cloned();
    Ok(digest.unwrap_or_else(|| InputDigest {
        path: input.path.clone(),
        bytes: reader.raw_bytes(),
        read_as,
        ..InputDigest::default()
    }))
}

/// An item that several columns name together, or one whose name is quoted.
fn columns_joined(columns: &Columns) -> Option<&str> {
    let item = columns.named(Part::Item)?;
    let listed = item.contains(',') || item.starts_with('"');
    (listed && !item.starts_with('/')).then_some(item)
}

/// A value as a part of a rating; `text` is its text, or how it is written.
fn as_field<'a>(value: Option<Value>, text: &'a str) -> Field<'a> {
    match value {
        None => Field::Empty,
        Some(Value::Text(_)) => Field::text(text),
        Some(Value::Other(kind, bytes)) => match kind {
            ValueKind::Number | ValueKind::BareWord => {
                let number = Scanner::new(bytes, 0).number();
                Field::Number(number.unwrap_or(f64::NAN), text)
            }
            ValueKind::Boolean => Field::Boolean(bytes == b"true"),
            ValueKind::Object => Field::Nested("an object"),
            ValueKind::Array => Field::Nested("an array"),
            ValueKind::Null | ValueKind::String => Field::Empty,
        },
    }
}

/// Which key holds which part. The first row that has a part tells its key, for the whole
/// file.
struct Keys<'c> {
    columns: &'c Columns,
    known: [Option<String>; 3],
    door: Door<9>,
    /// The keys of the first object, for a message.
    first: Option<Vec<String>>,
}

impl<'c> Keys<'c> {
    fn new(columns: &'c Columns) -> Self {
        let mut keys = Keys {
            columns,
            known: [const { None }; 3],
            door: Door::new(&FIELDS),
            first: None,
        };
        for (at, part) in Part::ALL.into_iter().enumerate() {
            if let Some(pointer) = columns.named(part).filter(|name| name.starts_with('/')) {
                keys.door.set(at, pointer);
                keys.known[at] = Some(pointer.to_owned());
            }
        }
        keys
    }

    fn row(
        &mut self,
        record: &RawRecord,
        file: &str,
        loader: &mut Loader,
    ) -> Result<(), WorkError> {
        let place = Place { file, record };
        if let Err(refusal) = text_of(record) {
            return loader.refuse(place, refusal);
        }
        let keys = match self.wants_keys() {
            true => match keys_of(record.bytes) {
                Ok(keys) => Some(keys),
                Err(error) => return loader.refuse(place, malformed(error)),
            },
            false => None,
        };
        if let Some(keys) = keys {
            self.learn(keys, file)?;
        }
        let row = match self.door.read(record.bytes) {
            Ok(row) => row,
            Err(refusal) => return loader.refuse(place, refusal),
        };
        let epoch = match row.epoch(EPOCH) {
            Ok(epoch) => epoch,
            Err(refusal) => return loader.refuse(place, refusal),
        };
        let about = About {
            epoch,
            cluster: row.get(CLUSTER),
            usage: USAGE.map(|slot| row.amount(slot).filter(|_| loader.first_rows.is_some())),
        };
        let text = |value: Option<Value<'_>>| value.map(|value| value.text().into_owned());
        if !self.columns.raters.is_empty() {
            let item = row.get(0);
            let item_text = text(item).unwrap_or_default();
            for rater in &self.columns.raters {
                let mut said = None;
                let walked = Scanner::new(record.bytes, 0).members(|key, scanner| {
                    let value = Value::scan(scanner, 1, DEPTH)?;
                    if key == rater.as_bytes() {
                        said = Some(value);
                    }
                    Ok::<_, ScanError>(())
                });
                let (value, value_text) = match (walked, said) {
                    (Ok(()), Some(value)) => (value, text(value).unwrap_or_default()),
                    _ => return Err(self.no_column(rater, file)),
                };
                let item = self.absent_or(0, record, as_field(item, &item_text));
                let fields = [item, Field::Text(rater), as_field(value, &value_text)];
                loader.row(fields, place, &about)?;
            }
            return Ok(());
        }
        let values = [row.get(0), row.get(1), row.get(2)];
        let texts = values.map(|value| value.map(Value::text).unwrap_or_default());
        let mut fields = [Field::Empty; 3];
        for at in 0..fields.len() {
            fields[at] = self.absent_or(at, record, as_field(values[at], &texts[at]));
        }
        loader.row(fields, place, &about)
    }

    /// A field that says nothing, or is not there at all.
    fn absent_or<'f>(&self, at: usize, record: &RawRecord, field: Field<'f>) -> Field<'f> {
        let is_there = |key: &String| {
            let keys = keys_of(record.bytes).unwrap_or_default();
            keys.contains(key)
        };
        match (field, &self.known[at]) {
            (Field::Empty, Some(key)) if key.starts_with('/') || is_there(key) => Field::Empty,
            (Field::Empty, _) => Field::Absent,
            _ => field,
        }
    }

    fn wants_keys(&self) -> bool {
        let parts = self.known.iter().zip(Part::ALL);
        parts
            .filter(|(_, part)| self.columns.is_looked_for(*part))
            .any(|(known, _)| known.is_none())
            || self.first.is_none()
    }

    fn learn(&mut self, keys: Vec<String>, file: &str) -> Result<(), WorkError> {
        for (slot, part) in Part::ALL.into_iter().enumerate() {
            if self.known[slot].is_none()
                && self.columns.is_looked_for(part)
                && let Some(at) = self.columns.find(part, &keys, file)?
            {
                // A key is no pointer, whatever it begins with.
                let pointer = judica_data::json::pointer_key(&keys[at]);
                self.door.set(slot, &format!("/{pointer}"));
                self.known[slot] = Some(keys[at].clone());
            }
        }
        self.first.get_or_insert(keys);
        self.columns.apart(&self.known, file)
    }

    fn no_column(&self, name: &str, file: &str) -> WorkError {
        let found = self.first.as_deref().unwrap_or_default();
        self.columns.no_column(name, found, file)
    }

    /// Fails if there were rows and none of them had one of the parts.
    fn check(&self, file: &str) -> Result<(), WorkError> {
        let Some(first) = &self.first else {
            return Ok(());
        };
        let mut parts = self.known.iter().zip(Part::ALL);
        let lacking =
            parts.find(|(known, part)| known.is_none() && self.columns.is_looked_for(*part));
        lacking.map_or(Ok(()), |(_, part)| {
            Err(self.columns.missing(part, first, file))
        })
    }
}

/// The different keys of an object, in its order; none of anything else.
fn keys_of(bytes: &[u8]) -> Result<Vec<String>, ScanError> {
    let mut keys: Vec<String> = Vec::new();
    let mut scanner = Scanner::new(bytes, 0);
    if scanner.kind()? != ValueKind::Object {
        return Ok(keys);
    }
    scanner.members(|key, scanner| {
        let key = String::from_utf8_lossy(key);
        if !keys.iter().any(|known| *known == key) {
            keys.push(key.into_owned());
        }
        scanner.skip_value(1, DEPTH)
    })?;
    Ok(keys)
}
