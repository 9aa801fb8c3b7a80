//! Whose verdicts are taken, and which of their documents is about which predictions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judica_data::listing::{Entry, entries};
use judica_data::parallel::parallel_map;
use judica_data::work_error::WorkError;
use judica_model::nearest::nearest;

use super::document::Document;
use crate::predictions::{Columns, PredictionFile, Predictions, list_with};

/// The verdicts of people, where they lie among the judges'.
const HUMAN: &str = "human";

/// The judged documents of one judge.
#[derive(Debug)]
pub(super) struct Judge {
    /// What it is called.
    pub name: String,
    /// The files, and what is in them; `None` if that cannot be read.
    pub files: Vec<(PredictionFile, Option<Document>)>,
}

impl Judge {
    /// The document about these predictions, by its place. Of several that may be, the one
    /// whose name says so most surely; if that is not one alone, nobody can tell.
    pub fn document(&self, predictions: &Predictions) -> Result<Option<usize>, WorkError> {
        let mut found: Vec<(u8, usize)> = Vec::new();
        for (at, (file, document)) in self.files.iter().enumerate() {
            let sure = match document {
                Some(document) => document.about(file, predictions),
                // Of what cannot be read only the name is known.
                None => (file.dataset == predictions.file.dataset).then_some(0),
            };
            found.extend(sure.map(|sure| (sure, at)));
        }
        found.sort_unstable();
        match found.as_slice() {
            [(one, first), (other, second), ..] if one == other => {
                let shown = |at: &usize| self.files[*at].0.name.as_str();
                Err(WorkError::BadInput(format!(
                    "{}: both {} and {} are about it; expected one judged document for each \
                     file of predictions",
                    predictions.file.name,
                    shown(first),
                    shown(second)
                )))
            }
            found => Ok(found.first().map(|(_, at)| *at)),
        }
    }
}

/// Finds the judge in a folder with one folder per judge. Verdicts of different judges do
/// not mean the same, so where there are several, one must be named.
pub(super) fn find(
    folder: &Path,
    wanted: Option<&str>,
    columns: &Columns,
    threads: usize,
) -> Result<Judge, WorkError> {
    let folders = judges(folder)?;
    let names = || folders.iter().map(|(name, _)| name.as_str());
    let listed = || names().collect::<Vec<_>>().join(", ");
    let found = match wanted {
        Some(wanted) => folders.iter().find(|(name, _)| is_called(name, wanted)),
        None => {
            let mut models = folders.iter().filter(|(name, _)| name != HUMAN);
            match (models.next(), models.next()) {
                (Some(_), Some(_)) => {
                    return Err(WorkError::BadInput(format!(
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
        return Err(WorkError::BadInput(message));
    };
    let files = list_with(
        std::slice::from_ref(path),
        columns.of_judged(),
        &BTreeMap::new(),
    )?;
    let documents = parallel_map(&files, threads, |file| Document::read(file).ok());
    Ok(Judge {
        name: name.clone(),
        files: files.into_iter().zip(documents).collect(),
    })
}

/// The folders in a folder, by name.
fn judges(folder: &Path) -> Result<Vec<(String, PathBuf)>, WorkError> {
    let mut found = entries(folder)?;
    found.retain(|entry| !entry.is_hidden() && entry.path.is_dir());
    let named = |entry: Entry| (entry.name.to_string_lossy().into_owned(), entry.path);
    Ok(found.into_iter().map(named).collect())
}

/// Whether a folder is that of a judge: models may have names that folders cannot.
fn is_called(folder: &str, wanted: &str) -> bool {
    let plain = |name: &str| name.replace(|c: char| !c.is_alphanumeric(), "_");
    folder == wanted || plain(folder) == plain(wanted)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn one_judge_is_taken_and_several_must_be_chosen_from() {
        let folder = tempfile::tempdir().unwrap();
        let add = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "[]").unwrap();
        };
        let name = |wanted| {
            let found = find(folder.path(), wanted, &Columns::default(), 1).map(|judge| judge.name);
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
        assert!(find(&folder.path().join("none"), None, &Columns::default(), 1).is_err());
    }
}
