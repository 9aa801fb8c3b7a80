//! `judica gate check`

use judica_gate::check::{CheckRequest, check, tables};
use judica_model::exit_code::ExitCode;
use judica_report::visible;

use crate::args::gate::CheckArgs;
use crate::commands::ending::{Accounting, end, publish};
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
    for note in &report.notes {
        screen::tell(&format!("note: {}", visible(note)));
    }
    let status = match report.counts {
        Some(counts) => Accounting::default().line(&format!("\n{counts}")),
        None => Accounting::default(),
    };
    let status = status.verdict(report.status);
    let (shown, out) = (&args.report, args.out.as_deref());
    end(shown, out, &report, &tables(&report), status)?;
    let about = format!("gates: {}", report.report);
    let file = Some(args.gates.as_path());
    publish(&args.show.files, shown.json, &about, file, &report.gates)
}
