//! `judica compare`

use judica_episode::compare as eval_files;
use judica_model::exit_code::ExitCode;
use judica_run::compare::{CompareRequest, compare, report::tables};

use super::ending::{Accounting, end};
use super::threads;
use crate::args::episode::CompareArgs;
use crate::failure::Failure;

/// Compares runs, or eval files, and shows what the data can say.
pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    if !args.files.is_empty() {
        return compare_files(args);
    }
    let report = compare(&CompareRequest {
        runs: args.runs.clone(),
        subjects: args.subjects.clone(),
        metric: args.metric.clone(),
        margin: args.margin,
        difference: args.difference,
        confidence: 1.0 - args.alpha,
        resamples: args.resamples,
        seed: args.seed,
        threads: threads(None),
    })?;
    let (out, rows) = (args.out.as_deref(), Accounting::default());
    end(&args.report, out, &report, &tables(&report), rows)?;
    Ok(match args.fail_if_worse && report.is_worse() {
        true => ExitCode::GateFailed,
        false => ExitCode::Done,
    })
}

fn compare_files(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let report = eval_files::compare(&eval_files::CompareRequest {
        files: args.files.clone(),
        labels: args.labels.clone(),
        details: args.details.clone(),
        confidence: 1.0 - args.alpha,
        resamples: args.resamples,
        seed: args.seed,
        threads: threads(None),
    })?;
    let (out, rows) = (args.out.as_deref(), Accounting::default());
    end(
        &args.report,
        out,
        &report,
        &eval_files::tables(&report),
        rows,
    )?;
    Ok(ExitCode::Done)
}
