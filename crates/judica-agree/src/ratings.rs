//! Any table of item, rater, value: how far the raters agree.
//!
//! The files follow the data:
//!
//! * [`mod@columns`], `value`: which column is which part, and what stands in it
//! * `input`, `csv_rows`, `json_rows`: rows of any format
//! * `load`: rows become cells, or are refused; `names`, `cells` and `slots` keep them small
//! * `scale`, `order`: values become categories; `alike`: which may have been meant as one
//! * [`mod@report`], [`mod@tables`]: what comes out
//!
//! Nothing grows with the number of rows but twelve bytes for each rating and the names,
//! four bytes more for each of them and up to eleven to find it.

mod alike;
mod cells;
pub mod columns;
mod csv_rows;
mod input;
mod json_rows;
mod load;
mod names;
mod order;
pub mod report;
mod scale;
mod slots;
pub mod tables;
mod value;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use judica_data::foreign::Reads;
use judica_data::rejects::Reject;
use judica_data::source::STDIN;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::weights::Weights;

use crate::error::AgreeError;
use crate::panel::BootstrapOptions;
pub use columns::Columns;
use input::Input;
use load::Loader;
pub use report::RatingsReport;
use scale::Scale;
pub use tables::tables;

/// A measurement of a table of ratings.
#[derive(Clone, Debug)]
pub struct RatingsRequest {
    /// The files; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// What the values mean.
    pub level: Level,
    /// The columns, where their names do not tell.
    pub columns: Columns,
    /// What separates the fields of a file that is not JSON, where its name does not tell.
    pub delimiter: Option<u8>,
    /// The values in their order, lowest first.
    pub order: Option<Vec<String>>,
    /// The partial credit that Gwet's AC2 gives; by default what fits the level.
    pub weights: Option<Weights>,
    /// How intervals are made; also the number of threads.
    pub bootstrap: BootstrapOptions,
    /// Whether every two raters are compared even if there are many.
    pub pairwise: bool,
    /// Whether the first row that cannot be used ends the run.
    pub strict: bool,
}

impl RatingsRequest {
    /// A measurement of these files with nothing else said.
    pub fn new(inputs: Vec<PathBuf>, level: Level) -> Self {
        RatingsRequest {
            inputs,
            level,
            columns: Columns::default(),
            delimiter: None,
            order: None,
            weights: None,
            bootstrap: BootstrapOptions::default(),
            pairwise: false,
            strict: false,
        }
    }
}

/// How a measurement speaks with whoever started it.
pub struct Hooks<'h> {
    /// Takes every row that could not be used.
    pub reject: &'h mut dyn FnMut(&Reject) -> Result<(), AgreeError>,
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

/// Measures how far raters agree.
pub fn measure(request: &RatingsRequest, hooks: &mut Hooks) -> Result<RatingsReport, AgreeError> {
    check(request)?;
    let scale = Scale::new(request.level, request.order.as_deref())?;
    let mut loader = Loader::new(scale, request.strict, hooks);
    let mut bytes = 0;
    let mut used = Vec::new();
    for path in &request.inputs {
        let before = loader.used();
        let read = read(path, request, &mut loader, bytes);
        bytes += read.map_err(|error| error.explained(path, Reads::JsonOrCsv))?;
        used.push(loader.used() - before);
    }
    let mut report = report::report(request, loader);
    report.used = used;
    Ok(report)
}

fn check(request: &RatingsRequest) -> Result<(), AgreeError> {
    let bad = |message: &str| Err(AgreeError::BadInput(message.to_owned()));
    let stdin = request
        .inputs
        .iter()
        .filter(|path| *path == Path::new(STDIN));
    if request.inputs.is_empty() {
        return bad("no input was given");
    }
    if stdin.count() > 1 {
        return bad("standard input can be given only once");
    }
    let confidence = request.bootstrap.confidence;
    if !(confidence > 0.0 && confidence < 1.0) {
        return bad("--confidence must be between 0 and 1, for example 0.95");
    }
    request.columns.check()
}

/// Reads one file; gives how many bytes it had on disk.
fn read(
    path: &Path,
    request: &RatingsRequest,
    loader: &mut Loader,
    done_before: u64,
) -> Result<u64, AgreeError> {
    let file = path.to_string_lossy();
    match input::open(path, request.delimiter)? {
        Input::Csv(reader) => csv_rows::read(reader, &request.columns, &file, loader, done_before),
        Input::Json(reader) => {
            json_rows::read(reader, &request.columns, &file, loader, done_before)
        }
    }
}

#[cfg(test)]
mod bad_input_tests;
#[cfg(test)]
mod tests;
