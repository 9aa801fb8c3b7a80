//! Which files of a folder hold whose verdicts.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::listing::{self, Entry};
use judica_data::names::{data_stem, table_stem};
use judica_data::source::STDIN;
use judica_run::family::Input;

use judica_data::work_error::WorkError;

/// The folder of people's verdicts, where they lie among the judges'.
pub(super) const HUMAN: &str = "human";

/// What `judica judge` writes beside the judges' folders: about verdicts, but none.
const BESIDE: [&str; 2] = ["judge_report.json", "rejects.jsonl"];

/// What files are used as: in a judge's folder (or people's), or outside any.
const ROLES: [&str; 2] = ["judged", "judged_file"];

/// A file of verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JudgedFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is called in reports: the path within the folder, the same everywhere.
    pub name: String,
    /// What it is called in the manifest of a run.
    pub given: String,
    /// The judge whose folder it is in; a file outside any folder says itself.
    pub judge: Option<String>,
    /// Its name without folders and extensions, for the data set.
    pub stem: String,
}

/// The files of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    /// Judges' files, by judge, then by name; files outside any folder come first.
    pub judged: Vec<JudgedFile>,
    /// People's files.
    pub human: Vec<JudgedFile>,
    /// What was passed over: other kinds of files, tables beside JSON of the same data set,
    /// folders within judges' folders.
    pub passed_over: Vec<String>,
}

/// The files of a folder that are read; none where it cannot be listed.
pub fn files_of(folder: &Path) -> Vec<PathBuf> {
    let found = list(folder).unwrap_or_default();
    let files = found.judged.into_iter().chain(found.human);
    files.map(|file| file.path).collect()
}

/// Lists a folder: `DIR/<judge>/<dataset>.json`, and `DIR/<dataset>.json` for files that
/// name their judge. Hidden files are nobody's.
pub(super) fn list(folder: &Path) -> Result<Folder, WorkError> {
    let no_folder = match fs::metadata(folder) {
        Ok(metadata) => (!metadata.is_dir()).then_some("this is a file"),
        // What `-` means elsewhere holds one file, not one for each judge and data set.
        Err(_) => (folder == Path::new(STDIN)).then_some("this is standard input"),
    };
    if let Some(what) = no_folder {
        return Err(WorkError::BadArtifact(format!(
            "{}: a folder is needed, and {what}",
            folder.display()
        )));
    }
    let mut found = Folder::default();
    for (name, path, is_folder) in entries(folder)? {
        let shown = name.to_string_lossy().into_owned();
        if !is_folder {
            if !BESIDE.contains(&shown.as_str()) {
                let given = path.display().to_string();
                found.file(path, &given, &shown, None);
            }
            continue;
        }
        for (file, path, is_folder) in entries(&path)? {
            let inner = format!("{shown}/{}", file.to_string_lossy());
            if is_folder {
                found.passed_over.push(inner);
            } else {
                let given = path.display().to_string();
                found.file(path, &given, &inner, Some(&shown));
            }
        }
    }
    // Tables beside JSON are mostly made of it.
    let is_json = |file: &JudgedFile| data_stem(&file.name).is_some();
    let json: Vec<(Option<String>, String)> = found
        .judged
        .iter()
        .filter(|file| is_json(file))
        .map(|file| (file.judge.clone(), file.stem.clone()))
        .collect();
    let made = |file: &JudgedFile| {
        !is_json(file) && json.contains(&(file.judge.clone(), file.stem.clone()))
    };
    for file in found.judged.extract_if(.., |file| made(file)) {
        found.passed_over.push(file.name);
    }
    found
        .judged
        .sort_by(|a, b| (&a.judge, &a.name).cmp(&(&b.judge, &b.name)));
    Ok(found)
}

impl JudgedFile {
    /// What it is used as.
    pub fn role(&self) -> &'static str {
        ROLES[usize::from(self.judge.is_none())]
    }
}

