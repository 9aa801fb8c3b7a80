//! `manifest.json`: what a run was made of, so that it can be made again.

use std::collections::BTreeMap;
use std::path::Path;

use judica_data::source::InputDigest;
use judica_data::source::read_tree;
use judica_model::record::Trace;
use serde::{Deserialize, Serialize};

use crate::error::EvalError;
use crate::eval::InputFile;
use crate::review::{ReviewEntry, ReviewOptions};
use crate::summary::report::Counts;

/// Version of the shape of `manifest.json`.
pub const SCHEMA_VERSION: &str = "judica.run/1";
/// Its name in a run folder.
pub const MANIFEST: &str = "manifest.json";
/// The protocol's name in a run folder.
pub const PROTOCOL: &str = "protocol.toml";
/// The summary's name in a run folder.
pub const SUMMARY: &str = "summary.json";
/// The records' names in a run folder.
pub const RECORDS_PARQUET: &str = "records.parquet";
/// The records' names in a run folder.
pub const RECORDS_JSONL: &str = "records.jsonl";
/// The rejects' name in a run folder.
pub const REJECTS: &str = "rejects.jsonl";
/// The reviews' name in a run folder.
pub const REVIEWS: &str = "reviews.jsonl";

/// In which formats records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordsFormat {
    /// `records.parquet`.
    #[default]
    Parquet,
    /// `records.jsonl`.
    Jsonl,
    /// Both.
    Both,
    /// Neither: summary only.
    None,
}

impl RecordsFormat {
    /// Whether `records.parquet` is written.
    pub fn parquet(self) -> bool {
        matches!(self, RecordsFormat::Parquet | RecordsFormat::Both)
    }

    /// Whether `records.jsonl` is written.
    pub fn jsonl(self) -> bool {
        matches!(self, RecordsFormat::Jsonl | RecordsFormat::Both)
    }
}

/// `manifest.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this shape.
    pub schema_version: String,
    /// The command that made the run.
    pub command: String,
    /// When the run was made: the given timestamp, else the clock. The only place
    /// where the clock is ever written.
    pub created_at: String,
    /// Version of the program.
    pub judica_version: String,
    /// The protocol.
    pub protocol: ProtocolEntry,
    /// Every input with its hash.
    pub inputs: Vec<InputEntry>,
    /// Options that shape the result.
    pub options: Options,
    /// What went in and what came out.
    pub counts: Counts,
    /// Files of the run, besides this one.
    pub files: Vec<String>,
    /// Their lengths, so that a file that was cut short is noticed.
    pub file_bytes: BTreeMap<String, u64>,
    /// The trace of every record.
    pub trace: Trace,
    /// What came of the reviews, where some were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviews: Option<ReviewEntry>,
}

/// The protocol of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProtocolEntry {
    /// Its name.
    pub name: String,
    /// As it was given on the command line.
    pub given_as: String,
    /// Its copy in the run folder.
    pub file: String,
    /// SHA-256 of that copy.
    pub sha256: String,
}

/// What an input was used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Samples.
    Samples,
    /// Outputs.
    Outputs,
    /// Confidence priors.
    Confidence,
}

/// An input of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputEntry {
    /// What it was used as.
    pub role: Role,
    /// As it was given.
    pub path: String,
    /// SHA-256 of its bytes as stored.
    pub sha256: String,
    /// How many they are.
    pub bytes: u64,
    /// Of an output in a folder, the task that its place says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Of an output in a folder, the model that its place says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl InputEntry {
    /// The entry of an input that was read.
    pub fn new(role: Role, file: &InputFile, digest: &InputDigest) -> Self {
        InputEntry {
            role,
            path: file.name.clone(),
            sha256: digest.sha256.clone(),
            bytes: digest.bytes,
            task: file.task.clone(),
            model: file.model.clone(),
        }
    }
}

/// Options that shape the result. The number of threads does not, so it is not here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// In which formats records are written.
    pub records: RecordsFormat,
    /// The timestamp in records.
    pub timestamp: Option<String>,
    /// The task of lines that name none.
    pub task: Option<String>,
    /// The model of lines that name none.
    pub model: Option<String>,
    /// Whether the first refused line ends the run.
    pub strict: bool,
    /// Which records are reviewed by a model, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOptions>,
}

impl Manifest {
    /// Reads the manifest of a run folder.
    pub fn read(folder: &Path) -> Result<Manifest, EvalError> {
        let path = folder.join(MANIFEST);
        let text = read_plain(&path).map_err(|error| match path.exists() {
            true => error,
            false => EvalError::BadArtifact(format!(
                "{}: not found; a run folder is made by `judica eval --out {}`",
                path.display(),
                folder.display()
            )),
        })?;
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|error| EvalError::BadArtifact(format!("{}: {error}", path.display())))?;
        if manifest.schema_version != SCHEMA_VERSION {
            return Err(EvalError::BadArtifact(format!(
                "{}: schema_version is `{}`, this program reads `{SCHEMA_VERSION}`",
                path.display(),
                manifest.schema_version
            )));
        }
        let files = manifest.files.iter().chain(manifest.file_bytes.keys());
        for name in files.chain([&manifest.protocol.file]) {
            if !is_plain(name) {
                return Err(EvalError::BadArtifact(format!(
                    "{}: lists the file `{name}`; the files of a run stand in its folder, under plain names",
                    path.display()
                )));
            }
        }
        Ok(manifest)
    }
}

/// Whether a name leads nowhere but into the folder it stands in, on any system: a manifest
/// may come from anywhere, and must not say what else is opened.
fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', ':', '\0'])
}

/// Reads a file of a run folder whole. What is no file (a pipe, say) could be waited for
/// for ever.
pub(crate) fn read_plain(path: &Path) -> Result<Vec<u8>, EvalError> {
    let wrong = |what: String| EvalError::BadArtifact(format!("{}: {what}", path.display()));
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(wrong("not a file".to_owned())),
        Err(error) => return Err(wrong(error.to_string())),
    }
    read_tree(path).map_err(|error| EvalError::BadArtifact(error.to_string()))
}
