//! What `view` and `report` can be told.

use std::path::PathBuf;

use clap::Args;

use super::number;

/// `judica view`
#[derive(Debug, Args)]
#[command(after_help = "\
The first line on standard output is the address, with the token that lets its reader in. Pages are \
served to this machine alone until Ctrl-C; from another machine, `ssh -L PORT:127.0.0.1:PORT HOST`. \
Every page prints the command that opens it elsewhere, and has a twin for programs (/records.json).")]
pub struct ViewArgs {
    /// A run folder
    pub run: PathBuf,
    /// A second one, to be compared with the first
    #[arg(value_name = "RUN_B")]
    pub run_b: Option<PathBuf>,
    /// The port to listen on; 0 takes a free one [default: 8417, or a free one if that is taken]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// The page to begin with, as every page prints it
    #[arg(long, value_name = "PATH", default_value = "/")]
    pub at: String,
    /// Look for inputs in this folder, too
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// Show the screenshots of episodes that lie in this folder
    #[arg(long, value_name = "DIR")]
    pub screenshots: Option<PathBuf>,
    /// Threads to use [default: one per core]; no page depends on it
    #[arg(long, value_name = "N", value_parser = number::threads())]
    pub threads: Option<usize>,
}

/// `judica report`
#[derive(Debug, Args)]
#[command(after_help = "\
One file that needs nothing else: no script, no request, the same bytes for the same run.")]
pub struct ReportFileArgs {
    /// A run folder
    pub run: PathBuf,
    /// The run it is held against
    #[arg(long, value_name = "RUN")]
    pub against: Option<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
    /// Threads to use [default: one per core]; the file does not depend on it
    #[arg(long, value_name = "N", value_parser = number::threads())]
    pub threads: Option<usize>,
}