impl Folder {
    /// The files of a run that is made again.
    pub fn of_inputs(inputs: &[Input], passed_over: Vec<String>) -> Self {
        let mut found = Folder {
            passed_over,
            ..Folder::default()
        };
        for input in inputs {
            let mut parts = input.name.rsplit(['/', '\\']);
            let file = parts.next().unwrap_or_default();
            if input.role == ROLES[0] {
                let judge = parts.next().unwrap_or_default();
                let name = format!("{judge}/{file}");
                found.file(input.path.clone(), &input.name, &name, Some(judge));
            } else if input.role == ROLES[1] {
                found.file(input.path.clone(), &input.name, file, None);
            }
        }
        found
    }

    fn file(&mut self, path: PathBuf, given: &str, name: &str, judge: Option<&str>) {
        let own_name = name.rsplit('/').next().unwrap_or(name);
        let Some(stem) = stem(own_name) else {
            self.passed_over.push(name.to_owned());
            return;
        };
        let file = JudgedFile {
            path,
            name: name.to_owned(),
            given: given.to_owned(),
            judge: judge.map(str::to_owned),
            stem: without_judge(stem).to_owned(),
        };
        match judge {
            Some(HUMAN) => self.human.push(file),
            _ => self.judged.push(file),
        }
    }
}

/// The name of a data set without the judge whom some tools add to it.
fn without_judge(stem: &str) -> &str {
    match stem.rsplit_once("__judge-") {
        Some((dataset, _)) if !dataset.is_empty() => dataset,
        _ => stem,
    }
}

/// Entries that are not hidden, by name, and whether each is a folder.
fn entries(folder: &Path) -> Result<Vec<(OsString, PathBuf, bool)>, WorkError> {
    let mut found = listing::entries(folder)?;
    found.retain(|entry| !entry.is_hidden());
    let through_links = |Entry { name, path, .. }| {
        let metadata = fs::metadata(&path).map_err(|e| DataError::reading(&path, e))?;
        Ok((name, path, metadata.is_dir()))
    };
    found.into_iter().map(through_links).collect()
}

/// The name of a data set: the last part of a path, without the extensions of data files.
/// So `runs/x.json` in one file and `x.csv.gz` as the name of another are the same.
pub(super) fn dataset(name: &str) -> &str {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    without_judge(stem(last).unwrap_or(last))
}

/// A name without the extensions of data files; `None` if it has none of them.
fn stem(name: &str) -> Option<&str> {
    data_stem(name).or_else(|| table_stem(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(dataset("a/b.c/qwen-2.5_x.JSON"), "qwen-2.5_x");
        for table in ["a\\x.jsonl.gz", "a/x.csv", "x.tsv.gz", "x.parquet"] {
            assert_eq!(dataset(table), "x", "{table}");
        }
        assert_eq!(dataset("qwen-2.5"), "qwen-2.5");
        assert_eq!(dataset("é.json"), "é");
        assert_eq!(dataset(".json"), ".json");
        assert_eq!(dataset("x/run_1__judge-gpt-5.2.json"), "run_1");
        assert_eq!(dataset("__judge-a.json"), "__judge-a");
    }

    #[test]
    fn a_folder_is_listed_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for judge in ["b", "a", "human", ".git", "a/deep"] {
            fs::create_dir_all(at(judge)).unwrap();
        }
        for file in [
            "b/2.json",
            "b/1.jsonl",
            "a/1.json.gz",
            "a/readme.md",
            "human/h.json",
            "z.json",
            ".x.json",
            ".git/c.json",
            "a/deep/1.json",
        ] {
            fs::write(at(file), "").unwrap();
        }
        let found = list(folder.path()).unwrap();
        let names: Vec<_> = found.judged.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["z.json", "a/1.json.gz", "b/1.jsonl", "b/2.json"]);
        assert_eq!(found.judged[1].stem, "1");
        assert_eq!(found.human.len(), 1);
        assert_eq!(found.passed_over, ["a/deep", "a/readme.md"]);
        assert!(list(&at("none")).is_err());
        for file in [at("z.json"), PathBuf::from("-")] {
            let error = list(&file).unwrap_err().to_string();
            assert!(error.contains("a folder is needed"), "{error}");
        }
    }
}
