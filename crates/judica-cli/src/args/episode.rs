//! `judica episodes`, `schema`, `compare`, `plot` and `aggregate`: what can be said about
//! episodes and eval files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use judica_episode::Screen;
use judica_stats::clusters::Intervals;

use super::figure::FigureArgs;
use super::names::Names;
use super::number;
use super::run::{MeasureArgs, NameArgs, ReportArgs, out_or_run};

/// `judica episodes`
#[derive(Debug, Args)]
#[command(group = out_or_run(), after_help = "\
Episodes: {\"episode_id\": \"e1\", \"goal\": \"...\", \"steps\": [{\"action\": {\"type\": \"click\", \"x\": 0.5, \"y\": 0.5}}]}
Predictions: the same shape, or one row per step {\"episode_id\", \"step_index\", \"action\", \"state\"}.
Rows with \"ground_truth_action\" and \"pred_action\" are both in one: --predictions is left out.
Either may be JSON, JSONL, CSV, TSV, Parquet or Arrow, plain, .gz or .zst; in a table an action is a \
cell of JSON, or stands in columns `action.type`, `action.x`, …
Coordinates are between 0 and 1; --screen 1920x1080 takes pixels.

A line that cannot be used never ends the run: it is counted, named with its JSON pointer and kept in \
rejects.jsonl (--strict makes the first one fatal). What the agent did is never such a line: an action \
that cannot be read is a mismatch, a point outside the screen a miss.")]
pub struct EpisodesArgs {
    /// Recorded episodes, or stored samples [`-` is standard input]
    #[arg(long, value_name = "FILE")]
    pub episodes: PathBuf,
    /// What the agent did [`-` is standard input]; not with stored samples
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Where a field stands: a column, a key or a JSON pointer, for example episode_id=task
    /// [repeatable; fields: episode_id, step_index, goal, steps, action, pred_action,
    /// ground_truth_action, state, epoch, dataset, cluster …; episodes.goal=… and
    /// predictions.action=… where the inputs differ]
    #[arg(long, value_name = "FIELD=NAME")]
    pub column: Vec<String>,
    /// How targets are named: by coordinates or by marks
    #[arg(long, value_enum)]
    pub mode: Mode,
    /// One list of milestones for every episode (JSON)
    #[arg(long, value_name = "FILE")]
    pub milestones: Option<PathBuf>,
    /// Coordinates are pixels of a screen of this size
    #[arg(long, value_name = "WxH", value_parser = screen_size)]
    pub screen: Option<Screen>,
    /// The configuration that was evaluated
    #[arg(long, alias = "config_path", value_name = "PATH")]
    pub config_path: String,
    /// The model backend: qwen3, claude, openai, ...
    #[arg(long, value_name = "NAME")]
    pub backend: String,
    /// The eval file to write; not needed with --run
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write each episode with its steps and evidence, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub details: Option<PathBuf>,
    /// When the model was trained (RFC 3339)
    #[arg(long, alias = "training_timestamp", value_name = "RFC3339")]
    pub training_timestamp: Option<String>,
    /// What it ran on, e.g. cuda
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// The GPU it ran on
    #[arg(long, alias = "gpu_model", value_name = "NAME")]
    pub gpu_model: Option<String>,
    /// The memory it had
    #[arg(long, alias = "memory_gb", value_name = "GB", value_parser = number::amount)]
    pub memory_gb: Option<f64>,
    /// The weights that were evaluated
    #[arg(long, alias = "checkpoint_path", value_name = "PATH")]
    pub checkpoint_path: Option<String>,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What records are called
    #[command(flatten)]
    pub names: NameArgs,
}

/// How targets are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// By coordinates
    Coord,
    /// By marks: Set-of-Marks
    Som,
}

fn screen_size(text: &str) -> Result<Screen, String> {
    Screen::try_from(text.to_owned())
}

/// `judica schema`
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// What to do with the schema.
    #[command(subcommand)]
    pub of: SchemaOf,
}

/// What to do with the schema of eval files.
#[derive(Debug, Subcommand)]
pub enum SchemaOf {
    /// Print the JSON Schema of eval files
    Print,
    /// Say everything that is wrong with eval files; exit code 2 if anything is
    Validate(ValidateArgs),
    /// Bring eval files of older shapes to the current one
    Migrate(MigrateArgs),
}

/// `judica schema validate`
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Eval files or folders of them
    #[arg(required = true, value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,
    /// Warnings count as problems
    #[arg(long)]
    pub strict: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// `judica schema migrate`
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// An eval file of any shape [`-` is standard input]
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The file to write [default: standard output]; not the one that is read
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `judica compare`
#[derive(Debug, Args)]
#[command(after_help = "\
Runs are paired item by item (dataset, item, epoch), subjects by their names or as the only ones; the \
first run is what the others are held against. Without --details eval files are compared by their \
numbers alone; with them, one for each, episodes are paired by their ids.

