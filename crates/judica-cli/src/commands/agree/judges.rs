//! `judica agree judges`

use std::collections::BTreeSet;
use std::path::Path;

use judica_agree::judges::report::{JudgeSummary, LeftOut};
use judica_agree::judges::{
    Aggregation, HumanReference, JudgesReport, JudgesRequest, PEOPLE, PRICES, measure, tables,
};
use judica_agree::panel::kappa_map;
use judica_agree::run::input;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, RejectFile};
use judica_model::exit_code::ExitCode;
use judica_model::table::counted;

use super::{bootstrap, draw, keep};
use crate::args::agree::{Aggregate, JudgesArgs, Reference};
use crate::commands::ending::{Accounting, end};
use crate::commands::pictures::Pictures;
use crate::commands::rejects::usable;
use crate::commands::runs::target;
use crate::failure::Failure;
use crate::screen;

/// Measures how far judges agree with each other and with people.
pub fn run(args: &JudgesArgs) -> Result<ExitCode, Failure> {
    let mut request = request(args)?;
    let (run, _held) = target(&args.measure, &args.names)?;
    request.run = run;
    let mut rejects = RejectFile::new(&args.measure.rejects(args.out.as_deref()));
    let pictures = Pictures::wanted("--heatmap", args.heatmap.as_deref(), &args.figure)?;
    let measured = screen::counting("files of judges read", |told| measure(&request, told));
    let (report, run) = measured?;
    for reject in &report.rejects {
        rejects.write(reject)?;
    }
    // Files of one name may lie in many folders: rejects name them as they were given.
    let people: Vec<String> = request.human.iter().map(|it| it.name.clone()).collect();
    let ours = |file: &str| {
        let path = Path::new(file);
        path.starts_with(&args.eval_dir) && path.exists() || people.iter().any(|it| it == file)
    };
    let names: BTreeSet<&str> = report.rejects.iter().map(|row| row.file.as_str()).collect();
    let used = report.judges.iter().map(|judge| {
        let refused = judge.refused_rows + judge.duplicates;
        judge.rows.saturating_sub(refused)
    });
    let used = used.sum();
    let given: Vec<Given> = names
        .iter()
        .map(|name| Given {
            path: Path::new(name),
            name,
            used,
        })
        .collect();
    if used == 0 {
        rejects = usable(rejects, &given, Reads::Judged)?;
    }
    if report.judges.iter().all(|judge| judge.used == 0) {
        return Err(rejects
            .nothing_counts(no_verdict(args, &report), ours)
            .into());
    }
    // People may stand among the judges, too.
    if let (Some(human), false) = (&report.human, args.human.is_empty()) {
        let given: Vec<Given> = (args.human.iter())
            .zip(&people)
            .map(|(path, name)| Given {
                path,
                name,
                used: human.matched_items,
            })
            .collect();
        rejects = usable(rejects, &given, Reads::Judged)?;
    }
    let tables = tables(&report);
    let accounting = accounting(&report)
        .read(&report.read)
        .refused(report.rejects.len() as u64, rejects.path())
        .file("run", args.measure.run.as_deref())
        .file("report", args.out.as_deref());
    keep(rejects, run, &report, &tables, ours)?;
    draw(&pictures, || kappa_map(&report.pairwise))?;
    let shown = &args.measure.rows.report;
    end(shown, args.out.as_deref(), &report, &tables, accounting)?;
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
        columns: args.column.clone(),
        disagreements: args.disagreements,
        min_common: args.min_common,
        prior: args.prior,
        prices: args.prices.as_ref().map(|path| input(PRICES, path)),
        aggregate: args.aggregate.map(|how| match how {
            Aggregate::DawidSkene => Aggregation::DawidSkene,
        }),
        // Whoever asks for one label per item wants to see it.
        aggregate_items: args.aggregate.is_some(),
        strict: args.measure.rows.strict,
        bootstrap: bootstrap(&args.intervals, &args.measure),
        run: None,
    })
}

/// What is said where rows could be read and not one of them is a judge's verdict that counts.
fn no_verdict(args: &JudgesArgs, report: &JudgesReport) -> String {
    let sum = |of: fn(&LeftOut) -> u64| report.judges.iter().map(|judge| of(&judge.left_out)).sum();
    let [invalid, declined]: [u64; 2] = [sum(|out| out.invalid), sum(|out| out.declined)];
    let without_judge = sum(LeftOut::total) - invalid - declined;
    let reasons = [
        (
            without_judge,
            "decided without a judge (--include-deterministic counts them)",
        ),
        (invalid, "left out by --drop-invalid"),
        (declined, "declined by the model"),
    ];
    let reasons: Vec<String> = reasons
        .iter()
        .filter(|(rows, _)| *rows > 0)
        .map(|(rows, why)| format!("{rows} {why}"))
        .collect();
    format!(
        "{}: not one verdict of a judge counts; of the rows {}",
        args.eval_dir.display(),
        reasons.join(", ")
    )
}

/// What became of the rows.
fn accounting(report: &JudgesReport) -> Accounting {
    let sum = |of: fn(&JudgeSummary) -> u64| report.judges.iter().map(of).sum::<u64>();
    // People's rows are rows, too.
    let (annotations, unused) = report.human.as_ref().map_or((0, 0), |human| {
        let unused = human.unmatched + human.duplicates + human.refused_rows;
        (human.annotations, unused)
    });
    let rows = sum(|judge| judge.rows) + annotations;
    let refused = sum(|judge| judge.refused_rows + judge.duplicates) + unused;
    let more = format!(
        "(used {}, left out {})",
        sum(|judge| judge.used),
        sum(|judge| judge.left_out.total())
    );
    let items = counted(report.items, ["item", "items"]);
    Accounting::rows(rows, rows - refused, refused, &more).line(&format!(
        "{items}; raters disagree on {}",
        report.disagreement_items
    ))
}
