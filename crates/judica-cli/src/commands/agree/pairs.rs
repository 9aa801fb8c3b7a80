//! `judica agree pairs`

use std::path::{Path, PathBuf};

use judica_agree::pairs::outputs::OutputPaths;
use judica_agree::pairs::tables::tables;
use judica_agree::pairs::{
    PAIRS, PairsOptions, PairsReport, PairsRequest, SIDES, Thresholds, measure,
};
use judica_agree::run::input;
use judica_model::exit_code::ExitCode;

use super::{bootstrap, place};
use crate::args::agree::PairsArgs;
use crate::args::report::TableFormat;
use crate::commands::files::{shown, write_report};
use crate::commands::gate::{exit_code, publish};
use crate::commands::reports::show;
use crate::commands::runs::target;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;

/// Where the table of disagreements goes if nobody says.
const TSV: &str = "runs/consistency_disagreements.tsv";

/// Measures how far two validators agree, and decides every pair.
pub fn run(args: &PairsArgs) -> Result<ExitCode, Failure> {
    let mut request = request(args)?;
    let (run, _held) = target(&args.run)?.unzip();
    request.run = run;
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
        request.inputs.first().map(|input| input.path.as_path()),
        &report.gate_results,
    )?;
    Ok(exit_code(&report.gate_results))
}

fn request(args: &PairsArgs) -> Result<PairsRequest, Failure> {
    let inputs = match (&args.pairs, &args.scholar, &args.auditor) {
        (Some(pairs), _, _) => vec![input(PAIRS, pairs)],
        (None, Some(scholar), Some(auditor)) => {
            let paths = [scholar, auditor];
            SIDES
                .iter()
                .zip(paths)
                .map(|(role, path)| input(role, path))
                .collect()
        }
        _ => {
            let message = "give --pairs, or --scholar and --auditor";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    Ok(PairsRequest {
        inputs,
        outputs: outputs(args),
        options: PairsOptions {
            gates: Thresholds {
                pa: args.pa_gate,
                kappa: args.kappa_gate,
                abstain: args.abstain_gate,
            },
            allow_undefined: args.undefined.allow_undefined,
            hygiene: args.hygiene,
            bootstrap: bootstrap(&args.intervals)?,
        },
        strict: args.strict,
        run: None,
    })
}

/// The files that are written besides the report.
pub fn outputs(args: &PairsArgs) -> OutputPaths {
    let tsv = match (&args.tsv, &args.run.run) {
        (None, None) => Some(PathBuf::from(TSV)),
        (tsv, _) => tsv.clone(),
    };
    let beside = |tsv: &Path| tsv.with_file_name("hygiene.jsonl");
    let rejects = place(&args.run, args.rejects.as_deref(), tsv.as_deref());
    OutputPaths {
        hygiene: tsv.as_deref().filter(|_| args.hygiene).map(beside),
        arbitrated: args.arbitrated.clone(),
        rejects,
        tsv,
    }
}

/// `inputs = records + rejects`, and where everything is.
fn accounting(report: &PairsReport, request: &PairsRequest) -> String {
    let mut text = format!(
        "\ninputs {} = records {} + rejects {}\n",
        report.inputs, report.records, report.rejects
    );
    let outputs = &request.outputs;
    if let Some(path) = &outputs.tsv {
        text.push_str(&format!(
            "{} disagreements: {}\n",
            report.disagreements,
            shown(path)
        ));
    }
    if let Some(path) = &outputs.arbitrated {
        text.push_str(&format!("every decision: {}\n", shown(path)));
    }
    if report.rejects > 0 {
        text.push_str(&format!("refused lines: {}\n", shown(&outputs.rejects)));
    }
    if let Some(path) = &outputs.hygiene {
        text.push_str(&format!("hygiene findings: {}\n", shown(path)));
    }
    if let Some(run) = &request.run {
        text.push_str(&format!("run: {}\n", shown(&run.folder)));
    }
    text
}
