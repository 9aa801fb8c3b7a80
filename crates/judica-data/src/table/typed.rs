//! Parquet and Arrow: record batches, each row written as a JSON object.
//!
//! Numbers, booleans and texts keep their types, lists and structs become arrays and
//! objects, dates and times text in the form of RFC 3339, durations that of ISO 8601. Bytes
//! that are no text are their hexadecimal digits. `NaN` is null, infinities are the texts `inf` and `-inf`. A table
//! with a column of any other type is refused: values that are not read would all be equal.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Cursor};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use super::arrow::{arrow_file, arrow_stream};
use super::header::{self, Column};
use super::{Cells, Tables, TypedFormat, unreadable};
use crate::chunks::TableRow;
use crate::error::DataError;
use crate::fingerprint::fingerprint;
use crate::guarded::{Guarded, guarded};
use crate::hex::hex;
use crate::json::Scanner;
use crate::json::text::{write_list, write_string, write_string_or_null};
use crate::memory::HeldTable;
use crate::parquet::{UntilEnd, read_footer};
use crate::sha256::Sha256;
use crate::source::Source;

/// Rows that are decoded at a time.
const BATCH: usize = 1024;
/// What stands before a compression that the decoder was built without.
const NOT_READ: &str = "Disabled feature at compile time: ";

pub(super) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A table that is no text, and is being read.
pub(crate) struct Typed {
    path: PathBuf,
    format: TypedFormat,
    columns: Vec<Column>,
    /// Whether rows are meant as they are written.
    as_it_is: bool,
    writer: RowWriter,
    batches: Batches,
    /// The row at hand.
    plain: Vec<u8>,
    /// Text that is meant as JSON.
    text: Vec<u8>,
    /// Rows so far.
    pub rows: u64,
    /// Of a table in memory, the hash of its rows as JSON lines, if it is asked for, and how
    /// many bytes that is.
    pub hashed: (Option<Sha256>, u64),
}

/// Writes rows of a table under the names that its columns have, in their order: what a
/// fingerprint is of, whatever the reader makes of the names.
pub(crate) struct RowWriter {
    /// The names of all columns as they stand, each with its colon.
    keys: Vec<Vec<u8>>,
    /// Where the values of the row at hand stand in what was written of it.
    values: Vec<Range<usize>>,
}

impl RowWriter {
    /// For rows with these columns.
    pub fn new(schema: &SchemaRef) -> Self {
        let key = |(at, field): (usize, &Arc<Field>)| {
            let mut key = Vec::new();
            if at > 0 {
                key.push(b',');
            }
            write_string(field.name(), &mut key);
            key.push(b':');
            key
        };
        RowWriter {
            keys: schema.fields().iter().enumerate().map(key).collect(),
            values: Vec::new(),
        }
    }

    /// Whether rows are meant as they are written here: no column has another name or place, or
    /// text that is meant as JSON.
    fn writes(&self, columns: &[Column]) -> bool {
        let mut each = columns.iter().zip(&self.keys).enumerate();
        each.all(|(at, (column, key))| {
            let before = column.before.strip_prefix(b"{").unwrap_or(&column.before);
            let end: &[u8] = if at + 1 == columns.len() { b"}" } else { b"" };
            let stays = column.at == at && before == key.as_slice() && column.after == end;
            stays && column.cells == Cells::Text
        })
    }

    /// Appends a row.
    pub fn write(&mut self, batch: &RecordBatch, row: usize, out: &mut Vec<u8>) {
        self.values.clear();
        out.push(b'{');
        for (key, column) in self.keys.iter().zip(batch.columns()) {
            out.extend_from_slice(key);
            let begins = out.len();
            write(column, row, out);
            self.values.push(begins..out.len());
        }
        out.push(b'}');
    }
}

