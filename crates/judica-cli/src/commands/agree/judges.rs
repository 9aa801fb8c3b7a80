//! `judica agree judges`

use judica_model::exit_code::ExitCode;

use crate::args::agree::JudgesArgs;
use crate::failure::Failure;

/// Measures.
pub fn run(_args: &JudgesArgs) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("in work".to_owned()))
}
