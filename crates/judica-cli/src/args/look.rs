//! `judica look`: what can be said about looking at a file.

use std::path::PathBuf;

use clap::Args;

/// `judica look`
#[derive(Debug, Args)]
#[command(after_help = "\
Only the first megabyte of a file is read, and the first hundred files of a folder. Of files that are \
needed beside it, those that lie in the same folder are filled in.

Exit codes: 0 it is known, or one of several things that are named; 2 nothing can be made of it; 3 it \
is missing or cannot be read.")]
pub struct LookArgs {
    /// A file or a folder [`-` is standard input]
    #[arg(value_name = "FILE|DIR")]
    pub path: PathBuf,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
