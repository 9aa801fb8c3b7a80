//! What each command reads and writes: one place to look, and one check over all of them.
//!
//! A command that is not here does not compile; an option that is not here is found by the
//! test that walks over all commands.

use std::path::{Path, PathBuf};

use judica_data::foreign::lists_of_rows;
use judica_data::listing;
use judica_data::work_error::WorkError;
use judica_import::open::harness_of;
use judica_model::text::{few, named};
use judica_run::manifest::name;
use judica_verify::options::{FAILURES, PROTOCOL, RECORDS_JSONL, REVIEWS};

use super::judge::names::folder_names;
use super::judge::server::cache_path;
use super::pictures::Pictures;
use super::rejects::tell_lost;
use super::{efficiency, judge, synth};
use crate::args::agree::{AgreeArgs, AgreeOf, JudgesArgs, PairsArgs, RatingsArgs};
use crate::args::answer::{EfficiencyArgs, MatchArgs};
use crate::args::episode::{EpisodesArgs, SchemaOf};
use crate::args::gate::{GateFiles, GateOf, GoldenArgs};
use crate::args::judge::{JudgeArgs, ServerArgs};
use crate::args::run::{MeasureArgs, RowArgs};
use crate::args::{Command, EvalArgs};
use crate::touched::Touched;

/// The files of a run of `eval`.
const EVAL_RUN: [&str; 9] = [
    name::MANIFEST,
    name::REPORT,
    name::TABLES,
    name::RECORDS,
    name::REJECTS,
    PROTOCOL,
    RECORDS_JSONL,
    FAILURES,
    REVIEWS,
];

/// The files of a run folder that every measuring command can leave.
const RUN: [&str; 5] = [
    name::MANIFEST,
    name::RECORDS,
    name::REPORT,
    name::TABLES,
    name::REJECTS,
];

/// What rows that cannot be used are kept in where nobody says so.
pub const DEFAULT_REJECTS: &str = "the default of --rejects:";

/// Puts the files that patterns and folders mean in their place, where a command takes files.
pub fn expand(command: &mut Command) -> Result<(), WorkError> {
    let (patterns, files): (Vec<&mut Vec<PathBuf>>, Vec<&mut Vec<PathBuf>>) = match command {
        Command::Eval(args) => (vec![&mut args.outputs], vec![&mut args.samples]),
        Command::Calibrate(args) => (vec![], vec![&mut args.samples]),
        Command::Match(args) => (vec![&mut args.predictions], vec![]),
        Command::Judge(args) => (vec![&mut args.predictions], vec![]),
        Command::Efficiency(args) => (vec![&mut args.predictions, &mut args.runs], vec![]),
        Command::Import(args) => (vec![&mut args.logs], vec![]),
        Command::Agree(args) => match &mut args.of {
            AgreeOf::Ratings(args) => (vec![], vec![&mut args.input]),
            AgreeOf::Judges(args) => (vec![], vec![&mut args.human]),
            AgreeOf::Pairs(args) => {
                let files = [&mut args.pairs, &mut args.scholar, &mut args.auditor];
                return files.into_iter().flatten().try_for_each(only);
            }
        },
        Command::Episodes(args) => {
            let files = std::iter::once(&mut args.episodes).chain(&mut args.predictions);
            return files.into_iter().try_for_each(only);
        }
        _ => return Ok(()),
    };
    for paths in patterns {
        *paths = listing::matched(paths)?;
        tell_lists(&*paths);
    }
    for paths in files {
        let read = listing::files(paths)?;
        tell_left(paths, &read);
        tell_lists(&read);
        *paths = read;
    }
    if let Command::Match(MatchArgs { predictions, .. })
    | Command::Judge(JudgeArgs { predictions, .. })
    | Command::Efficiency(EfficiencyArgs { predictions, .. }) = command
    {
        // What is wrong with them is told by whoever reads them.
        let read = judica_answer::predictions::list(predictions).unwrap_or_default();
        let read: Vec<PathBuf> = read.into_iter().map(|file| file.path).collect();
        tell_left(predictions, &read);
        // What is no folder was looked at above.
        let inside = |file: &&PathBuf| !predictions.contains(file);
        tell_lists(read.iter().filter(inside));
    }
    if let Command::Agree(AgreeArgs {
        of: AgreeOf::Judges(JudgesArgs { eval_dir, .. }),
    }) = command
    {
        let read = judica_agree::judges::files_of(eval_dir);
        tell_left(std::slice::from_ref(eval_dir), &read);
    }
    Ok(())
}

