//! Which files hold predictions, and what their data sets are called.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use judica_data::error::DataError;
use judica_data::listing;
use judica_data::names::{self, data_stem, table_stem};
use judica_data::source::STDIN;
use judica_data::work_error::WorkError;
use judica_run::family::Input;
use serde::{Deserialize, Serialize};

use super::columns::Columns;
use super::runs::{self, Kind, Log};

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
    /// Where fields stand.
    pub columns: Arc<Columns>,
    /// What it is.
    pub kind: Kind,
    /// Set where other subjects have their answers in other columns of the same file.
    pub subject: Option<OfSubject>,
}

/// Whose answers are taken from a file that has those of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfSubject {
    /// The column, and the subject.
    pub column: String,
    /// What the data set is called, whoever answers.
    pub dataset: String,
}

impl PredictionFile {
    /// A file, named by its data set.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let base = own_name(&path);
        PredictionFile {
            dataset: stem(&base).unwrap_or(&base).to_owned(),
            name: path.display().to_string(),
            path,
            columns: Arc::default(),
            kind: Kind::File,
            subject: None,
        }
    }

    /// The records of a run, called like its folder.
    fn run(folder: &Path) -> Result<Self, WorkError> {
        Ok(PredictionFile {
            dataset: own_name(folder),
            kind: Kind::Run,
            ..PredictionFile::new(runs::records(folder)?)
        })
    }

    /// A log that was imported into a run.
    fn log(path: &Path, run: &Path) -> Result<Self, WorkError> {
        let given = PredictionFile::new(path);
        Ok(PredictionFile {
            path: runs::records(run)?,
            kind: Kind::Log(Log::of(run, given.name.clone())?),
            dataset: match given.dataset.strip_suffix(".eval") {
                Some(stem) if !stem.is_empty() => stem.to_owned(),
                _ => given.dataset.clone(),
            },
            ..given
        })
    }

    /// The same file with fields where the user says; one for each subject.
    fn with(self, columns: &Arc<Columns>) -> Vec<PredictionFile> {
        if columns.subjects.is_empty() {
            let columns = columns.clone();
            return vec![PredictionFile { columns, ..self }];
        }
        let of = |column: &String| PredictionFile {
            path: self.path.clone(),
            name: self.name.clone(),
            dataset: format!("{}{BETWEEN}{column}", self.dataset),
            columns: columns.of_subject(column),
            kind: self.kind.clone(),
            subject: Some(OfSubject {
                column: column.clone(),
                dataset: self.dataset.clone(),
            }),
        };
        columns.subjects.iter().map(of).collect()
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

/// How files of predictions were read, so that a run can be made again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FilesRead {
    /// What the data set of each is called.
    datasets: Vec<String>,
    /// Where fields stand, as the user says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<String>,
    /// Whose answers are taken of each, where several have columns of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    subjects: Vec<String>,
    /// What each is, where not all are files of rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Kind>,
}

impl FilesRead {
    /// How these files are read.
    pub fn of(files: &[PredictionFile]) -> Self {
        let subject = |file: &PredictionFile| Some(file.subject.as_ref()?.column.clone());
        FilesRead {
            datasets: files.iter().map(|file| file.dataset.clone()).collect(),
            columns: files
                .first()
                .map(|file| file.columns.said.clone())
                .unwrap_or_default(),
            subjects: files.iter().filter_map(subject).collect(),
            kinds: match files.iter().all(|file| file.kind == Kind::File) {
                true => Vec::new(),
                false => files.iter().map(|file| file.kind.clone()).collect(),
            },
        }
    }

    /// The same files where they are now.
    pub fn files<'i>(
        self,
        inputs: impl Iterator<Item = &'i Input>,
    ) -> Result<Vec<PredictionFile>, WorkError> {
        let ways = Ways::new(Columns::new(&self.columns)?)?;
        let mut subjects = self.subjects.into_iter();
        let mut kinds = self.kinds.into_iter();
        let file = |(input, dataset): (&Input, String)| {
            let mut kind = kinds.next().unwrap_or_default();
            if let Kind::Log(log) = &mut kind {
                let run = input.path.parent().unwrap_or(&input.path);
                *log = Log::of(run, std::mem::take(&mut log.name))?;
            }
            let columns = ways.of(&kind);
            let subject = subjects.next().map(|column| {
                let end = format!("{BETWEEN}{column}");
                let dataset = dataset.strip_suffix(&end).unwrap_or(&dataset).to_owned();
                OfSubject { column, dataset }
            });
            Ok(PredictionFile {
                path: input.path.clone(),
                name: input.name.clone(),
                dataset,
                columns: match &subject {
                    Some(own) => columns.of_subject(&own.column),
                    None => columns.clone(),
                },
                kind,
                subject,
            })
        };
        inputs.zip(self.datasets).map(file).collect()
    }
}

