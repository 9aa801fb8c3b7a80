//! Outputs in folders: `results/<task>/<model>/*.jsonl`, as evaluation scripts leave them.
//! Lines that do not say which task and model they are of have them from their place.
//!
//! A file given by name says nothing by its place: who names a file can name the rest.

use std::path::{Component, Path, PathBuf};

use judica_data::listing::{Folder, folder, is_folder};
use judica_data::work_error::WorkError;

use crate::eval::InputFile;
use crate::protocol::Protocol;

/// The outputs to read.
#[derive(Debug, Default)]
pub struct OutputFiles {
    /// In the order given, those of a folder by path.
    pub files: Vec<InputFile>,
    /// Files of folders that are left alone, because they hold no rows, or others do.
    pub left: Vec<PathBuf>,
}

/// Finds the files of outputs that may be folders. `model` is that of lines that name none.
pub fn output_files(
    given: &[PathBuf],
    protocol: &Protocol,
    model: Option<&str>,
) -> Result<OutputFiles, WorkError> {
    let mut found = OutputFiles::default();
    for path in given {
        if !is_folder(path) {
            found.files.push(InputFile::new(path));
            continue;
        }
        let Folder { data, left } = folder(path)?;
        for file in data {
            let place = Place::of(protocol, path, &file);
            found.files.push(InputFile {
                task: place.task,
                // Who names a model means the folder as a whole, and not what is told
                // apart inside it.
                model: place
                    .model
                    .or_else(|| model.map(str::to_owned))
                    .or(place.folder),
                ..InputFile::new(&file)
            });
        }
        found.left.extend(left);
    }
    Ok(found)
}

/// What the place of a file says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    task: Option<String>,
    /// The folder below the task's, or below the one given.
    model: Option<String>,
    /// The folder given, where it is the one below the task's.
    folder: Option<String>,
}

impl Place {
    /// Of a file in a folder that was given.
    fn of(protocol: &Protocol, top: &Path, file: &Path) -> Place {
        let names = |path: &Path| -> Vec<String> {
            let names = path.components().filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                _ => None,
            });
            names.collect()
        };
        let is_task = |name: &String| protocol.task_index(name).is_some();
        let below = file.strip_prefix(top).ok().and_then(Path::parent);
        let below = names(below.unwrap_or(Path::new("")));
        if let Some(at) = below.iter().position(is_task) {
            return Place {
                task: Some(below[at].clone()),
                model: below.get(at + 1).cloned(),
                folder: None,
            };
        }
        // `.` and `..` have names too, only not in the path.
        let top = std::path::absolute(top).unwrap_or_else(|_| top.to_owned());
        let top = names(&top);
        let from_end = |n: usize| top.len().checked_sub(n).map(|at| top[at].clone());
        if let Some(task) = from_end(1).filter(is_task) {
            return Place {
                task: Some(task),
                model: below.into_iter().next(),
                folder: None,
            };
        }
        match from_end(2).filter(is_task) {
            Some(task) => Place {
                task: Some(task),
                model: None,
                folder: from_end(1),
            },
            None => Place {
                task: None,
                model: below.into_iter().next(),
                folder: None,
            },
        }
    }
}

#[cfg(test)]
#[path = "output_folder_tests.rs"]
mod tests;
