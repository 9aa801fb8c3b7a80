//! Keys of a source that clash with ours.
//!
//! A source may itself be a judged document, or use our names for something else. Nothing
//! of it is lost: what would clash is kept as `source_<key>`.

use serde_json::{Map, Value};

/// A source's members under names that none of `ours` is.
pub(super) fn kept_apart(source: Map<String, Value>, ours: &[&str]) -> Map<String, Value> {
    let clashes = |key: &String| ours.contains(&key.as_str());
    if !source.keys().any(clashes) {
        return source;
    }
    let mut taken: Vec<String> = source.keys().filter(|key| !clashes(key)).cloned().collect();
    let mut kept = Map::new();
    for (key, value) in source {
        let mut name = key;
        if clashes(&name) {
            while clashes(&name) || taken.contains(&name) {
                name = format!("source_{name}");
            }
            taken.push(name.clone());
        }
        kept.insert(name, value);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_order_stays() {
        let source = serde_json::json!({"a": 1, "votes": 2, "source_votes": 3, "z": 4});
        let Value::Object(source) = source else {
            unreachable!()
        };
        let kept = kept_apart(source.clone(), &["votes", "call"]);
        assert_eq!(
            serde_json::to_string(&kept).unwrap(),
            r#"{"a":1,"source_source_votes":2,"source_votes":3,"z":4}"#
        );
        assert_eq!(kept_apart(source.clone(), &["call"]), source);
    }
}
