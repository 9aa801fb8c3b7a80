//! `judica agree`: what can be said about measurements of agreement.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use judica_run::pieces::Part;

use super::figure::FigureArgs;
use super::names::Names;
use super::number;
use super::run::{MeasureArgs, NameArgs, out_or_run};
use judica_stats::clusters::Intervals;
use judica_stats::effective_raters::MIN_COMMON;

/// `judica agree`
#[derive(Debug, Args)]
pub struct AgreeArgs {
    /// Whose agreement.
    #[command(subcommand)]
    pub of: AgreeOf,
}

/// Whose agreement is measured.
#[derive(Debug, Subcommand)]
pub enum AgreeOf {
    /// Two validators of the same answers: agreement, gates, and who wins where they differ
    Pairs(PairsArgs),
    /// Judges (and people) who said yes or no to the same predictions
    Judges(JudgesArgs),
    /// Any table of item, rater, value
    Ratings(RatingsArgs),
}

/// How intervals are made.
#[derive(Debug, Args)]
pub struct IntervalArgs {
    /// Bootstrap resamples for intervals; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(0..=number::MOST_RESAMPLES))]
    pub resamples: u32,
    /// Seed of the resamples
    #[arg(long, value_name = "X", default_value_t = Intervals::default().resampling.seed)]
    pub seed: u64,
    /// Confidence of intervals, between 0 and 1
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = number::confidence)]
    pub confidence: f64,
}

/// `judica agree pairs`
#[derive(Debug, Args)]
#[command(after_help = "\
Labels are VALID, NOT_IN_CONTEXT, REJECT and ABSTAIN, unless a --policy says otherwise. Merged \
lines look like
  {\"qid\": \"A1\", \"scholar\": {\"label\": \"VALID\"}, \"auditor\": {\"label\": \"REJECT\"},
   \"answer_json\": {\"citations\": [\"p1#2\"]}, \"retrieved_ids\": [\"p1#2\"], \"flags\": {}}
lines of separate files like {\"qid\": \"A1\", \"label\": \"VALID\", \"reason\": \"…\"}.

A line that cannot be used never ends the run: it is counted, named and kept in rejects.jsonl \
(--strict makes the first one fatal).

Exit codes: 0 every gate passed; 1 a gate failed; 2 bad usage or (--strict) bad input; 3 a file is \
missing or the environment failed. A gate over an undefined number fails unless --allow-undefined.")]
pub struct PairsArgs {
    /// Both validators on each line (JSON or JSONL, plain, .gz or .zst; `-` is standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scholar", "auditor"])]
    pub pairs: Option<PathBuf>,
    /// The first validator's judgments
    #[arg(long, visible_alias = "first", value_name = "FILE")]
    pub scholar: Option<PathBuf>,
    /// The second validator's judgments, whose veto counts
    #[arg(long, visible_alias = "second", value_name = "FILE")]
    pub auditor: Option<PathBuf>,
    /// Who the two are, what they may say, and which rules decide in which order: a TOML file
    /// [default: that of --print-policy]
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Print the policy, once it is found to have no mistake, and measure nothing
    #[arg(long, conflicts_with_all = ["pairs", "scholar", "auditor", "run"])]
    pub print_policy: bool,
    /// Where to write the table of disagreements [default: runs/consistency_disagreements.tsv, or
    /// with --run none]
    #[arg(long, value_name = "FILE")]
    pub tsv: Option<PathBuf>,
    /// Write how every pair was decided, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub arbitrated: Option<PathBuf>,
    /// Write the JSON report to a file, too
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Percent agreement must be at least this
    #[arg(long, alias = "pa_gate", value_name = "X", default_value_t = 0.90, value_parser = number::rate)]
    pub pa_gate: f64,
    /// Cohen's kappa must be at least this
    #[arg(long, alias = "kappa_gate", value_name = "X", default_value_t = 0.75, value_parser = number::kappa,
          allow_negative_numbers = true)]
    pub kappa_gate: f64,
    /// The scholar's rate of abstaining must be at most this
    #[arg(long, alias = "abstain_gate", value_name = "X", default_value_t = 0.02, value_parser = number::rate)]
    pub abstain_gate: f64,
    /// What an undefined number means
    #[command(flatten)]
    pub undefined: super::gate::UndefinedArgs,
    /// Check hygiene too: refusal token, same evidence, short reasons without contact data;
    /// findings go to hygiene.jsonl beside the table, and into the records of a run
    #[arg(long)]
    pub hygiene: bool,
    /// Make only part I of N of the run, into the same folder: the lines whose place belongs to it,
    /// of pairs in one file. Once all parts are there, `judica finish DIR` makes the run of them
    #[arg(long, value_name = "I/N", requires = "run", help_heading = "Run",
          conflicts_with_all = ["json", "tsv", "arbitrated", "out", "junit", "markdown", "github"])]
    pub part: Option<Part>,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What records are called
    #[command(flatten)]
    pub names: NameArgs,
    /// The gates for CI systems
    #[command(flatten)]
    pub gate_files: super::gate::GateFiles,
    /// How intervals are made
    #[command(flatten)]
    pub intervals: IntervalArgs,
}

/// `judica agree judges`
#[derive(Debug, Args)]
#[command(group = out_or_run(), after_help = "\
DIR holds one folder per judge with its judged data sets: DIR/<judge>/<dataset>.json, each with \
`detailed_results` (or JSON lines, CSV, TSV, Parquet, Arrow) of {input, gold, prediction, correct: yes|no, decision_method}.

Rows decided without a judge (exact, structural, no_llm, unmatched) would inflate agreement; they \
are left out unless --include-deterministic.

