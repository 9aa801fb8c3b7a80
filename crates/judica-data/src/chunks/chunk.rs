//! A run of whole records, and the records in it.

use std::ops::Range;

use memchr::memchr;

use super::cut::MovedLine;
use super::fault::Fault;
use super::long::Long;
use crate::elements::Span;
use crate::fingerprint::fingerprint;
use crate::json::ScanError;
use crate::limits;
use crate::rejects::Raw;

/// A run of whole records of one file.
#[derive(Debug)]
pub struct Chunk {
    /// Which of the given paths it comes from.
    pub file: usize,
    /// The bytes, as in the file once decompressed; of a record that is too long, which
    /// is then the last, the beginning only.
    pub data: Vec<u8>,
    /// Where `data[0]` stands in the decompressed file.
    pub base_offset: u64,
    /// The line that `data[0]` stands on, from 1.
    pub first_line: u64,
    pub(super) layout: Layout,
    /// A record that was passed over, after all others.
    pub(super) long: Option<Long>,
    /// How many bytes a record may have.
    pub(super) longest: usize,
    /// Whether what comes before is not known here.
    pub(super) cut: bool,
}

/// How the records lie in the data.
#[derive(Debug)]
pub(super) enum Layout {
    /// One on each line; found while iterating, in whichever thread does so.
    Lines,
    /// In the given places, each with the line it begins on.
    Spans {
        /// How many records of the file come before these.
        before: u64,
        /// The places.
        spans: Vec<(Span, u64)>,
    },
    /// Lines that were taken from their file, each with its place there.
    Moved(Vec<MovedLine>),
    /// Rows of a table, written as objects one after the other.
    Table {
        /// The rows.
        rows: Vec<TableRow>,
        /// Their bytes as they stand in the file; none of a table that is no text.
        source: Option<Vec<u8>>,
    },
}

impl Layout {
    /// The memory that it holds.
    pub fn into_source(self) -> Option<Vec<u8>> {
        match self {
            Layout::Table { source, .. } => source,
            Layout::Lines | Layout::Spans { .. } | Layout::Moved(_) => None,
        }
    }
}

/// A row of a table.
#[derive(Debug)]
pub(crate) struct TableRow {
    /// Where it stands in the chunk's data, as an object.
    pub json: Range<usize>,
    /// Where it stands among the bytes of the file that the chunk has.
    pub source: Range<usize>,
    /// Where it begins in the file; 0 in a table that is no text.
    pub offset: u64,
    /// The line it begins on, from 1; its number in a table that is no text.
    pub line: u64,
    /// Its number in the file, from 1: see [`RawRecord::position`].
    pub position: u64,
    /// Its fingerprint, in a table that is no text.
    pub hash: u64,
    /// Why it cannot be used.
    pub fault: Option<Fault>,
}

/// How a record stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands<'a> {
    /// As its bytes say.
    AsItIs,
    /// As these bytes, which were written as an object.
    As(&'a [u8]),
    /// As a row that is no text; its fingerprint.
    NoText(u64),
}

/// One record as it stands in the file, not yet parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawRecord<'a> {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its number in the file, from 1, by which a record without a name is called: the
    /// line in a file of lines (so that a bad or blank line moves nobody), the element in
    /// an array.
    pub position: u64,
    /// Where it begins in the decompressed file.
    pub offset: u64,
    /// Its bytes, without the line's end; of one that is too long maybe the beginning only.
    pub bytes: &'a [u8],
    /// Set when it is to be refused, whatever its bytes say.
    pub fault: Option<Fault>,
    /// SHA-256 of all its bytes, where `bytes` are only the beginning.
    pub(super) sha256: Option<&'a str>,
    stands: Stands<'a>,
}

/// Where a record can be found again: the offset and length of its bytes in the decompressed
/// file, unless it is no text, and its fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Where its bytes begin.
    pub offset: Option<u64>,
    /// How many there are.
    pub bytes: Option<u64>,
    /// Their fingerprint.
    pub hash: u64,
}

impl<'a> RawRecord<'a> {
    /// A record that was not cut from a file by a [`super::ChunkReader`].
    pub fn new(line: u64, position: u64, offset: u64, bytes: &'a [u8]) -> Self {
        RawRecord {
            line,
            position,
            offset,
            bytes,
            fault: None,
            sha256: None,
            stands: Stands::AsItIs,
        }
    }

    /// Where it can be found again.
    pub fn found(&self) -> Found {
        let bytes = match self.stands {
            Stands::AsItIs => self.bytes,
            Stands::As(bytes) => bytes,
            Stands::NoText(hash) => {
                return Found {
                    offset: None,
                    bytes: None,
                    hash,
                };
            }
        };
        Found {
            offset: Some(self.offset),
            bytes: Some(bytes.len() as u64),
            hash: fingerprint(bytes),
        }
    }

