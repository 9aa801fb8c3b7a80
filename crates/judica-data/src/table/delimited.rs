//! Separated values: records cut from a stream, each written as a JSON object.
//!
//! Fields may be quoted and then hold separators, line ends and doubled quotes; lines end in
//! LF, CR or CRLF; blank lines are passed over. What separates fields is found by itself, and
//! a first line `sep=;` says so. A record that cannot be used is a fault of its own, so that
//! the next is still read. An empty cell is null; an empty text is quoted: `""`.

use std::fmt;
use std::path::{Path, PathBuf};

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use super::header::{self, Column};
use super::{Tables, unreadable};
use crate::chunks::{Fault, TO_UTF8, TableRow};
use crate::error::DataError;
use crate::json::text::write_string;
use crate::limits;
use crate::row_keys::is_missing;

/// What may separate fields, the most likely first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];
/// So many records are looked at to tell what separates fields.
const LOOKED_AT: usize = 20;

/// A table of separated values that is being read.
pub(crate) struct Delimited {
    tables: Tables,
    path: PathBuf,
    delimiter: u8,
    /// The header as it stands, once it is read.
    header: Option<Header>,
    /// In which columns `3,5` is a number.
    decimal: Vec<bool>,
    /// What ends lines, and is counted.
    line_end: u8,
    /// The line that the next byte stands on.
    line: u64,
    /// Rows so far.
    pub rows: u64,
    cells: Vec<Cell>,
    text: Vec<u8>,
}

struct Header {
    raw: Vec<u8>,
    /// Whether blanks around a cell only align it, as in Markdown.
    padded: bool,
    fields: usize,
    columns: Vec<Column>,
}

/// Where a field stands, its quotes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    start: usize,
    end: usize,
}

/// What became of the bytes at hand.
pub(crate) enum Taken {
    /// A record, or a blank line, that ends here.
    Until(usize),
    /// There is no end yet.
    NeedsMore,
}

/// Where a record ends, and where the next begins.
struct Ends {
    end: usize,
    next: usize,
    /// Whether it ends within quotes, with the file.
    open: bool,
    /// The first field, from 1, that goes on after its closing quote.
    goes_on: Option<usize>,
}

impl Delimited {
    pub(super) fn new(tables: Tables, path: &Path, preferred: u8, start: &[u8]) -> Self {
        let said = said_delimiter(start).map(|(delimiter, _)| delimiter);
        let delimiter = tables.delimiter.or(said);
        let delimiter = delimiter.unwrap_or_else(|| found_delimiter(start, preferred));
        let decimal = match delimiter {
            b';' => decimal_columns(start),
            _ => Vec::new(),
        };
        Delimited {
            tables,
            path: path.to_owned(),
            delimiter,
            header: None,
            decimal,
            line_end: line_end(start),
            line: 1,
            rows: 0,
            cells: Vec::new(),
            text: Vec::new(),
        }
    }

    /// The columns, once the header is read.
    pub(super) fn columns(&self) -> &[Column] {
        self.header.as_ref().map_or(&[], |header| &header.columns)
    }

    /// The line that the next byte stands on.
    pub fn line(&self) -> u64 {
        self.line
    }

    fn lines_in(&self, bytes: &[u8]) -> u64 {
        match bytes {
            // Most often there is nothing to count, or the end of one line.
            [] => 0,
            [only] => u64::from(*only == self.line_end),
            _ => memchr_iter(self.line_end, bytes).count() as u64,
        }
    }

