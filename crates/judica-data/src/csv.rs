//! Comma- and tab-separated values: records with their place in the file.
//!
//! The grammar is that of the `csv` crate: fields may be quoted and then hold commas,
//! line ends and doubled quotes; lines end in LF or CRLF; blank lines are passed over.
//! What this adds is what a batch needs: decompression, line numbers and byte offsets, the
//! raw text of every record, and records that cannot be used given as faults, so that the
//! next one is still read.

mod kept;

use std::path::{Path, PathBuf};

use ::csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};
use memchr::memchr_iter;

use crate::error::DataError;
use crate::source::{InputDigest, Source};
use kept::KeptBytes;

/// How much is read at a time.
const BUFFER: usize = 256 * 1024;

/// Reads the records of one file.
pub struct CsvReader {
    path: PathBuf,
    delimiter: u8,
    reader: Reader<KeptBytes>,
    header: Vec<String>,
    record: StringRecord,
    /// The offset of the first byte that was parsed; not 0 after a byte order mark.
    base: u64,
    /// The line that the next byte to parse stands on.
    line: u64,
}

/// One record, or why it cannot be used.
#[derive(Debug)]
pub struct CsvRecord<'a> {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Where it begins in the decompressed file.
    pub offset: u64,
    /// Its bytes as they stand in the file, without the line's end.
    pub raw: &'a [u8],
    /// Its fields, as many as the header has.
    pub fields: Result<Fields<'a>, CsvFault>,
}

/// The fields of a record, quotes undone.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(&'a StringRecord);

impl<'a> Fields<'a> {
    /// The field of a column; empty if there is no such column.
    #[inline]
    pub fn get(&self, column: usize) -> &'a str {
        self.0.get(column).unwrap_or_default()
    }

    /// All fields, in the order of the columns.
    pub fn iter(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter()
    }
}

/// Why a record cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvFault {
    /// A short code for programs: `wrong_field_count`, `invalid_utf8`, `unclosed_quote`.
    pub reason: &'static str,
    /// A sentence for people.
    pub detail: String,
}

/// The delimiter that a file's name tells, compression aside: a comma for `.csv`, a tab
/// for `.tsv` and `.tab`.
pub fn named_delimiter(path: &Path) -> Option<u8> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let compressed = name.strip_suffix(".gz").or(name.strip_suffix(".zst"));
    match compressed.unwrap_or(&name).rsplit_once('.')?.1 {
        "csv" => Some(b','),
        "tsv" | "tab" => Some(b'\t'),
        _ => None,
    }
}

impl CsvReader {
    /// Opens a file, or standard input for `-`, and reads its header. Without a
    /// `delimiter` the name tells it, and a comma is meant where it does not.
    pub fn open(path: &Path, delimiter: Option<u8>) -> Result<Self, DataError> {
        let delimiter = delimiter.or(named_delimiter(path)).unwrap_or(b',');
        Self::over(Source::open(path)?, Vec::new(), delimiter)
    }

    /// Reads an open source from which `start` was taken already, e.g. to tell its format.
    pub fn over(source: Source, start: Vec<u8>, delimiter: u8) -> Result<Self, DataError> {
        let mut reader = CsvReader {
            path: source.path().to_owned(),
            delimiter,
            base: source.offset() - start.len() as u64,
            reader: builder(delimiter).from_reader(KeptBytes::new(source, start)),
            header: Vec::new(),
            record: StringRecord::new(),
            line: 1,
        };
        if let Some(first) = reader.advance(None)? {
            let header = match first.fields {
                Ok(fields) => fields.iter().map(str::to_owned).collect(),
                Err(fault) => {
                    let reason = format!("the header cannot be read: {}", fault.detail);
                    let offset = Some(first.offset);
                    return Err(DataError::malformed(&reader.path, offset, reason));
                }
            };
            reader.header = header;
        }
        Ok(reader)
    }

