//! What judges' folders are called.

use crate::args::judge::JudgeArgs;
use crate::failure::Failure;

/// What a judge is called that asks nobody.
const NOBODY: &str = "no_llm";
/// The folder in which `judica agree judges` looks for people's verdicts.
const PEOPLE: &str = "human";

/// The judges: each model with its folder.
pub fn folder_names(args: &JudgeArgs) -> Result<Vec<(String, String)>, Failure> {
    let models = match args.model.as_slice() {
        [] => vec![NOBODY.to_owned()],
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
