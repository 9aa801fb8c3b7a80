//! Which files hold predictions, and what their data sets are called.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::names::{self, data_stem};
use judica_data::source::STDIN;

use crate::error::AnswerError;

/// What the data set is called that comes from standard input.
const STDIN_DATASET: &str = "stdin";

/// What stands between folders and file in the name of a data set.
const BETWEEN: &str = "__";

/// A file of predictions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictionFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is called in messages, rejects, reports and runs: the path as it was given.
    /// The two differ when a run is made again from files that have moved.
    pub name: String,
    /// The data set: the name of the file without the extensions of data files, after those
    /// of its folders where several of that name were found below one.
    pub dataset: String,
}

impl PredictionFile {
    /// A file, named by its data set.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let base = own_name(&path);
        PredictionFile {
            dataset: data_stem(&base).unwrap_or(&base).to_owned(),
            name: path.display().to_string(),
            path,
        }
    }

    /// The last part of the name, the same wherever the file lies.
    pub fn base_name(&self) -> String {
        own_name(Path::new(&self.name))
    }

    /// Whether the name promises one row on each line.
    pub(super) fn has_lines(&self) -> bool {
        names::has_lines(&self.base_name())
    }
}

/// The files that a path means: itself, or for a folder the data files in it and in the
/// folders below that are not hidden, by path. Two files of one data set would be one
/// output, so they are refused.
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
                file.name, file.dataset, other.name
            )));
        }
    }
    Ok(found)
}

fn folder(folder: &Path) -> Result<Vec<PredictionFile>, AnswerError> {
    let mut found = Vec::new();
    walk(folder, &mut BTreeSet::new(), &mut found)?;
    if found.is_empty() {
        return Err(AnswerError::BadInput(format!(
            "{}: no predictions in this folder; expected files named *.json or *.jsonl, \
             also with .gz or .zst",
            folder.display()
        )));
    }
    let mut files: Vec<_> = found.into_iter().map(PredictionFile::new).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    tell_apart(folder, &mut files);
    Ok(files)
}

/// Adds the data files of a folder and of those below. Links are followed to what they lead
/// to, but no folder is entered twice.
fn walk(
    folder: &Path,
    entered: &mut BTreeSet<PathBuf>,
    found: &mut Vec<PathBuf>,
) -> Result<(), DataError> {
    let reading = |error| DataError::reading(folder, error);
    if !entered.insert(folder.canonicalize().map_err(reading)?) {
        return Ok(());
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(reading)? {
        let entry = entry.map_err(reading)?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        let is_data = data_stem(&name.to_string_lossy()).is_some();
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => folders.push(path),
            Ok(metadata) if metadata.is_file() && is_data => found.push(path),
            Err(error) if is_data => return Err(DataError::reading(&path, error)),
            // Devices, and what is no data and leads nowhere.
            Ok(_) | Err(_) => {}
        }
    }
    // Which of two links to one folder is entered must not hang on the disk.
    folders.sort();
    folders
        .iter()
        .try_for_each(|folder| walk(folder, entered, found))
}

/// Files of one name in different folders are called by their folders, too.
fn tell_apart(folder: &Path, files: &mut [PredictionFile]) {
    let mut folders: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in &*files {
        let within = file.path.parent().unwrap_or(folder).to_owned();
        folders
            .entry(file.dataset.clone())
            .or_default()
            .insert(within);
    }
    for file in files {
        if folders
            .get(&file.dataset)
            .is_none_or(|folders| folders.len() == 1)
        {
            continue;
        }
        let within = file
            .path
            .parent()
            .and_then(|path| path.strip_prefix(folder).ok());
        let within = within.into_iter().flat_map(Path::components);
        let mut parts: Vec<String> = within
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        parts.push(std::mem::take(&mut file.dataset));
        file.dataset = parts.join(BETWEEN);
    }
}

fn own_name(path: &Path) -> String {
    if path == Path::new(STDIN) {
        return STDIN_DATASET.to_owned();
    }
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
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
        let lines = |path: &str| PredictionFile::new(path).has_lines();
        assert!(lines("a.b/x.ndjson.zst") && !lines("x.json"));
    }

    fn datasets(paths: &[PathBuf]) -> Result<Vec<String>, AnswerError> {
        let files = list(paths)?.into_iter();
        Ok(files.map(|file| file.dataset).collect())
    }

    #[test]
    fn folders_are_listed_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("d.json")).unwrap();
        for file in ["b.json", "a.jsonl.gz", ".c.json", "readme.md"] {
            fs::write(at(file), "").unwrap();
        }
        assert_eq!(datasets(&[folder.path().into()]).unwrap(), ["a", "b"]);
        assert_eq!(datasets(&[at("b.json")]).unwrap(), ["b"]);
        fs::write(at("a.json"), "").unwrap();
        let error = list(&[folder.path().into()]).unwrap_err();
        assert!(
            error.to_string().contains("the data set `a` is also in"),
            "{error}"
        );
        let error = list(&[at("d.json")]).unwrap_err().to_string();
        assert!(error.contains("no predictions in this folder"), "{error}");
    }

    #[test]
    fn folders_below_are_listed_and_names_stay_apart() {
        let folder = tempfile::tempdir().unwrap();
        let add = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for file in ["z.json", "s1/run.json", "s1/deep/one.jsonl", ".git/x.json"] {
            add(file);
        }
        let all = [folder.path().to_owned()];
        assert_eq!(datasets(&all).unwrap(), ["one", "run", "z"]);
        add("s2/run.json");
        add("run.json");
        let apart = ["run", "one", "s1__run", "s2__run", "z"];
        assert_eq!(datasets(&all).unwrap(), apart);
        // Two of one name in one folder are told apart by nothing.
        add("s2/run.jsonl");
        assert!(datasets(&all).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_twice() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        fs::write(at("real/x.json"), "").unwrap();
        std::os::unix::fs::symlink(folder.path(), at("real/up")).unwrap();
        std::os::unix::fs::symlink(at("real"), at("again")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("readme")).unwrap();
        assert_eq!(datasets(&[folder.path().into()]).unwrap(), ["x"]);
        std::os::unix::fs::symlink(at("nowhere"), at("y.json")).unwrap();
        assert!(datasets(&[folder.path().into()]).is_err());
    }
}
