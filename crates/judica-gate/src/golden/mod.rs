//! Runs of an agent against golden queries: four metrics, their gates, and what broke them.
//!
//! The files follow the data:
//!
//! * `queries`: what is asked of the agent, and which run answers which query
//! * `folder`, `contents`: whose files there are, and their bytes
//! * `glance`, `shape`, `wrong`: what an output says, and where it says something wrong
//! * `evidence`, `manifests`, `run`: one run, checked
//! * `tally`, `metrics`, `finish`: all runs together; four numbers and their gates
//! * `explain`: what gates say beside their numbers
//! * `report`, `tables`: the report and its tables; `capped` keeps its lists short
//! * `recorded`: the run that is left
//!
//! # The metrics
//!
//! * **Evidence coverage**: of all verified claims, those that cite at least one record of
//!   their run's ledger that is usable. A claim is verified if its `status` is `verified`,
//!   in small or capital letters. A record is usable if it has a quote that is not blank
//!   or a valid span (`[start, end]` or `{start, end}`, whole numbers, 0 ≤ start < end),
//!   and a provenance: text that is not blank, or an object or list that is not empty.
//! * **Golden recall**: of all evidence that queries require, what stands, usable, in the
//!   ledger of a run that answers the query. An id that a query lists twice counts once.
//! * **Abstention accuracy**: of all runs of queries without sufficient evidence, those
//!   that stopped with `NO_EVIDENCE` and verified no claim. Every run counts.
//! * **Manifest integrity**: of all steps, those with a manifest: beside the step, if it is
//!   text, a list or an object that is not empty; or a file `manifests/<step id>.json`
//!   that parses. An empty value beside a step is what a writer leaves for a field nobody
//!   filled; a file is there because somebody wrote it.
//!
//! A query without a run counts against recall and abstention.
//!
//! # Nothing to count
//!
//! A rate of nothing is undefined, and its gate fails: nothing was tested. Three times a
//! denominator is rightly empty, because of what the queries ask and whatever the runs do;
//! then the gate passes, and says so:
//!
//! * abstention, if every query has sufficient evidence
//! * recall, if no query requires evidence
//! * coverage, if no query has sufficient evidence: then nothing is to be claimed
//!
//! A run records steps, so no steps are never right; and a folder without runs fails
//! `well_formed_runs`, whatever is allowed.
//!
//! # Runs that cannot be read
//!
//! A malformed run fails all four gates of its own, and the gate `well_formed_runs` of the
//! whole. Its claims and steps enter no metric, since half a list of them would be worth
//! nothing; but as far as its query is known, its required evidence is not found and it did
//! not abstain.

mod capped;
mod contents;
mod evidence;
mod explain;
mod finish;
mod folder;
mod glance;
mod manifests;
mod metrics;
mod queries;
mod recorded;
pub(crate) mod report;
mod run;
mod shape;
pub(crate) mod tables;
mod tally;
mod wrong;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::ordered::{self, Workers};
use judica_data::work_error::WorkError;
use judica_run::options::RunTarget;
use serde::{Deserialize, Serialize};

use crate::check::{check_value, is_read_once};
pub use capped::Capped;
use queries::Queries;
use recorded::Recorder;
pub use recorded::{FAMILY, Names};
pub use report::GoldenReport;
pub use tables::tables;
use tally::Tally;

/// Runs that a thread takes at once: so many that little time goes into taking turns.
const BATCH: usize = 16;

/// An evaluation of runs.
#[derive(Clone, Debug)]
pub struct GoldenRequest {
    /// The golden queries.
    pub golden: PathBuf,
    /// The folder of runs.
    pub outputs: PathBuf,
    /// What is asked of the runs.
    pub thresholds: GoldenThresholds,
    /// Gates of the user's own over the report.
    pub gates: Option<PathBuf>,
    /// An older report, for those of them that compare.
    pub baseline: Option<PathBuf>,
    /// Whether a gate over an undefined metric passes.
    pub allow_undefined: bool,
    /// Whether the first malformed run ends it.
    pub strict: bool,
    /// The run that is left, if one is.
    pub run: Option<RunTarget>,
    /// What inputs are called where that is not where they are.
    pub names: Option<Names>,
    /// How many threads read runs.
    pub threads: usize,
}

/// What is asked of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoldenThresholds {
    /// Evidence coverage, at least.
    pub evidence_coverage: f64,
    /// Golden recall, at least.
    pub golden_recall: f64,
    /// Abstention accuracy, at least.
    pub abstention_accuracy: f64,
    /// Manifest integrity: exactly, if it is 1; else at least.
    pub manifest_integrity: f64,
}

impl Default for GoldenThresholds {
    fn default() -> Self {
        GoldenThresholds {
            evidence_coverage: 0.95,
            golden_recall: 0.80,
            abstention_accuracy: 0.90,
            manifest_integrity: 1.00,
        }
    }
}

/// Evaluates the runs of a folder against golden queries. `interrupted` stops it.
///
/// Fails if the queries or the folder are missing or malformed; a malformed run is named
/// in the report.
pub fn evaluate(
    request: &GoldenRequest,
    interrupted: &AtomicBool,
) -> Result<GoldenReport, WorkError> {
    if request.run.is_some() {
        for path in [&request.gates, &request.baseline].into_iter().flatten() {
            read_twice(path)?;
        }
    }
    let queries = Queries::load(&request.golden)?;
    let outputs = folder::list(&request.outputs)?;
    let workers = Workers {
        threads: request.threads,
        interrupted,
    };
    let names = request.names.clone();
    let names = names.unwrap_or_else(|| Names::of(request));
    let target = request.run.as_ref();
    let kept = target.map(|target| (&names, target.options.keep_text));
    let recorder = target.map(|target| Recorder::new(&queries, target, &names));
    let mut batches = outputs.runs.chunks(BATCH);
    let (tally, recorder) = ordered::run(
        workers,
        |_| Ok(batches.next()),
        (Tally::new(&queries, request.thresholds), recorder),
        || Ok(()),
        |(), batch, way| {
            let checked = batch.iter().map(|entry| run::check(entry, &queries, kept));
            let checked: Vec<_> = checked.collect::<Result<_, WorkError>>()?;
            way.pass(|(tally, recorder)| {
                for mut checked in checked {
                    if let (true, Err(malformed)) = (request.strict, &checked.checked) {
                        return Err(WorkError::Artifact {
                            artifact: malformed.file.clone(),
                            reason: malformed.reason.clone(),
                        });
                    }
                    if let Some(recorder) = recorder {
                        recorder.add(&mut checked);
                    }
                    tally.add(checked);
                }
                Ok(())
            })
        },
    )?;
    let mut report = tally.finish(names.shown.clone(), outputs, request.allow_undefined);
    explain::explain(&mut report);
    if let Some(gates) = &request.gates {
        let value = serde_json::to_value(&report).unwrap_or_default();
        let baseline = request.baseline.as_deref();
        let own = check_value(&value, gates, baseline, request.allow_undefined)?;
        report.override_gates(own);
    }
    explain::unasked(&mut report);
    if let Some(recorder) = recorder {
        recorder.finish(request, &report)?;
    }
    Ok(report)
}

/// What a run is left of is read to be held, and to be hashed.
fn read_twice(path: &Path) -> Result<(), WorkError> {
    if !is_read_once(path) {
        return Ok(());
    }
    Err(WorkError::BadInput(format!(
        "{}: gives what it has once, and a run needs its hash too; give a file, or leave out --run",
        path.display()
    )))
}

#[cfg(test)]
mod tests;
