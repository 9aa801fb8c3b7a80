//! The `judica` command: arguments in, room called, report out.
//!
//! `main` reads as the data flow: parse arguments without effects ([`args`]), call the
//! command ([`commands`]), say what happened ([`screen`], [`failure`]), exit.

mod args;
mod commands;
mod failure;
mod interrupt;
mod screen;
mod timestamp;
mod touched;

use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Parser;

fn main() -> std::process::ExitCode {
    let arguments = args::Arguments::parse();
    interrupt::watch();
    // A panic has said its own words; what it means for whoever called is said here.
    let ran = catch_unwind(AssertUnwindSafe(|| commands::run(arguments)));
    let ran = ran.unwrap_or_else(|_| {
        let message = "a defect of judica ended it; please report what stands above";
        Err(failure::Failure::System(message.to_owned()))
    });
    let code = match ran {
        Ok(code) => code,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    };
    std::process::ExitCode::from(code.code())
}
