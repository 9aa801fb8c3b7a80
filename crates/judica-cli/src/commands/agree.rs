//! `judica agree`

pub mod judges;
pub mod pairs;
pub mod ratings;

use judica_agree::panel::BootstrapOptions;
use judica_agree::run::Unfinished;
use judica_data::rejects::RejectFile;
use judica_model::exit_code::ExitCode;
use judica_model::heatmap::HeatMap;
use judica_model::table::Table;
use judica_report::figure::heatmap;
use serde::Serialize;

use super::pictures::Pictures;
use super::threads;
use crate::args::agree::{AgreeArgs, AgreeOf, IntervalArgs};
use crate::args::run::MeasureArgs;
use crate::failure::Failure;

/// Measures agreement and shows it.
pub fn run(args: &AgreeArgs) -> Result<ExitCode, Failure> {
    match &args.of {
        AgreeOf::Pairs(args) => pairs::run(args),
        AgreeOf::Judges(args) => judges::run(args),
        AgreeOf::Ratings(args) => ratings::run(args),
    }
}

fn bootstrap(args: &IntervalArgs, measure: &MeasureArgs) -> BootstrapOptions {
    BootstrapOptions {
        resamples: args.resamples,
        seed: args.seed,
        confidence: args.confidence,
        threads: threads(measure.rows.threads),
    }
}

/// Gives all files of a measurement their names.
fn keep(
    rejects: RejectFile,
    run: Option<Unfinished>,
    report: &impl Serialize,
    tables: &[Table],
    ours: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    match run {
        Some(run) => run.finish(report, tables, rejects)?,
        None => rejects.commit(ours)?,
    }
    Ok(())
}

/// Draws a heat map into the files that were named; `map` is asked only if there are any.
fn draw(pictures: &Pictures, map: impl FnOnce() -> HeatMap) -> Result<(), Failure> {
    pictures.draw(|look| heatmap::draw(&map(), look))
}
