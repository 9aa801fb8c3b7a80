//! `judica agree`

pub mod judges;
pub mod pairs;
pub mod ratings;

use std::path::{Path, PathBuf};

use judica_agree::panel::BootstrapOptions;
use judica_agree::run::Unfinished;
use judica_model::exit_code::ExitCode;
use judica_model::heatmap::HeatMap;
use judica_model::table::Table;
use judica_report::heatmap;
use judica_stats::item_bootstrap::IntervalMethod;
use serde::Serialize;

use super::files::{shown, write};
use super::pictures::{PIXELS, Pictures};
use super::rejects::{self, Kept, REJECTS};
use super::threads;
use crate::args::agree::{AgreeArgs, AgreeOf, IntervalArgs, IntervalKind};
use crate::args::run::RunArgs;
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

/// Where rows that cannot be used are kept: in the run, if there is one.
fn place(run: &RunArgs, named: Option<&Path>, report: Option<&Path>) -> PathBuf {
    match &run.run {
        Some(folder) => folder.join(REJECTS),
        None => rejects::place(named, report),
    }
}

/// Gives all files of a measurement their names; says where rows are that were refused.
fn keep(
    kept: Kept,
    run: Option<Unfinished>,
    report: &impl Serialize,
    tables: &[Table],
    refused: u64,
    ours: impl Fn(&str) -> bool,
) -> Result<String, Failure> {
    let Some(run) = run else {
        return kept.commit(refused, ours);
    };
    let folder = run.folder().to_owned();
    run.finish(report, tables, kept.file)?;
    let mut text = match refused {
        0 => String::new(),
        _ => format!("refused rows: {}\n", shown(&kept.path)),
    };
    text.push_str(&format!("run: {}\n", shown(&folder)));
    Ok(text)
}

/// Where a heat map goes, if one was asked for.
fn pictures(heatmap: Option<&Path>) -> Result<Pictures, Failure> {
    heatmap.map_or_else(
        || Ok(Pictures::default()),
        |path| Pictures::named("--heatmap", path),
    )
}

/// Draws a heat map into the files that were named; `map` is asked only if there are any.
fn draw(pictures: &Pictures, map: impl Fn() -> HeatMap) -> Result<(), Failure> {
    if let Some(path) = &pictures.svg {
        write(path, heatmap::svg(&map()).as_bytes())?;
    }
    if let Some(path) = &pictures.png {
        write(path, &heatmap::png(&map(), PIXELS)?)?;
    }
    Ok(())
}
