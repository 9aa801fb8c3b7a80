//! `judica agree`

mod judges;
pub mod pairs;
mod ratings;

use std::path::Path;

use judica_agree::panel::BootstrapOptions;
use judica_model::exit_code::ExitCode;
use judica_model::heatmap::HeatMap;
use judica_stats::item_bootstrap::IntervalMethod;

use super::files::write;
use super::threads;
use crate::args::agree::{AgreeArgs, AgreeOf, IntervalArgs, IntervalKind};
use crate::failure::Failure;

/// Measures agreement and shows it.
pub fn run(args: &AgreeArgs) -> Result<ExitCode, Failure> {
    match &args.of {
        AgreeOf::Pairs(args) => pairs::run(args),
        AgreeOf::Judges(args) => judges::run(args),
        AgreeOf::Ratings(args) => ratings::run(args),
    }
}

fn bootstrap(args: &IntervalArgs) -> Result<BootstrapOptions, Failure> {
    Ok(BootstrapOptions {
        resamples: args.resamples,
        seed: args.seed,
        confidence: args.confidence,
        method: match args.ci {
            IntervalKind::Percentile => IntervalMethod::Percentile,
            IntervalKind::Bca => IntervalMethod::Bca,
        },
        threads: threads(args.threads),
    })
}

/// Draws a heat map.
fn draw(path: &Path, map: &HeatMap) -> Result<(), Failure> {
    write(path, judica_report::heatmap::svg(map).as_bytes())
}
