//! Which files hold predictions, and what their data sets are called.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::names::{self, data_stem};
use judica_data::source::STDIN;

use crate::error::AnswerError;

/// What the data set is called that comes from standard input.
const STDIN_DATASET: &str = "stdin";

/// A file of predictions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictionFile {
    /// Where it is.
    pub path: PathBuf,
    /// The data set: the name of the file without the extensions of data files.
    pub dataset: String,
}

impl PredictionFile {
    /// A file, named by its data set.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let name = own_name(&path);
        PredictionFile {
            dataset: data_stem(&name).unwrap_or(&name).to_owned(),
            path,
        }
    }

    /// The path as it is shown in messages, rejects and reports.
    pub fn shown(&self) -> String {
        shown(&self.path)
    }

    /// The last part of the path, the same wherever the file lies.
    pub fn name(&self) -> String {
        own_name(&self.path)
    }
}

/// The files that a path means: itself, or for a folder the data files in it that are not
/// hidden, by name. Two files of one data set would be one output, so they are refused.
pub fn list(paths: &[PathBuf]) -> Result<Vec<PredictionFile>, AnswerError> {
    let mut found = Vec::new();
    for path in paths {
        let is_folder = path != Path::new(STDIN) && path.is_dir();
        if is_folder {
            found.extend(folder(path)?);
        } else {
            found.push(PredictionFile::new(path));
        }
    }
    let mut by_dataset: BTreeMap<&str, &PredictionFile> = BTreeMap::new();
    for file in &found {
        if let Some(other) = by_dataset.insert(&file.dataset, file) {
            return Err(AnswerError::BadInput(format!(
                "{}: the data set `{}` is also in {}; expected one file for each",
                file.shown(),
                file.dataset,
                other.shown()
            )));
        }
    }
    Ok(found)
}

fn folder(folder: &Path) -> Result<Vec<PredictionFile>, AnswerError> {
    let reading = |error| DataError::reading(folder, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(reading)? {
        let entry = entry.map_err(reading)?;
        let name = entry.file_name();
        let hidden = name.as_encoded_bytes().starts_with(b".");
        if hidden || data_stem(&name.to_string_lossy()).is_none() {
            continue;
        }
        // Through links, to what they lead to.
        let path = entry.path();
        let metadata = fs::metadata(&path).map_err(|e| DataError::reading(&path, e))?;
        if metadata.is_file() {
            found.push(PredictionFile::new(path));
        }
    }
    if found.is_empty() {
        return Err(AnswerError::BadInput(format!(
            "{}: no predictions in this folder; expected files named *.json or *.jsonl, \
             also with .gz or .zst",
            folder.display()
        )));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The path as people know it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn own_name(path: &Path) -> String {
    if path == Path::new(STDIN) {
        return STDIN_DATASET.to_owned();
    }
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Whether a file's name promises one row on each line.
pub(super) fn has_lines(path: &Path) -> bool {
    names::has_lines(&own_name(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_called_like_their_files() {
        let name = |path: &str| PredictionFile::new(path).dataset;
        assert_eq!(name("a/qwen-2.5_x.JSON"), "qwen-2.5_x");
        assert_eq!(name("x.jsonl.gz"), "x");
        assert_eq!(name("x.tar.gz"), "x.tar.gz");
        assert_eq!(name(".json"), ".json");
        assert_eq!(name("-"), "stdin");
        assert!(has_lines(Path::new("a.b/x.ndjson.zst")) && !has_lines(Path::new("x.json")));
    }

    #[test]
    fn folders_are_listed_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("d.json")).unwrap();
        for file in ["b.json", "a.jsonl.gz", ".c.json", "readme.md"] {
            fs::write(at(file), "").unwrap();
        }
        let listed = |paths: &[PathBuf]| {
            list(paths).map(|files| {
                files
                    .into_iter()
                    .map(|file| file.dataset)
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(listed(&[folder.path().into()]).unwrap(), ["a", "b"]);
        assert_eq!(listed(&[at("b.json")]).unwrap(), ["b"]);
        fs::write(at("a.json"), "").unwrap();
        let error = list(&[folder.path().into()]).unwrap_err();
        assert!(
            error.to_string().contains("the data set `a` is also in"),
            "{error}"
        );
        let error = list(&[at("d.json")]).unwrap_err().to_string();
        assert!(error.contains("no predictions in this folder"), "{error}");
    }
}
