//! What every measuring command can be told: one group, so that a word means one thing.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};

use super::number;

/// Something has to be left: a report, a run, or both. Who gives neither is told of both.
pub fn out_or_run() -> ArgGroup {
    let group = ArgGroup::new("left").args(["out", "run"]);
    group.required(true).multiple(true)
}

/// How rows are read, what is left of them, and how it is shown.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Leave a run in this folder, for show, export, reproduce, compare, plot and gate check; rows
    /// that cannot be used go there, too
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "rejects",
        help_heading = "Run"
    )]
    pub run: Option<PathBuf>,
    /// Store questions and answers with the records, for a run that must travel without its
    /// inputs
    #[arg(long, requires = "run", help_heading = "Run")]
    pub keep_text: bool,
    /// When this is made (RFC 3339) [default: SOURCE_DATE_EPOCH, else the clock in the run's
    /// manifest and null elsewhere]
    #[arg(long, value_name = "RFC3339", help_heading = "Run")]
    pub timestamp: Option<String>,
    /// How rows are read
    #[command(flatten)]
    pub rows: RowArgs,
}

/// What the records of a run are called, where rows need not say it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct NameArgs {
    /// Whose outputs these are [default: what rows or files say, else the file's name]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub subject: Option<String>,
    /// The data set they answer [default: what rows or files say, else the file's name]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub dataset: Option<String>,
}

/// How rows are read, and how what they give is shown.
#[derive(Debug, Args)]
pub struct RowArgs {
    /// Where to keep rows that cannot be used [default: rejects.jsonl in the run, else beside what
    /// is written, else here]
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// End at the first row that cannot be used
    #[arg(long)]
    pub strict: bool,
    /// Threads to use [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = number::threads())]
    pub threads: Option<usize>,
    /// How the report is shown
    #[command(flatten)]
    pub report: ReportArgs,
}

/// How a report is shown.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Print the report as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// How tables are printed
    #[arg(long, value_enum, default_value_t = TableFormat::Terminal, conflicts_with = "json")]
    pub format: TableFormat,
}

/// How tables are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For reading here
    Terminal,
    /// For a page
    Markdown,
    /// For a paper
    Latex,
    /// For a program
    Csv,
}

/// What a file of rows that cannot be used is called where nobody names it.
pub const REJECTS: &str = "rejects.jsonl";

impl MeasureArgs {
    /// Where rows that cannot be used are kept: in the run, else in the file that was named,
    /// else beside what is written, else here.
    pub fn rejects(&self, beside: Option<&Path>) -> PathBuf {
        match &self.run {
            Some(folder) => folder.join(REJECTS),
            None => self.rows.rejects(beside),
        }
    }
}

impl RowArgs {
    /// The same of a command that leaves no run.
    pub fn rejects(&self, beside: Option<&Path>) -> PathBuf {
        let beside = || beside.map(|path| path.with_file_name(REJECTS));
        let named = self.rejects.clone().or_else(beside);
        named.unwrap_or_else(|| PathBuf::from(REJECTS))
    }
}
