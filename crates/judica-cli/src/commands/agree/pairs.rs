//! `judica agree pairs`

use std::path::PathBuf;

use judica_agree::pairs::outputs::OutputPaths;
use judica_agree::pairs::tables::tables;
use judica_agree::pairs::{Inputs, PairsReport, PairsRequest, Thresholds, measure};
use judica_model::exit_code::ExitCode;

use super::bootstrap;
use crate::args::agree::PairsArgs;
use crate::args::report::TableFormat;
use crate::commands::files::{shown, write_report};
use crate::commands::gate::{exit_code, publish};
use crate::commands::rejects::place;
use crate::commands::reports::show;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;

/// Measures how far two validators agree, and decides every pair.
pub fn run(args: &PairsArgs) -> Result<ExitCode, Failure> {
    let request = request(args)?;
    let inputs: Vec<PathBuf> = [&args.pairs, &args.scholar, &args.auditor]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let bar = screen::byte_counter("read");
    let report = measure(&request, &|bytes| bar.set_position(bytes), &INTERRUPTED);
    bar.finish_and_clear();
    let report = report?;
    write_report(args.out.as_deref(), &report)?;
    show(&args.report, &report, &tables(&report));
    if !args.report.json && args.report.format == TableFormat::Terminal {
        screen::print(&accounting(&report, &request));
    }
    publish(
        &args.gate_files,
        args.report.json,
        "agreement of scholar and auditor",
        inputs.first().map(PathBuf::as_path),
        &report.gate_results,
    )?;
    Ok(exit_code(&report.gate_results))
}

fn request(args: &PairsArgs) -> Result<PairsRequest, Failure> {
    let inputs = match (&args.pairs, &args.scholar, &args.auditor) {
        (Some(pairs), _, _) => Inputs::Merged(pairs.clone()),
        (None, Some(scholar), Some(auditor)) => Inputs::Separate {
            scholar: scholar.clone(),
            auditor: auditor.clone(),
        },
        _ => {
            let message = "give --pairs, or --scholar and --auditor";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    Ok(PairsRequest {
        inputs,
        outputs: outputs(args),
        gates: Thresholds {
            pa: args.pa_gate,
            kappa: args.kappa_gate,
            abstain: args.abstain_gate,
        },
        allow_undefined: args.undefined.allow_undefined,
        strict: args.strict,
        bootstrap: bootstrap(&args.intervals)?,
    })
}

/// The files that are written besides the report.
pub fn outputs(args: &PairsArgs) -> OutputPaths {
    OutputPaths {
        tsv: args.tsv.clone(),
        arbitrated: args.arbitrated.clone(),
        rejects: place(args.rejects.as_deref(), Some(&args.tsv)),
        hygiene: args
            .hygiene
            .then(|| args.tsv.with_file_name("hygiene.jsonl")),
    }
}

/// `inputs = records + rejects`, and where everything is.
fn accounting(report: &PairsReport, request: &PairsRequest) -> String {
    let mut text = format!(
        "\ninputs {} = records {} + rejects {}\n",
        report.inputs, report.records, report.rejects
    );
    let outputs = &request.outputs;
    text.push_str(&format!(
        "{} disagreements: {}\n",
        report.disagreements,
        shown(&outputs.tsv)
    ));
    if let Some(path) = &outputs.arbitrated {
        text.push_str(&format!("every decision: {}\n", shown(path)));
    }
    if report.rejects > 0 {
        text.push_str(&format!("refused lines: {}\n", shown(&outputs.rejects)));
    }
    if let Some(path) = &outputs.hygiene {
        text.push_str(&format!("hygiene findings: {}\n", shown(path)));
    }
    text
}
