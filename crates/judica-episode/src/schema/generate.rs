//! The published JSON Schema (draft 2020-12), from the typed document.

use judica_data::json::json_bytes;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::eval_json::EvalDocument;
use crate::eval_json::catalogue::{Kind, METRICS};
use crate::eval_json::deprecated::{DEPRECATED, Deprecated, Sentinel};
use crate::eval_json::version::VERSION;

/// What came after the first published files.
pub(super) const LATER: [&str; 5] = [
    "metrics_by_action_type",
    "counts",
    "inputs",
    "undefined",
    "notes",
];

/// The schema.
pub fn generate() -> Value {
    let mut schema = typed();
    let parts = schema["$defs"].clone();
    for key in LATER {
        if let Some(property) = schema.pointer_mut(&format!("/properties/{key}")) {
            allow_others(property, &parts);
        }
    }
    schema
}

/// The schema of what this program writes, against which validation warns.
pub(super) fn typed() -> Value {
    with_deprecated(DEPRECATED)
}

/// Lets a property hold something of another shape, as files of other programs may.
fn allow_others(property: &mut Value, parts: &Value) {
    let Some(members) = property.as_object_mut() else {
        return;
    };
    let mut ours = members.clone();
    let about = |key: &String| matches!(key.as_str(), "description" | "default");
    members.retain(|key, _| about(key));
    ours.retain(|key, _| !about(key));
    let ours = Value::Object(ours);
    let others = ranges(&ours, parts);
    members.insert("anyOf".to_owned(), json!([ours, others]));
}

/// What a schema says of how large numbers can be, and nothing else.
fn ranges(schema: &Value, parts: &Value) -> Value {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix("#/$defs/"))
    {
        return ranges(&parts[name], parts);
    }
    let said = schema.as_object().into_iter().flatten();
    let kept = said.filter_map(|(key, value)| {
        let value = match key.as_str() {
            "minimum" | "maximum" => value.clone(),
            "items" | "additionalProperties" => ranges(value, parts),
            "properties" => {
                let named = value.as_object().into_iter().flatten();
                named
                    .map(|(name, of)| (name.clone(), ranges(of, parts)))
                    .collect()
            }
            _ => return None,
        };
        Some((key.clone(), value))
    });
    kept.collect()
}

/// The schema as it is printed and published.
pub fn schema_text() -> Vec<u8> {
    json_bytes(&generate())
}

pub(super) fn with_deprecated(deprecated: &[Deprecated]) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let generated = generator.into_root_schema_for::<EvalDocument>().to_value();
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:judica:schema:eval:{VERSION}"),
        "title": format!("Eval JSON {VERSION}"),
    });
    if let (Some(schema), Value::Object(generated)) = (schema.as_object_mut(), generated) {
        for (key, value) in generated {
            schema.entry(key).or_insert(value);
        }
    }
    if let Some(metrics) = schema.pointer_mut("/$defs/Metrics") {
        require(metrics);
        deprecate(metrics, deprecated);
    }
    unwrap_lines(&mut schema);
    schema
}

/// Doc comments are broken into lines for their readers; descriptions have others.
fn unwrap_lines(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description") {
                let paragraphs = text.split("\n\n").map(|lines| lines.replace('\n', " "));
                *text = paragraphs.collect::<Vec<_>>().join("\n\n");
            }
            members.values_mut().for_each(unwrap_lines);
        }
        Value::Array(items) => items.iter_mut().for_each(unwrap_lines),
        _ => {}
    }
}

/// The metrics that no file may lack, and those that may be null only where there is
/// nothing to measure. Both are `Option` or plain in Rust for other reasons, so the derived
/// schema cannot know.
fn require(metrics: &mut Value) {
    let never_missing = METRICS
        .iter()
        .filter(|spec| spec.primary && (spec.kind == Kind::Count || spec.null_without.is_some()));
    metrics["required"] = never_missing.map(|spec| spec.name).collect();
    metrics["allOf"] = METRICS
        .iter()
        .filter_map(|spec| Some((spec.name, spec.null_without?)))
        .map(|(name, count)| {
            json!({
                "if": {"properties": {count: {"minimum": 1}}, "required": [count]},
                "then": {"properties": {name: {"type": "number"}}},
            })
        })
        .collect();
}

fn deprecate(metrics: &mut Value, deprecated: &[Deprecated]) {
    for entry in deprecated {
        let Some(property) = metrics.pointer_mut(&format!("/properties/{}", entry.name)) else {
            continue;
        };
        let mut before = property.take();
        let description = before["description"].take();
        if let Some(before) = before.as_object_mut() {
            before.remove("description");
        }
        let sentinel = match entry.sentinel {
            Sentinel::Null => Value::Null,
            Sentinel::Number(number) => json!(number),
        };
        *property = json!({
            "description": format!(
                "Deprecated since {}, written as {sentinel}. {} {}",
                entry.since,
                entry.note,
                description.as_str().unwrap_or_default()
            ),
            "deprecated": true,
            "anyOf": [{"const": sentinel}, before],
        });
    }
}

#[cfg(test)]
#[path = "generate_tests.rs"]
mod tests;
