//! `judica gate` and `judica release`: what can be said about gates.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::number;
use super::run::{MeasureArgs, NameArgs, ReportArgs};

/// `judica gate`
#[derive(Debug, Args)]
pub struct GateArgs {
    /// What is gated.
    #[command(subcommand)]
    pub of: GateOf,
}

/// What is gated.
#[derive(Debug, Subcommand)]
pub enum GateOf {
    /// Runs of an agent against golden queries: evidence, recall, abstention, manifests
    Golden(GoldenArgs),
    /// A run, or any report, against a gates file
    Check(CheckArgs),
    /// Write a gates file to start from, with each current value of a run or report filled in
    Init(InitArgs),
}

/// Gates in the formats that CI systems show.
#[derive(Debug, Args)]
pub struct GateFiles {
    /// Write the gates as JUnit XML, one case each
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the gates as Markdown, fit for a CI job summary
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Print annotations that GitHub shows beside a run
    #[arg(long)]
    pub github: bool,
}

/// How gates are shown.
#[derive(Debug, Args)]
pub struct GateOutputs {
    /// Formats for CI systems
    #[command(flatten)]
    pub files: GateFiles,
    /// What an undefined number means
    #[command(flatten)]
    pub undefined: UndefinedArgs,
}

/// What becomes of a gate over an undefined number.
#[derive(Debug, Args)]
pub struct UndefinedArgs {
    /// A gate over an undefined number passes instead of failing
    #[arg(long)]
    pub allow_undefined: bool,
    /// What is the rule anyway; kept for CI files that say so
    #[arg(long, hide = true, conflicts_with = "allow_undefined")]
    pub strict_gates: bool,
}

/// `judica gate golden`
#[derive(Debug, Args)]
#[command(after_help = "\
DIR holds one folder or file per run: DIR/<run>/output.json or DIR/<run>.json with run_id, objective, \
stop_reason, claims, evidence and steps; steps may stand in events.jsonl, manifests in manifests/.

Exit codes: 0 every gate passed; 1 a gate failed; 3 SYSTEM_ERROR: the golden queries or the runs are \
missing or malformed. A malformed run fails its gates and is named; the others are still evaluated. \
A gate over an undefined number fails, unless the queries ask for nothing that it could count.")]
// No run is refused: a malformed one is named in the report.
#[command(mut_arg("rejects", |arg| arg.hide(true)))]
pub struct GoldenArgs {
    /// The golden queries
    #[arg(long, value_name = "FILE", default_value = "eval/golden_queries.json")]
    pub golden: PathBuf,
    /// The folder of runs
    #[arg(long, value_name = "DIR")]
    pub outputs: PathBuf,
    /// Write the JSON report to a file, too
    #[arg(long, aliases = ["output", "report"], value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Gates over the report; one of the same name takes the place of a gate below
    #[arg(long, value_name = "FILE")]
    pub gates: Option<PathBuf>,
    /// An older report to compare with, for gates of --gates that do
    #[arg(long, value_name = "FILE", requires = "gates")]
    pub baseline: Option<PathBuf>,
    /// Evidence coverage must be at least this
    #[arg(long, value_name = "X", default_value_t = 0.95, value_parser = number::rate)]
    pub min_coverage: f64,
    /// Golden recall must be at least this
    #[arg(long, value_name = "X", default_value_t = 0.80, value_parser = number::rate)]
    pub min_recall: f64,
    /// Abstention accuracy must be at least this
    #[arg(long, value_name = "X", default_value_t = 0.90, value_parser = number::rate)]
    pub min_abstention: f64,
    /// Manifest integrity must be this, or at least this if it is below 1
    #[arg(long, value_name = "X", default_value_t = 1.00, value_parser = number::rate)]
    pub min_manifests: f64,
    /// How runs are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What records are called
    #[command(flatten)]
    pub names: NameArgs,
    /// How gates are shown
    #[command(flatten)]
    pub show: GateOutputs,
}

/// What is gated.
#[derive(Debug, Args)]
pub struct GatedArgs {
    /// The run whose metrics are gated
    #[arg(value_name = "RUN", required_unless_present = "report")]
    pub run: Option<PathBuf>,
    /// A report instead of a run: any JSON file (`-` is standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    pub report: Option<PathBuf>,
}

impl GatedArgs {
    /// The one that was given.
    pub fn path(&self) -> PathBuf {
        self.run.clone().or(self.report.clone()).unwrap_or_default()
    }
}

/// `judica gate check`
#[derive(Debug, Args)]
#[command(after_help = "\
A gates file is TOML, one [[gate]] each with name, metric, op and threshold. The metric of a run is \
named, with `subject` and `dataset` if it is one's; in a report it is a JSON pointer, which may select \
by key: /leaderboard[model_name=medlm]/mean_total. Operators: >=, <=, ==, between, max_drop, max_rise \
(against --baseline), lower_bound_at_least, upper_bound_at_most (the interval must clear the bar), \
no_significant_drop, no_worse_than (of two runs: worse by no more than the threshold, shown item by \
item). `judica gate init` writes one to start from. A metric that is not there is an error, never a pass. One that is undefined fails \
its gate, unless the gate says vacuous = \"pass\".

Exit codes: 0 every gate passed; 1 a gate failed; 2 the gates file or a metric cannot be used; 3 a file \
is missing.")]
pub struct CheckArgs {
    /// What is gated
    #[command(flatten)]
    pub gated: GatedArgs,
    /// The gates
    #[arg(long, value_name = "FILE")]
    pub gates: PathBuf,
    /// An older run, or report, to compare with
    #[arg(long, value_name = "RUN|FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the JSON report to a file, too
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How the report is shown
    #[command(flatten)]
    pub report: ReportArgs,
    /// How gates are shown
    #[command(flatten)]
    pub show: GateOutputs,
}

/// `judica gate init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// What is gated
    #[command(flatten)]
    pub gated: GatedArgs,
    /// The gates file to write; one that exists is not overwritten; `-` is standard output
    #[arg(long, value_name = "FILE", default_value = "gates.toml")]
    pub out: PathBuf,
    /// Overwrite a gates file that exists
    #[arg(long)]
    pub force: bool,
}

/// `judica release`
#[derive(Debug, Args)]
#[command(after_help = "\
The config is TOML: a name, and one [[step]] per evaluation with `name`, `run` (a judica command line; \
--json is added), and optionally `report` (where its JSON is kept) and `gates` (a gates file to hold it \
against), `baseline`. Paths are relative to the config's folder. At least one step holds gates.

Exit codes: 0 every step and gate passed; 1 a gate failed; 2 or 3 a step could not be run.")]
pub struct ReleaseArgs {
    /// What to run
    #[arg(long, value_name = "FILE", default_value = "release.toml")]
    pub config: PathBuf,
    /// Write the JSON report to a file, too
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How the report is shown
    #[command(flatten)]
    pub report: ReportArgs,
    /// How gates are shown
    #[command(flatten)]
    pub show: GateOutputs,
}