Exit codes: 0 compared; 1 worse, with --fail-if-worse; 2 nothing in common, without --unpaired; 3 no \
run there.")]
pub struct CompareArgs {
    /// Runs; one run has two of its subjects compared
    #[arg(
        value_name = "RUN",
        conflicts_with = "files",
        required_unless_present = "files"
    )]
    pub runs: Vec<PathBuf>,
    /// Eval files of episodes, or their details
    #[arg(long, short, num_args = 1.., value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What to call eval files, in the same order [default: their file names]
    #[arg(long, short, num_args = 1.., value_name = "LABEL", requires = "files", conflicts_with = "runs")]
    pub labels: Vec<String>,
    /// Details of eval files (`judica episodes --details`), in the same order
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "files", conflicts_with = "runs")]
    pub details: Vec<PathBuf>,
    /// Subjects to compare: of one run two or more, of several runs those to take
    #[arg(long, value_name = "NAME,NAME", conflicts_with = "files")]
    pub subjects: Vec<Names>,
    /// Each run has one of --subjects, in the order of the runs, and not all of them
    #[arg(long, requires = "subjects", conflicts_with = "files")]
    pub one_each: bool,
    /// Hold every side against every other, not only against the first
    #[arg(long, conflicts_with = "files")]
    pub matrix: bool,
    /// The sides have no item in common, and that is meant
    #[arg(long, conflicts_with = "files")]
    pub unpaired: bool,
    /// The metric that decides [default: the primary one]
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Hold b to be no worse than a by more than this, in the metric's unit
    #[arg(long, value_name = "M", value_parser = number::tolerance, allow_negative_numbers = true)]
    pub margin: Option<f64>,
    /// Say how many items it takes to see a difference of this size
    #[arg(long, value_name = "D", value_parser = number::difference, allow_negative_numbers = true)]
    pub difference: Option<f64>,
    /// Exit 1 if what decides is worse or undefined; with --margin, if it is not shown to be
    /// no worse than that
    #[arg(long)]
    pub fail_if_worse: bool,
    /// Differences with a p value of at most this count as real
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = number::level,
          allow_negative_numbers = true)]
    pub alpha: f64,
    /// Bootstrap resamples for intervals; for those of differences at least 100/alpha times the
    /// number they are corrected for, up to 10,000 [default: 1000]
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u32).range(0..=number::MOST_RESAMPLES))]
    pub resamples: Option<u32>,
    /// Seed of resamples
    #[arg(long, value_name = "X", default_value_t = Intervals::default().resampling.seed,
          allow_negative_numbers = true)]
    pub seed: u64,
    /// Draw the differences with their intervals: .svg, .pdf or .png, or one of each without an
    /// ending
    #[arg(long, value_name = "FILE", group = "drawn")]
    pub forest: Option<PathBuf>,
    /// How the figure looks
    #[command(flatten)]
    pub figure: FigureArgs,
    /// Write the JSON report to a file, too
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How the report is shown
    #[command(flatten)]
    pub report: ReportArgs,
}

/// `judica plot`
#[derive(Debug, Args)]
#[command(after_help = "\
Draws grouped bars with intervals as whiskers, one bar per subject of each run, or per eval file; a \
null is a gap marked n/a, never 0. With --as forest the same numbers stand one below the other, each \
with its interval and its n in words. Of a run those metrics are drawn that stand on one scale with \
its primary one, unless --metrics names others. With --strip, which steps of which episodes fail, from \
one --details file.")]
pub struct PlotArgs {
    /// Runs of any command
    #[arg(
        value_name = "RUN",
        conflicts_with_all = ["files", "strip"],
        required_unless_present_any = ["files", "strip"]
    )]
    pub runs: Vec<PathBuf>,
    /// Eval files of episodes
    #[arg(long, short, num_args = 1.., value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What to call runs or files, in the same order [default: their names]
    #[arg(long, short, num_args = 1.., value_name = "LABEL")]
    pub labels: Vec<String>,
    /// Draw which steps fail, from this details file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "labels", "metrics"])]
    pub strip: Option<PathBuf>,
    /// The figure to write: .svg, .pdf or .png, or one of each without an ending
    #[arg(long, short, alias = "output", value_name = "FILE", group = "drawn")]
    pub out: PathBuf,
    /// What the figure is, of runs or eval files
    #[arg(long = "as", value_name = "FIGURE", value_enum, default_value_t = PlotAs::Bars,
          conflicts_with = "strip")]
    pub drawn_as: PlotAs,
    /// Which metrics to show [default: of a run those on the scale of its primary one, of eval files
    /// all rates and means]
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub metrics: Vec<Names>,
    /// What a group of bars is, of runs
    #[arg(long, value_enum, default_value_t = PlotBy::Metric, conflicts_with_all = ["files", "strip"])]
    pub by: PlotBy,
    /// What stands above the figure
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// How many episodes a strip shows
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = number::rows(),
          conflicts_with_all = ["runs", "files"])]
    pub rows: usize,
    /// Pixels of a PNG for each unit of the SVG [default: 2, less where the figure is too large]
    #[arg(long, value_name = "X", value_parser = number::scale)]
    pub scale: Option<f32>,
    /// How the figure looks
    #[command(flatten)]
    pub figure: FigureArgs,
}

/// What a figure of metrics is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlotAs {
    /// Bars side by side, a group for each metric
    Bars,
    /// Points with intervals one below the other, numbers and n beside them
    Forest,
}

/// What a group of bars is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlotBy {
    /// A metric, over all data sets together
    Metric,
    /// A data set, of one metric
    Dataset,
}

/// `judica aggregate`
#[derive(Debug, Args)]
#[command(after_help = "\
Means are over the files that define a metric; a null never counts as 0 and is counted apart.")]
pub struct AggregateArgs {
    /// Eval files or folders of them
    #[arg(long, short, required = true, num_args = 1.., value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,
    /// What files are grouped by: a key, or a JSON pointer
    #[arg(long, value_name = "KEY", default_value = "backend")]
    pub by: String,
    /// Write the JSON report to a file, too
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// End at the first file that cannot be used
    #[arg(long)]
    pub strict: bool,
    /// Threads to use [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = number::threads())]
    pub threads: Option<usize>,
    /// How the report is shown
    #[command(flatten)]
    pub report: ReportArgs,
}
