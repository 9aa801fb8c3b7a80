//! `judica gate`

mod check;
mod golden;
mod init;

use std::path::Path;

use judica_model::exit_code::ExitCode;
use judica_model::gate::GateResult;
use judica_report::{gates, github, junit};

use super::files::write;
use crate::args::gate::{GateArgs, GateFiles, GateOf};
use crate::failure::Failure;
use crate::screen;

/// Holds artifacts against gates.
pub fn run(args: &GateArgs) -> Result<ExitCode, Failure> {
    match &args.of {
        GateOf::Golden(args) => golden::run(args),
        GateOf::Check(args) => check::run(args),
        GateOf::Init(args) => init::run(args),
    }
}

/// Writes gates in the formats that CI systems show. `about` is what was gated, `file` the
/// file that annotations point at.
pub fn publish(
    args: &GateFiles,
    json: bool,
    about: &str,
    file: Option<&Path>,
    results: &[GateResult],
) -> Result<(), Failure> {
    if let Some(path) = &args.junit {
        write(path, junit::render(about, results).as_bytes())?;
    }
    if let Some(path) = &args.markdown {
        write(path, gates::markdown(about, results).as_bytes())?;
    }
    if args.github {
        let file = file.map(|path| path.display().to_string());
        let text = github::annotations(results, file.as_deref());
        // With --json, standard output belongs to the report; runners read both.
        if json {
            screen::tell_exact(text.trim_end());
        } else {
            screen::print_exact(&text);
        }
    }
    Ok(())
}

/// The exit code of gates.
pub fn exit_code(results: &[GateResult]) -> ExitCode {
    if results.iter().all(|gate| gate.pass) {
        ExitCode::Done
    } else {
        ExitCode::GateFailed
    }
}