impl Typed {
    /// Opens a table of which `start` was read already, unless it only begins like one.
    pub fn open(
        tables: &Tables,
        format: TypedFormat,
        source: &mut Source,
        start: &[u8],
    ) -> Result<Option<Typed>, DataError> {
        let path = source.path().to_owned();
        match opened(format, source, start)? {
            Ok(opened) => Self::over(tables, format, path, opened).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// A table in memory, which is hashed if the source is.
    pub fn held(
        tables: &Tables,
        table: &Arc<HeldTable>,
        source: &Source,
    ) -> Result<Typed, DataError> {
        let held = Arc::clone(table);
        let batches = (0..held.batches.len()).map(move |at| Ok(held.batches[at].clone()));
        let opened: (_, Batches) = (Arc::clone(&table.schema), Box::new(batches));
        let path = source.path().to_owned();
        let mut typed = Self::over(tables, TypedFormat::Held, path, opened)?;
        typed.hashed.0 = source.is_hashed().then(Sha256::new);
        Ok(typed)
    }

    fn over(
        tables: &Tables,
        format: TypedFormat,
        path: PathBuf,
        (schema, batches): (SchemaRef, Batches),
    ) -> Result<Typed, DataError> {
        let fields = schema.fields().iter();
        let names: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
        let is_object = |at: usize| matches!(schema.field(at).data_type(), DataType::Struct(_));
        let columns = header::columns(&names, is_object, tables);
        let columns = columns.map_err(|why| unreadable(&path, None, why))?;
        if let Some(why) = unwritable(&schema) {
            return Err(unreadable(&path, None, why));
        }
        let writer = RowWriter::new(&schema);
        Ok(Typed {
            as_it_is: writer.writes(&columns),
            writer,
            columns,
            format,
            batches,
            plain: Vec::new(),
            text: Vec::new(),
            rows: 0,
            hashed: (None, 0),
            path,
        })
    }

    /// The columns.
    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Appends rows until there are `target` bytes of them; false once there are no more.
    pub fn take(
        &mut self,
        target: usize,
        rows: &mut Vec<TableRow>,
        json: &mut Vec<u8>,
    ) -> Result<bool, DataError> {
        while json.len() < target {
            let batch = self.batches.next().transpose().map_err(|error| {
                let (what, error) = (name(self.format), error.to_string());
                let why = match error.rsplit_once(NOT_READ) {
                    Some((_, codec)) => format!("{what} compressed by {codec} is not read"),
                    None => format!("damaged {what}: {error}"),
                };
                unreadable(&self.path, None, why)
            })?;
            let Some(batch) = batch else {
                return Ok(false);
            };
            for row in 0..batch.num_rows() {
                let begins = json.len();
                if self.as_it_is {
                    self.writer.write(&batch, row, json);
                    let hash = self.count(&json[begins..]);
                    rows.push(self.row(begins..json.len(), hash));
                    continue;
                }
                let mut plain = std::mem::take(&mut self.plain);
                plain.clear();
                self.writer.write(&batch, row, &mut plain);
                for column in &self.columns {
                    json.extend_from_slice(&column.before);
                    let value = &plain[self.writer.values[column.at].clone()];
                    json.extend_from_slice(meant(column, value, &mut self.text));
                    json.extend_from_slice(column.after);
                }
                let hash = self.count(&plain);
                self.plain = plain;
                rows.push(self.row(begins..json.len(), hash));
            }
        }
        Ok(true)
    }

    /// Counts a row, and gives its fingerprint.
    fn count(&mut self, plain: &[u8]) -> u64 {
        self.rows += 1;
        if self.format == TypedFormat::Held {
            self.hashed.1 += plain.len() as u64 + 1;
            if let Some(hasher) = &mut self.hashed.0 {
                hasher.update(plain);
                hasher.update(b"\n");
            }
        }
        fingerprint(plain)
    }

    /// The row that was counted last.
    fn row(&self, json: Range<usize>, hash: u64) -> TableRow {
        TableRow {
            json,
            source: 0..0,
            offset: 0,
            line: self.rows,
            position: 0,
            hash,
            fault: None,
        }
    }
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(name(self.format))
    }
}

fn name(format: TypedFormat) -> &'static str {
    match format {
        TypedFormat::Parquet => "Parquet",
        TypedFormat::ArrowFile | TypedFormat::ArrowStream => "Arrow",
        TypedFormat::Held => "table in memory",
    }
}

