//! `judica gate`

mod check;
mod golden;
mod init;

use judica_model::exit_code::ExitCode;

use crate::args::gate::{GateArgs, GateOf};
use crate::failure::Failure;

/// Holds artifacts against gates.
pub fn run(args: &GateArgs) -> Result<ExitCode, Failure> {
    match &args.of {
        GateOf::Golden(args) => golden::run(args),
        GateOf::Check(args) => check::run(args),
        GateOf::Init(args) => init::run(args),
    }
}
