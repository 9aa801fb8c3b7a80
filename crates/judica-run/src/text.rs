//! What was answered, as it stands in the input: found by its place, and shown only if it is
//! still what it was.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use judica_data::fingerprint::fingerprint;
use judica_data::source::read_part;
use judica_data::table::read_row;
use judica_model::run::{Place, RunRecord};
use serde::Deserialize;

/// What can be shown of a question and its answer.
pub enum Said {
    /// What the run keeps: what it is, and its words.
    Kept(Vec<(&'static str, String)>),
    /// The row as it stands in the input.
    Row(String),
    /// The input, and why nothing can be shown from it.
    Gone(String, String),
    /// The run does not say where it stands.
    Nowhere,
}

/// What was said: as the run keeps it, else from the input if it is still what it was.
pub fn said(run: &Path, record: &RunRecord, input_folder: Option<&Path>) -> Said {
    let texts = record.texts;
    let kept = [
        ("asked", texts.input.map(Cow::Borrowed)),
        ("expected", texts.target.map(expected)),
        ("answered", texts.output.map(Cow::Borrowed)),
    ];
    let kept = kept.into_iter();
    let kept = kept.filter_map(|(name, text)| Some((name, text?.into_owned())));
    let kept: Vec<(&'static str, String)> = kept.collect();
    match &record.place {
        _ if !kept.is_empty() => Said::Kept(kept),
        None => Said::Nowhere,
        Some(place) => match output_row(run, place, input_folder) {
            Ok(row) => Said::Row(row),
            Err(why) => Said::Gone(place.file.to_owned(), why),
        },
    }
}

/// The bytes of a record's output, or why they cannot be shown.
pub fn output_row(
    run: &Path,
    place: &Place,
    input_folder: Option<&Path>,
) -> Result<String, String> {
    let Some(hash) = place.hash else {
        return Err("the run does not say which bytes it is".to_owned());
    };
    let row = |path: &Path| match (place.offset, place.bytes) {
        (Some(offset), Some(bytes)) => read_part(path, offset, bytes),
        // Of a table that is no text the line is the row.
        _ => read_row(path, place.line),
    };
    let same = |path: &PathBuf| {
        let row = row(path).ok().filter(|row| fingerprint(row) == hash);
        row.map(|row| String::from_utf8_lossy(&row).into_owned())
    };
    let mut named = candidates(place.file, run, input_folder);
    named.retain(|path| path.is_file());
    // Standard input has no name, and a file may have got another.
    let others = input_folder.map(files_in).unwrap_or_default();
    let mut all = named.iter().chain(&others);
    all.find_map(same).ok_or_else(|| {
        let why = match (named.is_empty(), input_folder) {
            (false, _) => "the input has changed since the run",
            (true, None) => "the input is not there; --inputs DIR names a folder to look in",
            (true, Some(_)) => "no file in the folder has those bytes at their place",
        };
        why.to_owned()
    })
}

/// The files of a folder, not of those below, by name.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// Several expected answers, which a run keeps as one text of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Several {
    /// Any of them will do: a list.
    Any(Vec<String>),
    /// All of them are required: the list under `all`. Of one it is that text, where it would
    /// be read as something else otherwise.
    All {
        /// In the order of the row.
        all: Vec<String>,
    },
}

impl Several {
    /// What an expected answer says that is more than its own text.
    pub fn read(text: &str) -> Option<Several> {
        let json = Some(text).filter(|text| text.starts_with(['[', '{']))?;
        let several: Several = serde_json::from_str(json).ok()?;
        let least = match several {
            Several::Any(_) => 2,
            Several::All { .. } => 1,
        };
        (several.texts().len() >= least).then_some(several)
    }

    fn texts(&self) -> &[String] {
        match self {
            Several::Any(texts) | Several::All { all: texts } => texts,
        }
    }
}

/// An expected answer as people see it: of several that are all required each on its line.
pub fn expected(text: &str) -> Cow<'_, str> {
    match Several::read(text) {
        Some(Several::All { all }) => Cow::Owned(all.join("\n")),
        _ => Cow::Borrowed(text),
    }
}

/// Where an input may stand now: where it was, beside the run folder, or in a folder that
/// the user names, with its folders or without.
pub fn candidates(recorded: &str, run: &Path, input_folder: Option<&Path>) -> Vec<PathBuf> {
    let recorded = PathBuf::from(recorded);
    let mut found = vec![recorded.clone(), run.join(&recorded)];
    let names: Vec<_> = recorded
        .components()
        .filter(|part| matches!(part, std::path::Component::Normal(_)))
        .map(|part| part.as_os_str().to_owned())
        .collect();
    for folder in [input_folder, Some(run), run.parent()]
        .into_iter()
        .flatten()
    {
        found.extend((0..names.len()).map(|from| {
            let end: PathBuf = names[from..].iter().collect();
            folder.join(end)
        }));
    }
    found
}
