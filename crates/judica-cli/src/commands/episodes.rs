//! `judica episodes`

use judica_data::json::json_bytes;
use judica_episode::action::Mode;
use judica_episode::eval_json::{EvalContext, EvalDocument, tables};
use judica_episode::score::{Hooks, ScoreOutcome, ScoreRequest, score};
use judica_model::exit_code::ExitCode;

use super::files::{shown, write};
use super::rejects::Kept;
use super::reports::show;
use super::threads;
use crate::args::episode::{EpisodesArgs, Mode as ModeArg};
use crate::args::report::TableFormat;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;
use crate::timestamp::{self, timestamps};

/// Scores episodes, writes the eval file and shows it.
pub fn run(args: &EpisodesArgs) -> Result<ExitCode, Failure> {
    let kept = Kept::new(args.rejects.as_deref(), Some(&args.out));
    let context = context(args)?;
    let request = ScoreRequest {
        episodes: args.episodes.clone(),
        predictions: args.predictions.clone(),
        mode: match args.mode {
            ModeArg::Coord => Mode::Coord,
            ModeArg::Som => Mode::Som,
        },
        milestones: args.milestones.clone(),
        screen: args.screen,
        details: args.details.clone(),
        rejects: kept.path.clone(),
        strict: args.strict,
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
    let document = EvalDocument::scored(context, &outcome);
    write(&args.out, &json_bytes(&document))?;
    show(&args.report, &document, &tables(&document));
    if !args.report.json && args.report.format == TableFormat::Terminal {
        screen::print(&accounting(&outcome, &kept));
        screen::print(&format!("eval file: {}\n", shown(&args.out)));
    }
    Ok(ExitCode::Done)
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
fn accounting(outcome: &ScoreOutcome, kept: &Kept) -> String {
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
        text.push_str(&format!("refused rows: {}\n", shown(&kept.path)));
    }
    text
}
