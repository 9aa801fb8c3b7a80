//! Content hashes: the first 16 hex digits of SHA-256 over a canonical form.
//!
//! The canonical form is JSON of the *parsed* file with sorted keys, so that comments,
//! spacing and `500` against `500.0` change nothing, and one changed limit does.

use judica_data::hex::hex;
use judica_data::sha256::sha256;
use serde_json::{Value, json};

use super::file::ProtocolFile;

/// The hashes of a protocol's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentHashes {
    /// Of everything.
    pub config: String,
    /// Of fields and tasks: what a response must look like.
    pub schema: String,
    /// Of limits, thresholds and rules: what a response is held against.
    pub constraint_lib: String,
}

impl ContentHashes {
    /// Hashes a parsed file.
    pub fn of(file: &ProtocolFile) -> ContentHashes {
        let fields: Vec<Value> = file
            .fields
            .iter()
            .map(|field| {
                let mut shape = json!({"name": field.name.get_ref(), "alias": field.alias().get_ref(),
                       "unit": field.unit, "kind": field.kind, "required": field.required});
                let mut more = serde_json::to_value(field).unwrap_or(Value::Null);
                if let (Some(shape), Some(more)) = (shape.as_object_mut(), more.as_object_mut()) {
                    // Limits and jumps are constraints.
                    more.retain(|key, _| key != "limit" && key != "jump");
                    shape.append(more);
                }
                shape
            })
            .collect();
        let tasks: Vec<Value> = file
            .tasks
            .iter()
            .map(|task| {
                json!({"name": task.name.get_ref(), "shape": task.shape,
                       "horizon": task.horizon.as_ref().map(|horizon| *horizon.get_ref())})
            })
            .collect();
        let limits: Vec<Value> = file
            .fields
            .iter()
            .map(|field| {
                json!({"name": field.name.get_ref(), "limit": field.limit.as_ref().map(|limit| *limit.get_ref()),
                       "jump": field.jump.as_ref().map(|jump| *jump.get_ref())})
            })
            .collect();
        let mut constraints = json!({
            "limits": limits, "range": file.range, "jump": file.jump,
            "critical_factor": file.severity.critical_factor,
            "families": file.families, "rules": file.rules,
        });
        if !file.verifiers.is_empty() {
            constraints["verifiers"] = json!(file.verifiers);
        }
        ContentHashes {
            config: short_hash(&serde_json::to_value(file).unwrap_or(Value::Null)),
            schema: short_hash(&json!({"fields": fields, "tasks": tasks})),
            constraint_lib: short_hash(&constraints),
        }
    }
}

/// The hash of everything, of a protocol whose programs have these SHA-256.
pub(super) fn with_programs<'a>(config: &str, sha256: impl Iterator<Item = &'a str>) -> String {
    short_hash(&json!({"config": config, "programs": sha256.collect::<Vec<_>>()}))
}

fn short_hash(value: &Value) -> String {
    let digest = sha256(canonical(value).to_string());
    hex(&digest[..8])
}

/// The same value with every object's keys sorted.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.clone(), canonical(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
#[path = "hash_tests.rs"]
mod tests;
