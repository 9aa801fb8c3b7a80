//! What can be said on the command line. Parsing has no effects.

pub mod agent;
pub mod agree;
pub mod answer;
pub mod episode;
pub mod figure;
pub mod gate;
pub mod import;
pub mod judge;
pub mod look;
pub mod names;
pub mod number;
pub mod plan;
pub mod reference;
pub mod run;
pub mod view;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use judica_data::limits::DEFAULT_LONGEST;
use judica_run::manifest::Manifest;
use judica_run::pieces::Part;
use judica_run::writer::MAX_LINE;
use judica_verify::options::ColumnOptions;
use names::{Names, all_names};

/// Decide, from stored artifacts, whether an AI system's outputs can be trusted.
///
/// judica turns stored outputs into evidence atoms, evidence into decisions that cite
/// it, decisions into metrics with n and intervals. Same inputs, same bytes, on any
/// number of threads.
#[derive(Debug, Parser)]
#[command(name = "judica", version = crate::help::VERSION, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// The most bytes that a line or a document may have: a longer line is refused, a longer
    /// document an error
    #[arg(long, global = true, value_name = "BYTES", default_value = "256MiB",
          value_parser = number::bytes, help_heading = "Limits")]
    pub max_line: usize,
}

impl Arguments {
    /// The limit of lines: a run is made again with the one that it was made with.
    pub fn longest(&self) -> usize {
        let Command::Reproduce(args) = &self.command else {
            return self.max_line;
        };
        let kept = Manifest::read(&args.run).ok();
        let kept = kept.and_then(|manifest| manifest.options.get(MAX_LINE)?.as_u64());
        let kept = kept.and_then(|kept| usize::try_from(kept).ok());
        kept.filter(|_| self.max_line == DEFAULT_LONGEST)
            .unwrap_or(self.max_line)
    }
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 done, but a gate failed or something differs; 2 bad usage or bad input; \
3 SYSTEM_ERROR: a required artifact is missing or malformed, or the environment failed.

New here? `judica demo` needs no file. `judica look FILE` says what can be done with yours. \
`judica COMMAND --help` says more of each, with examples.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make data, evaluate it and show the result; needs no file
    Demo(DemoArgs),
    /// Verify predictions against a protocol; writes a run folder
    Eval(EvalArgs),
    /// Print records of a run readably: evidence, decision, scores
    Show(ShowArgs),
    /// Open runs in a browser: leaderboard, records, evidence
    View(view::ViewArgs),
    /// Write a run as one HTML file that needs nothing else
    Report(view::ReportFileArgs),
    /// Write the records or the tables of a run in another format
    Export(ExportArgs),
    /// List the rules of a protocol
    Rules(RulesArgs),
    /// Find rules that never fail or pass, repeated ones, unread fields
    Lint(LintArgs),
    /// Say what a rule checks, why, its thresholds, an example
    Explain(ExplainArgs),
    /// Run a protocol on the gold itself: the truth must break no rule
    Calibrate(CalibrateArgs),
    /// Run again what a run records; are the bytes the same?
    Reproduce(ReproduceArgs),
    /// Make a run of the pieces in its folder, as if made in one go
    Finish(FinishArgs),
    /// Say what a file or a folder is, and which commands read it
    Look(look::LookArgs),
    /// Make a run of the logs of Inspect, lm-eval, promptfoo and others
    Import(import::ImportArgs),
    /// Hold predictions against their gold
    Match(answer::MatchArgs),
    /// Ask models whether predictions are correct; nothing is paid twice
    Judge(judge::JudgeArgs),
    /// Compare models by accuracy, cost and latency
    Efficiency(answer::EfficiencyArgs),
    /// Score an agent's actions against recorded episodes
    Episodes(episode::EpisodesArgs),
    /// Print the schema of eval files, validate files, migrate old ones
    Schema(episode::SchemaArgs),
    /// Compare runs, or eval files: differences, intervals, a verdict
    Compare(episode::CompareArgs),
    /// Say how many items would show a difference
    Plan(plan::PlanArgs),
    /// Draw metrics as bars, or which steps of episodes fail
    Plot(episode::PlotArgs),
    /// Means over many eval files, by backend or any key
    Aggregate(episode::AggregateArgs),
    /// Measure agreement between validators, judges or raters
    Agree(agree::AgreeArgs),
    /// Hold artifacts and reports against gates, for CI
    Gate(gate::GateArgs),
    /// Run several evaluations and gates in one go; writes one report
    Release(gate::ReleaseArgs),
    /// Write a deterministic synthetic data set with model personalities
    Synth(SynthArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write man pages, or pages of commands, rules and schemas
    Reference(reference::ReferenceArgs),
}

/// `judica eval`
#[derive(Debug, Args)]
#[command(after_help = "\
Inputs are JSON, JSONL, CSV, TSV, Parquet or Arrow, plain, .gz or .zst. A row that cannot be used never \
ends the run: it goes to rejects.jsonl with file, line, byte offset, reason and raw text (--strict makes \
the first one fatal).

With --agent llm a model reviews records: checklist, reasons and a narrative, in reviews.jsonl. Each \
id it cites is checked against the record; a review that cites nothing, or what is not there, is \
refused. Decisions and scores are the rules' and do not depend on it.")]
// A run is all that it leaves, and holds what is refused.
#[command(mut_arg("run", |arg| arg.visible_alias("out").required(true)))]
#[command(mut_arg("rejects", |arg| arg.hide(true)))]
pub struct EvalArgs {
    /// A built-in protocol (flight, flight-dimensions, battery, extraction, tool-call) or the path of a protocol file
    #[arg(long, short)]
    pub protocol: String,
    /// Samples: the questions and their gold answers [repeatable; `-` is standard input]
    #[arg(long, short, required = true, value_name = "FILE|DIR")]
    pub samples: Vec<PathBuf>,
    /// Outputs: what models answered [repeatable; `-` is standard input]. Of a folder the *.jsonl
    /// files are read, without any the tables; TASK/MODEL/ in their path says it of rows that do not
    #[arg(long, short, required = true, value_name = "FILE|DIR")]
    pub outputs: Vec<PathBuf>,
    /// Model confidences, shown in model profiles only
    #[arg(long, value_name = "FILE")]
    pub confidence: Option<PathBuf>,
    /// Make only part I of N of the run, into the same folder: the outputs whose model and task
    /// hash to it. Once all parts are there, `judica finish DIR` makes the run of them
    #[arg(long, value_name = "I/N", conflicts_with = "json")]
    pub part: Option<Part>,
    /// In which formats to write the records; records.parquet is written always
    #[arg(long, value_enum, default_value_t = Records::Parquet)]
    pub records: Records,
    /// The task of samples and outputs that name none
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// The model of outputs that name none
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Run the commands of the protocol's verifiers. They can do whatever you can: allow it for
    /// protocols that you trust
    #[arg(long)]
    pub allow_commands: bool,
    /// Where fields stand
    #[command(flatten)]
    pub columns: PlaceArgs,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: run::MeasureArgs,
    /// Who decides, and who reviews
    #[command(flatten, next_help_heading = "Reviews by a language model")]
    pub agent: agent::AgentArgs,
}

/// Where the fields of samples and outputs stand.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// Where a field stands: a column, a key or a JSON pointer, for example response=answer
    /// [repeatable; of samples: id, task, context, gold, cluster; of outputs: id, task, model,
    /// response, epoch, cluster, latency_ms, tokens_in, tokens_out, usd; samples.id=… and
    /// outputs.id=… where they differ]
    #[arg(long, value_name = "FIELD=NAME")]
    pub column: Vec<String>,
    /// The columns of a sample that its gold is made of, called like the protocol's fields, or
    /// FIELD=COLUMN
    #[arg(long, value_name = "A,B,…")]
    pub gold_columns: Vec<Names>,
}

