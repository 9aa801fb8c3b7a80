//! Some of the lines of files in place of whole files, for a run that an engine makes in
//! pieces: ranges of lines, or lines that were taken from their files elsewhere.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, BinaryArray, Int32Array, Int64Array, LargeBinaryArray, RecordBatch, RecordBatchOptions,
};
use arrow_schema::{DataType, Field, Schema};
use memchr::{memchr, memchr_iter};
use serde::{Deserialize, Serialize};

use super::file::FileReader;
use crate::error::DataError;
use crate::source::{InputDigest, Source};
use crate::table::Tables;

/// Bytes that are read at a time to find or count lines.
const READ: usize = 1 << 18;

/// A file, or lines of one that is nothing but lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    /// Which of the given files.
    pub file: usize,
    /// Where it begins, which is where a line does.
    pub start: u64,
    /// Where it ends; nothing if it is all of a file that cannot be cut.
    pub end: Option<u64>,
    /// The line it begins with, from 1.
    pub first_line: u64,
}

/// Lines that were taken from their files: batches with the columns of [`moved_schema`].
pub type MovedRows = Box<dyn Iterator<Item = Result<RecordBatch, String>> + Send>;

/// What is read in place of whole files.
pub enum Rows {
    /// Lines where they stand, in the order of the files.
    Ranges(VecDeque<LineRange>),
    /// Lines that were taken from there, in the same order.
    Moved(Box<Moving>),
}

/// What is read in place of whole files, and what is known of those.
pub struct Cut {
    /// The rows.
    pub rows: Rows,
    /// Of all files, in their order.
    pub digests: Vec<InputDigest>,
}

/// The columns of lines that are moved: the number of their file, the line, where it begins,
/// and its bytes.
pub fn moved_schema() -> Schema {
    Schema::new(vec![
        Field::new("file", DataType::Int32, false),
        Field::new("line", DataType::Int64, false),
        Field::new("offset", DataType::Int64, false),
        Field::new("row", DataType::LargeBinary, false),
    ])
}

/// Lines as a batch that is moved.
#[derive(Default)]
pub struct MovedBatch {
    files: Vec<i32>,
    lines: Vec<i64>,
    offsets: Vec<i64>,
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl MovedBatch {
    /// Adds a line.
    pub fn push(&mut self, file: usize, record: &super::RawRecord) {
        self.files.push(file as i32);
        self.lines.push(record.line as i64);
        self.offsets.push(record.offset as i64);
        self.bytes.extend_from_slice(record.bytes);
        self.ends.push(self.bytes.len());
    }

    /// How many bytes its lines have.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The batch; the lines are gone from here.
    pub fn take(&mut self) -> RecordBatch {
        let taken = std::mem::take(self);
        let lengths = taken.ends.iter().scan(0, |before, end| {
            let length = end - std::mem::replace(before, *end);
            Some(length)
        });
        let offsets = arrow_buffer::OffsetBuffer::from_lengths(lengths);
        let rows = LargeBinaryArray::new(offsets, taken.bytes.into(), None);
        let count = rows.len();
        let columns: Vec<Arc<dyn Array>> = vec![
            Arc::new(Int32Array::from(taken.files)),
            Arc::new(Int64Array::from(taken.lines)),
            Arc::new(Int64Array::from(taken.offsets)),
            Arc::new(rows),
        ];
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        // The columns are those of the schema, and equally long.
        RecordBatch::try_new_with_options(Arc::new(moved_schema()), columns, &options)
            .unwrap_or_else(|_| RecordBatch::new_empty(Arc::new(moved_schema())))
    }
}

/// Lines on their way back into chunks.
pub struct Moving {
    batches: MovedRows,
    /// The batch at hand, and how much of it is taken.
    batch: Option<(MovedColumns, usize)>,
    last: Option<(usize, u64)>,
}

/// A line of a file that was moved: where it stands in the chunk's data and in its file.
#[derive(Debug)]
pub(super) struct MovedLine {
    pub start: usize,
    pub end: usize,
    pub line: u64,
    pub offset: u64,
}

/// Lines of one file: its number, their bytes, and their places.
pub(super) type MovedLines = (usize, Vec<u8>, Vec<MovedLine>);

struct MovedColumns {
    files: Int32Array,
    lines: Int64Array,
    offsets: Int64Array,
    rows: Bytes,
}

/// Engines widen or narrow what they carry.
enum Bytes {
    Long(LargeBinaryArray),
    Short(BinaryArray),
}

impl MovedColumns {
    fn of(batch: &RecordBatch) -> Option<Self> {
        let rows = batch.column_by_name("row")?;
        Some(MovedColumns {
            files: batch
                .column_by_name("file")?
                .as_primitive_opt::<Int32Type>()?
                .clone(),
            lines: batch
                .column_by_name("line")?
                .as_primitive_opt::<Int64Type>()?
                .clone(),
            offsets: batch
                .column_by_name("offset")?
                .as_primitive_opt::<Int64Type>()?
                .clone(),
            rows: match rows.as_binary_opt::<i64>() {
                Some(rows) => Bytes::Long(rows.clone()),
                None => Bytes::Short(rows.as_binary_opt::<i32>()?.clone()),
            },
        })
    }