/// Whether a file can be opened as such a table.
pub(crate) fn opens(path: &Path, format: TypedFormat) -> bool {
    let source = Source::open_unhashed(path);
    let opened = source.and_then(|mut source| opened(format, &mut source, &[]));
    opened.is_ok_and(|opened| opened.is_ok())
}

/// Opens a table of which `start` was read already. A file on the disk is read where it is
/// needed; anything else is held whole.
fn opened(format: TypedFormat, source: &mut Source, start: &[u8]) -> Result<Opened, DataError> {
    if source.is_plain_file() {
        let path = source.path();
        let file = File::open(path).map_err(|e| DataError::reading(path, e))?;
        return Ok(guarded(|| match format {
            TypedFormat::Parquet => parquet(file),
            TypedFormat::ArrowFile => arrow_file(BufReader::new(file)),
            _ => arrow_stream(BufReader::new(file)),
        }));
    }
    let mut bytes = start.to_vec();
    bytes.extend(source.read_rest()?);
    Ok(guarded(|| match format {
        TypedFormat::Parquet => parquet(bytes::Bytes::from(bytes)),
        TypedFormat::ArrowFile => arrow_file(Cursor::new(bytes)),
        _ => arrow_stream(Cursor::new(bytes)),
    }))
}

pub(super) type Opened = Result<(SchemaRef, Batches), ArrowError>;

fn parquet(input: impl parquet::file::reader::ChunkReader + 'static) -> Opened {
    let input = UntilEnd(input);
    let metadata = read_footer(&input, ArrowReaderOptions::new())?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata);
    let schema = builder.schema().clone();
    Ok((
        schema,
        Box::new(Guarded(builder.with_batch_size(BATCH).build()?)),
    ))
}

/// What is written of a value: of text that is meant as JSON what it holds.
fn meant<'v>(column: &Column, value: &'v [u8], text: &'v mut Vec<u8>) -> &'v [u8] {
    if column.cells == Cells::Text || !value.starts_with(b"\"") {
        return value;
    }
    text.clear();
    match Scanner::new(value, 0).string_into(text) {
        Ok(()) => column.cells.meant(text).unwrap_or(value),
        Err(_) => value,
    }
}

/// Which column cannot be written as JSON, in words, if there is one.
pub(crate) fn unwritable(schema: &SchemaRef) -> Option<String> {
    let mut fields = schema.fields().iter();
    let field = fields.find(|field| !is_written(field.data_type()))?;
    Some(format!(
        "the column `{}` is of the type {}, which is not read; give it another one, or leave it out",
        field.name(),
        field.data_type()
    ))
}

/// Whether [`write`] knows values of a type.
fn is_written(of: &DataType) -> bool {
    match of {
        DataType::Interval(_) | DataType::Union(..) => false,
        DataType::Dictionary(_, values) => is_written(values),
        DataType::RunEndEncoded(_, field)
        | DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::Map(field, _) => is_written(field.data_type()),
        DataType::Struct(fields) => fields.iter().all(|field| is_written(field.data_type())),
        _ => true,
    }
}

