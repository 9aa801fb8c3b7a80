//! `judica gate check`

use judica_gate::check::{CheckRequest, check, tables};
use judica_model::exit_code::ExitCode;

use super::{exit_code, publish};
use crate::args::gate::CheckArgs;
use crate::commands::files::write_report;
use crate::failure::Failure;
use crate::screen;

/// Holds a report against a gates file.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let report = check(&CheckRequest {
        report: args.gated.path(),
        gates: args.gates.clone(),
        baseline: args.baseline.clone(),
        allow_undefined: args.show.undefined.allow_undefined,
    })?;
    write_report(args.out.as_deref(), &report)?;
    if args.show.json {
        screen::print_json(&report);
    } else {
        for table in tables(&report) {
            screen::print_table(&table);
        }
        screen::print(&format!("\n{}\n", report.status));
    }
    let about = format!("gates: {}", report.report);
    let show = &args.show;
    publish(
        &show.files,
        show.json,
        &about,
        Some(&args.gates),
        &report.gates,
    )?;
    Ok(exit_code(&report.gates))
}