    fn row(&self, at: usize) -> &[u8] {
        match &self.rows {
            Bytes::Long(rows) => rows.value(at),
            Bytes::Short(rows) => rows.value(at),
        }
    }
}

impl Moving {
    /// Lines that come in these batches.
    pub fn new(batches: MovedRows) -> Box<Self> {
        Box::new(Moving {
            batches,
            batch: None,
            last: None,
        })
    }

    /// The next lines of one file, until they have so many bytes, in the memory of `data`.
    pub(super) fn next(
        &mut self,
        target: usize,
        mut data: Vec<u8>,
    ) -> Result<Option<MovedLines>, String> {
        data.clear();
        let (mut file, mut places) = (None, Vec::new());
        loop {
            let Some((batch, at)) = &mut self.batch else {
                match self.batches.next().transpose()? {
                    None => break,
                    Some(batch) => {
                        let odd = || "lines that were moved have other columns".to_owned();
                        self.batch = Some((MovedColumns::of(&batch).ok_or_else(odd)?, 0));
                        continue;
                    }
                }
            };
            let count = batch.files.len();
            while *at < count && data.len() < target {
                let of = batch.files.value(*at) as usize;
                if *file.get_or_insert(of) != of {
                    return Ok(file.map(|file| (file, data, places)));
                }
                let line = batch.lines.value(*at) as u64;
                if self
                    .last
                    .replace((of, line))
                    .is_some_and(|last| last >= (of, line))
                {
                    return Err(format!(
                        "line {line} of file {of} comes twice, or after a later one: the engine \
                         did not sort what it moved"
                    ));
                }
                let start = data.len();
                data.extend_from_slice(batch.row(*at));
                places.push(MovedLine {
                    start,
                    end: data.len(),
                    line,
                    offset: batch.offsets.value(*at) as u64,
                });
                *at += 1;
            }
            if *at < count {
                break;
            }
            self.batch = None;
        }
        Ok(file.map(|file| (file, data, places)))
    }
}

/// A range as an open source: no bytes before or after it are read.
pub(super) fn open(path: &Path, range: &LineRange, end: u64) -> Result<Source, DataError> {
    let reading = |error| DataError::reading(path, error);
    let mut file = File::open(path).map_err(reading)?;
    file.seek(SeekFrom::Start(range.start)).map_err(reading)?;
    Source::of_range(
        path,
        file.take(end.saturating_sub(range.start)),
        range.start,
    )
}

/// Cuts a file into ranges of about so many bytes, none of them numbered yet. A file that is
/// not plain lines is one range.
pub fn ranges(
    path: &Path,
    file: usize,
    bytes: u64,
    tables: Option<&Tables>,
) -> Result<Vec<LineRange>, DataError> {
    let whole = LineRange {
        file,
        start: 0,
        end: None,
        first_line: 1,
    };
    let source = Source::open_unhashed(path)?;
    let plain = source.is_plain_file();
    let begun = FileReader::new(source, READ, crate::limits::longest(), tables);
    if !plain || !begun.is_lines() {
        return Ok(vec![whole]);
    }
    let reading = |error| DataError::reading(path, error);
    let mut open = File::open(path).map_err(reading)?;
    let length = open.metadata().map_err(reading)?.len();
    let (mut ranges, mut start) = (Vec::new(), 0);
    while start < length {
        let wanted = start.saturating_add(bytes.max(1)).min(length);
        let end = match wanted < length {
            true => line_end(&mut open, wanted - 1).map_err(reading)?,
            false => length,
        };
        ranges.push(LineRange {
            start,
            end: Some(end),
            ..whole
        });
        start = end;
    }
    Ok(match ranges.is_empty() {
        true => vec![whole],
        false => ranges,
    })
}

/// Where the line ends, its end included, that this byte belongs to.
fn line_end(file: &mut File, mut at: u64) -> std::io::Result<u64> {
    file.seek(SeekFrom::Start(at))?;
    let mut buffer = vec![0; READ];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(at);
        }
        if let Some(found) = memchr(b'\n', &buffer[..read]) {
            return Ok(at + found as u64 + 1);
        }
        at += read as u64;
    }
}

/// How many lines end in a range of a file that is lines.
pub fn count_lines(path: &Path, start: u64, end: u64) -> Result<u64, DataError> {
    let reading = |error| DataError::reading(path, error);
    let mut file = File::open(path).map_err(reading)?;
    file.seek(SeekFrom::Start(start)).map_err(reading)?;
    let mut part = file.take(end.saturating_sub(start));
    let (mut lines, mut buffer) = (0, vec![0; READ]);
    loop {
        let read = part.read(&mut buffer).map_err(reading)?;
        if read == 0 {
            return Ok(lines);
        }
        lines += memchr_iter(b'\n', &buffer[..read]).count() as u64;
    }
}
