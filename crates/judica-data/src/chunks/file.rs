//! Cutting one open file into runs of whole records.

use std::sync::Arc;

use memchr::{memchr, memrchr};

use super::buffer::Buffer;
use super::chunk::{Layout, TableRow};
use super::format::{self, Format, Guess};
use super::long::{KEPT, Long, Passing};
use super::newlines::{Newlines, count};
use crate::elements::{ElementScanner, Span};
use crate::error::DataError;
use crate::limits;
use crate::memory::HeldTable;
use crate::source::Source;
use crate::table::{Delimited, Table, Tables, Taken, Told, Typed};

/// Reads are of this size: large enough to be few, small enough that the
/// bytes are still in the cache when they are hashed.
const READ: usize = 256 * 1024;
/// How much of a file is looked at to tell its format. It does not hang on
/// the size of the chunks, so that the format does not either.
const SNIFF: usize = 64 * 1024;

/// An open file and the bytes read from it that no chunk has taken yet.
pub(super) struct FileReader {
    source: Source,
    format: Format,
    scanner: ElementScanner,
    target: usize,
    /// How many bytes a record may have.
    longest: usize,
    /// How far to read beyond the target at a time, looking for the end of a
    /// record. What is read too far is copied once, so it is kept small.
    stride: usize,
    carry: Vec<u8>,
    carry_offset: u64,
    carry_line: u64,
    /// Line ends in the piece of lines at hand.
    cut_newlines: u64,
    /// Records given so far, where they are elements.
    given: u64,
    end: End,
    /// Set where the file is a table.
    table: Option<Table>,
    /// Everything that will be given has been given.
    spent: bool,
}

enum End {
    NotYet,
    Reached,
    Failed(DataError),
}

/// A chunk that does not yet know its number.
pub(super) struct Piece {
    pub data: Vec<u8>,
    pub base_offset: u64,
    pub first_line: u64,
    pub layout: Layout,
    pub long: Option<Long>,
}

/// Where a piece ends.
enum Cut {
    /// After so many bytes of the buffer.
    After(usize),
    /// Before the record that begins here: it is too long, and is to be passed over.
    Long(usize),
}

impl FileReader {
    /// Takes over a fresh source. A failure to read is kept for later, so
    /// that the records before it come first.
    pub fn new(source: Source, target: usize, longest: usize, tables: Option<&Tables>) -> Self {
        let mut reader = FileReader::empty(source, target, longest);
        if let Some(table) = reader.source.held_table() {
            reader.take_held(tables, &table);
            return reader;
        }
        // Each line in memory is a row, whatever the first one looks like.
        if reader.source.is_held() {
            return reader;
        }
        let mut start = Buffer::default();
        reader.fill(&mut start, SNIFF);
        if let Some(tables) = tables
            && let Err(error) = reader.tell_table(tables, &start)
        {
            reader.end = End::Failed(error);
            return reader;
        }
        if reader.table.is_none() {
            reader.format = reader.tell_format(&mut start);
        }
        let apart = tables.is_some_and(|tables| !tables.whole_documents) && reader.table.is_none();
        let path = reader.source.path();
        if apart && let Some(at) = format::rows_within(path, &start, reader.format) {
            reader.format = Format::Array;
            reader.scanner = ElementScanner::within(at);
        } else if reader.format == Format::Values {
            reader.scanner = ElementScanner::of_values();
        }
        reader.carry = start.into_bytes();
        reader
    }

    fn empty(source: Source, target: usize, longest: usize) -> Self {
        FileReader {
            carry_offset: source.offset(),
            source,
            format: Format::Lines,
            scanner: ElementScanner::new(),
            target,
            longest,
            stride: (target / 16).clamp(4 * 1024, READ),
            carry: Vec::new(),
            carry_line: 1,
            cut_newlines: 0,
            given: 0,
            end: End::NotYet,
            table: None,
            spent: false,
        }
    }

    /// Takes over a source that is nothing but lines, the first of which has this number.
    pub fn of_lines(source: Source, target: usize, longest: usize, first_line: u64) -> Self {
        let mut reader = FileReader::empty(source, target, longest);
        reader.carry_line = first_line;
        reader
    }

    /// Whether its records are lines.
    pub fn is_lines(&self) -> bool {
        self.table.is_none() && self.format == Format::Lines
    }

    /// Reads a table in memory in its own way, not as lines.
    fn take_held(&mut self, tables: Option<&Tables>, table: &Arc<HeldTable>) {
        let default = Tables::default();
        match Typed::held(tables.unwrap_or(&default), table, &self.source) {
            Ok(table) => self.table = Some(Table::Typed(table)),
            Err(error) => self.end = End::Failed(error),
        }
    }