    /// What is kept of it if it is refused.
    pub fn raw(&self) -> Raw {
        if let Stands::As(bytes) = self.stands {
            return Raw::from(bytes);
        }
        match (self.fault, self.sha256) {
            (Some(Fault::TooLong { length, .. }), Some(sha256))
                if length > self.bytes.len() as u64 =>
            {
                Raw::beginning(self.bytes, length, sha256.to_owned())
            }
            _ => Raw::from(self.bytes),
        }
    }
}

impl Chunk {
    /// Rows that stand in no file, one after the other; the number of each is its line.
    pub fn of_rows(rows: &[impl AsRef<[u8]>]) -> Self {
        let bytes = rows.iter().map(|row| row.as_ref().len()).sum();
        let mut data = Vec::with_capacity(bytes);
        let mut spans = Vec::with_capacity(rows.len());
        for (row, line) in rows.iter().zip(1..) {
            let start = data.len();
            data.extend_from_slice(row.as_ref());
            let (end, fault) = (data.len(), None);
            spans.push((Span { start, end, fault }, line));
        }
        Chunk {
            file: 0,
            data,
            base_offset: 0,
            first_line: 1,
            layout: Layout::Spans { before: 0, spans },
            long: None,
            longest: limits::longest(),
            cut: false,
        }
    }

    /// The rows of a table as lines of a file, each on the line it has in its own, for readers
    /// that read rows again by their places: `offset` is where that file ends so far, and
    /// `line` the line it ends on, 0 at its beginning. Rows that cannot be used are left out.
    pub fn as_lines(&self, offset: u64, mut line: u64) -> Chunk {
        let (mut data, first_line) = (Vec::with_capacity(self.data.len()), line.max(1));
        for record in self.records().filter(|record| record.fault.is_none()) {
            // Where lines end in nothing but CR, every row stands on the first.
            let next = record.line.max(line + 1);
            data.resize(data.len() + (next - line.max(1)) as usize, b'\n');
            line = next;
            data.extend_from_slice(record.bytes);
        }
        Chunk {
            file: self.file,
            data,
            base_offset: offset,
            first_line,
            layout: Layout::Lines,
            long: None,
            longest: usize::MAX,
            cut: false,
        }
    }

