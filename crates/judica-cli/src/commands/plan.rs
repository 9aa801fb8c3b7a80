//! `judica plan`

use judica_model::exit_code::ExitCode;
use judica_run::plan::{PlanRequest, plan, tables};

use super::files::write_report;
use super::reports::show;
use super::threads;
use crate::args::plan::PlanArgs;
use crate::failure::Failure;

/// Says how many items would show a difference.
pub fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let report = plan(&PlanRequest {
        runs: args.runs.clone(),
        subjects: args.subjects.clone(),
        metric: args.metric.clone(),
        difference: args.difference,
        alpha: args.alpha,
        power: args.power,
        correlation: args.correlation,
        threads: threads(None),
    })?;
    write_report(args.out.as_deref(), &report)?;
    show(&args.report, &report, &tables(&report));
    Ok(ExitCode::Done)
}
