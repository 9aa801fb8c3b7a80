//! What was expected, in one form however it is written.
//!
//! Several golds are all required. A list of them, and a text with one on each line, say
//! the same; so do a list of one and its text.

use std::borrow::Cow;

use judica_data::row_keys::FORMULA;
use serde_json::Value;

/// The gold that a value holds: of a list one element per line. `None` if it is an empty
/// list, which says nothing.
pub(super) fn joined(text: Cow<str>) -> Option<Cow<str>> {
    if !text.trim_start().starts_with('[') {
        return Some(text);
    }
    // Text that only begins like a list is what it is.
    let Ok(list) = serde_json::from_str::<Vec<Value>>(&text) else {
        return Some(text);
    };
    let lines: Vec<String> = list.iter().map(element).collect();
    (!lines.is_empty()).then(|| Cow::Owned(lines.join("\n")))
}

/// An element of a list: its text, or that under `formula`, or all of it as JSON.
fn element(value: &Value) -> String {
    let formula = value.get(FORMULA).unwrap_or(value);
    match formula {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a value is a list of objects that each hold a gold.
pub(super) fn are_outputs(bytes: &[u8]) -> bool {
    let list = serde_json::from_slice::<Vec<Value>>(bytes).unwrap_or_default();
    !list.is_empty() && list.iter().all(|output| output.get(FORMULA).is_some())
}

/// The first of several golds: what some files keep of them under another name.
pub(super) fn first(gold: &str) -> &str {
    gold.split('\n').next().unwrap_or(gold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        joined(Cow::Borrowed(text)).map(Cow::into_owned)
    }

    #[test]
    fn lists_and_lines_say_the_same() {
        for (written, gold) in [
            (r#"["p"]"#, "p"),
            (r#" ["p", "q\nr"] "#, "p\nq\nr"),
            (r#"[{"formula": "p"}, {"formula": "q", "x": 1}]"#, "p\nq"),
            (r#"[1, {"a": null}, [2.0]]"#, "1\n{\"a\":null}\n[2.0]"),
            ("p\nq", "p\nq"),
            ("[p] U q", "[p] U q"),
            ("[]x", "[]x"),
            ("", ""),
        ] {
            assert_eq!(of(written).as_deref(), Some(gold), "{written}");
        }
        assert_eq!(of("[]"), None);
        assert!(are_outputs(br#"[{"formula": "p"}]"#));
        for other in ["[]", r#"["p"]"#, r#"[{"formula": "p"}, 1]"#, "{}", "7"] {
            assert!(!are_outputs(other.as_bytes()), "{other}");
        }
        assert_eq!((first("p\nq"), first("p"), first("")), ("p", "p", ""));
    }
}
