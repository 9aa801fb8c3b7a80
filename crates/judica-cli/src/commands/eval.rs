//! `judica eval`

use std::path::{Path, PathBuf};

use judica_data::work_error::WorkError;
use judica_model::exit_code::ExitCode;
use judica_run::manifest::name;
use judica_run::options::RunOptions;
use judica_verify::eval::{EvalOutcome, EvalRequest, Hooks, InputFile, evaluate};
use judica_verify::options::{Options, REVIEWS};
use judica_verify::output_folder::output_files;
use judica_verify::protocol::load::load;
use judica_verify::review::{LlmAgent, ReviewOutcome, review_run};
use judica_verify::summary::report::{Counts, Summary};
use judica_verify::summary::tables::leaderboard;

use super::files::{hold, shown};
use super::rejects::note_unused;
use super::reviewer::{self, Reviewer};
use super::threads;
use crate::args::{EvalArgs, Records};
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;
use crate::timestamp::timestamps;

/// Evaluates and shows the result.
pub fn run(args: &EvalArgs) -> Result<ExitCode, Failure> {
    let mut request = request(args)?;
    let reviewer = Reviewer::new(args)?;
    let _held = hold(&args.out)?;
    let Some(reviewer) = reviewer else {
        let outcome = evaluate_with_progress(&request)?;
        print(args, &outcome);
        return Ok(ExitCode::Done);
    };
    let agent = LlmAgent::new(&request.protocol, &reviewer);
    let (records, limit) = (reviewer::records(args), args.agent.agent_limit);
    request.options.review = Some(agent.options(records, limit));
    let outcome = evaluate_with_progress(&request)?;
    // From here on the run is complete, whatever becomes of the reviews.
    let reviewed = review_run(&args.out, &agent, &INTERRUPTED);
    print(args, &outcome);
    show_reviews(args, reviewed, &reviewer)
}

fn print(args: &EvalArgs, outcome: &EvalOutcome) {
    if args.json {
        screen::print_json(&outcome.summary);
        tell_notes(&outcome.summary);
    } else {
        show(outcome, &args.out);
    }
}

/// What a reader of the result must know is said wherever the result goes.
fn tell_notes(summary: &Summary) {
    for note in &summary.notes {
        screen::tell(&format!("note: {}", judica_report::visible(note)));
    }
}

/// Shows what came of the reviews. Reviews that are missing are no reason to doubt the
/// result, but one to run the same command again.
fn show_reviews(
    args: &EvalArgs,
    reviewed: Result<ReviewOutcome, WorkError>,
    reviewer: &Reviewer,
) -> Result<ExitCode, Failure> {
    let ReviewOutcome { counts, halt, .. } = reviewed?;
    if !args.json {
        let mut text = format!(
            "reviews {} = accepted {} + refused {} + unreadable {} + declined {} + without reply {}\n",
            counts.chosen,
            counts.accepted,
            counts.refused,
            counts.unreadable,
            counts.declined,
            counts.unanswered()
        );
        if counts.left_out() > 0 {
            text.push_str(&format!(
                "  {} more records could be reviewed (--agent-limit {})\n",
                counts.left_out(),
                args.agent.agent_limit
            ));
        }
        text.push_str(&format!("  see {}\n", shown(&args.out.join(REVIEWS))));
        screen::print(&text);
    }
    if counts.unanswered() == 0 {
        return Ok(ExitCode::Done);
    }
    let why = halt.as_ref().map(|halt| halt.message.as_str());
    screen::tell(&format!(
        "{}\n{} reviews are missing; the result does not depend on them. Every reply \
         that came is kept in {}; the same command asks for the rest.",
        judica_report::visible(why.unwrap_or("SYSTEM_ERROR: some questions found no answer")),
        counts.unanswered(),
        shown(&reviewer.cache)
    ));
    Ok(match halt {
        Some(halt) if halt.interrupted => ExitCode::Interrupted,
        _ => ExitCode::SystemError,
    })
}

fn request(args: &EvalArgs) -> Result<EvalRequest, Failure> {
    let timestamps = timestamps(args.timestamp.as_deref())?;
    let protocol = load(&args.protocol)?;
    let outputs = output_files(&args.outputs, &protocol, args.model.as_deref())?;
    if !outputs.left.is_empty() {
        screen::tell(&left_alone(&outputs.left));
    }
    Ok(EvalRequest {
        protocol,
        protocol_given: args.protocol.clone(),
        samples: args
            .samples
            .iter()
            .map(|path| InputFile::new(path))
            .collect(),
        outputs: outputs.files,
        confidence: args.confidence.as_deref().map(InputFile::new),
        out: args.out.clone(),
        options: Options {
            jsonl: matches!(args.records, Records::Jsonl | Records::Both),
            timestamp: timestamps.fixed,
            task: args.task.clone(),
            model: args.model.clone(),
            strict: args.strict,
            review: None,
            run: RunOptions {
                keep_text: args.keep_text,
                ..RunOptions::default()
            },
        },
        threads: threads(args.threads),
        created_at: timestamps.created_at,
    })
}

/// Files of folders that are not read.
fn left_alone(files: &[PathBuf]) -> String {
    const NAMED: usize = 3;
    let named: Vec<String> = files.iter().take(NAMED).map(|path| shown(path)).collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "note: not read, because outputs in folders are *.jsonl: {}{more}",
        named.join(", ")
    )
}

/// Evaluates with a progress count, stoppable by Ctrl-C.
pub fn evaluate_with_progress(request: &EvalRequest) -> Result<EvalOutcome, Failure> {
    let bar = screen::counter("records");
    let hooks = Hooks {
        progress: &|progress| bar.set_position(progress.records),
        interrupted: &INTERRUPTED,
    };
    let outcome = evaluate(request, &hooks);
    bar.finish_and_clear();
    let outcome = outcome?;
    note_unused(&outcome.unused);
    Ok(outcome)
}

/// Shows a finished run.
pub fn show(outcome: &EvalOutcome, out: &Path) {
    screen::print_table(&leaderboard(&outcome.summary));
    screen::print(&accounting(&outcome.summary.counts, out));
    tell_notes(&outcome.summary);
}

/// `inputs = records + rejects`, and why lines were refused.
fn accounting(counts: &Counts, out: &Path) -> String {
    let mut text = format!(
        "\ninputs {} = records {} + rejects {}   (samples {}, sample rejects {})\n",
        counts.outputs, counts.records, counts.rejects, counts.samples, counts.sample_rejects
    );
    for (reason, count) in &counts.rejects_by_reason {
        text.push_str(&format!("  {count} × {reason}\n"));
    }
    if !counts.rejects_by_reason.is_empty() {
        text.push_str(&format!("  see {}\n", shown(&out.join(name::REJECTS))));
    }
    text.push_str(&format!("run folder: {}\n", shown(out)));
    text
}
