//! Keys of a source that clash with ours.
//!
//! A source may itself be a judged document, or use our names for something else. Nothing
//! of it is lost: what would clash is kept as `source_<key>`.

use judica_data::rows::Spelt;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A value of the source.
#[derive(Clone, Debug)]
pub struct Kept {
    /// What it is.
    pub value: Value,
    /// How it is written, where a number in it would be written otherwise.
    pub spelt: Option<Box<RawValue>>,
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.spelt {
            Some(text) => text.serialize(serializer),
            None => self.value.serialize(serializer),
        }
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Kept) -> bool {
        let text = |kept: &Kept| kept.spelt.as_ref().map(|text| text.get().to_owned());
        self.value == other.value && text(self) == text(other)
    }
}

/// Members of the source, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Members(Vec<(String, Kept)>);

impl Members {
    /// The value of a member.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, kept)| &kept.value)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, kept)| (name, kept)))
    }
}

/// A source's members under names that none of `ours` is.
pub(super) fn kept_apart(source: Map<String, Value>, mut spelt: Spelt, ours: &[&str]) -> Members {
    let clashes = |key: &String| ours.contains(&key.as_str());
    let mut taken: Vec<String> = match source.keys().any(clashes) {
        true => source.keys().filter(|key| !clashes(key)).cloned().collect(),
        false => Vec::new(),
    };
    let mut kept = Vec::new();
    for (key, value) in source {
        let spelt = spelt.remove(&key);
        let mut name = key;
        if clashes(&name) {
            while clashes(&name) || taken.contains(&name) {
                name = format!("source_{name}");
            }
            taken.push(name.clone());
        }
        kept.push((name, Kept { value, spelt }));
    }
    Members(kept)
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
        let text = |spelt, ours: &[&str]| {
            serde_json::to_string(&kept_apart(source.clone(), spelt, ours)).unwrap()
        };
        assert_eq!(
            text(Spelt::new(), &["votes", "call"]),
            r#"{"a":1,"source_source_votes":2,"source_votes":3,"z":4}"#
        );
        let spelt = judica_data::rows::spelt_members(br#"{"votes": 2.0e0, "z": 4.00}"#);
        assert_eq!(
            text(spelt, &["call"]),
            r#"{"a":1,"votes":2.0e0,"source_votes":3,"z":4.00}"#
        );
    }
}