/// Appends a value as JSON.
fn write(array: &dyn Array, row: usize, out: &mut Vec<u8>) {
    if array.is_null(row) {
        return out.extend_from_slice(b"null");
    }
    macro_rules! whole {
        ($type:ty) => {
            write_display(array.as_primitive::<$type>().value(row), out)
        };
    }
    // Whatever zone is to be shown, what is stored is the time in UTC; without one it is the
    // time on somebody's clock.
    macro_rules! time {
        ($type:ty, $zone:expr) => {{
            let time = array.as_primitive::<$type>().value_as_datetime(row);
            let zone = if $zone.is_some() { "Z" } else { "" };
            let shown = time.map(|time| format!("{}{zone}", time.format("%Y-%m-%dT%H:%M:%S%.f")));
            write_string_or_null(shown.as_deref(), out)
        }};
    }
    macro_rules! hour {
        ($type:ty) => {{
            let time = array.as_primitive::<$type>().value_as_time(row);
            let shown = time.map(|time| time.format("%H:%M:%S%.f").to_string());
            write_string_or_null(shown.as_deref(), out)
        }};
    }
    macro_rules! duration {
        ($type:ty, $digits:literal) => {
            write_duration(array.as_primitive::<$type>().value(row), $digits, out)
        };
    }
    macro_rules! decimal {
        ($type:ty) => {{
            let shown = array.as_primitive::<$type>().value_as_string(row);
            out.extend_from_slice(shown.as_bytes());
        }};
    }
    macro_rules! run {
        ($type:ty) => {{
            let runs = array.as_run::<$type>();
            write(runs.values(), runs.get_physical_index(row), out)
        }};
    }
    match array.data_type() {
        DataType::Null => out.extend_from_slice(b"null"),
        DataType::Boolean => write_display(array.as_boolean().value(row), out),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        DataType::Float16 => {
            write_float(array.as_primitive::<Float16Type>().value(row).into(), out);
        }
        DataType::Float32 => {
            // With its own digits, not those that a double would have, and spelt as a double is.
            let value = array.as_primitive::<Float32Type>().value(row);
            let shown = value.to_string().parse().unwrap_or(value.into());
            write_float(shown, out);
        }
        DataType::Float64 => write_float(array.as_primitive::<Float64Type>().value(row), out),
        DataType::Utf8 => write_string(array.as_string::<i32>().value(row), out),
        DataType::LargeUtf8 => write_string(array.as_string::<i64>().value(row), out),
        DataType::Utf8View => write_string(array.as_string_view().value(row), out),
        DataType::Binary => write_bytes(array.as_binary::<i32>().value(row), out),
        DataType::LargeBinary => write_bytes(array.as_binary::<i64>().value(row), out),
        DataType::BinaryView => write_bytes(array.as_binary_view().value(row), out),
        DataType::FixedSizeBinary(_) => write_bytes(array.as_fixed_size_binary().value(row), out),
        DataType::Decimal32(..) => decimal!(Decimal32Type),
        DataType::Decimal64(..) => decimal!(Decimal64Type),
        DataType::Decimal128(..) => decimal!(Decimal128Type),
        DataType::Decimal256(..) => decimal!(Decimal256Type),
        DataType::Date32 => {
            let day = array.as_primitive::<Date32Type>().value_as_date(row);
            write_string_or_null(day.map(|day| day.to_string()).as_deref(), out);
        }
        DataType::Date64 => {
            let day = array.as_primitive::<Date64Type>().value_as_date(row);
            write_string_or_null(day.map(|day| day.to_string()).as_deref(), out);
        }
        DataType::Timestamp(TimeUnit::Second, zone) => time!(TimestampSecondType, zone),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => time!(TimestampMillisecondType, zone),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => time!(TimestampMicrosecondType, zone),
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => time!(TimestampNanosecondType, zone),
        DataType::Time32(TimeUnit::Second) => hour!(Time32SecondType),
        DataType::Time32(_) => hour!(Time32MillisecondType),
        DataType::Time64(TimeUnit::Microsecond) => hour!(Time64MicrosecondType),
        DataType::Time64(_) => hour!(Time64NanosecondType),
        DataType::Duration(TimeUnit::Second) => duration!(DurationSecondType, 0),
        DataType::Duration(TimeUnit::Millisecond) => duration!(DurationMillisecondType, 3),
        DataType::Duration(TimeUnit::Microsecond) => duration!(DurationMicrosecondType, 6),
        DataType::Duration(TimeUnit::Nanosecond) => duration!(DurationNanosecondType, 9),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => run!(Int16Type),
            DataType::Int32 => run!(Int32Type),
            _ => run!(Int64Type),
        },
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            match key(dictionary.keys(), row) {
                Some(key) if key < dictionary.values().len() => {
                    write(dictionary.values(), key, out);
                }
                _ => out.extend_from_slice(b"null"),
            }
        }
        DataType::List(_) => write_array(&array.as_list::<i32>().value(row), out),
        DataType::LargeList(_) => write_array(&array.as_list::<i64>().value(row), out),
        DataType::FixedSizeList(..) => write_array(&array.as_fixed_size_list().value(row), out),
        DataType::ListView(_) => write_array(&array.as_list_view::<i32>().value(row), out),
        DataType::LargeListView(_) => write_array(&array.as_list_view::<i64>().value(row), out),
        DataType::Map(..) => write_map(&array.as_map().value(row), out),
        DataType::Struct(fields) => {
            let values = array.as_struct();
            out.push(b'{');
            // Objects with other keys in every row have all of them as members here, so one
            // without a value is left out.
            let there = fields.iter().zip(values.columns());
            let mut between = false;
            for (field, member) in there.filter(|(_, member)| !member.is_null(row)) {
                if std::mem::replace(&mut between, true) {
                    out.push(b',');
                }
                write_string(field.name(), out);
                out.push(b':');
                write(member, row, out);
            }
            out.push(b'}');
        }
        // Tables that have any are refused before.
        DataType::Interval(_) | DataType::Union(..) => out.extend_from_slice(b"null"),
    }
}

