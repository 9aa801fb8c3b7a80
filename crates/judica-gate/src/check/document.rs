//! Reports and gates files, read whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judica_data::foreign::{Reads, seems};
use judica_data::source::{STDIN, read_by_hand, read_tree};
use judica_run::open::Run;
use judica_run::values::{MetricOf, values};
use judica_stats::clusters::Intervals;
use serde_json::Value;

use crate::error::GateError;

/// A report.
pub(super) struct Document {
    /// The file's name without its folder.
    pub name: String,
    /// What it holds.
    pub value: Value,
    /// The run it is the report of, and the metrics of that.
    pub run: Option<(Run, Vec<MetricOf>)>,
}

/// The reports that the gates read, each read once.
#[derive(Default)]
pub(super) struct Documents(BTreeMap<PathBuf, Document>);

impl Documents {
    /// Reads a report unless that has been done.
    pub(super) fn load(&mut self, path: &Path) -> Result<(), GateError> {
        if !self.0.contains_key(path) {
            self.0.insert(path.to_owned(), Document::read(path)?);
        }
        Ok(())
    }

    /// Takes a report that is in memory.
    pub(super) fn insert(&mut self, path: &Path, value: Value) {
        let document = Document {
            name: base_name(path),
            value,
            run: None,
        };
        self.0.insert(path.to_owned(), document);
    }

    /// A report that has been loaded.
    pub(super) fn get(&self, path: &Path) -> Result<&Document, GateError> {
        let missing = || GateError::BadInput(format!("{}: not loaded", path.display()));
        self.0.get(path).ok_or_else(missing)
    }
}

impl Document {
    /// Reads a run, or a JSON file, perhaps compressed.
    pub(super) fn read(path: &Path) -> Result<Document, GateError> {
        if path.is_dir() {
            let run = Run::open(path)?;
            return Ok(Document {
                name: base_name(path),
                value: run.report()?,
                run: Some((run.clone(), values(&run, &Intervals::default())?)),
            });
        }
        let bytes = read_tree(path)?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            // The place is said first, as everywhere, and not once more at the end.
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            let place = format!("{}:{line}:{column}", path.display());
            let seems = seems(path, Reads::Json)
                .map(|guess| format!("; it seems to be {}", guess.what))
                .unwrap_or_default();
            GateError::BadInput(format!(
                "{place}: a report is one JSON document: {reason}{seems}"
            ))
        })?;
        Ok(Document {
            name: base_name(path),
            value,
            run: None,
        })
    }
}

/// The file's name without its folder: what a report says must not depend on where it
/// was made.
pub(super) fn base_name(path: &Path) -> String {
    match path.file_name() {
        _ if path == Path::new(STDIN) => "standard input".to_owned(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}

/// The text of a gates file.
pub(super) fn text(path: &Path) -> Result<String, GateError> {
    String::from_utf8(read_by_hand(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        GateError::BadInput(format!("{}: not UTF-8 (at byte {at})", path.display()))
    })
}
