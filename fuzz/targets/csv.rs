//! Separated values against the `csv` crate.

use judica_data::table::Tables;
use serde_json::{Map, Value};

use super::door;

const HEADER: [&str; 2] = ["first", "second"];

/// Every row of two fields that the crate finds is a row here, with the same text in it.
pub fn run(data: &[u8]) {
    if data.contains(&0) {
        // No text, so no table.
        return;
    }
    let file = [HEADER.join(",").as_bytes(), b"\n", data].concat();
    let tables = Tables {
        delimiter: Some(b','),
        ..Tables::default()
    };
    let (rows, ended) = door::rows(&file, &tables);
    ended.expect("the header can be read");
    let unclosed = rows
        .last()
        .is_some_and(|(_, row)| *row == Err("unclosed_quote"));
    let used = rows.into_iter().filter_map(|(_, row)| row.ok());
    let used: Vec<Vec<String>> = used.map(|row| cells(&row)).collect();

    let mut reader = ::csv::ReaderBuilder::new();
    let mut reader = reader
        .flexible(true)
        .has_headers(false)
        .from_reader(&file[..]);
    let records = reader
        .byte_records()
        .map(|record| record.expect("a flexible reader"));
    let records: Vec<_> = records.skip(1).collect();
    // A character whose bytes a quote keeps apart is none, but cells hold it without the quote.
    let begins = |record: &::csv::ByteRecord| record.position().map(|place| place.byte() as usize);
    let ends = records.iter().skip(1).map(begins).chain([None]);
    let raw = |(record, end): (&::csv::ByteRecord, Option<usize>)| {
        begins(record).map(|begin| &file[begin..end.unwrap_or(file.len())])
    };
    let raws = records.iter().zip(ends).map(raw);
    let is_plain = |raw: &[u8]| std::str::from_utf8(raw).is_ok() && !goes_on_after_quotes(raw);
    let is_plain = raws.map(|raw| raw.is_some_and(is_plain));
    let mut expected: Vec<_> = records.iter().zip(is_plain).collect();
    if unclosed {
        expected.pop();
    }
    let text = |cell: &[u8]| String::from_utf8(cell.to_vec());
    let whole =
        |(record, is_plain): &(&::csv::ByteRecord, bool)| *is_plain && record.len() == HEADER.len();
    let expected = expected.into_iter().filter(whole).map(|(record, _)| record);
    let expected =
        expected.filter_map(|record| record.iter().map(text).collect::<Result<_, _>>().ok());
    let expected: Vec<Vec<String>> = expected.collect();
    // A header that stands there again is refused, unless it is spelt in another way.
    let others = |rows: Vec<Vec<String>>| -> Vec<_> {
        rows.into_iter().filter(|row| *row != HEADER).collect()
    };
    assert_eq!(others(used), others(expected));
}

/// Whether text follows the closing quote of a field: the crate takes it, here it is refused.
fn goes_on_after_quotes(raw: &[u8]) -> bool {
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let lead = raw.iter().take_while(|byte| is_line_end(byte)).count();
    let (mut begins, mut quoted, mut closed, mut before) = (true, false, false, 0);
    for &byte in &raw[lead..] {
        match byte {
            b'"' if begins || quoted || closed && before == b'"' => {
                (quoted, closed) = (!quoted, quoted)
            }
            _ if quoted => {}
            b',' => closed = false,
            _ if closed && !byte.is_ascii_whitespace() => return true,
            _ => {}
        }
        begins = byte == b',' && !quoted;
        before = byte;
    }
    false
}

fn cells(row: &[u8]) -> Vec<String> {
    let row: Map<String, Value> = serde_json::from_slice(row).expect("a row is an object");
    assert!(row.keys().eq(HEADER));
    let cell = |cell: &Value| cell.as_str().unwrap_or_default().to_owned();
    row.values().map(cell).collect()
}
