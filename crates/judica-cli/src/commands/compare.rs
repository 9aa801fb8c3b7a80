//! `judica compare`

use judica_episode::compare::{CompareRequest, compare, tables};
use judica_model::exit_code::ExitCode;

use super::files::write_report;
use super::reports::show;
use super::threads;
use crate::args::episode::CompareArgs;
use crate::failure::Failure;

/// Compares eval files and shows what the data can say.
pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    if !(args.alpha > 0.0 && args.alpha < 1.0) {
        let message = format!("--alpha {}: a number between 0 and 1 is needed", args.alpha);
        return Err(Failure::Usage(message));
    }
    let report = compare(&CompareRequest {
        files: args.inputs.files.clone(),
        labels: args.inputs.labels.clone(),
        details: args.inputs.details.clone(),
        confidence: 1.0 - args.alpha,
        resamples: args.resamples,
        seed: args.seed,
        threads: threads(None),
    })?;
    write_report(args.out.as_deref(), &report)?;
    show(&args.report, &report, &tables(&report));
    Ok(ExitCode::Done)
}
