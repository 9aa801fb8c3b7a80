//! What a run gave.

use judica_model::exit_code::ExitCode;
use serde::{Deserialize, Serialize};

use crate::cache::CacheError;
use crate::chat::ChatReply;
use crate::error::AskError;

/// What a run gave: an answer for each job, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// One answer per job.
    pub answers: Vec<Answer>,
    /// How they came about.
    pub totals: Totals,
    /// What ended the run before all was asked.
    pub halt: Option<Halt>,
}

/// What became of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// There is a reply.
    Reply {
        /// What was said.
        reply: ChatReply,
        /// Where it came from.
        origin: Origin,
    },
    /// It was asked, and no reply came.
    Failed(AskError),
    /// The run ended before it was asked.
    NotAsked(HaltKind),
}

/// Where a reply came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It was asked for in this run.
    Asked,
    /// It was in the cache.
    Cache,
    /// An equal job was asked in this run, and its reply is the answer to both.
    Shared,
}

/// Counts of a run. `jobs = asked + from_cache + shared + failed + abandoned + not_asked`
/// when it is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Jobs in all.
    pub jobs: u64,
    /// Calls that got a reply.
    pub asked: u64,
    /// Jobs that the cache answered.
    pub from_cache: u64,
    /// Jobs that the reply to an equal one answered.
    pub shared: u64,
    /// Jobs that got no reply.
    pub failed: u64,
    /// Jobs whose call was cut off when the run was stopped. They may have been paid for.
    pub abandoned: u64,
    /// Jobs that were not asked because the run ended.
    pub not_asked: u64,
    /// Attempts of all calls, as far as they are known.
    pub attempts: u64,
    /// Tokens of the questions asked, as far as the server told.
    pub input_tokens: u64,
    /// Tokens of their answers, as far as the server told.
    pub output_tokens: u64,
    /// Replies for which the server did not tell all tokens.
    pub replies_without_usage: u64,
    /// What the told tokens cost, where prices are known.
    pub usd: Option<f64>,
    /// What counts against a limit in USD: the same, and the most that replies without
    /// told tokens, and attempts that did not come back, can have cost. A limit over several runs must go by this.
    pub charged_usd: Option<f64>,
}

/// What ended a run early.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Halt {
    /// The server refuses everybody.
    #[error("SYSTEM_ERROR: {0}")]
    Fatal(String),
    /// The server cannot be reached.
    #[error("SYSTEM_ERROR: the server could not be reached {}: {message}", often(*times))]
    Unreachable {
        /// How often in a row.
        times: u32,
        /// What went wrong the last time.
        message: String,
    },
    /// Nothing succeeds any more.
    #[error("SYSTEM_ERROR: {}: {message}", unanswered(*times))]
    Failing {
        /// How many in a row.
        times: u32,
        /// What went wrong the last time.
        message: String,
    },
    /// The next question could cost more than what is left.
    #[error(
        "the limit of {max_usd} USD is reached: {spent_usd:.4} USD count as spent, and the next \
         attempt could exceed it"
    )]
    BudgetReached {
        /// What counts as spent. Calls whose tokens the server does not tell, or whose
        /// replies were cut, count with the most they can have used.
        spent_usd: f64,
        /// The limit.
        max_usd: f64,
    },
    /// Replies cannot be kept, and what cannot be kept would be paid for twice.
    #[error("{0}")]
    Cache(CacheError),
    /// The program itself is at fault.
    #[error("SYSTEM_ERROR: a defect of judica ended the calls: {0}")]
    Panicked(String),
    /// The user stopped the run.
    #[error("interrupted")]
    Interrupted,
}

/// What ended a run early, without the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HaltKind {
    /// The server refuses everybody.
    Fatal,
    /// The server cannot be reached.
    Unreachable,
    /// Nothing succeeds any more.
    Failing,
    /// The budget is used up.
    BudgetReached,
    /// Replies cannot be kept.
    Cache,
    /// The program itself is at fault.
    Panicked,
    /// The user stopped the run.
    Interrupted,
}

impl Halt {
    /// Its kind.
    pub fn kind(&self) -> HaltKind {
        match self {
            Halt::Fatal(_) => HaltKind::Fatal,
            Halt::Unreachable { .. } => HaltKind::Unreachable,
            Halt::Failing { .. } => HaltKind::Failing,
            Halt::BudgetReached { .. } => HaltKind::BudgetReached,
            Halt::Cache(_) => HaltKind::Cache,
            Halt::Panicked(_) => HaltKind::Panicked,
            Halt::Interrupted => HaltKind::Interrupted,
        }
    }

    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self.kind() {
            HaltKind::Interrupted => ExitCode::Interrupted,
            HaltKind::Fatal
            | HaltKind::Unreachable
            | HaltKind::Failing
            | HaltKind::BudgetReached
            | HaltKind::Cache
            | HaltKind::Panicked => ExitCode::SystemError,
        }
    }
}

fn often(times: u32) -> String {
    match times {
        1 => "when it was asked".to_owned(),
        times => format!("{times} times in a row"),
    }
}

fn unanswered(times: u32) -> String {
    match times {
        1 => "the question found no answer".to_owned(),
        times => format!("{times} questions in a row found no answer, the last one because"),
    }
}

impl RunOutcome {
    /// The user stopped the run before anything was looked at.
    pub(super) fn interrupted(jobs: usize) -> Self {
        RunOutcome {
            answers: vec![Answer::NotAsked(HaltKind::Interrupted); jobs],
            totals: Totals {
                jobs: jobs as u64,
                not_asked: jobs as u64,
                ..Totals::default()
            },
            halt: Some(Halt::Interrupted),
        }
    }
}
