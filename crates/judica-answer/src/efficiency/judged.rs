//! Whose verdicts are taken, and what they are.

use std::fs;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_model::nearest::nearest;
use serde_json::Value;

use super::facts::Tally;
use crate::error::AnswerError;
use crate::predictions::{PredictionFile, Predictions, list};

/// The verdicts of people, where they lie among the judges'.
const HUMAN: &str = "human";

/// The judged documents of one judge.
#[derive(Debug)]
pub(super) struct Judge {
    /// What it is called.
    pub name: String,
    /// One document for each data set, by the data set's name.
    pub files: Vec<PredictionFile>,
}

impl Judge {
    /// The document of a data set.
    pub(super) fn document(&self, dataset: &str) -> Option<&PredictionFile> {
        self.files.iter().find(|file| file.dataset == dataset)
    }
}

/// Finds the judge in a folder with one folder per judge. Verdicts of different judges do
/// not mean the same, so where there are several, one must be named.
pub(super) fn find(folder: &Path, wanted: Option<&str>) -> Result<Judge, AnswerError> {
    let folders = judges(folder)?;
    let names = || folders.iter().map(|(name, _)| name.as_str());
    let listed = || names().collect::<Vec<_>>().join(", ");
    let found = match wanted {
        Some(wanted) => folders.iter().find(|(name, _)| is_called(name, wanted)),
        None => {
            let mut models = folders.iter().filter(|(name, _)| name != HUMAN);
            match (models.next(), models.next()) {
                (Some(_), Some(_)) => {
                    return Err(AnswerError::BadInput(format!(
                        "{}: verdicts of several judges ({}); name one of them",
                        folder.display(),
                        listed()
                    )));
                }
                (one, _) => one.or(folders.first()),
            }
        }
    };
    let Some((name, path)) = found else {
        let (what, hint) = match wanted {
            Some(wanted) if !folders.is_empty() => {
                let near = nearest(wanted, names()).unwrap_or_default();
                let hint = match near {
                    "" => format!("there are {}", listed()),
                    near => format!("did you mean `{near}`?"),
                };
                (format!("no judge called `{wanted}`"), hint)
            }
            _ => (
                "no judged documents".to_owned(),
                "expected <judge>/<dataset>.json".to_owned(),
            ),
        };
        let message = format!("{}: {what} in this folder ({hint})", folder.display());
        return Err(AnswerError::BadInput(message));
    };
    Ok(Judge {
        name: name.clone(),
        files: list(std::slice::from_ref(path))?,
    })
}

/// The folders in a folder, by name.
fn judges(folder: &Path) -> Result<Vec<(String, PathBuf)>, AnswerError> {
    let reading = |error| DataError::reading(folder, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(reading)? {
        let entry = entry.map_err(reading)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.path().is_dir() {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a folder is that of a judge: models may have names that folders cannot.
fn is_called(folder: &str, wanted: &str) -> bool {
    let plain = |name: &str| name.replace(|c: char| !c.is_alphanumeric(), "_");
    folder == wanted || plain(folder) == plain(wanted)
}

/// What a judge decided; rows without a verdict do not count. `None` if no model was asked
/// (`no_llm`): then rows that nobody looked at are called wrong, which is no judgment.
pub(super) fn verdicts(document: &Predictions) -> Option<Tally> {
    let mut tally = Tally::default();
    for row in &document.rows {
        let method = row.fields.get("decision_method").and_then(Value::as_str);
        if method == Some("no_llm") {
            return None;
        }
        if let Some(correct) = row.fields.get("correct").and_then(verdict) {
            tally.count(correct);
        }
    }
    Some(tally)
}

/// yes/no, true/false, 1/0, as text, boolean or number.
fn verdict(value: &Value) -> Option<bool> {
    let text = match value {
        Value::Bool(correct) => return Some(*correct),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_lowercase(),
        _ => return None,
    };
    match text.as_str() {
        "yes" | "true" | "1" | "1.0" => Some(true),
        "no" | "false" | "0" | "0.0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn verdicts_in_all_spellings() {
        for (value, expected) in [
            (json!("yes"), Some(true)),
            (json!(" No "), Some(false)),
            (json!(true), Some(true)),
            (json!(0), Some(false)),
            (json!(1.0), Some(true)),
            (json!("maybe"), None),
            (json!(null), None),
            (json!([]), None),
        ] {
            assert_eq!(verdict(&value), expected, "{value}");
        }
    }

    #[test]
    fn one_judge_is_taken_and_several_must_be_chosen_from() {
        let folder = tempfile::tempdir().unwrap();
        let add = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "[]").unwrap();
        };
        let name = |wanted| {
            let found = find(folder.path(), wanted).map(|judge| judge.name);
            found.map_err(|error| error.to_string())
        };
        assert!(name(None).unwrap_err().contains("no judged documents"));
        add(".hidden/x.json");
        add("openai_gpt-5/x.json");
        assert_eq!(name(None).unwrap(), "openai_gpt-5");
        add("human/x.json");
        assert_eq!(name(None).unwrap(), "openai_gpt-5");
        add("llama/x.json");
        let several = name(None).unwrap_err();
        assert!(
            several.contains("(human, llama, openai_gpt-5)"),
            "{several}"
        );
        assert_eq!(name(Some("human")).unwrap(), "human");
        assert_eq!(name(Some("openai/gpt-5")).unwrap(), "openai_gpt-5");
        let unknown = name(Some("lama")).unwrap_err();
        assert!(unknown.contains("did you mean `llama`?"), "{unknown}");
        assert!(find(&folder.path().join("none"), None).is_err());
    }
}
