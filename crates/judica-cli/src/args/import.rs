//! `judica import`: what can be said about logs of other harnesses.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::names::Names;
use super::run::{MeasureArgs, NameArgs};

/// `judica import`
#[derive(Debug, Args)]
#[command(after_help = "\
A log is told by what it holds: Inspect (.eval, .json), lm-eval (results_*.json with its \
samples_*.jsonl), promptfoo (.json, .jsonl), DeepEval, HELM (the folder of a run), OpenAI evals. Of a \
folder all logs are taken. Each scorer becomes a metric, each sample a record with its texts. The \
log's own numbers are computed again from its samples: what differs is said, and the import goes on.

Scores of any other tool are a table (CSV, TSV, JSON lines, Parquet, Arrow): --as table, with the \
columns that name item and --subject (or the subject's name), and those that were measured.

Of samples that stand in several logs (retries, two runs of one task) the later log's count.")]
// A run is all that it leaves, and holds what is refused and the texts.
#[command(mut_arg("run", |arg| arg.required(true)))]
#[command(mut_arg("rejects", |arg| arg.hide(true)))]
#[command(mut_arg("keep_text", |arg| arg.hide(true)))]
pub struct ImportArgs {
    /// Logs, or folders of them
    #[arg(required = true, value_name = "LOG|DIR")]
    pub logs: Vec<PathBuf>,
    /// Which harness they are of [default: what they hold tells]
    #[arg(long = "as", value_enum, value_name = "HARNESS")]
    pub harness: Option<HarnessName>,
    /// Keep samples that stand in several logs, as repeats
    #[arg(long)]
    pub keep_all: bool,
    /// What stands or falls together, for intervals: metadata.NAME, or another column of samples
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,
    /// Leave questions, expected answers and answers out of the run
    #[arg(long, conflicts_with = "keep_text")]
    pub no_text: bool,
    /// Of a table: what names the item; several columns with commas between name it together
    #[arg(long, value_name = "COLUMN,…", help_heading = "Tables")]
    pub item: Vec<Names>,
    /// Of a table: what was measured; `latency:lower` says that less is better
    #[arg(long, value_name = "COLUMN,…", help_heading = "Tables")]
    pub metric: Vec<Names>,
    /// What the records are called
    #[command(flatten)]
    pub names: NameArgs,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// The harnesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarnessName {
    /// .eval and .json logs
    Inspect,
    /// results_*.json with samples_*.jsonl
    LmEval,
    /// .json and .jsonl outputs
    Promptfoo,
    /// Test runs
    Deepeval,
    /// The folder of a run
    Helm,
    /// Events as lines
    OpenaiEvals,
    /// Any other tool's scores, a row per item
    Table,
}
