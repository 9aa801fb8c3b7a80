//! Which files belong to which run.
//!
//! Links are never followed, wherever they lead: a run is what lies in the folder, not
//! what somebody pointed it at. They are named instead.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::listing::{Entry, entries};
use judica_data::work_error::WorkError;

use super::capped::Capped;

/// What is in the folder of runs.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    /// The runs, by the bytes of their names.
    pub runs: Vec<RunEntry>,
    /// Links that were not followed.
    pub links: Capped<String>,
    /// Hidden entries, and files that are not JSON.
    pub ignored: Capped<String>,
}

/// One run: a folder with `output.json`, or a file.
#[derive(Debug)]
pub(super) struct RunEntry {
    /// What it is called in the report: the path within the folder of runs.
    pub name: String,
    path: PathBuf,
    is_folder: bool,
}

/// A file of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RunFile {
    /// The path within the folder of runs.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// A file that a run may have.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum MaybeFile {
    /// It has it.
    Here(RunFile),
    /// There is a link of that name, or a folder, or a device: this one.
    NotAFile(String),
    /// It has none.
    #[default]
    Nowhere,
}

/// What lies in a run's folder.
#[derive(Debug, Default)]
pub(super) struct AgentFiles {
    /// `output.json`, or the file that is the run; else the only JSON file there is.
    pub output: MaybeFile,
    /// Whether that has another name.
    pub renamed: bool,
    /// How many JSON files of other names there are, if there is no output.
    pub others: usize,
    /// `events.jsonl`.
    pub events: MaybeFile,
    /// `manifests`.
    pub manifests: Option<Manifests>,
    /// Links that were not followed.
    pub links: Capped<String>,
}

/// The folder `manifests` of a run.
#[derive(Debug)]
pub(super) struct Manifests {
    /// The folder itself.
    pub folder: RunFile,
    /// Its files, by the step they are named after.
    pub files: Vec<ManifestFile>,
}

/// A file of `manifests`.
#[derive(Debug)]
pub(super) struct ManifestFile {
    name: String,
    /// How much of the name is the step's id.
    stem: usize,
}

impl ManifestFile {
    /// The id of the step it is for.
    pub(super) fn step(&self) -> &str {
        &self.name[..self.stem]
    }

    /// Its name in the folder.
    pub(super) fn name(&self) -> &OsStr {
        OsStr::new(&self.name)
    }
}

/// Lists the folder of runs.
pub(super) fn list(folder: &Path) -> Result<Outputs, WorkError> {
    let artifact = |reason: &str| WorkError::Artifact {
        artifact: folder.display().to_string(),
        reason: reason.to_owned(),
    };
    let entries = match entries(folder) {
        Err(DataError::Missing { .. }) => {
            return Err(artifact(match fs::metadata(folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => "no such folder",
                _ => "is a file, a folder of runs is needed",
            }));
        }
        other => other?,
    };
    let mut found = Outputs::default();
    for Entry {
        name: own_name,
        kind,
        ..
    } in entries
    {
        let name = own_name.to_string_lossy().into_owned();
        let is_run = kind.is_dir() || (kind.is_file() && json_stem(&name).is_some());
        if kind.is_symlink() {
            found.links.push(|| name);
        } else if name.starts_with('.') || !is_run {
            found.ignored.push(|| name);
        } else {
            found.runs.push(RunEntry {
                name,
                path: folder.join(own_name),
                is_folder: kind.is_dir(),
            });
        }
    }
    Ok(found)
}

impl RunEntry {
    /// The run's name, if its output has none.
    pub(super) fn stem(&self) -> &str {
        match json_stem(&self.name) {
            Some(stem) if !self.is_folder => stem,
            _ => &self.name,
        }
    }

    /// The name of the file that holds the output, or should.
    pub(super) fn output_name(&self) -> String {
        if self.is_folder {
            format!("{}/output.json", self.name)
        } else {
            self.name.clone()
        }
    }