    /// Takes the next record of `buf`, from `at` on; `last` says that nothing follows it.
    /// `offset` is where `buf` begins in the file.
    pub fn take(
        &mut self,
        buf: &[u8],
        at: usize,
        last: bool,
        offset: u64,
        (rows, json): (&mut Vec<TableRow>, &mut Vec<u8>),
    ) -> Result<Taken, DataError> {
        let lead = buf[at..].iter().take_while(|&&b| is_line_end(b)).count();
        let start = at + lead;
        if start == buf.len() {
            self.line += self.lines_in(&buf[at..]);
            return Ok(Taken::Until(start));
        }
        if self.header.is_none()
            && at == 0
            && let Some((_, length)) = said_delimiter(&buf[start..])
        {
            self.line += self.lines_in(&buf[at..start + length]);
            return Ok(Taken::Until(start + length));
        }
        let mut cells = std::mem::take(&mut self.cells);
        let ends = record(buf, start, self.delimiter, last, &mut cells);
        self.cells = cells;
        let Some(Ends {
            end,
            next,
            open,
            goes_on,
        }) = ends
        else {
            return Ok(Taken::NeedsMore);
        };
        self.line += self.lines_in(&buf[at..start]);
        let line = self.line;
        let raw = &buf[start..end];
        let begins = offset + start as u64;
        if raw.len() > limits::longest_csv() {
            return Err(limits::csv_record_too_long(&self.path, begins));
        }
        self.line += self.lines_in(&buf[start..next]);
        let last_line = line + self.lines_in(raw);
        let expected = self.header.as_ref().map(|header| header.fields);
        let blank = raw.iter().all(u8::is_ascii_whitespace);
        let rule = self.delimiter == b'|' && self.rows == 0 && is_rule(raw);
        if blank && expected != Some(self.cells.len()) || rule && expected.is_some() {
            return Ok(Taken::Until(next));
        }
        let text = std::str::from_utf8(raw);
        let Some(header) = &self.header else {
            let misquoted = misquoted(open, goes_on, (line, last_line));
            let wrong = match misquoted {
                Some(fault) => Some(fault.refusal().detail),
                None => text.err().map(|_| format!("it is not UTF-8{TO_UTF8}")),
            };
            if let Some(wrong) = wrong {
                let why = format!("the header cannot be read: {wrong}");
                return Err(unreadable(&self.path, Some(begins), why));
            }
            self.read_header(buf, start..end, begins)?;
            return Ok(Taken::Until(next));
        };
        self.rows += 1;
        let misquoted = misquoted(open, goes_on, (line, last_line));
        let fault = if misquoted.is_some() {
            misquoted
        } else if text.is_err() {
            let bad = |cell: &Cell| std::str::from_utf8(&buf[cell.start..cell.end]).is_err();
            let field = self.cells.iter().position(bad).unwrap_or_default() + 1;
            Some(Fault::NotUtf8 { field })
        } else if self.cells.len() != header.fields {
            Some(Fault::FieldCount {
                expected: header.fields,
                found: self.cells.len(),
                lines: (line, last_line),
            })
        } else if raw == header.raw {
            Some(Fault::HeaderAgain)
        } else {
            None
        };
        let written = json.len();
        match fault {
            None => self.write(buf, json),
            Some(_) => json.extend_from_slice(raw),
        }
        rows.push(TableRow {
            json: written..json.len(),
            source: start..end,
            offset: begins,
            line,
            position: 0,
            // The bytes in the file have it.
            hash: 0,
            fault,
        });
        Ok(Taken::Until(next))
    }

    fn read_header(
        &mut self,
        buf: &[u8],
        place: std::ops::Range<usize>,
        begins: u64,
    ) -> Result<(), DataError> {
        let mut names = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let name = unquoted(&buf[cell.start..cell.end], &mut self.text);
            names.push(String::from_utf8_lossy(name).into_owned());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns = header::columns(&names, |_| false, &self.tables);
        let columns = columns.map_err(|why| unreadable(&self.path, Some(begins), why))?;
        let raw = buf[place].to_vec();
        let line = raw.trim_ascii();
        let framed = line.starts_with(b"|") && line.ends_with(b"|");
        self.header = Some(Header {
            raw,
            padded: self.delimiter == b'|' && framed,
            fields: names.len(),
            columns,
        });
        Ok(())
    }

    /// Appends the row whose cells were found.
    fn write(&mut self, buf: &[u8], json: &mut Vec<u8>) {
        let Some(header) = &self.header else {
            return;
        };
        for column in &header.columns {
            json.extend_from_slice(&column.before);
            let cell = self.cells[column.at];
            let mut raw = &buf[cell.start..cell.end];
            if header.padded {
                raw = raw.trim_ascii();
            }
            if raw.is_empty() {
                json.extend_from_slice(b"null");
            } else {
                let text = unquoted(raw, &mut self.text);
                let decimal = self.decimal.get(column.at) == Some(&true);
                // What the cell means is asked of the number, not of how it is written.
                let point = decimal && is_decimal(text) == Decimal::Comma;
                let point = point.then(|| with_point(text));
                let text = point.as_deref().unwrap_or(text);
                match column.cells.meant(text) {
                    Some(value) => json.extend_from_slice(value),
                    // The record has been checked.
                    None => write_string(std::str::from_utf8(text).unwrap_or_default(), json),
                }
            }
            json.extend_from_slice(column.after);
        }
    }
}

impl fmt::Display for Delimited {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.delimiter {
            b'\t' => f.write_str("TSV")?,
            other => write!(f, "CSV, delimiter '{}'", other as char)?,
        }
        match self.decimal.contains(&true) {
            true => f.write_str(", decimal comma"),
            false => Ok(()),
        }
    }
}

