//! A run folder, opened: its manifest, its protocol, its records.

use std::path::{Path, PathBuf};

use judica_model::record::Trace;

use super::record::{StoredError, StoredRecord};
use super::{lines, sheet::SheetReader};
use crate::checks::Checks;
use crate::error::EvalError;
use crate::manifest::{Manifest, RECORDS_JSONL, RECORDS_PARQUET, SUMMARY, read_plain};
use crate::protocol::{Protocol, load};
use crate::summary::build::READ_VERSIONS;
use crate::summary::report::Summary;

/// A run folder.
pub struct RunFolder {
    /// Where it is.
    pub path: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its protocol.
    pub protocol: Protocol,
    /// The protocol's numbered checks.
    pub checks: Checks,
}

impl RunFolder {
    /// Opens a run folder.
    pub fn open(path: &Path) -> Result<RunFolder, EvalError> {
        let manifest = Manifest::read(path)?;
        let protocol_path = path.join(&manifest.protocol.file);
        let shown = protocol_path.display().to_string();
        let source = String::from_utf8(read_plain(&protocol_path)?)
            .map_err(|error| EvalError::BadArtifact(format!("{shown}: {error}")))?;
        let protocol = load::parse(&source, &shown)
            .map_err(|error| EvalError::BadArtifact(error.to_string()))?;
        if protocol.hashes.config != manifest.trace.config_hash {
            return Err(EvalError::BadArtifact(format!(
                "{shown}: its content ({}) is not the one the run was made with ({})",
                protocol.hashes.config, manifest.trace.config_hash
            )));
        }
        let checks = Checks::new(&protocol)?;
        Ok(RunFolder {
            path: path.to_owned(),
            manifest,
            protocol,
            checks,
        })
    }

    /// A file of the run, if it has it and it is as long as it was when written.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<PathBuf>, EvalError> {
        let Some(path) = self.has(name) else {
            return Ok(None);
        };
        let shown = path.display();
        let found = std::fs::metadata(&path)
            .map_err(|error| EvalError::BadArtifact(format!("{shown}: {error}")))?;
        if !found.is_file() {
            return Err(EvalError::BadArtifact(format!("{shown}: not a file")));
        }
        let length = found.len();
        match self.manifest.file_bytes.get(name) {
            Some(expected) if *expected != length => Err(EvalError::BadArtifact(format!(
                "{shown}: {length} bytes long, the manifest says {expected}; the run must be made again"
            ))),
            _ => Ok(Some(path)),
        }
    }

    /// The trace of its records.
    pub fn trace(&self) -> &Trace {
        &self.manifest.trace
    }

    fn has(&self, name: &str) -> Option<PathBuf> {
        self.manifest
            .files
            .iter()
            .any(|file| file == name)
            .then(|| self.path.join(name))
    }

    /// Its summary.
    pub fn summary(&self) -> Result<Summary, EvalError> {
        let path = self.path.join(SUMMARY);
        let text = read_plain(&path)?;
        let summary: Summary = serde_json::from_slice(&text)
            .map_err(|error| EvalError::BadArtifact(format!("{}: {error}", path.display())))?;
        if !READ_VERSIONS.contains(&summary.schema_version.as_str()) {
            return Err(EvalError::BadArtifact(format!(
                "{}: schema_version is `{}`, this program reads {}",
                path.display(),
                summary.schema_version,
                READ_VERSIONS
                    .map(|known| format!("`{known}`"))
                    .join(" and ")
            )));
        }
        Ok(summary)
    }

    /// Calls `each` with every record in order; stops at the first error.
    pub fn for_each<E: From<EvalError> + From<StoredError>>(
        &self,
        each: &mut dyn FnMut(&StoredRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(path) = self.whole(RECORDS_PARQUET)? {
            SheetReader::open(&path, &self.protocol, &self.checks)?.for_each(each)
        } else if let Some(path) = self.whole(RECORDS_JSONL)? {
            lines::for_each(&path, &self.protocol, &self.checks, each)
        } else {
            Err(self.no_records().into())
        }
    }

    /// The records whose sample has this id, of one model or of all.
    pub fn find(
        &self,
        sample_id: &str,
        model: Option<&str>,
    ) -> Result<Vec<StoredRecord>, EvalError> {
        if let Some(path) = self.whole(RECORDS_PARQUET)? {
            return Ok(
                SheetReader::open(&path, &self.protocol, &self.checks)?.find(sample_id, model)?
            );
        }
        let mut found = Vec::new();
        self.for_each(&mut |record: &StoredRecord| {
            if record.sample_id == sample_id && model.is_none_or(|model| record.model_name == model)
            {
                found.push(record.clone());
            }
            Ok::<(), EvalError>(())
        })?;
        Ok(found)
    }

    fn no_records(&self) -> EvalError {
        let shown = self.path.display();
        EvalError::BadArtifact(format!(
            "{shown}: the run was made with --records none and holds no records"
        ))
    }
}
