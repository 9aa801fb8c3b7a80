//! The `judica` command, as a library: arguments in, room called, report out.
//!
//! [`main`] is the program: parse arguments without effects (`args`), call the command
//! (`commands`), say what happened (`screen`, `failure`), exit. [`call`] is the same
//! command inside another program (`inside.rs`).

mod args;
mod commands;
mod failure;
mod help;
mod inside;
mod interrupt;
mod screen;
mod timestamp;
mod touched;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use judica_model::exit_code::ExitCode;

pub use commands::files::{Held, hold};
pub use failure::Failure;
pub use inside::{Answer, Call, call};
pub use interrupt::started_by;

/// Runs the command that the arguments name, the program's name first, and gives the exit
/// code. From here on Ctrl-C ends the process.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match help::parse(arguments) {
        Ok(arguments) => arguments,
        Err(said) => {
            screen::tell_of_arguments(&said);
            return inside::parsing_code(&said);
        }
    };
    interrupt::watch();
    match caught(arguments) {
        Ok(code) => code,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    }
}

/// The command that the arguments name (the program's name is not among them), for an engine
/// that deals its rows out to many processes.
pub fn dealt(
    arguments: impl IntoIterator<Item = OsString>,
    call: &std::sync::Arc<Call>,
) -> Result<Box<dyn judica_run::dealt::Dealt>, Failure> {
    let words = std::iter::once(OsString::from("judica")).chain(arguments);
    let arguments = help::parse(words);
    let arguments = arguments.map_err(|said| Failure::Usage(said.to_string()))?;
    judica_data::limits::set_longest(arguments.longest());
    inside::within(Some(call.clone()), || commands::dealt::job(arguments))
}

/// Makes a run of the pieces in its folder, which the caller holds. The records of pieces that
/// are in order are taken as they stand, if that is said: then they equal those of a run in one
/// go, and their bytes do not.
pub fn finish_pieces(
    folder: &std::path::Path,
    as_they_stand: bool,
    threads: Option<usize>,
    call: &std::sync::Arc<Call>,
) -> Result<judica_run::finish::Finished, Failure> {
    inside::within(Some(call.clone()), || {
        commands::finish::made(folder, false, as_they_stand, threads)
    })
}

/// Runs a command. A panic has said its own words; what it means for whoever called is
/// said here.
fn caught(arguments: args::Arguments) -> Result<ExitCode, Failure> {
    let ran = catch_unwind(AssertUnwindSafe(|| commands::run(arguments)));
    ran.unwrap_or_else(|_| {
        let message = "a defect of judica ended it; please report what stands above";
        Err(Failure::System(message.to_owned()))
    })
}
