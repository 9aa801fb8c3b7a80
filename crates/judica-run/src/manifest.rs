//! `manifest.json`: what a run was made of, so that it can be shown, compared and made again.

use std::collections::BTreeMap;
use std::path::Path;

use judica_data::source::{InputDigest, STDIN, read_tree};
use judica_data::work_error::WorkError;
use judica_model::run::MetricSpec;
use judica_model::text::shell_path;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of a run folder.
pub const SCHEMA_VERSION: &str = "judica.run/2";
/// What all versions begin with.
const SCHEMA_FAMILY: &str = "judica.run/";

/// Names of files in a run folder.
pub mod name {
    /// What the run was made of.
    pub use judica_data::rejects::MANIFEST;
    /// One row per record.
    pub const RECORDS: &str = "records.parquet";
    /// One row per failed atom, where the command writes them.
    pub const FAILURES: &str = "failures.parquet";
    /// What the command prints with `--json`.
    pub const REPORT: &str = "report.json";
    /// The tables that the command prints.
    pub const TABLES: &str = "tables.json";
    /// What could not be used.
    pub const REJECTS: &str = "rejects.jsonl";
}

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the folder.
    pub schema_version: String,
    /// The command that made the run: `eval`, `agree pairs` …
    pub command: String,
    /// Version of the program.
    pub judica_version: String,
    /// When the run was made: the given timestamp, else the clock. The only place where the
    /// clock is written.
    pub created_at: String,
    /// Every input with its hash.
    pub inputs: Vec<InputEntry>,
    /// The command's own options that shape the result.
    pub options: Value,
    /// What went in and what came of it.
    pub counts: Counts,
    /// The metrics of the records.
    pub metrics: Vec<MetricSpec>,
    /// The files of the run besides this one.
    pub files: BTreeMap<String, FileEntry>,
    /// What else is needed to get the same records again, where the command has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Value>,
}

/// An input of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputEntry {
    /// What it was used as: `outputs`, `predictions` …
    pub role: String,
    /// As it was given.
    pub path: String,
    /// SHA-256 of its bytes as stored.
    pub sha256: String,
    /// How many they are.
    pub bytes: u64,
    /// How it was read, where it is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<String>,
}

impl InputEntry {
    /// An input that was read under a name.
    pub fn new(role: &str, name: &str, digest: &InputDigest) -> Self {
        InputEntry {
            role: role.to_owned(),
            path: name.to_owned(),
            sha256: digest.sha256.clone(),
            bytes: digest.bytes,
            read_as: digest.read_as.clone(),
        }
    }
}

/// What went in and what came of it: inputs = used + rejects. A row may give several records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Rows given.
    pub inputs: u64,
    /// Rows used.
    pub used: u64,
    /// Rows that could not be used.
    pub rejects: u64,
    /// Records made.
    pub records: u64,
    /// Why rows could not be used.
    pub rejects_by_reason: BTreeMap<String, u64>,
}

impl Counts {
    /// So many rows, of which so many were used, and why others were not; records are counted
    /// by the writer.
    pub fn of<R: Into<String>>(
        inputs: u64,
        used: u64,
        refused: impl IntoIterator<Item = (R, u64)>,
    ) -> Self {
        let mut rejects_by_reason = BTreeMap::new();
        for (reason, count) in refused {
            *rejects_by_reason.entry(reason.into()).or_default() += count;
        }
        Counts {
            inputs,
            used,
            rejects: inputs - used,
            records: 0,
            rejects_by_reason,
        }
    }
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// What it is: `records`, `report`, `tables`, `rejects`, `protocol` …
    pub kind: String,
    /// How long it is, so that a file that was cut short is noticed.
    pub bytes: u64,
    /// Whether the same inputs and options give the same bytes.
    pub reproducible: bool,
}

/// The one key that is looked at before the rest may be trusted.
#[derive(Deserialize)]
struct Version {
    schema_version: Option<String>,
}

impl Manifest {
    /// Reads the manifest of a run folder.
    pub fn read(folder: &Path) -> Result<Manifest, WorkError> {
        let path = folder.join(name::MANIFEST);
        let shown = path.display();
        if !path.exists() {
            let pieces = crate::pieces::count(folder);
            if pieces > 0 {
                return Err(WorkError::BadArtifact(format!(
                    "{shown}: not found: the folder holds {pieces} pieces of a run that is not \
                     finished; `judica finish {}` makes the run of them",
                    shell_path(folder)
                )));
            }
            let what = match folder {
                _ if folder.is_dir() => {
                    format!("{shown}: not found: the folder holds no finished run")
                }
                _ if folder.is_file() => {
                    let given = folder.display();
                    let named = shell_path(folder);
                    format!(
                        "{given}: a file and no run; `judica look {named}` says what reads it, and \
                         compare and plot take eval files by --files"
                    )
                }
                _ if folder.exists() || folder == Path::new(STDIN) => format!(
                    "{}: no folder and so no run; compare and plot take eval files by --files",
                    folder.display()
                ),
                _ => format!("{shown}: not found"),
            };
            return Err(WorkError::BadArtifact(format!(
                "{what}; a run is made by a command with --run DIR (eval: --out DIR)"
            )));
        }
        let text = read_plain(&path)?;
        let wrong = |what: String| WorkError::BadArtifact(format!("{shown}: {what}"));
        let version: Version =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        match version.schema_version.as_deref() {
            Some(SCHEMA_VERSION) => {}
            Some("judica.run/1") => {
                return Err(wrong(format!(
                    "a run of version judica.run/1, made by an earlier judica; this one reads \
                     {SCHEMA_VERSION}: run the command again, its inputs and options stand in \
                     that file"
                )));
            }
            Some(other) if other.starts_with(SCHEMA_FAMILY) => {
                return Err(wrong(format!(
                    "a run of version {other}; this program reads {SCHEMA_VERSION}: a newer \
                     judica is needed"
                )));
            }
            _ => {
                return Err(wrong(format!(
                    "not the manifest of a run: its schema_version is not {SCHEMA_VERSION}"
                )));
            }
        }
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        for name in manifest.files.keys() {
            if !is_plain(name) {
                return Err(wrong(format!(
                    "lists the file `{name}`; the files of a run stand in its folder, under \
                     plain names"
                )));
            }
        }
        Ok(manifest)
    }

    /// The options in the command's own type.
    pub fn options<T: serde::de::DeserializeOwned>(&self) -> Result<T, WorkError> {
        serde_json::from_value(self.options.clone()).map_err(|error| {
            WorkError::BadArtifact(format!("{}: options: {error}", name::MANIFEST))
        })
    }

    /// The metric that matters most.
    pub fn primary(&self) -> Option<&MetricSpec> {
        let primary = self.metrics.iter().find(|metric| metric.primary);
        primary.or(self.metrics.first())
    }
}

/// Whether a name leads nowhere but into the folder it stands in, or into a folder of pieces
/// there, on any system: a manifest may come from anywhere, and must not say what else is
/// opened.
fn is_plain(name: &str) -> bool {
    let name = name.strip_prefix("records/").unwrap_or(name);
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', ':', '\0'])
}

/// Reads a file of a run folder whole. What is no file (a pipe, say) could be waited for for
/// ever.
pub fn read_plain(path: &Path) -> Result<Vec<u8>, WorkError> {
    let wrong = |what: String| WorkError::BadArtifact(format!("{}: {what}", path.display()));
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(wrong("not a file".to_owned())),
        Err(error) => return Err(wrong(error.to_string())),
    }
    read_tree(path).map_err(|error| WorkError::BadArtifact(error.to_string()))
}
