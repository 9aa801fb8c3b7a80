//! `judica judge`: what can be said about asking models for verdicts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::answer::{ColumnArgs, NormalizerArgs};
use super::number;
use super::run::{MeasureArgs, NameArgs};

/// Which server is asked, and how.
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Where the server is, e.g. http://localhost:8000/v1
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// What the server speaks
    #[arg(long, value_enum, default_value_t = Api::Openai)]
    pub api: Api,
    /// The version of an Azure-style API
    #[arg(long, value_name = "VERSION", default_value = "2024-10-21")]
    pub api_version: String,
    /// The environment variable that holds the key; without it no key is sent
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    pub api_key_env: String,
    /// A certificate (PEM) to trust besides the usual ones
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Seconds that one call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = number::seconds())]
    pub timeout: u64,
    /// How often a call is tried before it is given up
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=number::MOST_ATTEMPTS))]
    pub attempts: u32,
    /// How many calls may be on their way at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub concurrency: u32,
    /// The most requests per minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rpm: Option<u32>,
    /// The most tokens per minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tpm: Option<u32>,
    /// The most tokens a reply may have
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=number::MOST_TOKENS))]
    pub max_output_tokens: u32,
    /// Stop before more than this is spent; needs --prices
    #[arg(long, value_name = "USD", requires = "prices", value_parser = number::amount)]
    pub max_usd: Option<f64>,
    /// Prices by model: YAML, TOML or JSON with price_input_per_1k and price_output_per_1k
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Where replies are kept, so that nothing is paid for twice [default: .judica/replies.sqlite3 in
    /// --out, else in --run]
    #[arg(long, value_name = "FILE")]
    pub cache: Option<PathBuf>,
}

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Api {
    /// URL/chat/completions, the key as a bearer token
    Openai,
    /// URL/openai/deployments/MODEL/chat/completions, the key in `api-key`
    Azure,
}

/// `judica judge`
#[derive(Debug, Args)]
#[command(after_help = "\
Rows that match the gold (--normalizer) are decided here; the others go to the model, which answers \
{\"reasoning\": \"...\", \"correct\": \"yes\"|\"no\"}. Each judge writes DIR/<judge>/<dataset>.json; `judica agree \
judges --eval-dir DIR` reads them. Replies are kept in a cache on disk: interrupt at any time and run \
the same command again. A reply that cannot be read is `no` with parse_status `invalid`, one that has \
another form but one meaning is read with `repaired`; both are counted.

Exit codes: 0 every row has a verdict; 2 bad usage or bad input; 3 the server or the budget ended the \
run, or rows got no answer (they stand in the file with `correct: null` and are asked again next time).

A run folder, or a log of another harness, is predictions, too: its outputs against its targets.")]
pub struct JudgeArgs {
    /// A prediction file or a folder of them [repeatable; `-` is standard input]
    #[arg(
        long,
        short,
        aliases = ["predictions_dir", "datasets"],
        required = true,
        value_name = "FILE|DIR"
    )]
    pub predictions: Vec<PathBuf>,
    /// Where fields stand
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// The model that judges [repeatable: each is a judge of its own]
    #[arg(
        long,
        short,
        alias = "judges",
        value_name = "NAME",
        required_unless_present = "no_llm"
    )]
    pub model: Vec<String>,
    /// The server
    #[command(flatten)]
    pub server: ServerArgs,
    /// The folder to write documents to; optional with --run
    #[arg(
        long,
        aliases = ["output_dir", "output"],
        value_name = "DIR",
        required_unless_present_any = ["print_prompt", "run"]
    )]
    pub out: Option<PathBuf>,
    /// The judge's folder, where its model's name will not do
    #[arg(long, value_name = "NAME")]
    pub judge_name: Option<String>,
    /// When two answers are the same, so that nobody need be asked
    #[command(flatten)]
    pub normalizer: NormalizerArgs,
    /// A prompt of your own in place of the built-in one; see `judica judge --print-prompt`
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<PathBuf>,
    /// Print the built-in prompt, a start for one of your own
    #[arg(long, exclusive = true)]
    pub print_prompt: bool,
    /// How often each row is asked; the majority decides, a tie is `no`
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub votes: u32,
    /// Ask this many rows again with fields and wording shuffled, and report how many verdicts flip
    #[arg(long, value_name = "N", conflicts_with = "no_llm", value_parser = clap::value_parser!(u32).range(1..=number::MOST_SAMPLES))]
    pub probe: Option<u32>,
    /// Ask nobody: rows that do not match are `no`, decided by `no_llm`
    #[arg(long)]
    pub no_llm: bool,
    /// Judge again what is judged already; replies still come from the cache
    #[arg(long, alias = "force")]
    pub overwrite: bool,
    /// Ask again where the cached reply could not be read
    #[arg(long)]
    pub retry_invalid: bool,
    /// Only say how many calls, tokens and dollars it would take
    #[arg(long, conflicts_with = "no_llm")]
    pub dry_run: bool,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What records are called
    #[command(flatten)]
    pub names: NameArgs,
}
