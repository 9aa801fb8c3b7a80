//! `judica compare`

use judica_episode::compare as eval_files;
use judica_model::exit_code::ExitCode;
use judica_report::figure;
use judica_run::compare::forest::forest;
use judica_run::compare::tables::tables;
use judica_run::compare::{CompareRequest, compare};

use super::ending::{Accounting, end};
use super::pictures::Pictures;
use super::threads;
use crate::args::episode::CompareArgs;
use crate::args::names::all_names;
use crate::failure::Failure;

/// Compares runs, or eval files, and shows what the data can say.
pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let pictures = Pictures::wanted("--forest", args.forest.as_deref(), &args.figure)?;
    let of_files = !args.files.is_empty();
    let runs = if of_files { &args.files } else { &args.runs }.clone();
    let request = CompareRequest {
        subjects: all_names(&args.subjects),
        one_each: args.one_each,
        matrix: args.matrix,
        metric: args.metric.clone(),
        margin: args.margin,
        difference: args.difference,
        confidence: 1.0 - args.alpha,
        resamples: args.resamples,
        seed: args.seed,
        ..CompareRequest::new(runs, threads(None))
    };
    let report = match of_files {
        true => eval_files::compare(&request, &args.labels, &args.details)?,
        false => compare(&request)?,
    };
    pictures.draw(|look| figure::forest::draw(&forest(&report), look))?;
    let (out, rows) = (args.out.as_deref(), Accounting::default());
    end(&args.report, out, &report, &tables(&report), rows)?;
    // Runs that share no item were most often not meant: somebody has to say so.
    if report.unpaired && !args.unpaired {
        let apart = report.apart.iter().map(|[a, b]| format!("{a} and {b}"));
        return Err(Failure::Usage(format!(
            "no item is common to {}, so nothing was paired; --unpaired says that this is meant, \
             else look at how items are called (judica show RUN)",
            apart.collect::<Vec<_>>().join(", ")
        )));
    }
    Ok(match args.fail_if_worse && report.is_worse() {
        true => ExitCode::GateFailed,
        false => ExitCode::Done,
    })
}
