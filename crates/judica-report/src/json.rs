//! JSON for machines: an array with one object per row, one row per line.
//!
//! Keys and values are those of the CSV form, so a reader can switch formats
//! without renaming anything. To keep the title, notes, reasons for missing
//! values and display decimals, serialise the [`Table`] itself.

use judica_model::table::Table;
use serde_json::{Map, Number, Value};

use crate::records::{Field, Records};
use crate::text::is_hazard;

/// Renders the array. Missing values are `null`, and so are infinities and
/// not-a-number, which JSON cannot write.
pub fn render(table: &Table) -> String {
    let records = Records::new(table);
    let objects: Vec<String> = records
        .rows
        .iter()
        .map(|row| {
            let values = row.iter().map(value);
            let object: Map<String, Value> = records.names.iter().cloned().zip(values).collect();
            inert(&Value::Object(object).to_string())
        })
        .collect();
    if objects.is_empty() {
        return "[]\n".to_owned();
    }
    format!("[\n  {}\n]\n", objects.join(",\n  "))
}

fn value(field: &Field<'_>) -> Value {
    match field {
        Field::Text(text) => Value::from(*text),
        Field::Integer(n) => Value::from(*n),
        Field::Float(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
        Field::Absent => Value::Null,
    }
}

/// The same JSON with terminal-active and invisible characters in its strings
/// written as `\u` escapes: nothing is lost, and printing it is safe.
///
/// The serialiser already escapes the controls below U+0020, so any newline
/// left in the input is layout and is kept.
pub fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        if c != '\n' && is_hazard(c) {
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}
