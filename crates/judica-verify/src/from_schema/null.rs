//! Null among what a schema allows.

use serde_json::{Map, Value, json};

use super::Making;
use super::join::{join, same};
use super::scalar::NOTED;

/// So many choices within each other are looked into: each may have many options.
const CHOICES: usize = 4;

impl Making<'_> {
    /// A schema, resolved, without null among what it allows; and whether null was.
    pub(super) fn without_null(&self, schema: &Value, depth: usize) -> (Map<String, Value>, bool) {
        let mut schema = self.resolved(schema, depth);
        let may_be_null = self.allows_null(&schema, depth, CHOICES);
        let mut nullable = schema.remove("nullable") == Some(Value::Bool(true));
        let is_null = |value: &Value| {
            value.get("type") == Some(&json!("null")) || value.get("const") == Some(&Value::Null)
        };
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(options)) = schema.get(key) else {
                continue;
            };
            let others: Vec<Value> = options.iter().filter(|o| !is_null(o)).cloned().collect();
            let had = others.len() < options.len();
            let values: Option<Vec<Value>> = others.iter().map(only_value).collect();
            let values = values.filter(|values| values.len() > 1);
            let values = values.map(|values| match key {
                "oneOf" => of_one_option(values),
                _ => values,
            });
            if let Some(values) = values.filter(|values| !values.is_empty()) {
                nullable |= had;
                schema.remove(key);
                let of_values = Map::from_iter([("enum".to_owned(), Value::Array(values))]);
                join(&mut schema, of_values);
            } else if let [only] = others.as_slice() {
                let (inner, also) = self.without_null(only, depth + 1);
                schema.remove(key);
                join(&mut schema, inner);
                nullable |= also || had;
            } else if had {
                nullable = true;
                schema.insert(key.to_owned(), Value::Array(others));
            }
        }
        if let Some(Value::Array(types)) = schema.get("type") {
            let others: Vec<Value> = types.iter().filter(|t| **t != "null").cloned().collect();
            nullable |= others.len() < types.len();
            let types = match others.as_slice() {
                [only] => only.clone(),
                _ => Value::Array(others),
            };
            schema.insert("type".to_owned(), types);
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            let before = values.len();
            values.retain(|value| !value.is_null());
            nullable |= values.len() < before;
        }
        (schema, nullable && may_be_null)
    }

    /// Whether all that a schema says together allows null: a type may, and the values not.
    fn allows_null(&self, schema: &Map<String, Value>, depth: usize, within: usize) -> bool {
        // As OpenAPI 3.0 has it, where it adds null to a type and not to values.
        let added = schema.get("nullable") == Some(&Value::Bool(true));
        let of_type = match schema.get("type") {
            Some(Value::Array(types)) => types.contains(&json!("null")),
            Some(only) => only == "null",
            None => true,
        };
        let values = schema.get("enum").and_then(Value::as_array);
        let of_choice = |key: &str| {
            let Some(options) = schema.get(key).and_then(Value::as_array) else {
                return true;
            };
            let allowing = options.iter().filter(|option| {
                let option = self.resolved(option, depth + 1);
                within == 0 || self.allows_null(&option, depth + 1, within - 1)
            });
            match (key, allowing.count()) {
                (_, 0) => false,
                ("oneOf", several) => several == 1,
                _ => true,
            }
        };
        (added || of_type && of_choice("anyOf") && of_choice("oneOf"))
            && values.is_none_or(|values| values.contains(&Value::Null))
            && schema.get("const").is_none_or(Value::is_null)
    }
}

/// The value that a schema allows alone, if it says nothing else.
fn only_value(schema: &Value) -> Option<Value> {
    let said = schema.as_object()?;
    let silent = said
        .keys()
        .all(|key| key == "const" || NOTED.contains(&key.as_str()));
    schema.get("const").filter(|_| silent).cloned()
}

/// The values that one option alone allows.
fn of_one_option(values: Vec<Value>) -> Vec<Value> {
    let times = |value: &Value| values.iter().filter(|other| same(other, value)).count();
    let once = values.iter().filter(|value| times(value) == 1);
    once.cloned().collect()
}
