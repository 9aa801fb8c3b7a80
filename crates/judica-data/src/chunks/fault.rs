//! Why a record is to be refused before it is looked at, and how that is said.

use crate::limits;
use crate::rejects::Refusal;

/// The reason of a refused record that is longer than may be held.
pub const LINE_TOO_LONG: &str = "line_too_long";
/// The reason of one that is no text.
pub const NOT_UTF8: &str = "invalid_utf8";
/// What is said after that.
pub(crate) const TO_UTF8: &str =
    "; if Excel on Windows wrote it, iconv -f CP1252 -t UTF-8 makes it so";

/// Why a record is to be refused before it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The JSON array around the record is broken here. The bytes are to be rejected for
    /// this reason even if they would parse.
    Structure(&'static str),
    /// A row has not as many fields as its header; the lines it reaches from and to.
    FieldCount {
        /// How many the header has.
        expected: usize,
        /// How many it has.
        found: usize,
        /// The lines.
        lines: (u64, u64),
    },
    /// A field of a table is not text.
    NotUtf8 {
        /// Which, from 1.
        field: usize,
    },
    /// A table ends within quotes.
    UnclosedQuote {
        /// Where the row begins.
        line: u64,
        /// Where the table ends.
        last_line: u64,
    },
    /// A field of a table goes on after its closing quote.
    TextAfterQuote {
        /// Which, from 1.
        field: usize,
        /// The lines that the row reaches from and to.
        lines: (u64, u64),
    },
    /// It is the header of its table once more, as tables have that were joined.
    HeaderAgain,
    /// It is longer than a record may be.
    TooLong {
        /// How many bytes it has.
        length: u64,
        /// How many it may have.
        most: u64,
    },
}

impl Fault {
    /// What a reader of rejects is told.
    pub fn refusal(self) -> Refusal {
        match self {
            Fault::Structure(detail) => Refusal::new("malformed_json", detail),
            Fault::FieldCount {
                expected,
                found,
                lines,
            } => Refusal::new(
                "wrong_field_count",
                format!(
                    "the header has {expected} fields, this has {found}{}",
                    reach(lines)
                ),
            ),
            Fault::NotUtf8 { field } => Refusal::new(
                NOT_UTF8,
                format!("field {field} is not valid UTF-8{TO_UTF8}"),
            ),
            Fault::UnclosedQuote { line, last_line } => {
                let place = match line == last_line {
                    true => format!("on line {line}"),
                    false => format!(
                        "on line {line}, and takes everything up to line {last_line} with it"
                    ),
                };
                let detail = format!("a quote is not closed; its record begins {place}");
                Refusal::new("unclosed_quote", detail)
            }
            Fault::TextAfterQuote { field, lines } => Refusal::new(
                "text_after_quote",
                format!(
                    "field {field} goes on after its closing quote{}; a quote within quotes is \
                     doubled (\"\"): a backslash before it (\\\") does not count",
                    reach(lines)
                ),
            ),
            Fault::HeaderAgain => Refusal::new("repeated_header", "the header stands here again"),
            Fault::TooLong { length, most } => Refusal::new(
                LINE_TOO_LONG,
                format!(
                    "{length} bytes, more than the {} that --max-line allows",
                    limits::shown(most)
                ),
            ),
        }
    }
}

/// Where a row of several lines stands.
fn reach((first, last): (u64, u64)) -> String {
    match last > first {
        true => format!(" and reaches from line {first} to line {last}"),
        false => String::new(),
    }
}