/// Where fields stand in files of rows, and in records of runs.
struct Ways([Arc<Columns>; 2]);

impl Ways {
    fn new(columns: Columns) -> Result<Self, WorkError> {
        let of_run = Arc::new(columns.of_run()?);
        Ok(Ways([Arc::new(columns), of_run]))
    }

    fn of(&self, kind: &Kind) -> &Arc<Columns> {
        &self.0[usize::from(*kind != Kind::File)]
    }
}

/// The data set in a file of this name.
fn stem(name: &str) -> Option<&str> {
    data_stem(name).or_else(|| table_stem(name))
}

/// The files that paths mean, each once for every subject that has a column of its own. Logs
/// among them were imported, each into the run of its path.
pub fn list_with(
    paths: &[PathBuf],
    columns: Columns,
    logs: &BTreeMap<PathBuf, PathBuf>,
) -> Result<Vec<PredictionFile>, WorkError> {
    let several = columns.subjects.len() > 1;
    if several && paths.iter().any(|path| path == Path::new(STDIN)) {
        let message = "standard input cannot be read for several columns of predictions; put it \
                       into a file";
        return Err(WorkError::BadInput(message.to_owned()));
    }
    let ways = Ways::new(columns)?;
    let with = |file: PredictionFile| {
        let columns = ways.of(&file.kind);
        file.with(columns)
    };
    let files = list_among(paths, logs)?.into_iter();
    Ok(files.flat_map(with).collect())
}

/// The files that a path means: itself, for a run its records, or for another folder the data
/// files in it and in the folders below that are not hidden, by path. Two files of one data
/// set would be one output, so they are refused.
pub fn list(paths: &[PathBuf]) -> Result<Vec<PredictionFile>, WorkError> {
    list_with(paths, Columns::default(), &BTreeMap::new())
}

fn list_among(
    paths: &[PathBuf],
    logs: &BTreeMap<PathBuf, PathBuf>,
) -> Result<Vec<PredictionFile>, WorkError> {
    let mut found = Vec::new();
    for path in paths {
        let is_folder = listing::is_folder(path);
        match logs.get(path) {
            Some(run) => found.push(PredictionFile::log(path, run)?),
            None if is_folder && runs::is_run(path) => found.push(PredictionFile::run(path)?),
            None if is_folder => found.extend(folder(path)?),
            None => found.push(PredictionFile::new(path)),
        }
    }
    let mut by_dataset: BTreeMap<&str, &PredictionFile> = BTreeMap::new();
    for file in &found {
        if let Some(other) = by_dataset.insert(&file.dataset, file) {
            return Err(WorkError::BadInput(format!(
                "{}: the data set `{}` is also in {}; expected one file for each (of a folder that \
                 holds both, files are called by their folders, too)",
                file.name, file.dataset, other.name
            )));
        }
    }
    Ok(found)
}

fn folder(folder: &Path) -> Result<Vec<PredictionFile>, WorkError> {
    let mut found = Vec::new();
    walk(folder, &mut BTreeSet::new(), &mut found)?;
    let is_json = |path: &PathBuf| data_stem(&own_name(path)).is_some();
    // Tables beside JSON are mostly made of it.
    if found.iter().any(is_json) {
        found.retain(is_json);
    }
    if found.is_empty() {
        return Err(WorkError::BadInput(format!(
            "{}: no predictions in this folder; expected files named *.json, *.jsonl, *.csv, \
             *.tsv or *.parquet, also with .gz or .zst",
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
    for entry in listing::entries(folder)? {
        if entry.is_hidden() {
            continue;
        }
        let path = entry.path;
        let is_data = stem(&entry.name.to_string_lossy()).is_some();
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => folders.push(path),
            Ok(metadata) if metadata.is_file() && is_data => found.push(path),
            Err(error) if is_data => return Err(DataError::reading(&path, error)),
            // Devices, and what is no data and leads nowhere.
            Ok(_) | Err(_) => {}
        }
    }
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

    fn datasets(paths: &[PathBuf]) -> Result<Vec<String>, WorkError> {
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