/// Says which files of folders may hold rows and are not read. A folder of ours holds tables of
/// its own, and a log's files are one thing.
fn tell_left(paths: &[PathBuf], read: &[PathBuf]) {
    let folders = paths.iter().filter(|path| listing::is_folder(path));
    let is_plain =
        |folder: &&PathBuf| !folder.join(name::MANIFEST).is_file() && harness_of(folder).is_none();
    for folder in folders.filter(is_plain) {
        let left = listing::unread(folder, read);
        if left.is_empty() {
            continue;
        }
        tell_lost(&[format!(
            "{}: not read, because other files are the data of this folder, by their names: {}; \
             what is given by its name is read",
            folder.display(),
            named(left.iter().map(|path| path.display()), left.len())
        )]);
    }
}

/// Says of documents with more than one list of rows which is taken. What is a log has lists of
/// its own.
fn tell_lists<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) {
    for path in paths {
        let lists = lists_of_rows(path);
        if let [taken, left @ ..] = lists.as_slice()
            && !left.is_empty()
            && harness_of(path).is_none()
        {
            tell_lost(&[format!(
                "{}: the rows under `{taken}` are taken, and those under {} are not",
                path.display(),
                named(left, left.len())
            )]);
        }
    }
}

/// The one file that a path means, where one is taken.
fn only(path: &mut PathBuf) -> Result<(), WorkError> {
    match listing::files(std::slice::from_ref(path))?.as_slice() {
        [file] => {
            path.clone_from(file);
            Ok(())
        }
        files => {
            let shown = files.iter().take(3).map(|file| file.display());
            Err(WorkError::BadInput(format!(
                "{}: {} files, and expected one here: {}",
                path.display(),
                files.len(),
                few(shown, ", ", files.len())
            )))
        }
    }
}

