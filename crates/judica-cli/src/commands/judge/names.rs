//! What judges' folders are called.

use judica_model::text::cut;
use std::io::ErrorKind;
use std::path::Path;

use judica_answer::judged::NO_MODEL;

use crate::args::judge::JudgeArgs;
use crate::failure::Failure;

/// No file system of today takes a longer name, in bytes.
const LONGEST: usize = 255;

/// The folder in which `judica agree judges` looks for people's verdicts.
const PEOPLE: &str = "human";

/// The judges: each model with its folder.
pub fn folder_names(args: &JudgeArgs) -> Result<Vec<(String, String)>, Failure> {
    let models = match args.model.as_slice() {
        [] => vec![NO_MODEL.to_owned()],
        models => models.to_vec(),
    };
    if args.judge_name.is_some() && models.len() > 1 {
        let message = "--judge-name names one judge, and there are several models";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut judges: Vec<(String, String)> = Vec::new();
    for model in models {
        let folder = folder_name(args.judge_name.as_deref().unwrap_or(&model));
        let usage = |message: String| Err(Failure::Usage(message));
        if folder.len() > LONGEST {
            return usage(format!(
                "the judge's name {} is too long for a folder: it has {} bytes, and {LONGEST} \
                 are allowed; --judge-name gives a shorter one",
                beginning(&folder),
                folder.len()
            ));
        }
        // Not every file system tells names apart that differ in case only.
        let taken = |other: &str| other.to_lowercase() == folder.to_lowercase();
        if taken(PEOPLE) {
            return usage(format!(
                "the folder `{PEOPLE}` is for people's verdicts; name the judge {model} with \
                 --judge-name"
            ));
        }
        if let Some((other, _)) = judges.iter().find(|(_, other)| taken(other)) {
            return usage(format!(
                "the judges {other} and {model} would both write to the folder {folder}"
            ));
        }
        judges.push((model, folder));
    }
    Ok(judges)
}

/// Whether a document can be called so, and nothing is in its way; better now than after it
/// is paid for.
pub fn check_document(path: &Path) -> Result<(), Failure> {
    let in_the_way = |path: &Path, what: &str| {
        let message = format!("{}: {what} is needed for what judges say", path.display());
        Err(Failure::System(message))
    };
    if let Some(folder) = path.parent()
        && folder.exists()
        && !folder.is_dir()
    {
        return in_the_way(folder, "a folder");
    }
    if path.is_dir() {
        return in_the_way(path, "a file");
    }
    let name = path.file_name().unwrap_or_default();
    let too_long = |what: &str, bytes: usize| {
        let name = beginning(&name.to_string_lossy());
        Err(Failure::Usage(format!(
            "{what} of the document {name} is too long for a file: it has {bytes} bytes; \
             rename the predictions or choose another --out"
        )))
    };
    if name.len() > LONGEST {
        return too_long("the name", name.len());
    }
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::InvalidFilename => {
            too_long("the path", path.as_os_str().len())
        }
        _ => Ok(()),
    }
}

/// How a long name begins.
fn beginning(name: &str) -> String {
    judica_report::visible(&cut(name, 40))
}

/// A name as a folder can have it everywhere: letters, digits, dots, dashes.
fn folder_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') {
            c
        } else {
            '_'
        }
    };
    let name: String = name.trim().chars().map(plain).collect();
    match name.strip_prefix('.') {
        // Hidden folders are nobody's.
        Some(rest) => format!("_{rest}"),
        None if name.is_empty() => "_".to_owned(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::folder_name;

    #[test]
    fn names_stay_inside_the_folder() {
        assert_eq!(folder_name("gpt-5.2"), "gpt-5.2");
        assert_eq!(folder_name("Qwen/Qwen3-8B"), "Qwen_Qwen3-8B");
        assert_eq!(folder_name("../../etc"), "_._.._etc");
        assert_eq!(folder_name(" "), "_");
    }
}
