//! Many questions, asked at the same time, answered in the order they were put.
//!
//! [`ask_all`] looks every question up in the cache, asks what is not there with a bounded
//! number of calls in flight, and has each reply on disk before it counts as done. So a run
//! that ends by any means, also by a power cut, has lost at most what was in flight, and
//! the same run started again asks only for the rest.
//!
//! In the order of the work: [`ask`] (what is asked, and whom), [`options`], `plan` (what
//! is known, what is the same, what remains), [`price`], `budget` and [`stake`] (what it may cost),
//! `drive` (when which call is made), `call` (one of them), `keeper` (replies to disk),
//! `ledger` (what came of them), [`progress`], [`outcome`].

pub mod ask;
mod budget;
mod call;
mod drive;
pub mod error;
mod keeper;
mod ledger;
pub mod options;
pub mod outcome;
mod plan;
pub mod price;
pub mod progress;
pub mod stake;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

pub use ask::{Ask, Job, Jobs, JobsFrom};
pub use error::RunError;
pub use options::{RunHooks, RunOptions};
pub use outcome::{Answer, Halt, HaltKind, Origin, RunOutcome, Totals};
pub use price::Price;
pub use progress::{Progress, RateMeter};
pub use stake::Stake;

use judica_data::guarded::words_of;

use crate::cache::ReplyCache;
use drive::Drive;
use keeper::Keeper;
use plan::Plan;

/// Answers all jobs, in their order.
///
/// The caller is synchronous: a runtime is made for the calls and ends with them, so this
/// must not be called from inside one. What stops the run early, for example a wrong key,
/// is no error: the answers that were got stand in the outcome beside the reason.
///
/// # Errors
/// Nothing was asked: the options contradict each other, or the cache cannot be read. Or
/// the program itself is at fault ([`RunError::Panicked`]): replies that came are kept.
pub fn ask_all(
    jobs: &dyn Jobs,
    ask: &dyn Ask,
    cache: Option<&ReplyCache>,
    options: &RunOptions,
    hooks: &RunHooks<'_>,
) -> Result<RunOutcome, RunError> {
    options.check()?;
    let all = || ask_planned(jobs, ask, cache, options, hooks);
    // Nothing of what a panic leaves half done is looked at again.
    catch_unwind(AssertUnwindSafe(all))
        .unwrap_or_else(|panic| Err(RunError::Panicked(words_of(&*panic))))
}

fn ask_planned(
    jobs: &dyn Jobs,
    ask: &dyn Ask,
    cache: Option<&ReplyCache>,
    options: &RunOptions,
    hooks: &RunHooks<'_>,
) -> Result<RunOutcome, RunError> {
    let Some(plan) = Plan::make(jobs, ask.identity(), cache, options, hooks)? else {
        return Ok(RunOutcome::interrupted(jobs.len()));
    };
    std::thread::scope(|scope| {
        let drive = Drive::new(jobs, ask, plan, options, hooks);
        if drive.nothing_to_ask() {
            return Ok(drive.finish());
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(RunError::Runtime)?;
        let mut writing = None;
        let keeper = cache.map(|cache| {
            let (sender, letters) = mpsc::channel();
            writing = Some(scope.spawn(move || keeper::keep(cache, &letters)));
            Keeper::new(cache, sender)
        });
        let outcome = runtime.block_on(drive.run(keeper));
        // If it panicked, whoever waited for it was told, and the run was ended by that.
        let _ = writing.map(|thread| thread.join());
        Ok(outcome)
    })
}

#[cfg(test)]
mod tests;
