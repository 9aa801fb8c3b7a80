//! `judica gate golden`

use judica_gate::error::GateError;
use judica_gate::golden::{GoldenReport, GoldenRequest, GoldenThresholds, evaluate, tables};
use judica_model::exit_code::ExitCode;
use serde_json::json;

use super::{exit_code, publish};
use crate::args::gate::GoldenArgs;
use crate::commands::files::write_report;
use crate::commands::{runs, threads};
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;

/// Evaluates runs against golden queries.
pub fn run(args: &GoldenArgs) -> Result<ExitCode, Failure> {
    let (run, _held) = runs::target(&args.run)?.unzip();
    let request = GoldenRequest {
        golden: args.golden.clone(),
        outputs: args.outputs.clone(),
        thresholds: GoldenThresholds {
            evidence_coverage: args.min_coverage,
            golden_recall: args.min_recall,
            abstention_accuracy: args.min_abstention,
            manifest_integrity: args.min_manifests,
        },
        gates: args.gates.clone(),
        baseline: args.baseline.clone(),
        allow_undefined: args.show.undefined.allow_undefined,
        run,
        names: None,
        threads: threads(args.threads),
    };
    let report = match evaluate(&request, &INTERRUPTED) {
        Ok(report) => report,
        Err(error) => return Err(stop(args, error)),
    };
    write_report(args.out.as_deref(), &report)?;
    show(args, &report);
    let about = format!("golden queries: {}", report.golden);
    let show = &args.show;
    publish(
        &show.files,
        show.json,
        &about,
        Some(&args.golden),
        &report.gates,
    )?;
    Ok(exit_code(&report.gates))
}

/// What stops an evaluation is told in the report's own language, too.
fn stop(args: &GoldenArgs, error: GateError) -> Failure {
    if let GateError::Artifact { artifact, reason } = &error {
        let report = json!({
            "status": "SYSTEM_ERROR",
            "missing": artifact,
            "reason": reason,
        });
        // The error itself is told next; a second one about telling it helps nobody.
        let _ = write_report(args.out.as_deref(), &report);
        if args.show.json {
            screen::print_json(&report);
        }
    }
    error.into()
}

fn show(args: &GoldenArgs, report: &GoldenReport) {
    if args.show.json {
        return screen::print_json(report);
    }
    for table in tables(report) {
        screen::print_table(&table);
        screen::print("\n");
    }
    screen::print(&format!("{}\n", report.status));
}
