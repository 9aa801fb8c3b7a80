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

use clap::Parser;

fn main() -> std::process::ExitCode {
    let arguments = args::Arguments::parse();
    interrupt::watch();
    let code = match commands::run(arguments) {
        Ok(code) => code,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    };
    std::process::ExitCode::from(code.code())
}
