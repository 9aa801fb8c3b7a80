//! `judica agree judges`

use std::collections::BTreeSet;
use std::path::PathBuf;

use judica_agree::judges::report::JudgeSummary;
use judica_agree::judges::{
    Aggregation, HumanReference, JudgesReport, JudgesRequest, PEOPLE, measure, tables,
};
use judica_agree::panel::kappa_map;
use judica_agree::run::input;
use judica_data::foreign::Reads;
use judica_data::rejects::Given;
use judica_data::source::base_name;
use judica_model::exit_code::ExitCode;

use super::{bootstrap, draw, keep, pictures, place};
use crate::args::agree::{Aggregate, JudgesArgs, Reference};
use crate::args::report::TableFormat;
use crate::commands::files::{shown, write_report};
use crate::commands::rejects::Kept;
use crate::commands::reports::show;
use crate::commands::runs::target;
use crate::failure::Failure;
use crate::screen;

/// Measures how far judges agree with each other and with people.
pub fn run(args: &JudgesArgs) -> Result<ExitCode, Failure> {
    let mut request = request(args)?;
    let (run, _held) = target(&args.run)?.unzip();
    request.run = run;
    let mut kept = Kept::new(Some(&kept_in(args)), None);
    let pictures = pictures(args.heatmap.as_deref())?;
    let bar = screen::counter("judges are read and compared");
    let report = measure(&request);
    bar.finish_and_clear();
    let (report, run) = report?;
    for reject in &report.rejects {
        kept.file.write(reject)?;
    }
    // Rejects name files as they lie below the folder of judges.
    let people: Vec<String> = args.human.iter().map(|p| p.display().to_string()).collect();
    let ours = |file: &str| {
        args.eval_dir.join(file).exists() || people.iter().any(|path| path.ends_with(file))
    };
    let names: BTreeSet<&str> = report.rejects.iter().map(|row| row.file.as_str()).collect();
    let paths: Vec<PathBuf> = names.iter().map(|name| args.eval_dir.join(name)).collect();
    let used = report.judges.iter().map(|judge| {
        let refused = judge.refused_rows + judge.duplicates;
        judge.rows.saturating_sub(refused)
    });
    let used = used.sum();
    let given: Vec<Given> = names
        .iter()
        .zip(&paths)
        .map(|(name, path)| Given { path, name, used })
        .collect();
    if used == 0 {
        kept = kept.check(&given, Reads::Judged)?;
    }
    // People may stand among the judges, too.
    if let (Some(human), false) = (&report.human, args.human.is_empty()) {
        let names: Vec<String> = args.human.iter().map(|path| base_name(path)).collect();
        let given: Vec<Given> = args
            .human
            .iter()
            .zip(&names)
            .map(|(path, name)| Given {
                path,
                name,
                used: human.matched_items,
            })
            .collect();
        kept = kept.check(&given, Reads::Judged)?;
    }
    let tables = tables(&report);
    let rejects = report.rejects.len() as u64;
    let refused = keep(kept, run, &report, &tables, rejects, ours)?;
    write_report(args.out.as_deref(), &report)?;
    draw(&pictures, || kappa_map(&report.pairwise))?;
    show(&args.report, &report, &tables);
    if !args.report.json && args.report.format == TableFormat::Terminal {
        screen::print(&accounting(&report));
        screen::print(&refused);
        if let Some(out) = &args.out {
            screen::print(&format!("report: {}\n", shown(out)));
        }
    }
    Ok(ExitCode::Done)
}

fn request(args: &JudgesArgs) -> Result<JudgesRequest, Failure> {
    Ok(JudgesRequest {
        eval_dir: args.eval_dir.clone(),
        human: args.human.iter().map(|path| input(PEOPLE, path)).collect(),
        human_reference: match args.human_reference {
            Reference::Majority => HumanReference::Majority,
            Reference::First => HumanReference::First,
            Reference::Unanimous => HumanReference::Unanimous,
            Reference::DawidSkene => HumanReference::DawidSkene,
        },
        include_deterministic: args.include_deterministic,
        drop_invalid: args.drop_invalid,
        disagreements: args.disagreements,
        min_common: args.min_common,
        aggregate: args.aggregate.map(|how| match how {
            Aggregate::DawidSkene => Aggregation::DawidSkene,
        }),
        // Whoever asks for one label per item wants to see it.
        aggregate_items: args.aggregate.is_some(),
        strict: args.strict,
        bootstrap: bootstrap(&args.intervals)?,
        run: None,
    })
}

/// Where rows that cannot be used are kept.
pub fn kept_in(args: &JudgesArgs) -> PathBuf {
    place(&args.run, args.rejects.as_deref(), args.out.as_deref())
}

/// What became of the rows.
fn accounting(report: &JudgesReport) -> String {
    let sum = |of: fn(&JudgeSummary) -> u64| report.judges.iter().map(of).sum::<u64>();
    // People's rows are rows, too.
    let (annotations, unused) = report.human.as_ref().map_or((0, 0), |human| {
        let unused = human.unmatched + human.duplicates + human.refused_rows;
        (human.annotations, unused)
    });
    let rows = sum(|judge| judge.rows) + annotations;
    let refused = sum(|judge| judge.refused_rows + judge.duplicates) + unused;
    format!(
        "\ninputs {rows} = records {} + rejects {refused}   (used {}, left out {})\n\
         {} items; raters disagree on {}\n",
        rows - refused,
        sum(|judge| judge.used),
        sum(|judge| judge.left_out.total()),
        report.items,
        report.disagreement_items
    )
}