impl PlaceArgs {
    /// The same as options of a run.
    pub fn options(&self) -> ColumnOptions {
        ColumnOptions {
            columns: self.column.clone(),
            gold_columns: all_names(&self.gold_columns),
        }
    }
}

/// In which formats to write the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Records {
    /// records.parquet: opens in pandas, polars and DuckDB
    Parquet,
    /// records.jsonl, too: one record per line, every atom in full
    Jsonl,
    /// Both, as jsonl does
    Both,
    /// Nothing more than records.parquet
    None,
}

/// `judica demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep the data and the run in this folder
    #[arg(long, value_name = "DIR", default_value = "judica-demo")]
    pub out: PathBuf,
    /// Domain to make data of: flight, battery, extraction or tool-call [default: that of the protocol, else flight]
    #[arg(long)]
    pub domain: Option<String>,
    /// Protocol to evaluate by [default: that of the domain]
    #[arg(long, value_name = "NAME|FILE")]
    pub protocol: Option<String>,
    /// Samples to make
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=number::MOST_SAMPLES))]
    pub samples: u32,
    /// Models to make; five personalities in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=number::MOST_MODELS))]
    pub models: u32,
    /// Seed of the synthetic data
    #[arg(long, default_value_t = 20250119)]
    pub seed: u64,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = number::threads())]
    pub threads: Option<usize>,
}

