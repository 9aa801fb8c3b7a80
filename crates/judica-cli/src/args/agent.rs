//! What can be said about the evaluator agent of `judica eval`.

use clap::{Args, ValueEnum};

use super::judge::ServerArgs;
use super::number;

/// Who decides, and who reviews.
#[derive(Debug, Args)]
pub struct AgentArgs {
    /// Who evaluates the evidence; the rules decide and score in either case
    #[arg(long, value_enum, default_value_t = Agent::Rules)]
    pub agent: Agent,
    /// The model that reviews records, with --agent llm
    #[arg(long, value_name = "NAME")]
    pub agent_model: Option<String>,
    /// Which records are reviewed
    #[arg(long, value_enum, default_value_t = AgentRecords::Failed)]
    pub agent_records: AgentRecords,
    /// The most records that are reviewed; one call each
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=number::MOST_SHOWN))]
    pub agent_limit: u64,
    /// The server of the model
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Who evaluates the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Agent {
    /// The rules alone; nobody is asked
    Rules,
    /// The rules, and a language model that reviews what they decided, citing evidence
    Llm,
}

/// Which records are reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AgentRecords {
    /// Those with at least one failed atom
    Failed,
    /// All
    All,
}
