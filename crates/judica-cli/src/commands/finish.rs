//! `judica finish`

use std::path::Path;

use judica_model::exit_code::ExitCode;
use judica_run::finish::{Finished, How, finish};
use judica_run::open::Run;
use judica_run::pieces::Pieces;

use super::families::FAMILIES;
use super::files::{hold, shown};
use super::rejects::tell_lost;
use super::threads;
use crate::args::FinishArgs;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Makes a run of its pieces, whose records are taken as they stand if the pieces are in order
/// and that is said.
pub fn made(
    run: &Path,
    keep_pieces: bool,
    as_they_stand: bool,
    asked: Option<usize>,
) -> Result<Finished, Failure> {
    let how = How {
        keep_pieces,
        as_they_stand,
        threads: threads(asked),
    };
    Ok(screen::counting("records of pieces", |told| {
        finish(FAMILIES, run, how, told, &interrupted())
    })?)
}

/// Makes a run of its pieces, and shows it.
pub fn run(args: &FinishArgs) -> Result<ExitCode, Failure> {
    // A folder that is not there is not made.
    Pieces::read(&args.run)?;
    let _held = hold(&args.run)?;
    let made = made(&args.run, args.keep_pieces, false, args.threads)?;
    tell_lost(&made.unused);
    let run = Run::open(&args.run)?;
    let report = run.report()?;
    // As the command in one go ends: of those that are made in pieces, `agree pairs` has gates.
    let code = match report["gates_pass"].as_bool() {
        Some(false) => ExitCode::GateFailed,
        _ => ExitCode::Done,
    };
    if args.json {
        screen::print_json(&report);
        return Ok(code);
    }
    for table in run.tables()? {
        screen::print_table(&table);
        screen::print("\n");
    }
    let counts = &made.manifest.counts;
    screen::print(&format!(
        "inputs {} = used {} + rejects {}; records {} of {} pieces\nrun: {}\n",
        counts.inputs,
        counts.used,
        counts.rejects,
        counts.records,
        made.pieces,
        shown(&args.run)
    ));
    Ok(code)
}