/// `judica synth`
#[derive(Debug, Args)]
#[command(after_help = "\
Writes samples.jsonl, outputs.jsonl and confidence.json. The same options give the same bytes; more \
models leave the earlier ones' outputs as they were.")]
pub struct SynthArgs {
    /// flight, battery, extraction or tool-call
    pub domain: String,
    /// Samples to make
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=number::MOST_SAMPLES))]
    pub samples: u32,
    /// Models to make; personalities in turn: accurate, noisy, unsafe, format-breaking, rate-limited
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=number::MOST_MODELS))]
    pub models: u32,
    /// Seed of the random stream
    #[arg(long, value_name = "X", default_value_t = 0)]
    pub seed: u64,
    /// Only these tasks [repeatable; default: all of the domain]
    #[arg(long = "task", value_name = "TASK")]
    pub tasks: Vec<String>,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `judica show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A run folder
    pub run: PathBuf,
    /// One item of it; without one the report is printed again
    #[arg(value_name = "ITEM")]
    pub item: Option<String>,
    /// Only this subject's record
    #[arg(
        long,
        value_name = "NAME",
        alias = "model",
        requires = "item",
        conflicts_with = "metrics"
    )]
    pub subject: Option<String>,
    /// Only the record in this data set
    #[arg(
        long,
        value_name = "NAME",
        requires = "item",
        conflicts_with = "metrics"
    )]
    pub dataset: Option<String>,
    /// Only this repeat
    #[arg(long, value_name = "N", requires = "item", conflicts_with = "metrics")]
    pub epoch: Option<i32>,
    /// Look for inputs in this folder, too
    #[arg(
        long,
        value_name = "DIR",
        requires = "item",
        conflicts_with = "metrics"
    )]
    pub inputs: Option<PathBuf>,
    /// Show passed atoms too, not only failed ones
    #[arg(long, requires = "item", conflicts_with = "metrics")]
    pub all: bool,
    /// Print the metrics alone: n, clusters, standard errors and intervals
    #[arg(long, conflicts_with = "item")]
    pub metrics: bool,
    /// Print the report, the metrics, or the records one per line, as JSON
    #[arg(long)]
    pub json: bool,
}

/// `judica export`
#[derive(Debug, Args)]
#[command(after_help = "\
jsonl, csv and parquet write the records: jsonl in full, csv one line per record with scores and \
counts, parquet as in the run folder. latex and markdown write the run's tables; of eval \
leaderboard, model performance, constraint violations, failure modes, tail risk.

inspect and every-eval-ever write what one subject did on one data set: an Inspect log (.json) for \
`inspect view`, or the documents and lines of the every_eval_ever schema. Where there are several, \
and for every-eval-ever always, --out is a folder. Runs made with --keep-text have texts in them.

--where keeps the records (jsonl, csv, parquet) that meet all conditions; a name that is given twice \
asks for one of its values:
  subject, dataset  whose, and in which data set
  verdict, grade    `none`: without
  rule, severity    of a failed atom; with both, of the same atom
  item              a text that the item's name contains
  metric, min, max  has a value of the metric, between these
  sort              score or a metric; `-score`: the largest first")]
pub struct ExportArgs {
    /// A run folder
    pub run: PathBuf,
    /// The format to write
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// The file or folder to write; `-` is standard output (parquet needs a file)
    #[arg(long, value_name = "FILE|DIR", default_value = "-")]
    pub out: PathBuf,
    /// Only the records that meet this condition [repeatable; jsonl, csv, parquet]
    #[arg(long = "where", value_name = "NAME=VALUE")]
    pub conditions: Vec<String>,
}

/// Formats of `judica export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Records, every atom in full
    Jsonl,
    /// Records, one line each, without their lists
    Csv,
    /// Records as a Parquet table
    Parquet,
    /// The tables of the report, for a paper
    Latex,
    /// The tables of the report, for a page
    Markdown,
    /// Logs of Inspect, a .json file for each subject and data set
    Inspect,
    /// The every_eval_ever schema: documents, and lines for each record and metric
    EveryEvalEver,
}

