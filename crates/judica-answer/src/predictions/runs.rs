//! Runs as predictions: what a record has as `output`, held against its `target`. A log of
//! another harness is read as the run that was made of it for the occasion, and stays what
//! the run that is left is made of.

use std::path::{Path, PathBuf};

use judica_data::chunks::Found;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;
use judica_model::run::Place;
use judica_run::layout::head;
use judica_run::manifest::name::{MANIFEST, RECORDS};
use judica_run::manifest::{InputEntry, Manifest};
use judica_run::open::Run;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::PredictionFile;

/// What a file of predictions is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Rows of any shape.
    #[default]
    File,
    /// The records of a run.
    Run,
    /// The same of a run that stands for a log, and is gone when that is read.
    Log(Log),
}

/// A log that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// What it is called.
    pub name: String,
    /// How many of the inputs are its files.
    pub files: usize,
    /// How it was imported.
    pub options: Value,
    #[serde(skip)]
    inputs: Vec<InputEntry>,
}

impl Log {
    /// The log that the run in this folder was made of.
    pub fn of(folder: &Path, name: String) -> Result<Log, WorkError> {
        let Manifest {
            inputs, options, ..
        } = Manifest::read(folder)?;
        Ok(Log {
            name,
            files: inputs.len(),
            options,
            inputs,
        })
    }
}

/// Whether a folder holds a run, and not predictions.
pub(super) fn is_run(folder: &Path) -> bool {
    [MANIFEST, RECORDS]
        .iter()
        .all(|name| folder.join(name).is_file())
}

/// The records of a run with texts.
pub(super) fn records(folder: &Path) -> Result<PathBuf, WorkError> {
    let run = Run::open(folder)?;
    let columns = run.records()?;
    if columns.columns().contains(&head::TEXTS[2]) {
        return Ok(folder.join(RECORDS));
    }
    let inputs = run.manifest.inputs.iter().map(|input| &*input.path);
    Err(WorkError::BadInput(format!(
        "{}: a run without texts; make it with --keep-text (import: without --no-text), or give \
         what it was made of: {}",
        folder.display(),
        inputs.collect::<Vec<_>>().join(", ")
    )))
}

impl PredictionFile {
    /// What was read, by the bytes that the user gave.
    pub(crate) fn digest(&self, read: &InputDigest) -> InputDigest {
        let Kind::Log(log) = &self.kind else {
            return read.clone();
        };
        let first = log.inputs.first();
        InputDigest {
            path: PathBuf::from(&self.name),
            sha256: first.map(|log| log.sha256.clone()).unwrap_or_default(),
            bytes: first.map_or(0, |log| log.bytes),
            read_as: None,
        }
    }

    /// It as inputs of a run.
    pub fn inputs(&self, role: &str, digest: &InputDigest) -> Vec<InputEntry> {
        let Kind::Log(log) = &self.kind else {
            return vec![InputEntry::new(role, &self.name, digest)];
        };
        let input = |input: &InputEntry| InputEntry {
            role: role.to_owned(),
            ..input.clone()
        };
        log.inputs.iter().map(input).collect()
    }

    /// Where a row of it stands. What an imported log has there are other bytes.
    pub fn place(&self, line: u64, found: &Found) -> Place<'_> {
        Place {
            file: &self.name,
            line,
            offset: found.offset,
            bytes: found.bytes,
            hash: (!matches!(self.kind, Kind::Log(_))).then_some(found.hash),
        }
    }
}
