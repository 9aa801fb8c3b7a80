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
        let writer = option.trim_end_matches(':');
        taken.push((place, format!("what {writer} writes")));
    }
    Ok(())
}

/// Refuses outputs inside a folder of inputs: the next run would read them as such.
pub fn keep_out(folder: &Path, outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let inside = whereabouts(folder);
    for (option, path) in outputs {
        if let Some(path) = path
            && whereabouts(path).starts_with(&inside)
        {
            return Err(Failure::Usage(format!(
                "{option} {} lies in {}, which is read; write it elsewhere",
                path.display(),
                folder.display()
            )));
        }
    }
    Ok(())
}

/// A path that is the same however it is written; links are followed as far as they lead,
/// and what does not exist yet is taken as it is written.
fn whereabouts(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut there = path.as_path();
    loop {
        if let Ok(found) = there.canonicalize() {
            // What comes below the part that exists can only be taken as it is written.
            let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
            let mut place = found;
            for part in rest.components() {
                match part {
                    std::path::Component::ParentDir => drop(place.pop()),
                    part => place.push(part),
                }
            }
            return place;
        }
        match there.parent() {
            Some(parent) => there = parent,
            None => return path,
        }
    }
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

/// A path as it can be printed: names of files may hold what a terminal obeys.
pub fn shown(path: &Path) -> String {
    judica_report::visible(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_has_many_spellings() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| whereabouts(&folder.path().join(name));
        assert_eq!(at("new/r.json"), at("./new/./r.json"));
        assert_eq!(at("new/r.json"), at("new/../new/r.json"));
        assert_ne!(at("new/r.json"), at("new/s.json"));
        let outputs = [("--a", Some(at("x/1"))), ("--b", Some(at("x/./1")))];
        let outputs: Vec<_> = outputs.iter().map(|(o, p)| (*o, p.as_deref())).collect();
        assert!(keep_apart(&[], &outputs).is_err());
        assert!(keep_apart(&[], &outputs[..1]).is_ok());
        assert!(keep_out(folder.path(), &outputs).is_err());
        assert!(keep_out(&folder.path().join("y"), &outputs).is_ok());
    }
}