    /// The names of the columns; none if the file is empty.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The next record; `None` after the last one, and after an error.
    pub fn next_record(&mut self) -> Result<Option<CsvRecord<'_>>, DataError> {
        self.advance(Some(self.header.len()))
    }

    /// The next record, which should have so many fields.
    fn advance(&mut self, expected: Option<usize>) -> Result<Option<CsvRecord<'_>>, DataError> {
        let (start, end, invalid) = loop {
            let before = self.reader.position().byte();
            self.reader.get_mut().keep_from(before);
            let invalid = match self.reader.read_record(&mut self.record) {
                Ok(true) => None,
                Ok(false) => return Ok(None),
                Err(error) => Some(self.blame(error)?),
            };
            let end = self.reader.position().byte();
            let consumed = self.reader.get_ref().between(before, end);
            // Blank lines before a record, and the half of a CRLF that ends the one before,
            // are consumed with it.
            let lead = consumed.iter().take_while(|&&b| is_line_end(b)).count();
            self.line += newlines(&consumed[..lead]);
            let record = &consumed[lead..];
            let blank = record.iter().all(u8::is_ascii_whitespace);
            if !blank || expected == Some(self.record.len()) {
                break (before + lead as u64, end, invalid);
            }
            self.line += newlines(record);
        };
        let consumed = self.reader.get_ref().between(start, end);
        let raw = without_line_ends(consumed);
        let (line, last_line) = (self.line, self.line + newlines(raw));
        self.line = last_line + newlines(&consumed[raw.len()..]);
        let fault = if self.reader.get_ref().ends_at(end) && self.is_open(consumed) {
            Some(unclosed(line, last_line))
        } else {
            invalid.or_else(|| self.miscounted(expected, line, last_line))
        };
        Ok(Some(CsvRecord {
            line,
            offset: self.base + start,
            raw,
            fields: match fault {
                Some(fault) => Err(fault),
                None => Ok(Fields(&self.record)),
            },
        }))
    }

    /// Text that is not UTF-8 is a fault of the record; everything else ends the reading.
    fn blame(&self, error: ::csv::Error) -> Result<CsvFault, DataError> {
        match error.into_kind() {
            ErrorKind::Utf8 { err, .. } => Ok(CsvFault {
                reason: "invalid_utf8",
                detail: format!("field {} is not valid UTF-8", err.field() + 1),
            }),
            ErrorKind::Io(error) => Err(DataError::reading(&self.path, error)),
            other => Err(DataError::malformed(&self.path, None, format!("{other:?}"))),
        }
    }

    /// The fault of a record, from line to line, that has not as many fields as expected.
    fn miscounted(&self, expected: Option<usize>, first: u64, last: u64) -> Option<CsvFault> {
        let expected = expected.filter(|&fields| fields != self.record.len())?;
        let found = self.record.len();
        let mut detail = format!("the header has {expected} fields, this has {found}");
        if last > first {
            detail.push_str(&format!(" and reaches from line {first} to line {last}"));
        }
        Some(CsvFault {
            reason: "wrong_field_count",
            detail,
        })
    }

    /// Whether the last record of the file ends inside a quoted field: then whatever
    /// follows belongs to it too.
    fn is_open(&self, last: &[u8]) -> bool {
        let followed = std::io::Read::chain(last, &b"\nx"[..]);
        let mut reader = builder(self.delimiter).from_reader(followed);
        reader.byte_records().count() == 1
    }

    /// How many bytes have been read from the disk so far, for progress.
    pub fn raw_bytes(&self) -> u64 {
        self.reader.get_ref().source().raw_bytes()
    }

    /// Reads what is left on disk, and gives the digest of it all.
    pub fn finish(self) -> Result<InputDigest, DataError> {
        self.reader.into_inner().into_source().finish()
    }
}

fn builder(delimiter: u8) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(BUFFER);
    builder
}

fn unclosed(first: u64, last: u64) -> CsvFault {
    let place = if first == last {
        format!("on line {first}")
    } else {
        format!("on line {first}, and takes everything up to line {last} with it")
    };
    CsvFault {
        reason: "unclosed_quote",
        detail: format!("a quote is not closed; its record begins {place}"),
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn newlines(bytes: &[u8]) -> u64 {
    match bytes {
        // Most often there is nothing to count, or the end of one line.
        [] => 0,
        [only] => u64::from(*only == b'\n'),
        _ => memchr_iter(b'\n', bytes).count() as u64,
    }
}

fn without_line_ends(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|&b| !is_line_end(b));
    &bytes[..last.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests;
