//! Files, folders and lists become files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::listing::entries;
use judica_data::source::STDIN;
use judica_model::table::counted;

use judica_data::work_error::WorkError;

/// What is to be read.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The files, in the order given; those of a folder by name.
    pub files: Vec<PathBuf>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Replaces folders by the JSON files in them and below. A file that is named twice is read
/// once. What is named and is not there ends the run: nothing was meant by it.
pub(super) fn expand(paths: &[PathBuf]) -> Result<Inputs, WorkError> {
    let mut inputs = Inputs::default();
    let mut linked = 0u64;
    for path in paths {
        if path == Path::new(STDIN) {
            inputs.files.push(path.clone());
            continue;
        }
        let metadata = fs::metadata(path).map_err(|error| DataError::reading(path, error))?;
        if metadata.is_dir() {
            let before = inputs.files.len();
            folder(path, &mut inputs.files, &mut linked)?;
            if inputs.files.len() == before {
                let note = format!("{}: no *.json in this folder", path.display());
                inputs.notes.push(note);
            }
        } else {
            inputs.files.push(path.clone());
        }
    }
    let mut seen = BTreeSet::new();
    let named = inputs.files.len();
    inputs
        .files
        .retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    match named - inputs.files.len() {
        0 => {}
        1 => inputs
            .notes
            .push("1 file was named twice and read once".to_owned()),
        twice => {
            let note = format!("{twice} files were named more than once and read once");
            inputs.notes.push(note);
        }
    }
    if linked > 0 {
        let links = counted(linked, ["link to a folder was", "links to folders were"]);
        inputs.notes.push(format!("{links} not followed"));
    }
    if inputs.files.is_empty() {
        let message = match inputs.notes.first() {
            Some(note) => note.clone(),
            None => "no eval files were named".to_owned(),
        };
        return Err(WorkError::BadInput(message));
    }
    Ok(inputs)
}

/// The JSON files of a folder and those below it, by name. Folders are kept in a list
/// rather than on the stack, so that no depth is too deep; links to folders are not
/// followed, so that none leads round in a circle.
fn folder(top: &Path, files: &mut Vec<PathBuf>, linked: &mut u64) -> Result<(), WorkError> {
    let mut waiting = vec![top.to_owned()];
    while let Some(path) = waiting.pop() {
        if path != top && !fs::metadata(&path).is_ok_and(|found| found.is_dir()) {
            files.push(path);
            continue;
        }
        // The last one put in is the first one taken out.
        for entry in entries(&path)?.into_iter().rev() {
            let is_hidden = entry.is_hidden();
            if !is_hidden && entry.kind.is_symlink() && entry.path.is_dir() {
                *linked += 1;
            } else if !is_hidden && (entry.kind.is_dir() || is_json(Path::new(&entry.name))) {
                waiting.push(entry.path);
            }
        }
    }
    Ok(())
}

fn is_json(name: &Path) -> bool {
    let has = |name: &Path, extension: &str| {
        name.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(extension))
    };
    let packed = has(name, "gz") || has(name, "zst");
    let unpacked = if packed { name.file_stem() } else { None };
    has(unpacked.map_or(name, Path::new), "json")
}

/// An error without the name of the file, which stands beside it.
pub(super) fn without_path(error: &DataError) -> String {
    let text = error.to_string();
    let path = format!("{}: ", error.path().display());
    text.strip_prefix(&path).map_or(text.clone(), str::to_owned)
}
