//! Parts of a schema that stand in the protocol as they are: as the schema of a field, or as a
//! comment.

use serde_json::{Map, Value};

use super::scalar::Said;
use super::{Making, Place};
use crate::calibrate::fit::quoted;

const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

impl Making<'_> {
    /// What cannot be said is told as it stands, so that nothing which it asks is lost.
    pub(super) fn unsaid(&mut self, schema: &Map<String, Value>, at: &Place) {
        self.seen.omitted = true;
        let schema = Value::Object(schema.clone());
        let required = if at.required { ", required" } else { "" };
        self.comment(at, &format!("not said: {schema}{required}"));
    }

    /// An object of which no property is a field.
    pub(super) fn whole_object(&mut self, schema: &Map<String, Value>, at: &Place) {
        let alone = self.alone(schema).filter(|_| at.list.is_none());
        let Some(alone) = alone else {
            return self.unsaid(schema, at);
        };
        let said = Said {
            kind: "object",
            keys: vec![format!("schema = {}", quoted(&alone.to_string()))],
            ..Said::default()
        };
        self.field(&Map::new(), at, said, None);
    }

    /// A part of the schema as a schema of its own; `None` where it would mean something else,
    /// since it refers to what does not come with it.
    fn alone(&self, part: &Map<String, Value>) -> Option<Value> {
        let mut alone = part.clone();
        let refers = !references(&Value::Object(part.clone())).is_empty();
        let keys = DEFINITIONS.iter().filter(|_| refers).chain(&["$schema"]);
        for key in keys {
            if let Some(of_root) = self.root.get(*key) {
                alone.insert((*key).to_owned(), of_root.clone());
            }
        }
        let alone = Value::Object(alone);
        let comes_along = |reference: &String| {
            let within = reference.strip_prefix("#/").unwrap_or_default();
            DEFINITIONS
                .iter()
                .any(|key| within.split('/').next() == Some(key))
        };
        let means_the_same = references(&alone).iter().all(comes_along);
        (means_the_same && jsonschema::validator_for(&alone).is_ok()).then_some(alone)
    }
}

/// All that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(keys) => {
            let own = ["$ref", "$dynamicRef", "$recursiveRef"];
            let own = own.iter().filter_map(|key| keys.get(*key)?.as_str());
            let own = own.map(str::to_owned);
            own.chain(keys.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
