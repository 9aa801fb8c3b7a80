//! `judica reference`: what can be said about what the program says of itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `judica reference`
#[derive(Debug, Args)]
#[command(after_help = "\
man writes a page for each command (`man -l DIR/judica-eval.1` shows one). markdown writes commands.md, \
rules.md (the rules of every built-in protocol) and schemas.md (the formats of files). The same program \
writes the same bytes.")]
pub struct ReferenceArgs {
    /// What to write
    #[arg(long, value_enum)]
    pub format: ReferenceFormat,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Formats of `judica reference`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReferenceFormat {
    /// Man pages, one for each command
    Man,
    /// Pages for a book: commands, rules and schemas
    Markdown,
}
