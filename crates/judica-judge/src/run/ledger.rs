//! The books of a run: what came of each call, what it cost, and whether to go on.

use std::sync::Arc;

use super::budget::Budget;
use super::call::Done;
use super::options::RunOptions;
use super::outcome::{Answer, Halt, Origin, RunOutcome, Totals};
use super::plan::{Plan, Source};
use super::price::Price;
use super::progress::Progress;
use crate::chat::ChatReply;
use crate::error::{AskError, Blame};

/// The books of a run.
pub(super) struct Ledger<'a> {
    options: &'a RunOptions,
    /// What is to be done.
    pub plan: Plan,
    /// What it may cost.
    pub budget: Arc<Budget>,
    /// What came of each call of the plan.
    results: Vec<Option<Result<ChatReply, AskError>>>,
    calls_done: u64,
    totals: Totals,
    unreachable_in_a_row: u32,
    failures_in_a_row: u32,
    /// Why no further call is made. The first reason is the one that is told.
    pub halt: Option<Halt>,
}

impl<'a> Ledger<'a> {
    /// Nothing asked yet.
    pub fn new(plan: Plan, options: &'a RunOptions) -> Self {
        let cached = |source: &&Source| matches!(source, Source::Cache(_));
        let totals = Totals {
            jobs: plan.sources.len() as u64,
            from_cache: plan.sources.iter().filter(cached).count() as u64,
            usd: options.price.map(|_| 0.0),
            charged_usd: options.price.map(|_| 0.0),
            ..Totals::default()
        };
        Ledger {
            options,
            budget: Arc::new(Budget::new(options)),
            results: plan.calls.iter().map(|_| None).collect(),
            plan,
            calls_done: 0,
            totals,
            unreachable_in_a_row: 0,
            failures_in_a_row: 0,
            halt: None,
        }
    }

    /// Books a call that is over.
    pub fn settle(&mut self, done: Done) {
        let shared_by = self.plan.calls[done.call.number].shared_by;
        let jobs = 1 + shared_by;
        self.calls_done += 1;
        done.call.stake.settle(done.result.as_ref().ok());
        self.totals.charged_usd = self.budget.charged_usd();
        match &done.result {
            Ok(reply) => {
                self.totals.asked += 1;
                self.totals.shared += shared_by;
                self.count_usage(reply);
                self.unreachable_in_a_row = 0;
                self.failures_in_a_row = 0;
            }
            Err(AskError::Fatal(message)) => {
                self.totals.failed += jobs;
                self.end(Halt::Fatal(message.clone()));
            }
            Err(AskError::GaveUp {
                message,
                attempts,
                blame,
            }) => {
                self.totals.failed += jobs;
                self.totals.attempts += u64::from(*attempts);
                self.count_failure(message, *blame);
            }
            Err(AskError::OverBudget) => {
                self.totals.failed += jobs;
                self.end_by_budget();
            }
            Err(AskError::Panicked(message)) => {
                self.totals.failed += jobs;
                self.end(Halt::Panicked(message.clone()));
            }
            Err(AskError::Stopped) => self.totals.abandoned += jobs,
        }
        self.results[done.call.number] = Some(done.result);
        if let Err(error) = done.kept {
            self.end(Halt::Cache(error));
        }
    }

    fn count_usage(&mut self, reply: &ChatReply) {
        let totals = &mut self.totals;
        let (input, output) = (reply.usage.input_tokens, reply.usage.output_tokens);
        totals.attempts += u64::from(reply.attempts);
        totals.input_tokens = totals.input_tokens.saturating_add(input.unwrap_or(0));
        totals.output_tokens = totals.output_tokens.saturating_add(output.unwrap_or(0));
        totals.replies_without_usage += u64::from(input.is_none() || output.is_none());
        // From whole tokens each time: the order of the replies leaves no trace.
        let usd = |price: Price| price.usd(totals.input_tokens, totals.output_tokens);
        totals.usd = self.options.price.map(usd).filter(|usd| usd.is_finite());
    }

    fn count_failure(&mut self, message: &str, blame: Blame) {
        // Who refuses this question and answers others is there.
        if matches!(blame, Blame::Question | Blame::Form) && self.is_answered() {
            return;
        }
        self.failures_in_a_row += 1;
        self.unreachable_in_a_row += u32::from(blame == Blame::Unreachable);
        let message = message.to_owned();
        if self.unreachable_in_a_row >= self.options.unreachable_limit {
            let times = self.unreachable_in_a_row;
            self.end(Halt::Unreachable { times, message });
        } else if self.failures_in_a_row >= self.options.failure_limit {
            let times = self.failures_in_a_row;
            self.end(Halt::Failing { times, message });
        }
    }

    /// No call is made from now on.
    pub fn end(&mut self, halt: Halt) {
        self.halt.get_or_insert(halt);
    }

    /// The limit leaves no room for what comes next.
    pub fn end_by_budget(&mut self) {
        let spent_usd = self.budget.charged_usd().unwrap_or(0.0);
        let max_usd = self.budget.max_usd().unwrap_or(0.0);
        self.end(Halt::BudgetReached { spent_usd, max_usd });
    }

    /// Whether any question was, now or before.
    fn is_answered(&self) -> bool {
        self.totals.asked + self.totals.from_cache > 0
    }

    /// A server that answered nothing, and would have answered nothing else, is dead, however
    /// few the questions were.
    fn end_if_dead(&mut self) {
        if self.is_answered() {
            return;
        }
        let (mut times, mut reached, mut last) = (0, false, None);
        for result in &self.results {
            match result {
                Some(Err(AskError::GaveUp { blame, message, .. })) if *blame != Blame::Question => {
                    times += 1;
                    reached |= *blame != Blame::Unreachable;
                    last = Some(message.clone());
                }
                _ => return,
            }
        }
        match last {
            Some(message) if reached => self.end(Halt::Failing { times, message }),
            Some(message) => self.end(Halt::Unreachable { times, message }),
            None => {}
        }
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        Progress {
            calls: self.plan.calls.len() as u64,
            calls_done: self.calls_done,
            totals: self.totals,
        }
    }

    /// Closes the books: the answers in the order of the jobs.
    pub fn close(mut self) -> RunOutcome {
        self.end_if_dead();
        let mut totals = self.totals;
        let kind = self.halt.as_ref().map(Halt::kind);
        let mut answers = Vec::with_capacity(self.plan.sources.len());
        for (job, source) in self.plan.sources.into_iter().enumerate() {
            let call = match source {
                Source::Cache(reply) => {
                    let origin = Origin::Cache;
                    answers.push(Answer::Reply { reply, origin });
                    continue;
                }
                Source::Call(call) => call,
            };
            answers.push(match (&self.results[call], kind) {
                (Some(Ok(reply)), _) => Answer::Reply {
                    reply: reply.clone(),
                    origin: if self.plan.calls[call].job == job {
                        Origin::Asked
                    } else {
                        Origin::Shared
                    },
                },
                (Some(Err(error)), _) => Answer::Failed(error.clone()),
                (None, Some(kind)) => {
                    totals.not_asked += 1;
                    Answer::NotAsked(kind)
                }
                // Without a halt every call is made and comes back.
                (None, None) => Answer::Failed(AskError::Stopped),
            });
        }
        RunOutcome {
            answers,
            totals,
            halt: self.halt,
        }
    }
}
