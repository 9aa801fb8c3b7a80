//! `judica episodes`

use std::path::{Path, PathBuf};

use judica_episode::action::Mode;
use judica_episode::eval_json::{EvalContext, EvalDocument, tables};
use judica_episode::family::role;
use judica_episode::score::{Hooks, ScoreOutcome, ScoreRequest, score};
use judica_model::exit_code::ExitCode;
use judica_run::family::Input;

use super::files::{shown, write_report};
use super::rejects::{REJECTS, place};
use super::reports::show;
use super::{runs, threads};
use crate::args::episode::{EpisodesArgs, Mode as ModeArg};
use crate::args::report::TableFormat;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;
use crate::timestamp::{self, timestamps};

/// Scores episodes, writes the eval file and shows it.
pub fn run(args: &EpisodesArgs) -> Result<ExitCode, Failure> {
    let context = context(args)?;
    let (run, _held) = runs::target(&args.run)?.unzip();
    let given = |role, path: &Option<PathBuf>| path.as_ref().map(|path| Input::given(role, path));
    let request = ScoreRequest {
        episodes: Input::given(role::EPISODES, &args.episodes),
        predictions: given(role::PREDICTIONS, &args.predictions),
        mode: match args.mode {
            ModeArg::Coord => Mode::Coord,
            ModeArg::Som => Mode::Som,
        },
        milestones: given(role::MILESTONES, &args.milestones),
        screen: args.screen,
        details: args.details.clone(),
        rejects: rejects(args),
        strict: args.strict,
        context,
        run,
        threads: threads(args.threads),
    };
    let bar = screen::byte_counter("read");
    let outcome = score(
        &request,
        &Hooks {
            progress: &|bytes| bar.set_position(bytes),
            interrupted: &INTERRUPTED,
        },
    );
    bar.finish_and_clear();
    let outcome = outcome?;
    let document = EvalDocument::scored(request.context.clone(), &outcome);
    write_report(args.out.as_deref(), &document)?;
    show(&args.report, &document, &tables(&document));
    if !args.report.json && args.report.format == TableFormat::Terminal {
        screen::print(&accounting(&outcome, &request.rejects));
        if let Some(out) = &args.out {
            screen::print(&format!("eval file: {}\n", shown(out)));
        }
    }
    Ok(ExitCode::Done)
}

/// Where rows that cannot be used are kept.
pub fn rejects(args: &EpisodesArgs) -> PathBuf {
    match &args.run.run {
        Some(folder) => folder.join(REJECTS),
        None => place(args.rejects.as_deref(), args.out.as_deref()),
    }
}

fn context(args: &EpisodesArgs) -> Result<EvalContext, Failure> {
    if let Some(text) = &args.training_timestamp {
        timestamp::check("--training-timestamp", text)?;
    }
    Ok(EvalContext {
        config_path: args.config_path.clone(),
        backend: args.backend.clone(),
        eval_timestamp: timestamps(args.timestamp.as_deref())?.fixed,
        training_timestamp: args.training_timestamp.clone(),
        device: args.device.clone(),
        gpu_model: args.gpu_model.clone(),
        memory_gb: args.memory_gb,
        checkpoint_path: args.checkpoint_path.clone(),
    })
}

/// What became of the rows, and why some were refused.
fn accounting(outcome: &ScoreOutcome, rejects: &Path) -> String {
    let mut text = String::from("\n");
    for (name, rows) in [
        ("episodes", outcome.episode_rows),
        ("predictions", outcome.prediction_rows),
    ] {
        text.push_str(&format!(
            "{name}: inputs {} = records {} + rejects {}\n",
            rows.inputs, rows.records, rows.rejects
        ));
    }
    for refused in &outcome.refused {
        let file = judica_report::visible(&refused.file);
        text.push_str(&format!(
            "  {} × {} in {file}",
            refused.count, refused.reason
        ));
        if let Some(example) = refused.examples.first() {
            let detail = judica_report::visible(&example.detail);
            text.push_str(&format!(", e.g. line {}: {detail}", example.line));
        }
        text.push('\n');
    }
    if !outcome.refused.is_empty() {
        text.push_str(&format!("refused rows: {}\n", shown(rejects)));
    }
    text
}
