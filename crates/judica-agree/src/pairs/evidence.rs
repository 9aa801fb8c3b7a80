//! Whether two values that were shown to validators are the same. Blanks, escapes and the order
//! of keys do not matter; numbers are the same if they are written alike, as identifiers are.

use std::collections::BTreeMap;

use judica_data::json::scan::Scanner;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::truthy;

/// Whether two lists of identifiers, as they stand in a line, are the same.
pub(super) fn same_ids(a: &[u8], b: &[u8]) -> bool {
    match (ids(a), ids(b)) {
        (Some(a), Some(b)) => same_lists(&a, &b),
        _ => a == b,
    }
}

/// The identifiers of a list. A single text counts as a list of one, and what holds nothing as
/// an empty one.
fn ids(json: &[u8]) -> Option<Vec<&[u8]>> {
    if json.first() == Some(&b'[') {
        return list(json);
    }
    let holds = truthy(&mut Scanner::new(json, 0)).ok()?;
    Some(if holds { vec![json] } else { Vec::new() })
}

/// Whether two values are the same. What cannot be read is the same if its bytes are.
pub(super) fn same_json(a: &[u8], b: &[u8]) -> bool {
    a == b || same_inside(a, b).unwrap_or(false)
}

fn same_inside(a: &[u8], b: &[u8]) -> Option<bool> {
    Some(match (a.first()?, b.first()?) {
        (b'{', b'{') => {
            let [a, b] = [parsed::<Members>(a)?, parsed::<Members>(b)?];
            let same = |key: &String, value: &RawValue| {
                let other = b.get(key);
                other.is_some_and(|other| same_json(bytes(value), bytes(other)))
            };
            a.len() == b.len() && a.iter().all(|(key, value)| same(key, value))
        }
        (b'[', b'[') => same_lists(&list(a)?, &list(b)?),
        (b'"', b'"') => parsed::<String>(a)? == parsed::<String>(b)?,
        _ => false,
    })
}

/// Of two equal keys the last counts.
type Members<'a> = BTreeMap<String, &'a RawValue>;

fn parsed<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Option<T> {
    serde_json::from_slice(json).ok()
}

fn bytes(value: &RawValue) -> &[u8] {
    value.get().as_bytes()
}

fn list(json: &[u8]) -> Option<Vec<&[u8]>> {
    let values = parsed::<Vec<&RawValue>>(json)?;
    Some(values.into_iter().map(bytes).collect())
}

fn same_lists(a: &[&[u8]], b: &[&[u8]]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_json(a, b))
}

#[cfg(test)]
mod tests {
    use super::{same_ids, same_json};

    #[test]
    fn values_are_compared_by_what_they_say() {
        let deep = |end: &str| format!("{}{end}{}", "[".repeat(300), "]".repeat(300));
        for (a, b, same) in [
            (
                r#"{"x": 1, "y": ["é"]}"#,
                r#"{"y":[ "\u00e9" ],"x":1}"#,
                true,
            ),
            (r#"{"x": 1, "x": 2}"#, r#"{"x": 2}"#, true),
            (r#"{"x": 1}"#, r#"{"x": 1, "y": null}"#, false),
            ("18446744073709551617", "18446744073709551618", false),
            (r#"{"a":1e400}"#, r#"{"b":1e400}"#, false),
            (r#"{"a": 1e400}"#, r#"{"a":1e400}"#, true),
            ("0.1", "0.10000000000000000555", false),
            (r#"["\ud800"]"#, r#"["\ud801"]"#, false),
            (r#"["\ud800"]"#, r#"[ "\ud800" ]"#, true),
            (r#"["a"]"#, r#"{"a":1}"#, false),
            (&deep("1"), &deep("2"), false),
            (&deep(" 1"), &deep("1"), true),
        ] {
            assert_eq!(same_json(a.as_bytes(), b.as_bytes()), same, "{a} {b}");
        }
    }

    #[test]
    fn identifiers_are_lists_however_they_are_given() {
        for (a, b, same) in [
            (r#""a""#, r#"["a"]"#, true),
            (r#""""#, "[]", true),
            ("{}", "[ ]", true),
            (r#""a""#, r#"["a", "b"]"#, false),
            (r#"["a", "b"]"#, r#"["b", "a"]"#, false),
            ("[1]", r#"["1"]"#, false),
            ("7", "8", false),
        ] {
            assert_eq!(same_ids(a.as_bytes(), b.as_bytes()), same, "{a} {b}");
        }
    }
}