Annotations by people need {input, gold, prediction, correct}, and name who made them under \
`annotator`, `rater`, `worker`, `reviewer`, `user` (each also with _id) or `name`. Several of one \
item are several people; judges are held against what most of them say.")]
pub struct JudgesArgs {
    /// The folder of judged data sets, one folder per judge
    #[arg(long, alias = "eval_dir", value_name = "DIR")]
    pub eval_dir: PathBuf,
    /// What people said about the same rows: JSON, JSON lines or a table [repeatable: of several files each
    /// is one person's, unless its rows name theirs]
    #[arg(long, alias = "human_annotations", value_name = "FILE")]
    pub human: Vec<PathBuf>,
    /// What judges are held against where several people annotated an item
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Reference::Majority)]
    pub human_reference: Reference,
    /// Where a field stands: a column, a key or a JSON pointer, for example correct=verdict
    /// [repeatable; fields: input, gold, prediction, correct, id, decision_method, status, rater,
    /// subject, epoch, cluster …; judges.correct=… and human.correct=… where they differ]
    #[arg(long, value_name = "FIELD=NAME")]
    pub column: Vec<String>,
    /// Count rows that were decided without a judge, too
    #[arg(long)]
    pub include_deterministic: bool,
    /// Leave out verdicts of replies that could not be parsed (rows that a model declined to judge
    /// never count)
    #[arg(long)]
    pub drop_invalid: bool,
    /// How many items two judges must share before their errors are compared
    #[arg(long, value_name = "N", default_value_t = MIN_COMMON, value_parser = clap::value_parser!(u64).range(1..))]
    pub min_common: u64,
    /// How many disagreements to show in the report, the most evenly split first
    #[arg(long, alias = "max_disagreements", value_name = "N", default_value_t = 10, value_parser = number::shown())]
    pub disagreements: usize,
    /// What judges' tokens cost, to find the cheapest panel that is good enough: a file that maps
    /// models to price_input_per_1k and price_output_per_1k
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// How often each answer of a judge counts before the first item, where labels are estimated; 0
    /// for none
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = number::amount)]
    pub prior: f64,
    /// Also estimate each judge's errors and a label for each item
    #[arg(long, value_enum, value_name = "HOW")]
    pub aggregate: Option<Aggregate>,
    /// The JSON report to write; not needed with --run
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw pairwise kappas as a heat map: .svg, .pdf or .png, or one of each without an ending
    #[arg(long, value_name = "FILE", group = "drawn")]
    pub heatmap: Option<PathBuf>,
    /// How the figure looks
    #[command(flatten)]
    pub figure: FigureArgs,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What records are called
    #[command(flatten)]
    pub names: NameArgs,
    /// How intervals are made
    #[command(flatten)]
    pub intervals: IntervalArgs,
}

/// What people together say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reference {
    /// What most say; nothing where they are even
    Majority,
    /// What the first of them says
    First,
    /// What all say; nothing where they differ
    Unanimous,
    /// Maximum likelihood by EM (Dawid and Skene 1979)
    DawidSkene,
}

/// Ways to make one label of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Aggregate {
    /// Maximum likelihood by EM (Dawid and Skene 1979)
    DawidSkene,
}

/// `judica agree ratings`
#[derive(Debug, Args)]
#[command(after_help = "\
Rows are `item,rater,value`, one rating each, as CSV, TSV, JSON or JSON lines. A missing rating is a \
missing row, an empty cell or null.")]
pub struct RatingsArgs {
    /// The table [repeatable; `-` is standard input]
    #[arg(long, short, required = true, value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// What values are: names, ranks, differences, proportions
    #[arg(long, value_enum)]
    pub level: MeasurementLevel,
    /// Where a field stands: item=question, rater=annotator, value=label [repeatable; --item, --rater
    /// and --value are short for it]
    #[arg(long, value_name = "FIELD=NAME")]
    pub column: Vec<String>,
    /// The column that names the item
    #[arg(long, value_name = "COLUMN")]
    pub item: Option<String>,
    /// The column that names the rater
    #[arg(long, value_name = "COLUMN")]
    pub rater: Option<String>,
    /// The column that holds the rating
    #[arg(long, value_name = "COLUMN")]
    pub value: Option<String>,
    /// Columns that each hold the ratings of one rater, called like the column
    #[arg(long, value_name = "A,B", conflicts_with_all = ["rater", "value"])]
    pub rater_columns: Vec<Names>,
    /// What separates the fields of a table: a character, or `tab` [default: found by itself]
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<String>,
    /// The order of labels that are not numbers, lowest first
    #[arg(long, value_name = "A,B,C")]
    pub order: Vec<Names>,
    /// All values that raters could choose, where some may have been chosen by nobody
    #[arg(long, value_name = "A,B,C", conflicts_with = "order")]
    pub categories: Vec<Names>,
    /// Partial credit of AC2 [default: by the level]
    #[arg(long, value_name = "NAME")]
    pub weights: Option<String>,
    /// Compare every two raters, however many there are
    #[arg(long)]
    pub pairwise: bool,
    /// Draw pairwise kappas as a heat map: .svg, .pdf or .png, or one of each without an ending
    #[arg(long, value_name = "FILE", group = "drawn")]
    pub heatmap: Option<PathBuf>,
    /// How the figure looks
    #[command(flatten)]
    pub figure: FigureArgs,
    /// Write the JSON report to a file, too
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What records are called
    #[command(flatten)]
    pub names: NameArgs,
    /// How intervals are made
    #[command(flatten)]
    pub intervals: IntervalArgs,
}

/// Levels of measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasurementLevel {
    /// Names: equal or not
    Nominal,
    /// Ranks: more or less
    Ordinal,
    /// Numbers whose differences mean something
    Interval,
    /// Numbers with a true zero
    Ratio,
}
