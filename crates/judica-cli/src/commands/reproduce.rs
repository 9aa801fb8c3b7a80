//! `judica reproduce`

use judica_model::exit_code::ExitCode;
use judica_report::visible;
use judica_run::reproduce::reproduce;

use super::families::FAMILIES;
use super::{check_folder, threads};
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Runs again and compares.
pub fn run(args: &ReproduceArgs) -> Result<ExitCode, Failure> {
    check_folder("--inputs", args.inputs.as_deref())?;
    let found = reproduce(
        FAMILIES,
        &args.run,
        args.inputs.as_deref(),
        args.allow_commands,
        threads(args.threads),
        &interrupted(),
    )?;
    for note in &found.notes {
        screen::print(&format!("note: {}\n", visible(note)));
    }
    match &found.first_difference {
        None => {
            let compared = visible(&found.compared.join(", "));
            screen::print(&format!("identical: {compared}\n"));
            Ok(ExitCode::Done)
        }
        Some(difference) => {
            screen::print(&format!("different: {}\n", visible(difference)));
            Ok(ExitCode::GateFailed)
        }
    }
}
