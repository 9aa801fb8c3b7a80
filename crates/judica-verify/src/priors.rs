//! What was believed of models beforehand: the file given with `--confidence`. It is shown
//! in profiles, and enters no score.

use std::collections::BTreeMap;

use judica_data::limits::check_values;
use judica_data::source::Source;
use judica_data::work_error::WorkError;
use serde_json::{Map, Value};

use crate::eval::InputFile;
use crate::options::role;
use judica_run::manifest::InputEntry;

/// Priors by model, and the file they came from.
#[derive(Debug, Default)]
pub struct Priors {
    /// By model.
    pub by_model: BTreeMap<String, Map<String, Value>>,
    /// The file.
    pub digest: Option<InputEntry>,
}

/// Reads priors: a list of them (alone or under `results`), one alone, or an object by
/// model name.
pub fn read_priors(file: Option<&InputFile>) -> Result<Priors, WorkError> {
    let mut priors = Priors::default();
    let Some(file) = file else {
        return Ok(priors);
    };
    let path = &file.path;
    let wrong = |what: &str| WorkError::BadInput(format!("{}: {what}", path.display()));
    let mut source = Source::open(path)?;
    let text = source.read_rest()?;
    check_values(path, &text)?;
    priors.digest = Some(InputEntry::new(
        role::CONFIDENCE,
        &file.name,
        &source.finish()?,
    ));
    let value: Value = serde_json::from_slice(&text).map_err(|error| wrong(&error.to_string()))?;
    let Some(entries) = entries(value) else {
        return Err(wrong("expected a list of model confidences"));
    };
    for (position, entry) in entries.into_iter().enumerate() {
        let Value::Object(mut entry) = entry else {
            return Err(wrong(&format!(
                "entry {position} is not an object; expected a list of model confidences, or an object of them by model name"
            )));
        };
        let Some(Value::String(name)) = entry.shift_remove("model_name") else {
            return Err(wrong(&format!("entry {position} has no model_name")));
        };
        if priors.by_model.insert(name.clone(), entry).is_some() {
            return Err(wrong(&format!("model `{name}` is named twice")));
        }
    }
    Ok(priors)
}

/// The entries, each with its `model_name`.
fn entries(value: Value) -> Option<Vec<Value>> {
    Some(match value {
        Value::Array(entries) => entries,
        Value::Object(map) if map.contains_key("model_name") => vec![Value::Object(map)],
        // Beside the list stands when and how it was made, which says nothing of a model.
        Value::Object(mut map) if map.get("results").is_some_and(Value::is_array) => {
            return map.shift_remove("results").and_then(entries);
        }
        Value::Object(map) => {
            let named = map.into_iter().map(|(name, entry)| match entry {
                Value::Object(mut entry) => {
                    entry.entry("model_name").or_insert(Value::String(name));
                    Value::Object(entry)
                }
                other => other,
            });
            named.collect()
        }
        _ => return None,
    })
}
