//! `judica reproduce`

use judica_model::exit_code::ExitCode;
use judica_verify::eval::Hooks;
use judica_verify::reproduce::reproduce;

use super::threads;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;

/// Runs again and compares.
pub fn run(args: &ReproduceArgs) -> Result<ExitCode, Failure> {
    let bar = screen::counter("records");
    let hooks = Hooks {
        progress: &|progress| bar.set_position(progress.records),
        interrupted: &INTERRUPTED,
    };
    let found = reproduce(
        &args.run,
        args.inputs.as_deref(),
        threads(args.threads),
        &hooks,
    );
    bar.finish_and_clear();
    let found = found?;
    for note in &found.notes {
        screen::print(&format!("note: {}\n", judica_report::visible(note)));
    }
    match &found.first_difference {
        None => {
            let compared = judica_report::visible(&found.compared.join(", "));
            screen::print(&format!("identical: {compared}\n"));
            Ok(ExitCode::Done)
        }
        Some(difference) => {
            screen::print(&format!(
                "different: {}\n",
                judica_report::visible(difference)
            ));
            Ok(ExitCode::GateFailed)
        }
    }
}
