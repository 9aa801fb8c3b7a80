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
    let of_files = !args.files.is_empty();
    let request = CompareRequest {
        runs: if of_files { &args.files } else { &args.runs }.clone(),
        subjects: args.subjects.clone(),
        metric: args.metric.clone(),
        margin: args.margin,
        difference: args.difference,
        confidence: 1.0 - args.alpha,
        resamples: args.resamples,
        seed: args.seed,
        threads: threads(None),
    };
    let report = match of_files {
        true => eval_files::compare(&request, &args.labels, &args.details)?,
        false => compare(&request)?,
    };
    let (out, rows) = (args.out.as_deref(), Accounting::default());
    end(&args.report, out, &report, &tables(&report), rows)?;
    Ok(match args.fail_if_worse && report.is_worse() {
        true => ExitCode::GateFailed,
        false => ExitCode::Done,
    })
}
