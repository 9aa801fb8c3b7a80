//! The JSON scanner against serde_json.

use judica_data::json::{ScanError, Scanner, ValueKind};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

/// Deeper than any text here.
const DEPTH: usize = 1 << 30;

/// What serde_json accepts the scanner accepts, and finds the same in it; beyond that it knows
/// three bare words, and nothing else.
pub fn run(data: &[u8]) {
    let mut scanner = Scanner::new(data, 0);
    let skipped = scanner.skip_value(0, DEPTH).is_ok() && scanner.at_end();
    let strict = serde_json::from_slice::<IgnoredAny>(data).is_ok();
    assert!(skipped || !strict, "JSON is refused");
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if skipped && !strict {
        let plain = text.replace("-Infinity", "0").replace("Infinity", "0");
        let plain = plain.replace("NaN", "0");
        serde_json::from_str::<IgnoredAny>(&plain).expect("no JSON is accepted");
    }
    // Its own limits (nesting, lone surrogates, numbers beyond a double) are not ours.
    if let Ok(expected) = serde_json::from_str::<Value>(text) {
        let mut scanner = Scanner::new(data, 0);
        let read = value(&mut scanner).expect("read");
        assert_eq!(read, as_doubles(expected));
    }
}

/// The value that comes next, built with the scanner alone.
fn value(scanner: &mut Scanner) -> Result<Value, ScanError> {
    Ok(match scanner.kind()? {
        ValueKind::Object => {
            let mut object = Map::new();
            scanner.members(|key, scanner| {
                let key = String::from_utf8(key.to_vec()).expect("UTF-8");
                object.insert(key, value(scanner)?);
                Ok::<_, ScanError>(())
            })?;
            Value::Object(object)
        }
        ValueKind::Array => {
            let mut list = Vec::new();
            scanner.elements(|_, scanner| {
                list.push(value(scanner)?);
                Ok::<_, ScanError>(())
            })?;
            Value::Array(list)
        }
        ValueKind::String => {
            // Three ways to read a string, one string.
            let (mut buffer, mut whole, mut some) = (Vec::new(), Vec::new(), Vec::new());
            scanner.clone().string_into(&mut whole)?;
            scanner.clone().string_into_at_most(&mut some, 5)?;
            let text = scanner.string()?.decode(&mut buffer).to_vec();
            assert!(whole == text && text.starts_with(&some) && some.len() <= 5);
            Value::String(String::from_utf8(text).expect("UTF-8"))
        }
        ValueKind::Number => json!(scanner.number()?),
        _ => {
            let (start, mut end) = (scanner.pos, scanner.clone());
            end.skip_value(0, DEPTH)?;
            scanner.pos = end.pos;
            serde_json::from_slice(scanner.slice(start, end.pos)).expect("a word")
        }
    })
}

/// The same with every number as a double.
fn as_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(list) => list.into_iter().map(as_doubles).collect(),
        Value::Object(object) => {
            let members = object.into_iter();
            Value::Object(
                members
                    .map(|(key, value)| (key, as_doubles(value)))
                    .collect(),
            )
        }
        other => other,
    }
}