    /// The run's files.
    pub(super) fn files(&self) -> Result<AgentFiles, WorkError> {
        let mut files = AgentFiles::default();
        if !self.is_folder {
            files.output = MaybeFile::Here(RunFile {
                name: self.name.clone(),
                path: self.path.clone(),
            });
            return Ok(files);
        }
        let here = RunFile {
            name: self.name.clone(),
            path: self.path.clone(),
        };
        let mut others = Vec::new();
        for Entry {
            name: own_name,
            kind,
            ..
        } in entries(&here.path)?
        {
            let Some(name) = own_name.to_str() else {
                continue;
            };
            let part = match name {
                _ if json_stem(name) == Some("output") => &mut files.output,
                _ if lines_stem(name) == Some("events") => &mut files.events,
                "manifests" if kind.is_dir() => {
                    let found = Manifests::list(here.join(&own_name), &mut files.links)?;
                    files.manifests = Some(found);
                    continue;
                }
                "manifests" if kind.is_symlink() => {
                    files.links.push(|| here.shown(&own_name));
                    continue;
                }
                _ if kind.is_file() && json_stem(name).is_some() && !name.starts_with('.') => {
                    others.push(here.join(&own_name));
                    continue;
                }
                // Whatever else a run keeps is its own business.
                _ => continue,
            };
            if kind.is_symlink() {
                files.links.push(|| here.shown(&own_name));
            }
            // `output.json` comes before `output.json.gz`, and wins.
            if !matches!(part, MaybeFile::Here(_)) {
                *part = if kind.is_file() {
                    MaybeFile::Here(here.join(&own_name))
                } else {
                    MaybeFile::NotAFile(here.shown(&own_name))
                };
            }
        }
        if files.output == MaybeFile::Nowhere {
            files.others = others.len();
            // One alone can only be what the run has to say, whatever its writer calls it.
            if let (Some(only), 1) = (others.pop(), files.others) {
                files.output = MaybeFile::Here(only);
                files.renamed = true;
            }
        }
        Ok(files)
    }
}

impl Manifests {
    fn list(folder: RunFile, links: &mut Capped<String>) -> Result<Self, WorkError> {
        let mut files = Vec::new();
        for Entry {
            name: own_name,
            kind,
            ..
        } in entries(&folder.path)?
        {
            if kind.is_symlink() {
                links.push(|| folder.shown(&own_name));
            } else if kind.is_file()
                && let Ok(name) = own_name.into_string()
                && let Some(stem) = json_stem(&name).map(str::len)
            {
                files.push(ManifestFile { name, stem });
            }
        }
        // Without the extension names may sort otherwise: `a.json` comes after `a-b.json`.
        files.sort_by(|a, b| a.step().cmp(b.step()));
        Ok(Manifests { folder, files })
    }

    /// The file for a step, if there is one.
    pub(super) fn of(&self, step: &str) -> Option<&OsStr> {
        let at = self.files.partition_point(|file| file.step() < step);
        let file = self.files.get(at)?;
        (file.step() == step).then(|| file.name())
    }
}

impl RunFile {
    /// The name within the folder of runs of an entry of this folder.
    pub(super) fn shown(&self, name: &OsStr) -> String {
        format!("{}/{}", self.name, name.to_string_lossy())
    }

    pub(super) fn join(&self, name: &OsStr) -> RunFile {
        RunFile {
            name: self.shown(name),
            path: self.path.join(name),
        }
    }
}

/// The name of a JSON file, possibly compressed, without its extensions.
fn json_stem(name: &str) -> Option<&str> {
    unpacked(name).strip_suffix(".json")
}

fn lines_stem(name: &str) -> Option<&str> {
    unpacked(name).strip_suffix(".jsonl")
}

fn unpacked(name: &str) -> &str {
    let stem = name.strip_suffix(".gz");
    stem.or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
