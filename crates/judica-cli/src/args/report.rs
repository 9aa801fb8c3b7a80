//! How reports are shown, by every command that has one.

use clap::{Args, ValueEnum};

/// How a report is shown and kept.
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
