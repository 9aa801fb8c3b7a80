//! What every measuring command can be told about the run it leaves.

use std::path::PathBuf;

use clap::Args;

/// The run that is to be left, if one is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Leave a run in this folder, for show, export, reproduce, compare and gate check; rows
    /// that cannot be used go there, too
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,
    /// Whose outputs these are [default: what rows or files say, else the file's name]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub subject: Option<String>,
    /// The data set they answer [default: what rows or files say, else the file's name]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub dataset: Option<String>,
    /// Store questions and answers with the records, for a run that must travel without its
    /// inputs
    #[arg(long, requires = "run")]
    pub keep_text: bool,
}
