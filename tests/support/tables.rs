//! Rows of JSON as tables: what tests feed in every format.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use serde_json::Value;

/// Rows as the bytes of a file.
pub type Written = fn(&[Value]) -> Vec<u8>;

/// All keys of all rows, in the order in which they come.
fn columns(rows: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for key in rows
        .iter()
        .flat_map(|row| row.as_object().expect("an object").keys())
    {
        if !names.contains(key) {
            names.push(key.clone());
        }
    }
    names
}

/// A cell: text as it is, what is nested as JSON.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Separated values with a header, every cell in quotes.
pub fn separated(rows: &[Value], between: &str) -> String {
    let names = columns(rows);
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let header: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let mut text = format!("{}\n", header.join(between));
    for row in rows {
        let cells = names.iter().map(|name| cell(&row[name]));
        let cells: Vec<String> = cells
            .map(|cell| cell.map_or(String::new(), |c| quoted(&c)))
            .collect();
        text.push_str(&format!("{}\n", cells.join(between)));
    }
    text
}

fn batch(rows: &[Value]) -> RecordBatch {
    let column = |name: String| {
        let numbers = rows
            .iter()
            .all(|row| row[&name].is_number() || row[&name].is_null());
        let array: ArrayRef = match numbers {
            true => Arc::new(
                rows.iter()
                    .map(|row| row[&name].as_f64())
                    .collect::<Float64Array>(),
            ),
            false => Arc::new(
                rows.iter()
                    .map(|row| cell(&row[&name]))
                    .collect::<StringArray>(),
            ),
        };
        (name, array, true)
    };
    let columns = columns(rows).into_iter().map(column);
    RecordBatch::try_from_iter_with_nullable(columns).expect("a batch")
}

/// The same as a Parquet file.
pub fn parquet(rows: &[Value]) -> Vec<u8> {
    let batch = batch(rows);
    let mut bytes = Vec::new();
    let writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None);
    let mut writer = writer.expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("an end");
    bytes
}

/// The same as an Arrow file.
pub fn arrow(rows: &[Value]) -> Vec<u8> {
    let batch = batch(rows);
    let writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema());
    let mut writer = writer.expect("a writer");
    writer.write(&batch).expect("rows");
    writer.finish().expect("an end");
    writer.into_inner().expect("bytes")
}

/// Rows of JSON lines.
pub fn rows(lines: &[String]) -> Vec<Value> {
    let row = |line: &String| serde_json::from_str(line).expect("JSON");
    lines.iter().map(row).collect()
}
