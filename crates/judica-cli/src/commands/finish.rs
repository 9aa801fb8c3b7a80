//! `judica finish`

use judica_model::exit_code::ExitCode;
use judica_run::finish::finish;
use judica_run::open::Run;
use judica_run::pieces::Pieces;

use super::families::FAMILIES;
use super::files::{hold, shown};
use super::rejects::note_unused;
use super::threads;
use crate::args::FinishArgs;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Makes a run of its pieces, and shows it.
pub fn run(args: &FinishArgs) -> Result<ExitCode, Failure> {
    // A folder that is not there is not made.
    Pieces::read(&args.run)?;
    let _held = hold(&args.run)?;
    let made = finish(
        FAMILIES,
        &args.run,
        args.keep_pieces,
        threads(args.threads),
        &interrupted(),
    )?;
    note_unused(&made.unused);
    let run = Run::open(&args.run)?;
    if args.json {
        screen::print_json(&run.report()?);
        return Ok(ExitCode::Done);
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
    Ok(ExitCode::Done)
}