/// Finds the fields of the record that begins at `start`; `None` if it does not end here and
/// more may follow.
fn record(
    buf: &[u8],
    start: usize,
    delimiter: u8,
    last: bool,
    cells: &mut Vec<Cell>,
) -> Option<Ends> {
    cells.clear();
    let mut at = start;
    let mut goes_on = None;
    loop {
        let begins = at;
        if buf.get(at) == Some(&b'"') {
            match closing(buf, at + 1) {
                Some(after) if after < buf.len() || last => at = after,
                _ if last => {
                    let end = start + without_line_ends(&buf[start..]).len();
                    cells.push(Cell { start: begins, end });
                    let next = buf.len();
                    return Some(Ends {
                        end,
                        next,
                        open: true,
                        goes_on,
                    });
                }
                _ => return None,
            }
        }
        let found = memchr3(delimiter, b'\n', b'\r', &buf[at..]);
        let end = match found {
            Some(found) => at + found,
            None if last => buf.len(),
            None => return None,
        };
        cells.push(Cell { start: begins, end });
        if at > begins && !buf[at..end].trim_ascii().is_empty() {
            goes_on = goes_on.or(Some(cells.len()));
        }
        if buf.get(end) == Some(&delimiter) {
            at = end + 1;
            continue;
        }
        let next = match buf.get(end..) {
            Some([b'\r', b'\n', ..]) => end + 2,
            Some([]) | None => end,
            Some(_) => end + 1,
        };
        return Some(Ends {
            end,
            next,
            open: false,
            goes_on,
        });
    }
}

/// What is wrong with the quotes of a record that reaches over these lines. Where text
/// follows a closing quote, nobody can say where its field was meant to end.
fn misquoted(open: bool, goes_on: Option<usize>, lines: (u64, u64)) -> Option<Fault> {
    let (line, last_line) = lines;
    match open {
        true => Some(Fault::UnclosedQuote { line, last_line }),
        false => goes_on.map(|field| Fault::TextAfterQuote { field, lines }),
    }
}

/// Where the field goes on after the quotes that are open at `at`.
fn closing(buf: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let quote = at + memchr(b'"', buf.get(at..)?)?;
        if buf.get(quote + 1) != Some(&b'"') {
            return Some(quote + 1);
        }
        at = quote + 2;
    }
}

/// A field without its quotes; `text` is used only if there are some to undo within it.
fn unquoted<'b>(raw: &'b [u8], text: &'b mut Vec<u8>) -> &'b [u8] {
    let Some(inside) = raw.strip_prefix(b"\"") else {
        return raw;
    };
    if let Some(inside) = inside.strip_suffix(b"\"")
        && memchr(b'"', inside).is_none()
    {
        return inside;
    }
    text.clear();
    let mut at = 0;
    while let Some(quote) = memchr(b'"', &inside[at..]) {
        text.extend_from_slice(&inside[at..at + quote]);
        at += quote + 1;
        if inside.get(at) != Some(&b'"') {
            break;
        }
        text.push(b'"');
        at += 1;
    }
    text.extend_from_slice(&inside[at..]);
    text
}

/// What a first line `sep=;` says, and how long it is.
fn said_delimiter(start: &[u8]) -> Option<(u8, usize)> {
    let end = memchr(b'\n', start)?;
    let line = start[..end].trim_ascii_end();
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    let line = line.strip_suffix(b"\"").unwrap_or(line);
    match line.get(..4)?.eq_ignore_ascii_case(b"sep=") {
        true if line.len() == 5 => Some((line[4], end + 1)),
        // The separator is a tab, and was taken for a blank.
        true if line.len() == 4 && start[4..end].contains(&b'\t') => Some((b'\t', end + 1)),
        _ => None,
    }
}

/// Numbers of fields of the first records, if it is this that separates them.
fn counts(start: &[u8], delimiter: u8) -> Vec<usize> {
    let mut at = said_delimiter(start).map_or(0, |(_, length)| length);
    let mut found = Vec::new();
    let mut cells = Vec::new();
    // The last may not be whole, unless it is the only one.
    while found.len() <= LOOKED_AT && at < start.len() {
        let lead = start[at..].iter().take_while(|&&b| is_line_end(b)).count();
        match record(start, at + lead, delimiter, false, &mut cells) {
            Some(ends) => {
                if !start[at..ends.end].trim_ascii().is_empty() {
                    found.push(cells.len());
                }
                at = ends.next;
            }
            None => {
                let ends = record(start, at + lead, delimiter, true, &mut cells);
                let whole = ends.is_some_and(|ends| !ends.open);
                if found.is_empty() || whole && found.len() < LOOKED_AT {
                    found.push(cells.len());
                }
                break;
            }
        }
    }
    found
}

