//! What the runs of all three kinds of measurement have in common.

use std::path::Path;

use judica_data::source::InputDigest;
use judica_model::run::{Estimator, MetricSpec};
use judica_run::family::{Input, Rerun};
use judica_run::manifest::{Counts, InputEntry};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::writer::RunSpec;
use serde::{Deserialize, Serialize};

use crate::error::AgreeError;
use crate::refusals::Refusals;

/// A command's options as a manifest has them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recorded<O> {
    #[serde(flatten)]
    pub(crate) how: O,
    #[serde(flatten)]
    pub(crate) run: RunOptions,
}

/// What a run is, known before its first record.
pub(crate) fn spec<O: Serialize>(
    command: &'static str,
    how: O,
    target: &RunTarget,
    metrics: Vec<MetricSpec>,
) -> RunSpec {
    let run = target.options.clone();
    RunSpec {
        command,
        // Options are plain values under texts, which JSON can hold.
        options: serde_json::to_value(Recorded { how, run }).unwrap_or_default(),
        metrics,
        created_at: target.created_at.clone(),
    }
}

/// The options of a run that is made again, and where it goes.
pub(crate) fn recorded<O: for<'de> Deserialize<'de>>(
    rerun: &Rerun,
) -> Result<(O, RunTarget), AgreeError> {
    let Recorded { how, run } = rerun.manifest.options()?;
    let target = RunTarget {
        folder: rerun.folder.to_owned(),
        created_at: rerun.manifest.created_at.clone(),
        options: run,
    };
    Ok((how, target))
}

/// An input that is called as it was given.
pub fn input(role: &str, path: &Path) -> Input {
    Input {
        role: role.to_owned(),
        path: path.to_owned(),
        name: path.display().to_string(),
    }
}

/// The inputs as they stand in the manifest.
pub(crate) fn entries(inputs: &[Input], digests: &[InputDigest]) -> Vec<InputEntry> {
    let both = inputs.iter().zip(digests);
    both.map(|(input, digest)| InputEntry::new(&input.role, &input.name, digest))
        .collect()
}

/// Rows that were read, and what became of them.
pub(crate) fn counts(inputs: u64, used: u64, refusals: &Refusals) -> Counts {
    let kinds = refusals.kinds().iter();
    Counts {
        inputs,
        used,
        rejects: inputs - used,
        records: 0,
        rejects_by_reason: kinds
            .map(|kind| (kind.reason.to_owned(), kind.count))
            .collect(),
    }
}

/// A coefficient that is estimated from labels.
pub(crate) fn coefficient(
    name: &str,
    level: Option<&str>,
    raters: &[String],
    categories: &[String],
) -> MetricSpec {
    let estimator = Estimator {
        name: name.to_owned(),
        level: level.map(str::to_owned),
        raters: raters.to_vec(),
        categories: categories.to_vec(),
    };
    MetricSpec::coefficient(name, estimator)
}
