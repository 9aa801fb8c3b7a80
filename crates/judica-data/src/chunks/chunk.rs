//! A run of whole records, and the records in it.

use memchr::memchr;

use crate::elements::Span;

/// A run of whole records of one file.
#[derive(Debug)]
pub struct Chunk {
    /// The chunk's number among all chunks of all files, from 0.
    pub index: u64,
    /// Which of the given paths it comes from.
    pub file: usize,
    /// The bytes, as in the file once decompressed.
    pub data: Vec<u8>,
    /// Where `data[0]` stands in the decompressed file.
    pub base_offset: u64,
    /// The line that `data[0]` stands on, from 1.
    pub first_line: u64,
    pub(super) layout: Layout,
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
    /// Its bytes, without the line's end.
    pub bytes: &'a [u8],
    /// Set when the JSON array around the record is broken here. The bytes
    /// are then to be rejected for this reason even if they would parse.
    pub fault: Option<&'static str>,
}

impl Chunk {
    /// The records in the order of the file.
    pub fn records(&self) -> impl Iterator<Item = RawRecord<'_>> {
        let (lines, before, spans) = match &self.layout {
            Layout::Lines => (self.lines(), 0, &[][..]),
            Layout::Spans { before, spans } => (Lines::default(), *before, spans.as_slice()),
        };
        let spans = (before + 1..)
            .zip(spans)
            .map(|(position, &(span, line))| RawRecord {
                line,
                position,
                offset: self.base_offset + span.start as u64,
                bytes: &self.data[span.start..span.end],
                fault: span.fault,
            });
        lines.chain(spans)
    }

    fn lines(&self) -> Lines<'_> {
        Lines {
            rest: &self.data,
            line: self.first_line,
            offset: self.base_offset,
        }
    }
}

#[derive(Default)]
struct Lines<'a> {
    rest: &'a [u8],
    line: u64,
    offset: u64,
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
                    line,
                    position: line,
                    offset,
                    bytes,
                    fault: None,
                });
            }
        }
        None
    }
}
