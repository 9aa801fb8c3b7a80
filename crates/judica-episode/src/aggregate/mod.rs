//! Many eval files as one table: means over what is defined, and how many that is.
//!
//! * `inputs`: files, folders and lists become files
//! * `key`: what files are grouped by
//! * `gather`: the numbers of many files, by group and metric
//! * `report`, `tables`: the report and its tables
//!
//! A null never counts as 0: it is left out of the mean and counted beside it. A file that
//! cannot be used is named and left out; with `strict`, the first one ends the run.

mod gather;
mod inputs;
mod key;
pub(crate) mod report;
pub(crate) mod tables;

use std::path::{Path, PathBuf};

use judica_data::parallel::parallel_map;
use judica_data::work_error::WorkError;

use crate::eval_json::EvalFile;
use crate::eval_json::fault::Fault;
use crate::eval_json::read::{read_bytes, refused};
use gather::Gathered;
pub use key::GroupKey;
pub use report::{AggregateReport, Group, MetricSummary, RefusedFile};
pub use tables::tables;

/// How many files are held at once.
const AT_ONCE: usize = 1024;

/// An aggregation.
#[derive(Clone, Debug)]
pub struct AggregateRequest {
    /// Files, and folders that are searched for `*.json`, packed or not.
    pub inputs: Vec<PathBuf>,
    /// What files are grouped by; without it there is one group of all.
    pub by: Option<GroupKey>,
    /// Whether the first file that cannot be used ends the run.
    pub strict: bool,
    /// Threads; the report does not depend on it.
    pub threads: usize,
}

/// Aggregates many eval files.
pub fn aggregate(request: &AggregateRequest) -> Result<AggregateReport, WorkError> {
    let found = inputs::expand(&request.inputs)?;
    let mut gathered = Gathered::new(request.by.as_ref());
    for paths in found.files.chunks(AT_ONCE) {
        for (name, file) in parallel_map(paths, request.threads, |path| read(path)) {
            match file {
                Ok(file) => gathered.add(&file),
                Err(fault) if request.strict => return Err(refused(name, fault)),
                Err(fault) => gathered.refuse(name, fault),
            }
        }
    }
    Ok(gathered.finish(found.notes))
}

/// Reads a file, or says why it cannot be used.
fn read(path: &Path) -> (String, Result<EvalFile, Fault>) {
    let name = path.display().to_string();
    let file = match read_bytes(path) {
        Ok(bytes) => EvalFile::parse(&name, &bytes),
        // One file that cannot be opened is no reason to lose the others.
        Err(error) => Err(Fault {
            line: 1,
            pointer: String::new(),
            reason: "unreadable",
            detail: inputs::without_path(&error),
        }),
    };
    (name, file)
}

/// The eval files that paths mean: themselves, and those in folders and below.
pub fn find_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, WorkError> {
    inputs::expand(paths).map(|found| found.files)
}

#[cfg(test)]
mod tests;
