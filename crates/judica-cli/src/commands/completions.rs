//! `judica completions`

use clap::CommandFactory;
use judica_model::exit_code::ExitCode;

use crate::args::{Arguments, CompletionsArgs};
use crate::failure::Failure;
use crate::screen;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "judica", &mut script);
    screen::deliver(&script)?;
    Ok(ExitCode::Done)
}