/// A key of a dictionary.
fn key(keys: &dyn Array, row: usize) -> Option<usize> {
    macro_rules! key {
        ($type:ty) => {
            keys.as_primitive::<$type>().value(row).try_into().ok()
        };
    }
    match keys.data_type() {
        DataType::Int8 => key!(Int8Type),
        DataType::Int16 => key!(Int16Type),
        DataType::Int32 => key!(Int32Type),
        DataType::Int64 => key!(Int64Type),
        DataType::UInt8 => key!(UInt8Type),
        DataType::UInt16 => key!(UInt16Type),
        DataType::UInt32 => key!(UInt32Type),
        DataType::UInt64 => key!(UInt64Type),
        _ => None,
    }
}

fn write_array(values: &dyn Array, out: &mut Vec<u8>) {
    write_list(0..values.len(), |at, out| write(values, at, out), out);
}

/// An object where keys are text, else a list of pairs.
fn write_map(entries: &StructArray, out: &mut Vec<u8>) {
    let (keys, values) = (entries.column(0), entries.column(1));
    let [open, begins, between, ends, close] = match keys.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ["{", "", ":", "", "}"],
        _ => ["[", "[", ",", "]", "]"],
    };
    out.extend_from_slice(open.as_bytes());
    for at in 0..entries.len() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(begins.as_bytes());
        write(keys, at, out);
        out.extend_from_slice(between.as_bytes());
        write(values, at, out);
        out.extend_from_slice(ends.as_bytes());
    }
    out.extend_from_slice(close.as_bytes());
}

/// Seconds, of which the value holds so many digits behind the point.
fn write_duration(value: i64, digits: u32, out: &mut Vec<u8>) {
    let sign = if value < 0 { "-" } else { "" };
    let (unit, value) = (10_u64.pow(digits), value.unsigned_abs());
    let (seconds, rest) = (value / unit, value % unit);
    let point = match rest {
        0 => String::new(),
        rest => format!(".{rest:0width$}", width = digits as usize),
    };
    let shown = format!("{sign}PT{seconds}{}S", point.trim_end_matches('0'));
    write_string(&shown, out);
}

/// An infinity is a value that is no number in JSON: text, as a CSV has it.
fn write_float(value: f64, out: &mut Vec<u8>) {
    match value {
        f64::INFINITY => write_string("inf", out),
        f64::NEG_INFINITY => write_string("-inf", out),
        _ if value.is_nan() => out.extend_from_slice(b"null"),
        _ => crate::json::text::write_number(value, out),
    }
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => write_string(text, out),
        Err(_) => write_string(&hex(bytes), out),
    }
}

fn write_display(value: impl fmt::Display, out: &mut Vec<u8>) {
    use std::io::Write;
    // Memory does not fail to be written.
    let _ = write!(out, "{value}");
}