    fn tell_table(&mut self, tables: &Tables, start: &[u8]) -> Result<(), DataError> {
        let path = self.source.path();
        self.table = match tables.tell(path, start) {
            Told::Other => None,
            Told::Delimited => Some(Table::Delimited(tables.delimited(path, start))),
            // What only begins like one is refused like anything else that is no row.
            Told::Typed(format) => {
                let table = Typed::open(tables, format, &mut self.source, start)?;
                table.map(Table::Typed)
            }
        };
        Ok(())
    }

    /// The file, if it is a table.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    fn tell_format(&mut self, start: &mut Buffer) -> Format {
        let from = match format::sniff(self.source.path(), start) {
            Guess::Is(format) => return format,
            Guess::NeedsLine { from } => from,
        };
        let mut looked = from;
        loop {
            if let Some(i) = memchr(b'\n', &start[looked..]) {
                return format::by_first_line(&start[from..looked + i]);
            }
            looked = start.len();
            if !matches!(self.end, End::NotYet) {
                return format::by_first_line(&start[from..]);
            }
            // As a line it would be refused, too.
            if looked - from > self.longest {
                return Format::Document;
            }
            self.fill(start, looked + READ);
        }
    }

    /// How many bytes have been read from the disk.
    pub fn raw_bytes(&self) -> u64 {
        let held = match &self.table {
            Some(Table::Typed(typed)) => typed.hashed.1,
            _ => 0,
        };
        self.source.raw_bytes().max(held)
    }

    /// The next run of records, in the memory of `used`, whose contents do not matter; that
    /// of a table takes more of the `spare`.
    pub fn next_piece(&mut self, used: Vec<u8>, spare: &mut Vec<Vec<u8>>) -> Option<Piece> {
        if self.spent {
            return None;
        }
        if let Some(table) = self.table.take() {
            let (table, piece) = self.table_piece(table, used, spare);
            self.table = Some(table);
            return piece;
        }
        let mut buf = self.carried(used);
        let mut spans = Vec::new();
        let cut = match self.format {
            Format::Lines => self.cut_lines(&mut buf),
            Format::Array | Format::Values => self.cut_array(&mut buf, &mut spans),
            Format::Document => self.cut_document(&mut buf, &mut spans),
        };
        self.piece(buf, cut, spans)
    }

    /// What was read too far, in the memory of `used`.
    fn carried(&mut self, used: Vec<u8>) -> Buffer {
        let mut buf = if used.capacity() < self.carry.len() {
            Buffer::holding(std::mem::take(&mut self.carry))
        } else {
            let mut buf = Buffer::over(used);
            buf.extend(&self.carry);
            self.carry.clear();
            buf
        };
        buf.reserve(self.target + self.stride);
        buf
    }

    fn piece(&mut self, buf: Buffer, cut: Cut, spans: Vec<Span>) -> Option<Piece> {
        let (base_offset, first_line) = (self.carry_offset, self.carry_line);
        let (data, layout, long) = match cut {
            Cut::After(0) if spans.is_empty() => {
                self.spent = true;
                return None;
            }
            Cut::After(end) => {
                self.carry.extend_from_slice(&buf[end..]);
                let data = buf.into_first(end);
                let layout = self.number(&data, &spans);
                self.carry_offset += end as u64;
                (data, layout, None)
            }
            Cut::Long(start) => {
                let layout = self.number(&buf[..start], &spans);
                self.carry_offset += start as u64;
                let (data, long) = self.pass_over(buf, start);
                (data, layout, long)
            }
        };
        Some(Piece {
            data,
            base_offset,
            first_line,
            layout,
            long,
        })
    }

    /// The next rows of a table. Where it ends depends on the bytes of the file alone.
    fn table_piece(
        &mut self,
        mut table: Table,
        used: Vec<u8>,
        spare: &mut Vec<Vec<u8>>,
    ) -> (Table, Option<Piece>) {
        let mut rows = Vec::new();
        let mut json;
        let (base_offset, first_line) = (self.carry_offset, self.carry_line);
        let source = match &mut table {
            Table::Typed(typed) => {
                json = used;
                json.clear();
                match typed.take(self.target, &mut rows, &mut json) {
                    Ok(more) => {
                        self.spent = !more;
                        if !more && self.source.held_table().is_some() {
                            let (hasher, bytes) = std::mem::take(&mut typed.hashed);
                            self.source.was_read(hasher, bytes);
                        }
                    }
                    Err(error) => {
                        self.end = End::Failed(error);
                        self.spent = true;
                    }
                }
                None
            }
            Table::Delimited(delimited) => {
                let mut buf = self.carried(used);
                self.fill(&mut buf, self.target);
                json = spare.pop().unwrap_or_default();
                json.clear();
                let end = self.take_records(delimited, &mut buf, &mut rows, &mut json);
                self.carry.extend_from_slice(&buf[end..]);
                self.carry_offset += end as u64;
                self.carry_line = delimited.line();
                self.spent = end == 0;
                Some(buf.into_first(end))
            }
        };
        if self.spent && rows.is_empty() {
            return (table, None);
        }
        for row in &mut rows {
            self.given += 1;
            row.position = self.given;
        }
        let piece = Piece {
            data: json,
            base_offset,
            first_line,
            layout: Layout::Table { rows, source },
            long: None,
        };
        (table, Some(piece))
    }

    /// Takes records until the target is reached; gives where they end.
    fn take_records(
        &mut self,
        table: &mut Delimited,
        buf: &mut Buffer,
        rows: &mut Vec<TableRow>,
        json: &mut Vec<u8>,
    ) -> usize {
        let mut at = 0;
        while at < self.target {
            let last = matches!(self.end, End::Reached);
            if at == buf.len() && !matches!(self.end, End::NotYet) {
                break;
            }
            match table.take(buf, at, last, self.carry_offset, (rows, json)) {
                Ok(Taken::Until(next)) if next > at || last => {
                    at = next;
                    continue;
                }
                Ok(_) => {}
                Err(error) => {
                    self.end = End::Failed(error);
                    break;
                }
            }
            match self.end {
                End::NotYet if buf.len() - at > limits::longest_csv() => {
                    let (path, begins) = (self.source.path(), self.carry_offset + at as u64);
                    self.end = End::Failed(limits::csv_record_too_long(path, begins));
                    break;
                }
                // Twice as much each time: a record is looked at from its beginning again.
                End::NotYet => self.fill(buf, buf.len() + self.stride.max(buf.len() - at)),
                // What follows may be half a record.
                End::Reached | End::Failed(_) => break,
            }
        }
        at
    }

    /// After the last piece: the source, to be finished, or what went wrong.
    pub fn into_end(self) -> Result<Source, DataError> {
        match self.end {
            End::Failed(error) => Err(error),
            _ => Ok(self.source),
        }
    }

    /// Where the first line ends that reaches the target.
    fn cut_lines(&mut self, buf: &mut Buffer) -> Cut {
        let mut newlines = Newlines::default();
        let cut = self.end_of_lines(buf, &mut newlines);
        let (Cut::After(end) | Cut::Long(end)) = cut;
        newlines.move_to(buf, end);
        self.cut_newlines = newlines.count;
        cut
    }

    fn end_of_lines(&mut self, buf: &mut Buffer, newlines: &mut Newlines) -> Cut {
        self.fill_counting(buf, self.target, newlines);
        let mut looked = self.target - 1;
        loop {
            if let Some(i) = buf.get(looked..).and_then(|tail| memchr(b'\n', tail)) {
                return Cut::After(looked + i + 1);
            }
            looked = looked.max(buf.len());
            match self.end {
                End::NotYet => {
                    if buf.len() > self.longest {
                        let start = memrchr(b'\n', buf).map_or(0, |i| i + 1);
                        if buf.len() - start > self.longest {
                            return Cut::Long(start);
                        }
                    }
                    self.fill_counting(buf, buf.len() + self.stride, newlines);
                }
                End::Reached => return Cut::After(buf.len()),
                // What follows the last line's end may be half a record.
                End::Failed(_) => {
                    return Cut::After(memrchr(b'\n', buf).map_or(0, |i| i + 1));
                }
            }
        }
    }

    fn cut_array(&mut self, buf: &mut Buffer, spans: &mut Vec<Span>) -> Cut {
        self.fill(buf, self.target);
        loop {
            if let Some(cut) = self.scanner.scan(buf, self.target, spans) {
                return Cut::After(cut);
            }
            match self.end {
                End::NotYet => match self.scanner.element() {
                    Some(start) if buf.len() - start > self.longest => return Cut::Long(start),
                    _ => self.fill(buf, buf.len() + self.stride),
                },
                End::Reached => {
                    self.spent = true;
                    self.scanner.finish(buf, spans);
                    return Cut::After(buf.len());
                }
                End::Failed(_) => {
                    self.spent = true;
                    return Cut::After(spans.last().map_or(0, |span| span.end));
                }
            }
        }
    }

    fn cut_document(&mut self, buf: &mut Buffer, spans: &mut Vec<Span>) -> Cut {
        self.fill(buf, self.longest.saturating_add(1));
        let start = buf.len() - buf.trim_ascii_start().len();
        match self.end {
            End::NotYet => return Cut::Long(start),
            End::Failed(_) => {
                self.spent = true;
                return Cut::After(0);
            }
            End::Reached => self.spent = true,
        }
        spans.push(Span {
            start,
            end: start + buf.trim_ascii().len(),
            fault: None,
        });
        Cut::After(buf.len())
    }

    /// Reads on to the end of the record that begins at `start`, holding only its
    /// beginning. What was read of the next one is kept for the next piece.
    fn pass_over(&mut self, buf: Buffer, start: usize) -> (Vec<u8>, Option<Long>) {
        let (line, offset) = (self.carry_line, self.carry_offset);
        let mut passing = Passing::new();
        passing.take(&buf[start..]);
        // The memory is given back at once: it is the largest there is.
        let mut data = buf[..start + KEPT.min(buf.len() - start)].to_vec();
        drop(buf);
        let mut piece = Buffer::default();
        let over = loop {
            piece.clear();
            self.fill(&mut piece, READ);
            let end = match self.format {
                Format::Lines => memchr(b'\n', &piece),
                Format::Array | Format::Values => self.scanner.skip(&piece),
                Format::Document => None,
            };
            let more = &piece[..end.unwrap_or(piece.len())];
            passing.take(more);
            let room = KEPT.saturating_sub(data.len() - start);
            data.extend_from_slice(&more[..more.len().min(room)]);
            match (&self.end, end) {
                (_, Some(end)) => {
                    // A line's end belongs to the line.
                    let after = end + usize::from(self.format == Format::Lines);
                    self.carry = piece[after..].to_vec();
                    self.carry_offset += (after - end) as u64;
                    self.carry_line += (after - end) as u64;
                    break true;
                }
                (End::NotYet, None) => {}
                (End::Reached, None) => {
                    self.spent = true;
                    break true;
                }
                // It may be half a record.
                (End::Failed(_), None) => {
                    self.spent = true;
                    break false;
                }
            }
        };
        let (bytes, newlines) = passing.passed();
        self.carry_offset += bytes;
        self.carry_line += newlines;
        if !over || passing.is_blank() {
            data.truncate(start);
            return (data, None);
        }
        if self.format != Format::Lines {
            self.given += 1;
        }
        (data, Some(passing.finish(start, offset, line)))
    }

    /// Reads until the buffer holds `want` bytes or the file ends. The loop
    /// makes what is read independent of how the system doles it out.
    fn fill(&mut self, buf: &mut Buffer, want: usize) {
        while buf.len() < want && matches!(self.end, End::NotYet) {
            let room = want.min(buf.len().saturating_add(READ)) - buf.len();
            let source = &mut self.source;
            match buf.read(room, |free| source.read_bytes(free)) {
                Ok(0) => self.end = End::Reached,
                Ok(_) => {}
                Err(error) => self.end = End::Failed(error),
            }
        }
    }

    /// The same, and counts line ends while what was read is still in the cache.
    fn fill_counting(&mut self, buf: &mut Buffer, want: usize, newlines: &mut Newlines) {
        newlines.move_to(buf, buf.len());
        while buf.len() < want && matches!(self.end, End::NotYet) {
            self.fill(buf, want.min(buf.len().saturating_add(READ)));
            newlines.move_to(buf, buf.len());
        }
    }

    /// Numbers the lines of a chunk, and gives each span the line it is on.
    fn number(&mut self, data: &[u8], spans: &[Span]) -> Layout {
        if self.format == Format::Lines {
            self.carry_line += self.cut_newlines;
            return Layout::Lines;
        }
        let mut counted = 0;
        let numbered = spans.iter().map(|&span| {
            self.carry_line += count(&data[counted..span.start]);
            counted = span.start;
            (span, self.carry_line)
        });
        let numbered = numbered.collect();
        self.carry_line += count(&data[counted..]);
        match self.format {
            Format::Lines => Layout::Lines,
            Format::Array | Format::Values | Format::Document => {
                let before = self.given;
                self.given += spans.len() as u64;
                Layout::Spans {
                    before,
                    spans: numbered,
                }
            }
        }
    }
}
