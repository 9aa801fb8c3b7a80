//! `judica eval`

use std::path::{Path, PathBuf};

use judica_data::work_error::WorkError;
use judica_model::exit_code::ExitCode;
use judica_model::text::few;
use judica_run::manifest::{InputEntry, Manifest, name};
use judica_run::options::RunOptions;
use judica_run::pieces::Part;
use judica_verify::eval::{EvalOutcome, EvalRequest, Hooks, InputFile, evaluate, evaluate_part};
use judica_verify::external::check_allowed;
use judica_verify::options::{Options, REVIEWS};
use judica_verify::output_folder::output_files;
use judica_verify::protocol::load::load;
use judica_verify::review::{LlmAgent, ReviewOutcome, review_run};
use judica_verify::summary::report::Summary;
use judica_verify::summary::tables::first_tables;

use super::ending::{Accounting, end};
use super::files::{hold, hold_for_pieces, shown};
use super::pace::Pace;
use super::rejects::tell_lost;
use super::reviewer::{self, Reviewer};
use super::runs::tell_part;
use super::threads;
use crate::args::run::{MeasureArgs, ReportArgs, TableFormat};
use crate::args::{EvalArgs, Records};
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;
use crate::timestamp::timestamps;

/// Evaluates and shows the result.
pub fn run(args: &EvalArgs) -> Result<ExitCode, Failure> {
    let mut request = request(args)?;
    let reviewer = Reviewer::new(args)?;
    if let Some(part) = args.part {
        if reviewer.is_some() {
            let message = "--part: reviews are asked for on a whole run, without --agent llm here";
            return Err(WorkError::BadInput(message.to_owned()).into());
        }
        return evaluate_piece(&request, part);
    }
    let _held = hold(&request.out)?;
    let Some(reviewer) = reviewer else {
        let outcome = evaluate_with_progress(&request)?;
        show(&args.measure.rows.report, &outcome, &request.out)?;
        return Ok(ExitCode::Done);
    };
    let agent = LlmAgent::new(&request.protocol, &reviewer);
    let (records, limit) = (reviewer::records(args), args.agent.agent_limit);
    request.options.review = Some(agent.options(records, limit));
    let outcome = evaluate_with_progress(&request)?;
    // From here on the run is complete, whatever becomes of the reviews.
    let reviewed = review_run(&request.out, &agent, &interrupted());
    show(&args.measure.rows.report, &outcome, &request.out)?;
    show_reviews(args, &request.out, reviewed, &reviewer)
}

/// Makes one part of a run, which other processes make the other parts of.
fn evaluate_piece(request: &EvalRequest, part: Part) -> Result<ExitCode, Failure> {
    let _held = hold_for_pieces(&request.out)?;
    let (piece, unused) =
        with_progress(request, |hooks| evaluate_part(request, part, None, hooks))?;
    tell_lost(&unused);
    tell_part(part, &piece.counts, &request.out);
    Ok(ExitCode::Done)
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
    out: &Path,
    reviewed: Result<ReviewOutcome, WorkError>,
    reviewer: &Reviewer,
) -> Result<ExitCode, Failure> {
    let ReviewOutcome { counts, halt, .. } = reviewed?;
    let shown_as = &args.measure.rows.report;
    if !shown_as.json && shown_as.format == TableFormat::Terminal {
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
        text.push_str(&format!("  see {}\n", shown(&out.join(REVIEWS))));
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

/// What the arguments ask for.
pub fn request(args: &EvalArgs) -> Result<EvalRequest, Failure> {
    let MeasureArgs {
        run,
        keep_text,
        timestamp,
        rows,
    } = &args.measure;
    let timestamps = timestamps(timestamp.as_deref())?;
    let protocol = load(&args.protocol)?;
    check_allowed(&protocol, args.allow_commands)?;
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
        // Nothing is parsed without it.
        out: run.clone().unwrap_or_default(),
        options: Options {
            jsonl: matches!(args.records, Records::Jsonl | Records::Both),
            timestamp: timestamps.fixed,
            task: args.task.clone(),
            model: args.model.clone(),
            strict: rows.strict,
            review: None,
            columns: args.columns.options(),
            run: RunOptions {
                keep_text: *keep_text,
                ..RunOptions::default()
            },
        },
        allow_commands: args.allow_commands,
        threads: threads(rows.threads),
        created_at: timestamps.created_at,
    })
}

/// Files of folders that are not read.
fn left_alone(files: &[PathBuf]) -> String {
    const NAMED: usize = 3;
    let named = files.iter().take(NAMED).map(|path| shown(path));
    format!(
        "note: not read, because the outputs in a folder are its *.jsonl files, or without any its \
         tables: {}",
        few(named, ", ", files.len())
    )
}

/// Evaluates with a progress count, stoppable by Ctrl-C.
pub fn evaluate_with_progress(request: &EvalRequest) -> Result<EvalOutcome, Failure> {
    let outcome = with_progress(request, |hooks| evaluate(request, hooks))?;
    tell_lost(&outcome.unused);
    Ok(outcome)
}

fn with_progress<T>(
    request: &EvalRequest,
    work: impl FnOnce(&Hooks) -> Result<T, WorkError>,
) -> Result<T, WorkError> {
    let size = screen::size_of(request.outputs.iter().map(|file| &file.path));
    let bar = match size {
        // Until something is known: no record is shorter than a byte.
        Some(size) => screen::counter_to("records", size),
        None => screen::counter("records"),
    };
    let pace = size.map(Pace::new);
    let hooks = Hooks {
        progress: &|progress| match &pace {
            None => bar.set_position(progress.records),
            Some(pace) => {
                if let Some([done, all]) = pace.done(progress.records) {
                    // One without the other would be shown as another share.
                    bar.update(|state| {
                        state.set_len(all);
                        state.set_pos(done);
                    });
                }
            }
        },
        read: &|bytes| pace.iter().for_each(|pace| pace.read(bytes)),
        interrupted: &interrupted(),
    };
    let outcome = work(&hooks);
    bar.finish_and_clear();
    outcome
}

/// How tables among the inputs were read.
fn read_of(manifest: &Manifest) -> Vec<String> {
    let inputs = manifest.inputs.iter();
    let said = |input: &InputEntry| {
        Some(format!(
            "{}: read as {}",
            input.path,
            input.read_as.as_ref()?
        ))
    };
    inputs.filter_map(said).collect()
}

/// Shows a finished run.
pub fn show(args: &ReportArgs, outcome: &EvalOutcome, out: &Path) -> Result<(), Failure> {
    let summary = &outcome.summary;
    let counts = &summary.counts;
    let more = format!(
        "(samples {}, sample rejects {})",
        counts.samples, counts.sample_rejects
    );
    let accounting = Accounting::rows(counts.outputs, counts.records, counts.rejects, &more)
        .reasons(counts.rejects_by_reason.iter().map(|(why, n)| (why, *n)))
        .refused(
            counts.rejects + counts.sample_rejects,
            &out.join(name::REJECTS),
        )
        .read(&read_of(&outcome.manifest))
        .file("run", Some(out));
    end(args, None, summary, &first_tables(summary), accounting)?;
    tell_notes(summary);
    Ok(())
}
