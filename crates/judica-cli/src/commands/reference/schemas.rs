//! The page of schemas: what files hold that other programs read.

use std::sync::Arc;

use judica_episode::schema::schema_text;
use judica_run::layout::{evidence_fields, head_fields, label_fields};
use serde_json::Value;

use super::prose;

/// The text of the page.
pub fn text() -> String {
    let mut text = String::from(
        "## Records of a run\n\n\
         `records.parquet` has these columns in every run, and those of the command after them.\n",
    );
    let parts = [label_fields(), evidence_fields()].map(|fields| fields.to_vec());
    let [labels, evidence] = parts.map(|fields| fields.into_iter().map(Arc::unwrap_or_clone));
    for (title, fields) in [
        ("", head_fields()),
        ("Each of `labels` is:", labels.collect()),
        ("Each of `evidence` is:", evidence.collect()),
    ] {
        text.push_str(&format!(
            "{title}\n\n| column | type | may be null |\n|---|---|---|\n"
        ));
        for field in fields {
            let null = if field.is_nullable() { "yes" } else { "no" };
            let kind = field.data_type().to_string();
            let kind = kind.split('(').next().unwrap_or_default();
            text.push_str(&row(&[&format!("`{}`", field.name()), kind, null]));
        }
        text.push('\n');
    }
    let json = schema_text();
    let schema: Value = serde_json::from_slice(&json).unwrap_or_default();
    text.push_str("## Eval files\n\n");
    text.push_str("`judica schema print` prints the schema that this is of, as JSON.\n\n");
    text.push_str(&properties(&schema));
    let parts = schema["$defs"].as_object().into_iter().flatten();
    for (name, part) in parts {
        text.push_str(&format!("### {name}\n\n{}", properties(part)));
    }
    text
}

/// The properties of an object of a schema.
fn properties(schema: &Value) -> String {
    let mut text = String::new();
    if let Some(words) = schema["description"].as_str() {
        text.push_str(&format!("{}\n\n", prose(words)));
    }
    text.push_str("| key | type | required | |\n|---|---|---|---|\n");
    let required = schema["required"].as_array();
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        let must = required.is_some_and(|names| names.contains(&Value::from(name.as_str())));
        let must = if must { "yes" } else { "no" };
        let words = prose(of["description"].as_str().unwrap_or_default());
        text.push_str(&row(&[&format!("`{name}`"), &kind(of), must, &words]));
    }
    text + "\n"
}

/// What a value is: `number or null`, `object of InputRows`.
fn kind(of: &Value) -> String {
    if let Some(name) = of["$ref"].as_str() {
        return name.trim_start_matches("#/$defs/").to_owned();
    }
    // What we write ourselves stands first.
    if let Some(ours) = of["anyOf"].get(0) {
        return kind(ours);
    }
    let inner = [&of["items"], &of["additionalProperties"]];
    let inner = inner.into_iter().find(|inner| inner.is_object());
    let kinds = match &of["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect::<Vec<&str>>(),
    };
    match inner {
        Some(inner) => format!("{} of {}", kinds.join(" or "), kind(inner)),
        None => kinds.join(" or "),
    }
}

fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}
