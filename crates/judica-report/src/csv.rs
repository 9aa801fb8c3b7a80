//! CSV for machines: RFC 4180 quoting, full precision, one record per line.
//!
//! Text is passed on exactly. Spreadsheet programs may run a field that starts
//! with `=`, `+`, `-` or `@` as a formula, and a terminal may act on control
//! characters, but any guard would alter the data for the programs this format
//! exists for; a person who wants to look should ask for another format.
//!
//! Lines end in a bare newline, not RFC 4180's CRLF: every CSV reader accepts
//! it, and line tools would take the carriage return for part of the last field.

use judica_model::comma_list::cell as csv_field;
use judica_model::table::Table;

use crate::records::{Field, Records};

/// Renders the header and one line per row. Titles and notes have no place in
/// CSV. A missing value is an empty field; an empty text is a quoted one.
pub fn render(table: &Table) -> String {
    let records = Records::new(table);
    let mut out = String::new();
    if records.names.is_empty() {
        return out;
    }
    push_line(&mut out, records.names.iter().map(|name| csv_field(name)));
    for row in &records.rows {
        push_line(&mut out, row.iter().map(field));
    }
    out
}

fn push_line(out: &mut String, fields: impl Iterator<Item = String>) {
    let line = fields.collect::<Vec<_>>().join(",");
    // A record of one empty field would be a blank line, which readers skip.
    out.push_str(if line.is_empty() { "\"\"" } else { &line });
    out.push('\n');
}

fn field(field: &Field<'_>) -> String {
    match field {
        Field::Text(text) => csv_field(text),
        Field::Integer(n) => n.to_string(),
        // The debug form is the shortest text that reads back to the same bits,
        // and unlike the display form it does not spell out 1e300 in full.
        Field::Float(value) => format!("{value:?}"),
        Field::Absent => String::new(),
    }
}
