//! `judica report`

use judica_model::exit_code::ExitCode;
use judica_view::report;
use judica_view::viewer::Opened;

use super::families::FAMILIES;
use super::files::{shown, write};
use super::threads;
use crate::args::view::ReportFileArgs;
use crate::failure::Failure;
use crate::screen;

/// Writes a run as one file.
pub fn run(args: &ReportFileArgs) -> Result<ExitCode, Failure> {
    let opened = Opened::open(args.run.clone())?;
    let against = args.against.clone().map(Opened::open).transpose()?;
    let page = report::html(&opened, against.as_ref(), FAMILIES, threads(args.threads))?;
    write(&args.html, page.as_bytes())?;
    screen::print(&format!("report: {}\n", shown(&args.html)));
    Ok(ExitCode::Done)
}
