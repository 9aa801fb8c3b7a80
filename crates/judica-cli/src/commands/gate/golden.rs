//! `judica gate golden`

use judica_data::work_error::WorkError;
use judica_gate::golden::{GoldenRequest, GoldenThresholds, evaluate, tables};
use judica_model::exit_code::ExitCode;
use serde_json::json;

use crate::args::gate::GoldenArgs;
use crate::commands::ending::{Accounting, end, publish, write_report};
use crate::commands::{runs, threads};
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Evaluates runs against golden queries.
pub fn run(args: &GoldenArgs) -> Result<ExitCode, Failure> {
    let rows = &args.measure.rows;
    if rows.rejects.is_some() {
        let message = "--rejects: no run is refused here; a malformed one is named in the report";
        return Err(Failure::Usage(message.to_owned()));
    }
    let (run, _held) = runs::target(&args.measure, &args.names)?;
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
        strict: rows.strict,
        run,
        names: None,
        threads: threads(rows.threads),
    };
    let report = match evaluate(&request, &interrupted()) {
        Ok(report) => report,
        Err(error) => return Err(stop(args, error)),
    };
    let status = Accounting::default()
        .verdict(report.status)
        .file("run", args.measure.run.as_deref());
    let out = args.out.as_deref();
    end(&rows.report, out, &report, &tables(&report), status)?;
    let about = format!("golden queries: {}", report.golden);
    let (files, file) = (&args.show.files, Some(args.golden.as_path()));
    publish(files, rows.report.json, &about, file, &report.gates)
}

/// What stops an evaluation is told in the report's own language, too.
fn stop(args: &GoldenArgs, error: WorkError) -> Failure {
    if let WorkError::Artifact { artifact, reason } = &error {
        let report = json!({
            "status": "SYSTEM_ERROR",
            "missing": artifact,
            "reason": reason,
        });
        // The error itself is told next; a second one about telling it helps nobody.
        let _ = write_report(args.out.as_deref(), &report);
        if args.measure.rows.report.json {
            screen::print_json(&report);
        }
    }
    error.into()
}