/// How many of the records have as many fields as the first, of how many, and how many that
/// is.
fn fit(start: &[u8], delimiter: u8) -> (usize, usize, usize) {
    let counts = counts(start, delimiter);
    let first = counts.first().copied().unwrap_or_default();
    let alike = counts.iter().filter(|count| **count == first).count();
    (alike, counts.len(), first)
}

/// What separates fields: what most records agree on, and of that what gives most fields.
fn found_delimiter(start: &[u8], preferred: u8) -> u8 {
    let mut best = (preferred, (0, 0));
    let others = DELIMITERS.iter().filter(|other| **other != preferred);
    for &delimiter in std::iter::once(&preferred).chain(others) {
        let (alike, _, fields) = fit(start, delimiter);
        if fields > 1 && (alike, fields) > best.1 {
            best = (delimiter, (alike, fields));
        }
    }
    best.0
}

/// Whether a text can only be meant as a table: a header and rows of as many fields.
pub(super) fn is_plain(start: &[u8]) -> bool {
    said_delimiter(start).is_some()
        || DELIMITERS.into_iter().any(|delimiter| {
            let (alike, all, fields) = fit(start, delimiter);
            fields > 1 && all > 1 && alike == all
        })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decimal {
    /// No number.
    No,
    /// A number without a comma.
    Whole,
    /// A number with one.
    Comma,
    /// Numbers with more than one between.
    List,
}

/// Whether a cell is a number as people with decimal commas write it.
fn is_decimal(text: &[u8]) -> Decimal {
    let text = text.trim_ascii();
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let parts = digits.split(|&byte| byte == b',');
    let is_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if !parts.clone().all(is_digits) {
        return Decimal::No;
    }
    match parts.take(3).count() {
        1 => Decimal::Whole,
        2 => Decimal::Comma,
        _ => Decimal::List,
    }
}

/// A number with a decimal comma as all others write it.
fn with_point(text: &[u8]) -> Vec<u8> {
    let mut text = text.trim_ascii().to_vec();
    if let Some(comma) = memchr(b',', &text) {
        text[comma] = b'.';
    }
    text
}

/// In which columns a cell such as `3,5` is a number, as far as the start of the file tells: in
/// all, if numbers with decimal commas are most of what some column holds. Else two columns of
/// one file would be written differently where one of them holds a word besides. Values that
/// are not there tell nothing; where lists of numbers stand (`1,2,3`), `1,2` is one too.
fn decimal_columns(start: &[u8]) -> Vec<bool> {
    let mut at = said_delimiter(start).map_or(0, |(_, length)| length);
    let mut cells = Vec::new();
    let mut text = Vec::new();
    let mut found: Vec<Held> = Vec::new();
    let mut header = true;
    while at < start.len() {
        let lead = start[at..].iter().take_while(|&&b| is_line_end(b)).count();
        let Some(ends) = record(start, at + lead, b';', false, &mut cells) else {
            break;
        };
        at = ends.next;
        if std::mem::take(&mut header) {
            found = vec![Held::default(); cells.len()];
            continue;
        }
        for (cell, held) in cells.iter().zip(&mut found) {
            let cell = unquoted(&start[cell.start..cell.end], &mut text);
            match is_decimal(cell) {
                Decimal::Whole => held.numbers += 1,
                Decimal::Comma => (held.numbers, held.commas) = (held.numbers + 1, true),
                Decimal::List => (held.others, held.lists) = (held.others + 1, true),
                Decimal::No => held.others += usize::from(!is_missing(cell)),
            }
        }
    }
    let decimal = |held: &Held| held.commas && !held.lists && held.numbers > held.others;
    match found.iter().any(decimal) {
        true => found.iter().map(|held| !held.lists).collect(),
        false => Vec::new(),
    }
}

/// What the cells of a column are.
#[derive(Clone, Default)]
struct Held {
    numbers: usize,
    others: usize,
    commas: bool,
    lists: bool,
}

/// Whether it is the line below the header of a table in Markdown.
fn is_rule(raw: &[u8]) -> bool {
    raw.contains(&b'-') && raw.iter().all(|byte| b"|-: ".contains(byte))
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// What ends the lines of a file that begins so: CR alone where it ends the first.
fn line_end(start: &[u8]) -> u8 {
    let first = memchr2(b'\n', b'\r', start).map(|at| &start[at..]);
    match first {
        Some([b'\r', after, ..]) if *after != b'\n' => b'\r',
        _ => b'\n',
    }
}

fn without_line_ends(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|&b| !is_line_end(b));
    &bytes[..last.map_or(0, |last| last + 1)]
}
