//! Reports and gates files, read whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use judica_data::foreign::{Reads, pointer, seems};
use judica_data::source::{STDIN, read_by_hand, read_tree};
use judica_data::work_error::WorkError;
use judica_run::open::Run;
use judica_run::values::{MetricOf, datasets, values_of};
use judica_stats::clusters::Intervals;
use serde_json::Value;

use crate::counts::Counts;
use crate::unique;

/// A report.
pub(super) struct Document {
    /// The file's name without its folder.
    pub name: String,
    /// What it holds.
    pub value: Value,
    /// The run it is the report of.
    pub run: Option<Measured>,
}

/// A run with what gates name in it.
pub(super) struct Measured {
    pub run: Run,
    /// Its metrics, as far as gates name them.
    pub values: Vec<MetricOf>,
    /// Its data sets, by name.
    pub datasets: Vec<String>,
}

impl Measured {
    /// The name of its data set, if it has one alone: then no metric is told apart by it.
    pub fn only_dataset(&self) -> Option<&str> {
        match self.datasets.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// The reports that the gates read, each read once.
#[derive(Default)]
pub(super) struct Documents {
    read: BTreeMap<PathBuf, Document>,
    /// The metrics of runs that gates name: others are not computed.
    pub named: BTreeSet<String>,
    /// Whether a gate is held against the baseline that was given.
    pub compared: bool,
}

impl Documents {
    /// Reads a report unless that has been done.
    pub(super) fn load(&mut self, path: &Path) -> Result<(), WorkError> {
        if !self.read.contains_key(path) {
            let document = Document::read(path, |metric| self.named.contains(metric))?;
            self.read.insert(path.to_owned(), document);
        }
        Ok(())
    }

    /// Takes a report that is in memory.
    pub(super) fn insert(&mut self, path: &Path, value: Value) {
        let document = Document {
            name: called(path),
            value,
            run: None,
        };
        self.read.insert(path.to_owned(), document);
    }

    /// What became of the rows of a run that has been loaded.
    pub(super) fn counts(&self, path: &Path) -> Option<Counts> {
        let counts = &self.read.get(path)?.run.as_ref()?.run.manifest.counts;
        Counts::new(counts.inputs, counts.rejects)
    }

    /// What is to be said of logs that a run was made of and that have no good end.
    pub(super) fn unfinished(&self, path: &Path) -> Vec<String> {
        let run = self
            .read
            .get(path)
            .filter(|document| document.run.is_some());
        let logs = run.and_then(|document| document.value.get("logs")?.as_array());
        let notes = logs.into_iter().flatten().filter_map(|log| {
            let status = log
                .get("status")?
                .as_str()
                .filter(|said| *said != "success")?;
            let log = log.get("path")?.as_str()?;
            Some(format!("{log}: the status of this log is `{status}`"))
        });
        notes.collect()
    }

    /// A report that has been loaded.
    pub(super) fn get(&self, path: &Path) -> Result<&Document, WorkError> {
        let missing = || WorkError::BadInput(format!("{}: not loaded", path.display()));
        self.read.get(path).ok_or_else(missing)
    }
}

impl Document {
    /// Reads a run, with those of its metrics that are wanted, or a JSON file, perhaps
    /// compressed.
    pub(super) fn read(path: &Path, wanted: impl Fn(&str) -> bool) -> Result<Document, WorkError> {
        if path.is_dir() {
            let run = Run::open(path)?;
            let values = values_of(&run, &Intervals::default(), |spec| wanted(&spec.name))?;
            return Ok(Document {
                name: called(path),
                value: run.report()?,
                run: Some(Measured {
                    datasets: datasets(&run)?,
                    run,
                    values,
                }),
            });
        }
        Ok(Document {
            name: called(path),
            value: parse(path, &read_tree(path)?)?,
            run: None,
        })
    }
}

/// The report that the bytes of a file are.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Value, WorkError> {
    unique::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        // The place is said first, as everywhere, and not once more at the end.
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        let place = format!("{}:{line}:{column}", path.display());
        let seems = seems(path, Reads::Json)
            .map(|guess| format!("; it seems to be {}", guess.what))
            .unwrap_or_default();
        WorkError::BadInput(format!(
            "{place}: a report is one JSON document: {reason}{seems}{}",
            pointer(path)
        ))
    })
}

/// Whether a path is standard input, by whichever name: it gives what it has once.
pub(super) fn is_stdin(path: &Path) -> bool {
    [STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
        .iter()
        .any(|name| path == Path::new(name))
}

/// The file's name without its folder: what a report says must not depend on where it
/// was made.
pub(super) fn called(path: &Path) -> String {
    match path.file_name() {
        _ if is_stdin(path) => "standard input".to_owned(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}

/// The text of a gates file.
pub(super) fn text(path: &Path) -> Result<String, WorkError> {
    String::from_utf8(read_by_hand(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        WorkError::BadInput(format!("{}: not UTF-8 (at byte {at})", path.display()))
    })
}