/// What a command reads and writes. `release` adds what its config names.
pub fn touched(command: &Command) -> Touched {
    let none = Touched::default();
    match command {
        Command::Demo(args) => none
            .writes_in("--out", &args.out, &synth::FILES)
            .leaves_run("--out", &args.out.join("run"), &EVAL_RUN),
        Command::Eval(args) => eval(args),
        Command::Show(args) => none.reads([&args.run]).reads(&args.inputs),
        Command::View(args) => none
            .reads([&args.run])
            .reads(&args.run_b)
            .reads(&args.inputs)
            .reads(&args.screenshots),
        Command::Report(args) => none
            .reads([&args.run])
            .reads(&args.against)
            .writes("--html", [&args.html]),
        // Of several logs it is a folder, which may be there.
        Command::Export(args) if args.format.is_logs() && args.out.is_dir() => {
            none.reads([&args.run]).fills("--out", args.out.clone())
        }
        Command::Export(args) => none.reads([&args.run]).writes_or_prints("--out", &args.out),
        Command::Rules(args) => none.reads(&args.from_schema),
        // Its run folder is read and written, as itself.
        Command::Lint(_) | Command::Explain(_) | Command::Completions(_) | Command::Finish(_) => {
            none
        }
        Command::Calibrate(args) => none.reads(&args.samples),
        Command::Reproduce(args) => none.reads([&args.run]).reads(&args.inputs),
        Command::Look(args) => none.reads([&args.path]),
        Command::Import(args) => leaves_run(none.reads(&args.logs), &args.measure),
        Command::Match(args) => match_files(args),
        Command::Judge(args) => judging(args),
        Command::Efficiency(args) => efficiency(args),
        Command::Episodes(args) => episodes(args),
        Command::Schema(args) => match &args.of {
            SchemaOf::Print => none,
            SchemaOf::Validate(args) => none.reads(&args.files),
            SchemaOf::Migrate(args) => none.reads([&args.file]).writes("--out", &args.out),
        },
        Command::Compare(args) => {
            let touched = none.reads(&args.runs).reads(&args.files);
            let touched = touched.reads(&args.details).writes("--out", &args.out);
            figure(touched, "--forest", args.forest.as_ref())
        }
        Command::Plan(args) => none.reads(&args.runs).writes("--out", &args.out),
        Command::Plot(args) => {
            let touched = none.reads(&args.runs).reads(&args.files);
            figure(touched.reads(&args.strip), "--out", Some(&args.out))
        }
        Command::Aggregate(args) => none.reads(&args.files).writes("--out", &args.out),
        Command::Agree(args) => match &args.of {
            AgreeOf::Pairs(args) => agree_pairs(args),
            AgreeOf::Judges(args) => agree_judges(args),
            AgreeOf::Ratings(args) => agree_ratings(args),
        },
        Command::Gate(args) => match &args.of {
            GateOf::Golden(args) => golden(args),
            GateOf::Check(args) => gates(&args.show.files)
                .reads([&args.gated.path()])
                .reads_gates([&args.gates])
                .reads(&args.baseline)
                .writes("--out", &args.out),
            GateOf::Init(args) => none
                .reads([&args.gated.path()])
                .writes_or_prints("--out", &args.out),
        },
        Command::Release(args) => gates(&args.show.files)
            .reads([&args.config])
            .writes("--out", &args.out),
        Command::Reference(args) => none.fills("--out", args.out.clone()),
        Command::Synth(args) => none.writes_in("--out", &args.out, &synth::FILES),
    }
}

fn golden(args: &GoldenArgs) -> Touched {
    let touched = gates(&args.show.files)
        .reads([&args.golden, &args.outputs])
        .reads_gates(&args.gates)
        .reads(&args.baseline)
        .writes("--out", &args.out);
    leaves_run(touched, &args.measure)
}

/// The files of a run, if one is left.
fn leaves_run(touched: Touched, args: &MeasureArgs) -> Touched {
    match &args.run {
        Some(folder) => touched.leaves_run("--run", folder, &RUN),
        None => touched,
    }
}

/// A run, which holds what cannot be used, or the file that does.
fn measures(touched: Touched, args: &MeasureArgs, rejects: &PathBuf) -> Touched {
    match &args.run {
        Some(_) => leaves_run(touched, args),
        None => keeps_rejects(touched, &args.rows, rejects),
    }
}

/// The file of what cannot be used, which nobody has to name.
fn keeps_rejects(touched: Touched, rows: &RowArgs, rejects: &PathBuf) -> Touched {
    let option = match rows.rejects {
        Some(_) => "--rejects",
        None => DEFAULT_REJECTS,
    };
    touched.writes(option, [rejects])
}

/// The same, where what cannot be used stands beside the report.
fn measures_beside(touched: Touched, args: &MeasureArgs, report: Option<&Path>) -> Touched {
    measures(touched, args, &args.rejects(report))
}

fn gates(files: &GateFiles) -> Touched {
    Touched::default()
        .writes("--junit", &files.junit)
        .writes("--markdown", &files.markdown)
}

/// What a model's server needs.
fn server(touched: Touched, args: &ServerArgs, cache: PathBuf) -> Touched {
    touched
        .reads(&args.ca_file)
        .reads(&args.prices)
        .writes("--cache", [&cache])
}

/// The files of a figure. A name that will not do is told by whoever draws it.
fn figure(touched: Touched, option: &str, name: Option<&PathBuf>) -> Touched {
    match name.map(|name| Pictures::named(option, name)) {
        Some(Ok(pictures)) => touched.writes(option, pictures.paths()),
        _ => touched,
    }
}

