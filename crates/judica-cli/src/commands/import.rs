//! `judica import`

use judica_data::ordered::Workers;
use judica_import::import::{How, ImportRequest, import};
use judica_import::log::Harness;
use judica_import::open::choose;
use judica_import::report::tables;
use judica_import::table::Columns;
use judica_model::exit_code::ExitCode;
use judica_model::table::counted;
use judica_model::text::few;
use judica_report::visible;
use judica_run::open::Run;

use super::ending::{Accounting, end};
use super::{runs, show, threads};
use crate::args::import::{HarnessName, ImportArgs};
use crate::args::names::all_names;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// So many files that are no log are named.
const NAMED: usize = 3;

/// Makes a run of logs and shows it.
pub fn run(args: &ImportArgs) -> Result<ExitCode, Failure> {
    let chosen = choose(&args.logs, args.harness.map(harness))?;
    let (target, _held) = runs::target(&args.measure, &args.names)?;
    // Nothing is parsed without it.
    let Some(mut target) = target else {
        return Err(Failure::Usage("--run DIR is needed".to_owned()));
    };
    target.options.keep_text = !args.no_text;
    let is_table = args.harness == Some(HarnessName::Table);
    if !is_table && (!args.item.is_empty() || !args.metric.is_empty()) {
        let why = "--item and --metric are for tables; say --as table";
        return Err(Failure::Usage(why.to_owned()));
    }
    // Of a table it may be a column.
    let subject = match is_table {
        true => target.options.subject.take(),
        false => None,
    };
    let rows = &args.measure.rows;
    let request = ImportRequest {
        logs: chosen.logs,
        how: How {
            keep_all: args.keep_all,
            cluster: args.cluster.clone(),
            table: Columns {
                item: all_names(&args.item),
                subject,
                metrics: all_names(&args.metric),
            },
        },
        strict: rows.strict,
        target,
        workers: Workers {
            threads: threads(rows.threads),
            interrupted: &interrupted(),
        },
        left_out: Vec::new(),
    };
    let report = screen::counting("samples", |told| import(&request, told))?;
    if !chosen.unknown.is_empty() {
        screen::tell(&visible(&format!(
            "{} of no harness that is known: {}",
            counted(chosen.unknown.len() as u64, ["file is", "files are"]),
            few(
                chosen.unknown.iter().take(NAMED),
                ", ",
                chosen.unknown.len()
            )
        )));
    }
    for link in &chosen.dangling {
        screen::tell(&visible(&format!("{link}: a link that leads nowhere")));
    }
    for warning in report.warnings() {
        screen::tell(&format!("warning: {}", visible(&warning)));
    }
    let folder = &request.target.folder;
    let run = Run::open(folder)?;
    let mut shown = tables(&report);
    if !rows.report.json && !run.manifest.metrics.is_empty() {
        shown.push(show::values_table(&run)?);
    }
    let counts = &run.manifest.counts;
    let accounting = Accounting::rows(counts.inputs, counts.records, counts.rejects, "")
        .reasons(counts.rejects_by_reason.iter().map(|(why, n)| (why, *n)))
        .refused(counts.rejects, &args.measure.rejects(None))
        .file("run", Some(folder));
    end(&rows.report, None, &report, &shown, accounting)?;
    Ok(ExitCode::Done)
}

fn harness(name: HarnessName) -> Harness {
    match name {
        HarnessName::Inspect => Harness::Inspect,
        HarnessName::LmEval => Harness::LmEval,
        HarnessName::Promptfoo => Harness::Promptfoo,
        HarnessName::Deepeval => Harness::DeepEval,
        HarnessName::Helm => Harness::Helm,
        HarnessName::OpenaiEvals => Harness::OpenAiEvals,
        HarnessName::Table => Harness::Table,
    }
}
