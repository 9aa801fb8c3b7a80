//! `judica agree pairs`

use std::path::{Path, PathBuf};

use judica_agree::pairs::outputs::OutputPaths;
use judica_agree::pairs::policy::{BUILT_IN, Policy, PolicyText};
use judica_agree::pairs::tables::tables;
use judica_agree::pairs::{PAIRS, PairsOptions, PairsRequest, Thresholds, measure, measure_part};
use judica_agree::run::input;
use judica_model::exit_code::ExitCode;

use super::bootstrap;
use crate::args::agree::PairsArgs;
use crate::commands::ending::{Accounting, end, publish};
use crate::commands::runs::{part_target, tell_part};
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Where the table of disagreements goes if nobody says.
const TSV: &str = "runs/consistency_disagreements.tsv";

/// Measures how far two validators agree, and decides every pair.
pub fn run(args: &PairsArgs) -> Result<ExitCode, Failure> {
    let given = args.policy.as_deref().map(PolicyText::read).transpose()?;
    if args.print_policy {
        Policy::of(given.as_ref())?;
        let text = given.as_ref().map_or(BUILT_IN, |given| given.text.as_str());
        screen::deliver_text(text)?;
        return Ok(ExitCode::Done);
    }
    let mut request = asked(args, given)?;
    let (run, _held) = part_target(&args.measure, &args.names, args.part)?;
    request.run = run;
    if let (Some(part), Some(run)) = (args.part, &request.run) {
        let piece = screen::reading(&args.pairs, |told| {
            measure_part(&request, part, None, told, &interrupted())
        })?;
        tell_part(part, &piece.counts, &run.folder);
        return Ok(ExitCode::Done);
    }
    let report = screen::reading(&args.pairs, |progress| {
        measure(&request, progress, &interrupted())
    })?;
    let outputs = &request.outputs;
    let disagreements = format!("{} disagreements", report.disagreements);
    let accounting = Accounting::rows(report.inputs, report.records, report.rejects, "")
        .file(&disagreements, outputs.tsv.as_deref())
        .file("every decision", outputs.arbitrated.as_deref())
        .refused(report.rejects, &outputs.rejects)
        .file("hygiene findings", outputs.hygiene.as_deref())
        .file("run", args.measure.run.as_deref())
        .read(&report.read);
    let shown = &args.measure.rows.report;
    let out = args.out.as_deref();
    end(shown, out, &report, &tables(&report), accounting)?;
    let policy = Policy::of(request.options.policy.as_ref())?;
    let [first, second] = policy.names();
    publish(
        &args.gate_files,
        shown.json,
        &format!("agreement of {first} and {second}"),
        request.inputs.first().map(|input| input.path.as_path()),
        &report.gate_results,
    )
}

/// What the arguments ask for, without the run that is left.
pub fn request(args: &PairsArgs) -> Result<PairsRequest, Failure> {
    let given = args.policy.as_deref().map(PolicyText::read).transpose()?;
    asked(args, given)
}

/// The same with the policy, which a pipe gives once.
fn asked(args: &PairsArgs, given: Option<PolicyText>) -> Result<PairsRequest, Failure> {
    let policy = Policy::of(given.as_ref())?;
    let inputs = match (&args.pairs, &args.scholar, &args.auditor) {
        (Some(pairs), _, _) => vec![input(PAIRS, pairs)],
        (None, Some(scholar), Some(auditor)) => {
            let paths = [scholar, auditor];
            let names = policy.names().into_iter();
            let both = names.zip(paths);
            both.map(|(role, path)| input(role, path)).collect()
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
            bootstrap: bootstrap(&args.intervals, &args.measure),
            policy: given,
        },
        strict: args.measure.rows.strict,
        run: None,
    })
}

/// The files that are written besides the report.
pub fn outputs(args: &PairsArgs) -> OutputPaths {
    let tsv = match (&args.tsv, &args.measure.run) {
        (None, None) => Some(PathBuf::from(TSV)),
        (tsv, _) => tsv.clone(),
    };
    let beside = |tsv: &Path| tsv.with_file_name("hygiene.jsonl");
    let rejects = args.measure.rejects(tsv.as_deref());
    OutputPaths {
        hygiene: tsv.as_deref().filter(|_| args.hygiene).map(beside),
        arbitrated: args.arbitrated.clone(),
        rejects,
        tsv,
    }
}
