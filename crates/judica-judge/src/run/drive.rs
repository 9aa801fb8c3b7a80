//! The calls: a bounded number in flight, until all are answered or something ends the run.

use std::borrow::Cow;
use std::future::pending;
use std::pin::Pin;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::{Sleep, sleep};

use super::ask::{Ask, Job, Jobs};
use super::call::{Call, Ending};
use super::keeper::Keeper;
use super::ledger::Ledger;
use super::options::{RunHooks, RunOptions};
use super::outcome::{Halt, RunOutcome};
use super::plan::Plan;
use super::stake::Stake;
use crate::tokens::request_at_most;

/// A run under way.
pub(super) struct Drive<'a> {
    jobs: &'a dyn Jobs,
    ask: &'a dyn Ask,
    options: &'a RunOptions,
    hooks: &'a RunHooks<'a>,
    ledger: Ledger<'a>,
    next_call: usize,
}

impl<'a> Drive<'a> {
    /// A run that has not begun to ask.
    pub fn new(
        jobs: &'a dyn Jobs,
        ask: &'a dyn Ask,
        plan: Plan,
        options: &'a RunOptions,
        hooks: &'a RunHooks<'a>,
    ) -> Self {
        let drive = Drive {
            jobs,
            ask,
            options,
            hooks,
            ledger: Ledger::new(plan, options),
            next_call: 0,
        };
        drive.report();
        drive
    }

    /// Whether the cache had everything.
    pub fn nothing_to_ask(&self) -> bool {
        self.ledger.plan.calls.is_empty()
    }

    /// Makes the calls.
    pub async fn run(mut self, keeper: Option<Keeper<'_>>) -> RunOutcome {
        let (ask, hooks, keeper) = (self.ask, self.hooks, keeper.as_ref());
        let ending = Ending::default();
        let mut grace: Option<Pin<Box<Sleep>>> = None;
        let mut in_flight = FuturesUnordered::new();
        loop {
            if hooks.stop.is_stopped() {
                self.ledger.end(Halt::Interrupted);
            }
            while in_flight.len() < self.options.concurrency.get()
                && let Some((call, job)) = self.next(in_flight.is_empty())
            {
                let ending = &ending;
                in_flight.push(async move { call.make(&job, ask, keeper, ending).await });
            }
            if in_flight.is_empty() {
                return self.finish();
            }
            if self.ledger.halt.is_some() && !ending.soon.is_stopped() {
                ending.soon.stop();
                grace = Some(Box::pin(sleep(self.options.grace)));
            }
            tokio::select! {
                biased;
                Some(done) = in_flight.next() => {
                    self.ledger.settle(done);
                    self.report();
                }
                () = hooks.stop.stopped(), if self.ledger.halt.is_none() => {}
                () = over(&mut grace) => {
                    grace = None;
                    ending.now.stop();
                }
            }
        }
    }

    /// The next call, if one may be made now. `alone` if none is in flight.
    fn next(&mut self, alone: bool) -> Option<(Call, Cow<'a, Job>)> {
        if self.ledger.halt.is_some() {
            return None;
        }
        let number = self.next_call;
        let index = self.ledger.plan.calls.get(number)?.job;
        let job = self.jobs.job(index);
        let bound = request_at_most(&job.request);
        let Some(stake) = Stake::of(&self.ledger.budget, bound) else {
            // Those in flight will not use all that is set aside for them. Only when none
            // is left is it certain that there is no room.
            if alone {
                self.ledger.end_by_budget();
            }
            return None;
        };
        self.next_call += 1;
        let key = self.ledger.plan.keys[index];
        Some((Call { number, key, stake }, job))
    }

    fn report(&self) {
        if let Some(progress) = self.hooks.progress {
            progress(&self.ledger.progress());
        }
    }

    /// What was reached.
    pub fn finish(self) -> RunOutcome {
        self.ledger.close()
    }
}

/// Returns when the time that was granted, if any, is over.
async fn over(grace: &mut Option<Pin<Box<Sleep>>>) {
    match grace {
        Some(sleep) => sleep.await,
        None => pending().await,
    }
}
