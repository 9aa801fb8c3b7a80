//! `judica aggregate`

use judica_episode::aggregate::{AggregateRequest, aggregate, tables};
use judica_model::exit_code::ExitCode;

use super::files::write_report;
use super::reports::show;
use super::threads;
use crate::args::episode::AggregateArgs;
use crate::failure::Failure;

/// Aggregates eval files and shows the means.
pub fn run(args: &AggregateArgs) -> Result<ExitCode, Failure> {
    let report = aggregate(&AggregateRequest {
        inputs: args.files.clone(),
        // Any text is a key.
        by: args.by.parse().ok(),
        strict: args.strict,
        threads: threads(args.threads)?,
    })?;
    write_report(args.out.as_deref(), &report)?;
    show(&args.report, &report, &tables(&report));
    // Means over nothing are no result.
    Ok(if report.files == 0 {
        ExitCode::BadInput
    } else {
        ExitCode::Done
    })
}
