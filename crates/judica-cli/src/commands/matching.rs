//! `judica match`

use std::path::PathBuf;

use judica_answer::matching::{MatchReport, MatchRequest, run as match_files, tables};
use judica_answer::predictions;
use judica_model::exit_code::ExitCode;

use super::files::{shown, write_report};
use super::judge::choice;
use super::rejects::{REJECTS, note_unused, place};
use super::reports::show;
use super::{runs, threads};
use crate::args::answer::MatchArgs;
use crate::args::report::TableFormat;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;

/// Holds predictions against their gold and shows the result.
pub fn run(args: &MatchArgs) -> Result<ExitCode, Failure> {
    let choice = choice(&args.normalizer)?;
    let files = predictions::list(&args.predictions)?;
    let (run, _held) = runs::target(&args.run)?.unzip();
    let request = MatchRequest {
        files,
        details: args.details.clone(),
        rejects: rejects(args),
        run,
        strict: args.strict,
        threads: threads(args.threads),
    };
    let bar = screen::byte_counter("read");
    let report = match_files(
        &request,
        &choice,
        &|bytes| bar.set_position(bytes),
        &INTERRUPTED,
    );
    bar.finish_and_clear();
    let report = report?;
    note_unused(&report.unused);
    write_report(args.out.as_deref(), &report)?;
    show(&args.report, &report, &tables(&report));
    if !args.report.json && args.report.format == TableFormat::Terminal {
        screen::print(&accounting(&report, &request));
    }
    Ok(ExitCode::Done)
}

/// Where rows that cannot be used are kept.
pub fn rejects(args: &MatchArgs) -> PathBuf {
    match &args.run.run {
        Some(folder) => folder.join(REJECTS),
        None => place(args.rejects.as_deref(), args.out.as_deref()),
    }
}

/// What became of the rows.
fn accounting(report: &MatchReport, request: &MatchRequest) -> String {
    let totals = &report.totals;
    let mut text = format!(
        "\ninputs {} = records {} + rejects {}\n",
        totals.inputs, totals.n_examples, totals.rejects
    );
    if totals.rejects > 0 {
        text.push_str(&format!("refused rows: {}\n", shown(&request.rejects)));
    }
    text
}
