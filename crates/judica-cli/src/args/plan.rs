//! `judica plan`

use std::path::PathBuf;

use clap::Args;

use super::names::Names;
use super::number;
use super::run::ReportArgs;

/// `judica plan`
#[derive(Debug, Args)]
#[command(after_help = "\
With two runs, or two subjects of one, the spread of differences is that of their pairs. With one, \
two runs of its spread are assumed, correlated by --correlation.")]
pub struct PlanArgs {
    /// One run or two
    #[arg(value_name = "RUN", num_args = 1..=2, required = true)]
    pub runs: Vec<PathBuf>,
    /// The metric [default: the run's primary one]
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// The difference that is to be seen, in the metric's unit
    #[arg(long, value_name = "D", value_parser = number::difference, allow_negative_numbers = true)]
    pub difference: f64,
    /// Whose records; two of one run are compared
    #[arg(long, visible_alias = "subject", value_name = "NAME,NAME")]
    pub subjects: Vec<Names>,
    /// How often a difference may be seen that is not there
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = number::level)]
    pub alpha: f64,
    /// How often one that is there is to be seen
    #[arg(long, value_name = "P", default_value_t = 0.8, value_parser = number::confidence)]
    pub power: f64,
    /// How much two runs on the same items vary together, where only one is given
    #[arg(
        long,
        value_name = "R",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub correlation: f64,
    /// Write the JSON report to a file, too
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How the report is shown
    #[command(flatten)]
    pub report: ReportArgs,
}
