//! `judica finish`

use judica_model::exit_code::ExitCode;
use judica_run::finish::finish;
use judica_run::open::Run;
use judica_run::pieces::Pieces;

use super::families::FAMILIES;
use super::files::{hold, shown};
use super::rejects::note_unused;
use super::{show, threads};
use crate::args::FinishArgs;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
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
        &INTERRUPTED,
    )?;
    note_unused(&made.unused);
    show::report(&Run::open(&args.run)?, args.json)?;
    if !args.json {
        let (pieces, folder) = (made.pieces, shown(&args.run));
        screen::print(&format!("pieces {pieces}\nrun folder: {folder}\n"));
    }
    Ok(ExitCode::Done)
}
