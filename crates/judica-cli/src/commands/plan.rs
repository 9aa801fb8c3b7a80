//! `judica plan`

use judica_model::exit_code::ExitCode;
use judica_run::plan::{PlanRequest, plan, tables};

use super::ending::{Accounting, end};
use super::threads;
use crate::args::names::all_names;
use crate::args::plan::PlanArgs;
use crate::failure::Failure;

/// Says how many items would show a difference.
pub fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let report = plan(&PlanRequest {
        runs: args.runs.clone(),
        subjects: all_names(&args.subjects),
        metric: args.metric.clone(),
        difference: args.difference,
        alpha: args.alpha,
        power: args.power,
        correlation: args.correlation,
        threads: threads(None),
    })?;
    let (out, rows) = (args.out.as_deref(), Accounting::default());
    end(&args.report, out, &report, &tables(&report), rows)?;
    Ok(ExitCode::Done)
}
