//! `judica eval`

use std::path::Path;

use judica_model::exit_code::ExitCode;
use judica_verify::eval::{EvalOutcome, EvalRequest, Hooks, InputFile, evaluate};
use judica_verify::manifest::{Options, REJECTS, RecordsFormat};
use judica_verify::protocol::load::load;
use judica_verify::summary::report::Counts;
use judica_verify::summary::tables::leaderboard;

use super::threads;
use crate::args::{EvalArgs, Records};
use crate::failure::Failure;
use crate::timestamp::timestamps;
use crate::{interrupt, screen};

/// Evaluates and shows the result.
pub fn run(args: &EvalArgs) -> Result<ExitCode, Failure> {
    let request = request(args)?;
    let outcome = evaluate_with_progress(&request)?;
    if args.json {
        screen::print_json(&outcome.summary)?;
    } else {
        show(&outcome, &args.out)?;
    }
    Ok(ExitCode::Done)
}

fn request(args: &EvalArgs) -> Result<EvalRequest, Failure> {
    let timestamps = timestamps(args.timestamp.as_deref())?;
    Ok(EvalRequest {
        protocol: load(&args.protocol)?,
        protocol_given: args.protocol.clone(),
        samples: args
            .samples
            .iter()
            .map(|path| InputFile::new(path))
            .collect(),
        outputs: args
            .outputs
            .iter()
            .map(|path| InputFile::new(path))
            .collect(),
        confidence: args.confidence.as_deref().map(InputFile::new),
        out: args.out.clone(),
        options: Options {
            records: match args.records {
                Records::Parquet => RecordsFormat::Parquet,
                Records::Jsonl => RecordsFormat::Jsonl,
                Records::Both => RecordsFormat::Both,
                Records::None => RecordsFormat::None,
            },
            timestamp: timestamps.fixed,
            task: args.task.clone(),
            model: args.model.clone(),
            strict: args.strict,
            review: None,
        },
        threads: threads(args.threads)?,
        created_at: timestamps.created_at,
    })
}

/// Evaluates with a progress count, stoppable by Ctrl-C.
pub fn evaluate_with_progress(request: &EvalRequest) -> Result<EvalOutcome, Failure> {
    let interrupted = interrupt::watch(Some(&request.out));
    let bar = screen::counter("records");
    let hooks = Hooks {
        progress: &|progress| bar.set_position(progress.records),
        interrupted,
    };
    let outcome = evaluate(request, &hooks);
    bar.finish_and_clear();
    Ok(outcome?)
}

/// Shows a finished run.
pub fn show(outcome: &EvalOutcome, out: &Path) -> Result<(), Failure> {
    screen::print_table(&leaderboard(&outcome.summary))?;
    screen::print(&accounting(&outcome.summary.counts, out))
}

/// `inputs = records + rejects`, and why lines were refused.
fn accounting(counts: &Counts, out: &Path) -> String {
    let mut text = format!(
        "\ninputs {} = records {} + rejects {}   (samples {}, sample rejects {})\n",
        counts.outputs, counts.records, counts.rejects, counts.samples, counts.sample_rejects
    );
    if counts.records == 0 {
        text.push_str("no record was made: the inputs hold no output that could be evaluated\n");
    }
    for (reason, count) in &counts.rejects_by_reason {
        text.push_str(&format!("  {count} × {reason}\n"));
    }
    if !counts.rejects_by_reason.is_empty() {
        text.push_str(&format!("  see {}\n", out.join(REJECTS).display()));
    }
    text.push_str(&format!("run folder: {}\n", out.display()));
    text
}
