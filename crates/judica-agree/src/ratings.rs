//! Any table of item, rater, value: how far the raters agree.
//!
//! The files follow the data:
//!
//! * [`mod@columns`], `value`: which column is which part, and what stands in it
//! * `rows`: rows of any format
//! * `load`: rows become cells, or are refused; `names`, `cells` and `slots` keep them small
//! * `scale`, `order`: values become categories; `alike`: which may have been meant as one
//! * [`mod@report`], [`mod@tables`], `record`: what comes out
//!
//! Nothing grows with the number of rows but twelve bytes for each rating and the names,
//! four bytes more for each of them and up to eleven to find it.

mod alike;
mod cells;
pub mod columns;
mod load;
mod names;
mod order;
mod record;
pub mod report;
mod rows;
mod scale;
mod slots;
pub mod tables;
mod value;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::foreign::Reads;
use judica_data::rejects::{Reject, RejectFile};
use judica_data::source::{STDIN, read_as};
use judica_data::work_error::WorkError;
use judica_run::family::{Family, Rerun};
use judica_run::manifest::{Counts, name};
use judica_run::options::RunTarget;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::weights::Weights;
use serde::{Deserialize, Serialize};

use crate::panel::BootstrapOptions;
use crate::run::{self, Unfinished};
pub use columns::Columns;
use load::Loader;
use order::Listed;
pub use report::RatingsReport;
use scale::Scale;
pub use tables::tables;

/// The command in manifests.
const COMMAND: &str = "agree ratings";
/// What its inputs are used as.
pub const RATINGS: &str = "ratings";

/// All that readers of runs are told about this command.
pub static FAMILY: Family = Family {
    command: COMMAND,
    rerun,
    describe: None,
    steps: None,
    json: None,
    finish: None,
};

/// What shapes a measurement of a table of ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingsOptions {
    /// What the values mean.
    #[serde(with = "LevelName")]
    pub level: Level,
    /// The partial credit that Gwet's AC2 gives.
    #[serde(with = "WeightsName")]
    pub weights: Weights,
    /// The columns, where their names do not tell.
    pub columns: Columns,
    /// What separates the fields of a file that is not JSON, where its name does not tell.
    pub delimiter: Option<u8>,
    /// The values in their order, lowest first.
    pub order: Option<Vec<String>>,
    /// The values that raters could choose, in no order of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// Whether every two raters are compared even if there are many.
    pub pairwise: bool,
    /// How intervals are made; also the number of threads.
    pub bootstrap: BootstrapOptions,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Level", rename_all = "lowercase")]
enum LevelName {
    Nominal,
    Ordinal,
    Interval,
    Ratio,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Weights", rename_all = "lowercase")]
enum WeightsName {
    Identity,
    Linear,
    Quadratic,
    Ordinal,
    Radical,
    Ratio,
    Circular,
    Bipolar,
}

/// A measurement of a table of ratings.
#[derive(Clone, Debug)]
pub struct RatingsRequest {
    /// The files; `-` is standard input.
    pub inputs: Vec<run::Input>,
    /// What is measured.
    pub options: RatingsOptions,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
    /// The run that is left, if one is.
    pub run: Option<RunTarget>,
}

impl RatingsRequest {
    /// A measurement of these files with nothing else said.
    pub fn new(inputs: &[PathBuf], level: Level) -> Self {
        RatingsRequest {
            inputs: inputs
                .iter()
                .map(|path| run::input(RATINGS, path))
                .collect(),
            options: RatingsOptions {
                level,
                weights: default_weights(level),
                columns: Columns::default(),
                delimiter: None,
                order: None,
                categories: None,
                pairwise: false,
                bootstrap: BootstrapOptions::default(),
            },
            strict: false,
            run: None,
        }
    }
}

/// How a measurement speaks with whoever started it.
pub struct Hooks<'h> {
    /// Takes every row that could not be used.
    pub reject: &'h mut dyn FnMut(&Reject) -> Result<(), WorkError>,
    /// Is told how many bytes have been read.
    pub progress: &'h dyn Fn(u64),
    /// Set to stop the run.
    pub interrupted: &'h AtomicBool,
}

/// The weights that fit a level.
pub fn default_weights(level: Level) -> Weights {
    match level {
        Level::Nominal => Weights::Identity,
        Level::Ordinal => Weights::Ordinal,
        Level::Interval => Weights::Quadratic,
        Level::Ratio => Weights::Ratio,
    }
}

/// Measures how far raters agree. A run that is asked for is to be finished by the caller,
/// who has what was refused.
pub fn measure(
    request: &RatingsRequest,
    hooks: &mut Hooks,
) -> Result<(RatingsReport, Option<Unfinished>), WorkError> {
    check(request)?;
    let options = &request.options;
    let listed = match (&options.order, &options.categories) {
        (Some(order), _) => Some(Listed::Order(order)),
        (None, categories) => categories.as_deref().map(Listed::Categories),
    };
    let scale = Scale::new(options.level, listed)?;
    let mut loader = Loader::new(scale, request.strict, request.run.is_some(), hooks);
    let mut bytes = 0;
    let mut used = Vec::new();
    let mut digests = Vec::new();
    for (input, file) in request.inputs.iter().zip(0..) {
        loader.file = file;
        let before = loader.used();
        let read = rows::read(input, request, &mut loader, bytes);
        let digest = read.map_err(|error| error.explained(&input.path, Reads::JsonOrTable))?;
        bytes += digest.bytes;
        digests.push(digest);
        used.push(loader.used() - before);
    }
    let (mut report, run) = report::report(request, loader)?;
    report.used = used;
    report.read = read_as(&digests);
    let run = run.map(|run| Unfinished {
        run,
        inputs: run::entries(&request.inputs, &digests),
        counts: Counts::of(report.inputs, report.records, report.refused.by_reason()),
    });
    Ok((report, run))
}

/// Makes a run again.
fn rerun(rerun: &Rerun) -> Result<(), WorkError> {
    let (mut options, target): (RatingsOptions, _) = run::recorded(rerun)?;
    options.bootstrap.threads = rerun.threads;
    let mut rejects = RejectFile::new(&target.folder.join(name::REJECTS));
    let request = RatingsRequest {
        inputs: rerun.inputs.to_vec(),
        options,
        strict: false,
        run: Some(target),
    };
    let mut hooks = Hooks {
        reject: &mut |reject| Ok(rejects.write(reject)?),
        progress: &|_| (),
        interrupted: rerun.interrupted,
    };
    let (report, run) = measure(&request, &mut hooks)?;
    match run {
        Some(run) => run.finish(&report, &tables(&report), rejects),
        None => Ok(()),
    }
}

fn check(request: &RatingsRequest) -> Result<(), WorkError> {
    let bad = |message: &str| Err(WorkError::BadInput(message.to_owned()));
    let stdin = request
        .inputs
        .iter()
        .filter(|input| input.path == Path::new(STDIN));
    if request.inputs.is_empty() {
        return bad("no input was given");
    }
    if stdin.count() > 1 {
        return bad("standard input can be given only once");
    }
    let confidence = request.options.bootstrap.confidence;
    if !(confidence > 0.0 && confidence < 1.0) {
        return bad("--confidence must be between 0 and 1, for example 0.95");
    }
    request.options.columns.check()
}

#[cfg(test)]
mod bad_input_tests;
#[cfg(test)]
mod tests;