fn eval(args: &EvalArgs) -> Touched {
    let touched = Touched::default()
        .reads(&args.samples)
        .reads(&args.outputs)
        .reads(&args.confidence)
        // A name that is no path is a built-in protocol's, and no file.
        .reads_if_file(PathBuf::from(&args.protocol));
    // Nothing is parsed without it.
    let out = args.measure.run.clone().unwrap_or_default();
    let touched = touched.leaves_run("--out", &out, &EVAL_RUN);
    let cache = cache_path(&args.agent.server, &out);
    server(touched, &args.agent.server, cache)
}

fn match_files(args: &MatchArgs) -> Touched {
    let touched = Touched::default()
        .reads(&args.predictions)
        .writes("--out", &args.out)
        .writes("--details", &args.details);
    let touched = measures_beside(touched, &args.measure, args.out.as_deref());
    figure(touched, "--figure", args.more.figure.as_ref())
}

fn judging(args: &JudgeArgs) -> Touched {
    let mut touched = Touched::default()
        .reads(&args.predictions)
        .reads(&args.prompt);
    if let Some(out) = &args.out {
        touched = touched.writes_in("--out", out, &[judge::REPORT]);
        // Names that will not do are told by whoever needs them.
        for (_, folder) in folder_names(args).unwrap_or_default() {
            touched = touched.fills("--out", out.join(folder));
        }
    }
    touched = measures(touched, &args.measure, &judge::rejects(args));
    if let Some(folder) = &args.measure.run {
        touched = touched.writes_in("--run", folder, &[judge::REPLIES]);
    }
    match judge::home(args) {
        Some(home) => server(touched, &args.server, cache_path(&args.server, home)),
        None => touched,
    }
}

fn efficiency(args: &EfficiencyArgs) -> Touched {
    let kept = efficiency::kept_in(args);
    let mut touched = Touched::default()
        .reads(&args.runs)
        .reads(&args.predictions)
        .reads(&args.judged)
        .reads(&args.prices);
    // Named before the rejects, which stand in the same folder unless told otherwise.
    if let Some(out) = &args.out {
        touched = touched.writes_in("--out", out, &efficiency::FILES);
    }
    keeps_rejects(touched, &args.rows, &kept)
}

fn episodes(args: &EpisodesArgs) -> Touched {
    let touched = Touched::default()
        .reads([&args.episodes])
        .reads(&args.predictions)
        .reads(&args.milestones)
        .writes("--out", &args.out)
        .writes("--details", &args.details);
    measures_beside(touched, &args.measure, args.out.as_deref())
}

fn agree_pairs(args: &PairsArgs) -> Touched {
    let outputs = super::agree::pairs::outputs(args);
    let tsv = match args.tsv {
        Some(_) => "--tsv",
        None => "the default of --tsv:",
    };
    measures(gates(&args.gate_files), &args.measure, &outputs.rejects)
        .reads(&args.pairs)
        .reads(&args.scholar)
        .reads(&args.auditor)
        .reads(&args.policy)
        .writes(tsv, &outputs.tsv)
        .writes("--arbitrated", &outputs.arbitrated)
        .writes("--hygiene", &outputs.hygiene)
        .writes("--out", &args.out)
}

fn agree_judges(args: &JudgesArgs) -> Touched {
    let touched = Touched::default()
        .reads([&args.eval_dir])
        .reads(&args.human)
        .reads(&args.prices)
        .writes("--out", &args.out);
    let touched = measures_beside(touched, &args.measure, args.out.as_deref());
    figure(touched, "--heatmap", args.heatmap.as_ref())
}

fn agree_ratings(args: &RatingsArgs) -> Touched {
    let touched = Touched::default()
        .reads(&args.input)
        .writes("--out", &args.out);
    let touched = measures_beside(touched, &args.measure, args.out.as_deref());
    figure(touched, "--heatmap", args.heatmap.as_ref())
}