    /// The records in the order of the file.
    pub fn records(&self) -> impl Iterator<Item = RawRecord<'_>> {
        let (lines, before, spans) = match &self.layout {
            Layout::Lines => (self.lines(), 0, &[][..]),
            Layout::Spans { before, spans } => (Lines::default(), *before, spans.as_slice()),
            Layout::Moved(_) | Layout::Table { .. } => (Lines::default(), 0, &[][..]),
        };
        let spans_after = before + spans.len() as u64;
        let spans = (before + 1..).zip(spans).map(|(position, &(span, line))| {
            let offset = self.base_offset + span.start as u64;
            let bytes = &self.data[span.start..span.end];
            let fault = too_long(bytes, self.longest).or(span.fault.map(Fault::Structure));
            RawRecord {
                fault,
                ..RawRecord::new(line, position, offset, bytes)
            }
        });
        let spans = spans.chain(self.table_rows()).chain(self.moved_lines());
        lines.chain(spans).chain(self.long_record(spans_after))
    }

    fn moved_lines(&self) -> impl Iterator<Item = RawRecord<'_>> {
        let lines = match &self.layout {
            Layout::Moved(lines) => lines.as_slice(),
            _ => &[],
        };
        lines.iter().map(|moved| {
            let bytes = &self.data[moved.start..moved.end];
            RawRecord::new(moved.line, moved.line, moved.offset, bytes)
        })
    }

    fn table_rows(&self) -> impl Iterator<Item = RawRecord<'_>> {
        let (rows, source) = match &self.layout {
            Layout::Table { rows, source } => (rows.as_slice(), source.as_deref()),
            _ => (&[][..], None),
        };
        rows.iter().map(move |row| {
            let stands = match source {
                Some(source) => Stands::As(&source[row.source.clone()]),
                None => Stands::NoText(row.hash),
            };
            let json = &self.data[row.json.clone()];
            RawRecord {
                fault: row.fault,
                stands,
                ..RawRecord::new(row.line, row.position, row.offset, json)
            }
        })
    }

    /// Whether its records are lines that were taken from their file, or stand in a range of
    /// it: what comes before them is not known here.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Whether its records are rows of a table.
    pub fn is_table(&self) -> bool {
        matches!(self.layout, Layout::Table { .. })
    }

    /// Whether its data is what stands in the file from one place on, so that places in one
    /// tell places in the other.
    pub fn is_verbatim(&self) -> bool {
        matches!(self.layout, Layout::Lines | Layout::Spans { .. })
    }

    /// Where in the data a record of this chunk begins.
    pub fn start_of(&self, record: &RawRecord) -> usize {
        record.bytes.as_ptr() as usize - self.data.as_ptr() as usize
    }

    /// What is kept of the record in this place of the data if it is refused.
    pub fn raw(&self, place: Range<usize>) -> Raw {
        let long = self.long.as_ref().filter(|long| long.start == place.start);
        if let Some(record) = long.and_then(|_| self.long_record(0)) {
            return record.raw();
        }
        match &self.layout {
            Layout::Table {
                source: Some(source),
                ..
            } => match self.row_at(place.start) {
                Some(row) => source[row.source.clone()].into(),
                None => Raw::from(&[][..]),
            },
            _ => Raw::from(&self.data[place]),
        }
    }

    fn row_at(&self, start: usize) -> Option<&TableRow> {
        let Layout::Table { rows, .. } = &self.layout else {
            return None;
        };
        let row = rows.binary_search_by_key(&start, |row| row.json.start);
        row.ok().map(|at| &rows[at])
    }

    /// Where in the file the record stands that has this place in the data: its offset and
    /// length; nothing if it is no text.
    pub fn place(&self, place: Range<usize>) -> Option<(u64, u64)> {
        let place = match &self.layout {
            _ if self
                .long
                .as_ref()
                .is_some_and(|long| long.start == place.start) =>
            {
                return self.long.as_ref().map(|long| (long.offset, long.length));
            }
            Layout::Table { source: None, .. } => return None,
            Layout::Table { .. } => {
                let row = self.row_at(place.start)?;
                return Some((row.offset, row.source.len() as u64));
            }
            Layout::Moved(lines) => {
                let at = lines.binary_search_by_key(&place.start, |moved| moved.start);
                let moved = at.ok().map(|at| &lines[at])?;
                return Some((moved.offset, place.len() as u64));
            }
            Layout::Lines | Layout::Spans { .. } => place,
        };
        Some((self.base_offset + place.start as u64, place.len() as u64))
    }

    /// Has every record that is an object written anew, in the memory of `json`: where they
    /// stand in the file is kept. What `write` cannot read stays as it is.
    pub(super) fn rewrite(
        &mut self,
        mut json: Vec<u8>,
        mut write: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), ScanError>,
    ) {
        json.clear();
        let mut rows = Vec::new();
        let whole = |record: &RawRecord| record.sha256.is_none();
        for record in self.records().take_while(whole) {
            let begins = json.len();
            if record.fault.is_some() || write(record.bytes, &mut json).is_err() {
                json.truncate(begins);
                json.extend_from_slice(record.bytes);
            }
            let (source, hash) = match self.row_at(self.start_of(&record)) {
                Some(row) => (row.source.clone(), row.hash),
                None => {
                    let start = self.start_of(&record);
                    (start..start + record.bytes.len(), 0)
                }
            };
            rows.push(TableRow {
                json: begins..json.len(),
                source,
                offset: record.offset,
                line: record.line,
                position: record.position,
                hash,
                fault: record.fault,
            });
        }
        if let Some(long) = &mut self.long {
            let kept = &self.data[long.start..];
            long.start = json.len();
            json.extend_from_slice(kept);
        }
        let data = std::mem::replace(&mut self.data, json);
        self.layout = match std::mem::replace(&mut self.layout, Layout::Lines) {
            Layout::Table { source, .. } => Layout::Table { rows, source },
            Layout::Lines | Layout::Spans { .. } | Layout::Moved(_) => Layout::Table {
                rows,
                source: Some(data),
            },
        };
    }

    fn long_record(&self, spans_before: u64) -> Option<RawRecord<'_>> {
        let long = self.long.as_ref()?;
        let position = match self.layout {
            Layout::Lines => long.line,
            _ => spans_before + 1,
        };
        let offset = long.offset;
        let kept = &self.data[long.start..];
        let whole = usize::try_from(long.length).unwrap_or(usize::MAX);
        let bytes = &kept[..kept.len().min(whole)];
        Some(RawRecord {
            fault: Some(Fault::TooLong {
                length: long.length,
                most: self.longest as u64,
            }),
            sha256: Some(&long.sha256),
            ..RawRecord::new(long.line, position, offset, bytes)
        })
    }

    fn lines(&self) -> Lines<'_> {
        let end = self
            .long
            .as_ref()
            .map_or(self.data.len(), |long| long.start);
        Lines {
            rest: &self.data[..end],
            line: self.first_line,
            offset: self.base_offset,
            longest: self.longest,
        }
    }
}

fn too_long(bytes: &[u8], longest: usize) -> Option<Fault> {
    (bytes.len() > longest).then_some(Fault::TooLong {
        length: bytes.len() as u64,
        most: longest as u64,
    })
}

#[derive(Default)]
struct Lines<'a> {
    rest: &'a [u8],
    line: u64,
    offset: u64,
    longest: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = RawRecord<'a>;

    fn next(&mut self) -> Option<RawRecord<'a>> {
        while !self.rest.is_empty() {
            let (end, next) = match memchr(b'\n', self.rest) {
                Some(end) => (end, end + 1),
                None => (self.rest.len(), self.rest.len()),
            };
            let (line, offset) = (self.line, self.offset);
            let bytes = &self.rest[..end];
            self.rest = &self.rest[next..];
            self.line += 1;
            self.offset += next as u64;
            let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            if !bytes.trim_ascii_start().is_empty() {
                return Some(RawRecord {
                    fault: too_long(bytes, self.longest),
                    ..RawRecord::new(line, line, offset, bytes)
                });
            }
        }
        None
    }
}
