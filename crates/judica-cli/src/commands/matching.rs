//! `judica match`

use std::path::PathBuf;

use judica_answer::matching::{
    Asked, MatchRequest, run as match_files, run_part as match_part, tables,
};
use judica_answer::predictions::{Columns, list_with, unread_notes};
use judica_model::exit_code::ExitCode;
use judica_report::figure::reliability;
use judica_run::options::RunTarget;

use super::ending::{Accounting, end};
use super::judge::choice;
use super::logs::Imported;
use super::pictures::Pictures;
use super::rejects::tell_lost;
use super::{runs, threads};
use crate::args::answer::MatchArgs;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Holds predictions against their gold and shows the result.
pub fn run(args: &MatchArgs) -> Result<ExitCode, Failure> {
    let choice = choice(&args.normalizer)?;
    let more = &args.more;
    let pictures = Pictures::wanted("--figure", more.figure.as_deref(), &more.look)?;
    let (run, _held) = runs::part_target(&args.measure, &args.names, args.part)?;
    let (request, _logs) = request(args, run)?;
    let rows = &args.measure.rows;
    if let (Some(part), Some(run)) = (args.part, &request.run) {
        let piece = screen::reading(paths(&request), |told| {
            match_part(&request, &choice, part, None, told, &interrupted())
        })?;
        tell_lost(&unread_notes(&request.files));
        runs::tell_part(part, &piece.counts, &run.folder);
        return Ok(ExitCode::Done);
    }
    let report = screen::reading(paths(&request), |progress| {
        match_files(&request, &choice, progress, &interrupted())
    })?;
    tell_lost(&report.unused);
    tell_lost(&unread_notes(&request.files));
    if let Some(calibration) = &report.sections.calibration {
        let chart = calibration.figure("Is confidence what it says?");
        pictures.draw(|look| reliability::draw(&chart, look))?;
    }
    let totals = &report.totals;
    let accounting = Accounting::rows(totals.inputs, totals.n_examples, totals.rejects, "")
        .refused(totals.rejects, &request.rejects)
        .file("run", args.measure.run.as_deref())
        .read(&report.read);
    let accounting = pictures.paths().fold(accounting, |accounting, path| {
        accounting.file("figure", Some(path))
    });
    let out = args.out.as_deref();
    end(&rows.report, out, &report, &tables(&report), accounting)?;
    Ok(ExitCode::Done)
}

fn paths(request: &MatchRequest) -> impl Iterator<Item = &PathBuf> {
    request.files.iter().map(|file| &file.path)
}

/// What the arguments ask for, and what was made of logs among the predictions, which is gone
/// when that is.
pub fn request(
    args: &MatchArgs,
    mut run: Option<RunTarget>,
) -> Result<(MatchRequest, Imported), Failure> {
    let more = &args.more;
    let mut said = args.columns.said();
    for (field, column) in [("confidence", &more.confidence), ("by", &more.by)] {
        said.extend(column.iter().map(|column| format!("{field}={column}")));
    }
    let columns = Columns::new(&said)?;
    runs::one_subject(&args.names, &columns)?;
    let rows = &args.measure.rows;
    let logs = Imported::new(&args.predictions, &columns, rows)?;
    if let (Some(log), true) = (logs.runs.keys().next(), args.part.is_some()) {
        return Err(Failure::Usage(format!(
            "--part: {} is a log; import it, and give the run to every part",
            log.display()
        )));
    }
    let files = list_with(&args.predictions, columns, &logs.runs)?;
    logs.keep_text(&mut run);
    let request = MatchRequest {
        files,
        asked: Asked {
            classes: more.classes,
            k: more.k.clone(),
        },
        details: args.details.clone(),
        rejects: args.measure.rejects(args.out.as_deref()),
        run,
        strict: rows.strict,
        threads: threads(rows.threads),
    };
    Ok((request, logs))
}