impl ExportFormat {
    /// Whether each subject and data set is a file of its own.
    pub fn is_logs(self) -> bool {
        matches!(self, ExportFormat::Inspect | ExportFormat::EveryEvalEver)
    }
}

/// `judica rules`
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// A built-in protocol or the path of a protocol file
    #[arg(long, short, default_value = "flight")]
    pub protocol: String,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Print the protocol file itself: a start for one of your own
    #[arg(long, conflicts_with = "json")]
    pub source: bool,
    /// Print a protocol file made from a JSON Schema instead; what it cannot say is a comment
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "source", "protocol"])]
    pub from_schema: Option<PathBuf>,
}

/// `judica lint`
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 1 if something is found, 2 if the protocol cannot be read: all its mistakes are told.")]
pub struct LintArgs {
    /// A built-in protocol or the path of a protocol file
    pub protocol: String,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// `judica explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A rule, e.g. safety_constraint.rapid_descent; see `judica rules`
    pub rule: String,
    /// A built-in protocol or the path of a protocol file
    #[arg(long, short, default_value = "flight")]
    pub protocol: String,
}

/// `judica calibrate`
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 1 if the truth breaks a rule in more than --tolerate percent of its checks, 2 if nothing \
could be checked.")]
pub struct CalibrateArgs {
    /// A built-in protocol or the path of a protocol file
    #[arg(long, short)]
    pub protocol: String,
    /// Samples with gold [repeatable; `-` is standard input]
    #[arg(long, short, required = true, value_name = "FILE")]
    pub samples: Vec<PathBuf>,
    /// The task of samples that name none
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// Where fields stand
    #[command(flatten)]
    pub columns: PlaceArgs,
    /// Percent of violations that a rule may have on the truth
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = number::percent)]
    pub tolerate: f64,
    /// End at the first line that cannot be used
    #[arg(long)]
    pub strict: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Print what the gold suggests instead: the [[field]] sections of the protocol with limits,
    /// jumps, lengths, dates and numbers of items
    #[arg(long, conflicts_with = "json", help_heading = "Fitting")]
    pub fit: bool,
    /// Share of the values, on either side, that may lie outside
    #[arg(long, value_name = "SHARE", default_value_t = 0.001, value_parser = number::quantile,
          requires = "fit", help_heading = "Fitting")]
    pub quantile: f64,
    /// Share of what lies between the quantiles that is added on either side
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = number::margin,
          requires = "fit", help_heading = "Fitting")]
    pub margin: f64,
}

/// `judica reproduce`
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// A run folder
    pub run: PathBuf,
    /// Look for inputs in this folder too
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// Run the commands of the protocol's verifiers again, from files with the same bytes
    #[arg(long)]
    pub allow_commands: bool,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = number::threads())]
    pub threads: Option<usize>,
}

/// `judica finish`
#[derive(Debug, Args)]
#[command(after_help = "\
The run is the same as one made in one go, byte for byte; give all parts the same --timestamp, or \
the manifest says when the last one was made.")]
pub struct FinishArgs {
    /// The folder that all pieces of the run were written to
    pub run: PathBuf,
    /// Leave the pieces where they are [default: removed once the run is made]
    #[arg(long)]
    pub keep_pieces: bool,
    /// Threads to use [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = number::threads())]
    pub threads: Option<usize>,
    /// Print the report as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `judica completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
