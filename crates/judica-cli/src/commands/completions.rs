//! `judica completions`

use judica_model::exit_code::ExitCode;

use crate::args::CompletionsArgs;
use crate::failure::Failure;
use crate::help;
use crate::screen;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "judica", &mut script);
    screen::deliver(&script)?;
    Ok(ExitCode::Done)
}
