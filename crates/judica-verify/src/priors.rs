//! What was believed of models beforehand: the file given with `--confidence`. It is shown
//! in profiles, and enters no score.

use std::collections::BTreeMap;
use std::path::Path;

use judica_data::chunks::ChunkReader;
use judica_data::foreign::Reads;
use judica_data::limits::check_values;
use judica_data::source::{InputDigest, Source};
use judica_data::table::{Cells, Tables};
use judica_data::work_error::WorkError;
use serde_json::{Map, Value};

use crate::eval::{InputFile, SAMPLE_CHUNK_BYTES};
use crate::options::role;
use judica_run::manifest::InputEntry;

/// Under which name an entry says whose confidence it is.
const MODEL: &str = "model_name";

/// Priors by model, and the file they came from.
#[derive(Debug, Default)]
pub struct Priors {
    /// By model.
    pub by_model: BTreeMap<String, Map<String, Value>>,
    /// The file.
    pub digest: Option<InputEntry>,
}

/// Reads priors: a list of them (alone, under `results`, or as lines), one alone, or an object by
/// model name.
pub fn read_priors(file: Option<&InputFile>) -> Result<Priors, WorkError> {
    let mut priors = Priors::default();
    let Some(file) = file else {
        return Ok(priors);
    };
    let path = &file.path;
    let wrong = |what: &str| WorkError::BadInput(format!("{}: {what}", path.display()));
    let (value, digest) = read(path)?;
    priors.digest = Some(InputEntry::new(role::CONFIDENCE, &file.name, &digest));
    let Some(entries) = entries(value) else {
        return Err(wrong("expected a list of model confidences"));
    };
    for (position, entry) in entries.into_iter().enumerate() {
        let Value::Object(mut entry) = entry else {
            return Err(wrong(&format!(
                "entry {position} is not an object; expected a list of model confidences, or an object of them by model name"
            )));
        };
        let Some(Value::String(name)) = entry.shift_remove(MODEL) else {
            return Err(wrong(&format!("entry {position} has no model_name")));
        };
        if priors.by_model.insert(name.clone(), entry).is_some() {
            return Err(wrong(&format!("model `{name}` is named twice")));
        }
    }
    Ok(priors)
}

/// What a file holds as one value: of a table the list of its rows, in which numbers are
/// numbers.
fn read(path: &Path) -> Result<(Value, InputDigest), WorkError> {
    let wrong =
        |line: u64, what: &str| WorkError::BadInput(format!("{}:{line}: {what}", path.display()));
    let tables = Tables {
        names: vec![MODEL.to_owned()],
        cells: Cells::Value,
        ..Tables::default()
    };
    let mut source = Source::open(path)?;
    let text = source.read_rest()?;
    check_values(path, &text)?;
    if !tables.is_table(path, &text) {
        let value = whole_or_lines(&text).map_err(|error| {
            let error = format!("{}: {error}", path.display());
            WorkError::BadInput(error).explained(path, Reads::JsonOrTable)
        })?;
        return Ok((value, source.finish()?));
    }
    source.give_back(text);
    let mut reader = ChunkReader::over(source, SAMPLE_CHUNK_BYTES).with_tables(&tables);
    let mut rows = Vec::new();
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records() {
            if let Some(fault) = record.fault {
                return Err(wrong(record.line, &fault.refusal().detail));
            }
            let row = serde_json::from_slice(record.bytes);
            rows.push(row.map_err(|error| wrong(record.line, &error.to_string()))?);
        }
    }
    let digest = reader.digests().first().cloned().unwrap_or_default();
    Ok((Value::Array(rows), digest))
}

/// One value, or several one after the other, as lines of JSON are, as a list of them.
fn whole_or_lines(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text).or_else(|error| {
        let values = serde_json::Deserializer::from_slice(text).into_iter();
        match values.collect::<Result<Vec<_>, _>>()? {
            values if values.is_empty() => Err(error),
            values => Ok(Value::Array(values)),
        }
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_a_list() {
        let read = |text: &str| whole_or_lines(text.as_bytes()).map(|value| value.to_string());
        for (text, value) in [
            ("{\"a\": 1}\n", "{\"a\":1}"),
            ("{\"a\": 1}\n\n{\"b\": 2}\n", "[{\"a\":1},{\"b\":2}]"),
            ("[]", "[]"),
        ] {
            assert_eq!(read(text).expect(text), value);
        }
        let broken = read("{\"a\": 1}\n{\"b\"").expect_err("broken");
        assert_eq!(broken.line(), 2);
        assert!(read("").is_err());
    }
}
