//! What every command that leaves a run can be told about it.

use std::path::PathBuf;

use judica_data::names::shown_stem;
use serde::{Deserialize, Serialize};

/// A run that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTarget {
    /// The folder it goes to.
    pub folder: PathBuf,
    /// When it is made.
    pub created_at: String,
    /// What it is to be like.
    pub options: RunOptions,
}

/// How records are called and what they keep. It shapes the result, so it is part of a
/// command's options in the manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Whose outputs these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The data set they answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Whether questions and answers are stored with the records.
    #[serde(default)]
    pub keep_text: bool,
}

impl RunOptions {
    /// The subject of a row that names one itself, or not, in a file called `file`: the one
    /// given, else the row's or file's own, else the file's stem.
    pub fn subject<'a>(&'a self, own: Option<&'a str>, file: &'a str) -> &'a str {
        chosen(self.subject.as_deref(), own, file)
    }

    /// The data set of a row that names one itself, or not, in a file called `file`.
    pub fn dataset<'a>(&'a self, own: Option<&'a str>, file: &'a str) -> &'a str {
        chosen(self.dataset.as_deref(), own, file)
    }
}

fn chosen<'a>(given: Option<&'a str>, own: Option<&'a str>, file: &'a str) -> &'a str {
    let own = own.filter(|own| !own.trim().is_empty());
    given.or(own).unwrap_or_else(|| shown_stem(file))
}

#[cfg(test)]
mod tests {
    use super::RunOptions;

    #[test]
    fn a_name_is_the_users_then_the_rows_then_the_files() {
        let open = RunOptions::default();
        assert_eq!(open.subject(None, "out/gpt-4.1.jsonl.gz"), "gpt-4.1");
        assert_eq!(open.subject(Some("m"), "out/a.jsonl"), "m");
        assert_eq!(open.subject(Some(" "), "a.csv"), "a");
        assert_eq!(open.dataset(None, "-"), "stdin");
        let given = RunOptions {
            subject: Some("us".to_owned()),
            ..open
        };
        assert_eq!(given.subject(Some("m"), "a.jsonl"), "us");
    }
}
