//! `judica episodes`

use std::path::PathBuf;

use judica_episode::action::Mode;
use judica_episode::eval_json::{EvalContext, EvalDocument, tables};
use judica_episode::family::role;
use judica_episode::score::{Hooks, ScoreOutcome, ScoreRequest, score};
use judica_model::exit_code::ExitCode;
use judica_run::family::Input;

use super::ending::{Accounting, end};
use super::{runs, threads};
use crate::args::episode::{EpisodesArgs, Mode as ModeArg};
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;
use crate::timestamp::{self, timestamps};

/// Scores episodes, writes the eval file and shows it.
pub fn run(args: &EpisodesArgs) -> Result<ExitCode, Failure> {
    let context = context(args)?;
    let (run, _held) = runs::target(&args.measure, &args.names)?;
    let given = |role, path: &Option<PathBuf>| path.as_ref().map(|path| Input::given(role, path));
    let rows = &args.measure.rows;
    let request = ScoreRequest {
        episodes: Input::given(role::EPISODES, &args.episodes),
        predictions: given(role::PREDICTIONS, &args.predictions),
        mode: match args.mode {
            ModeArg::Coord => Mode::Coord,
            ModeArg::Som => Mode::Som,
        },
        milestones: given(role::MILESTONES, &args.milestones),
        screen: args.screen,
        columns: args.column.clone(),
        details: args.details.clone(),
        rejects: args.measure.rejects(args.out.as_deref()),
        strict: rows.strict,
        context,
        run,
        threads: threads(rows.threads),
    };
    let files = std::iter::once(&args.episodes).chain(&args.predictions);
    let outcome = screen::reading(files, |progress| {
        let hooks = Hooks {
            progress,
            interrupted: &interrupted(),
        };
        score(&request, &hooks)
    })?;
    let document = EvalDocument::scored(request.context.clone(), &outcome);
    let refused = outcome.refused.iter().map(|kind| kind.count).sum();
    let accounting = accounting(&outcome)
        .read(&outcome.read)
        .refused(refused, &request.rejects)
        .file("run", args.measure.run.as_deref())
        .file("eval file", args.out.as_deref());
    let out = args.out.as_deref();
    end(&rows.report, out, &document, &tables(&document), accounting)?;
    Ok(ExitCode::Done)
}

fn context(args: &EpisodesArgs) -> Result<EvalContext, Failure> {
    if let Some(text) = &args.training_timestamp {
        timestamp::check("--training-timestamp", text)?;
    }
    Ok(EvalContext {
        config_path: args.config_path.clone(),
        backend: args.backend.clone(),
        eval_timestamp: timestamps(args.measure.timestamp.as_deref())?.fixed,
        training_timestamp: args.training_timestamp.clone(),
        device: args.device.clone(),
        gpu_model: args.gpu_model.clone(),
        memory_gb: args.memory_gb,
        checkpoint_path: args.checkpoint_path.clone(),
    })
}

/// What became of the rows of either input, and why some were refused.
fn accounting(outcome: &ScoreOutcome) -> Accounting {
    let inputs = [
        ("\nepisodes", outcome.episode_rows),
        ("predictions", outcome.prediction_rows),
    ];
    let accounting = inputs
        .iter()
        .fold(Accounting::default(), |all, (name, rows)| {
            all.line(&format!(
                "{name}: inputs {} = records {} + rejects {}",
                rows.inputs, rows.records, rows.rejects
            ))
        });
    accounting.reasons(outcome.refused.iter().map(|refused| {
        let example = refused.examples.first();
        let example = example.map_or_else(String::new, |example| {
            format!(", e.g. line {}: {}", example.line, example.detail)
        });
        let why = format!("{} in {}{example}", refused.reason, refused.file);
        (why, refused.count)
    }))
}
