//! Files that commands write.

use std::path::{Path, PathBuf};

use judica_data::atomic::{prepare_folder, write_atomic};
use judica_data::json::json_bytes;
use serde::Serialize;

use crate::failure::Failure;

/// Writes the JSON report to a file, if one was named.
pub fn write_report(path: Option<&Path>, report: &impl Serialize) -> Result<(), Failure> {
    match path {
        Some(path) => write(path, &json_bytes(report)),
        None => Ok(()),
    }
}

/// Refuses outputs that would overwrite an input or each other: the loss would be found
/// too late. Standard output is for `--json`.
pub fn keep_apart(inputs: &[PathBuf], outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let mut taken: Vec<(PathBuf, String)> = inputs
        .iter()
        .map(|path| (whereabouts(path), format!("the input {}", path.display())))
        .collect();
    for (option, path) in outputs {
        let Some(path) = path else { continue };
        let usage = |message: String| Err(Failure::Usage(format!("{option} {message}")));
        if path.as_os_str() == "-" {
            return usage("needs a file; --json prints the report".to_owned());
        }
        let place = whereabouts(path);
        if let Some((_, whose)) = taken.iter().find(|(other, _)| *other == place) {
            return usage(format!("{} would overwrite {whose}", path.display()));
        }
        taken.push((place, format!("what {option} writes")));
    }
    Ok(())
}

/// A path that is the same however it is written; links are followed as far as they lead.
fn whereabouts(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let folder = folder_of(path);
    let folder = folder.canonicalize().unwrap_or(folder);
    folder.join(path.file_name().unwrap_or_default())
}

/// Writes a file whole or not at all, and its folder if need be.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    prepare_folder(&folder_of(path))?;
    Ok(write_atomic(path, bytes)?)
}

/// The folder a file stands in.
pub fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
