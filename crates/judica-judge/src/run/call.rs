//! One call: asked, answered, kept.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use judica_data::guarded::words_of;

use super::ask::{Ask, Job};
use super::keeper::Keeper;
use super::stake::Stake;
use crate::cache::{CacheError, Key, is_kept};
use crate::chat::ChatReply;
use crate::error::AskError;
use crate::stop::Stop;

/// A call to be made.
pub(super) struct Call {
    /// Its number in the plan.
    pub number: usize,
    /// What it is kept under.
    pub key: Key,
    /// What it may spend.
    pub stake: Stake,
}

/// A call that is over.
pub(super) struct Done {
    /// What it was.
    pub call: Call,
    /// What came of it.
    pub result: Result<ChatReply, AskError>,
    /// Whether a reply that should be kept is on disk.
    pub kept: Result<(), CacheError>,
}

/// The two steps in which calls are ended.
#[derive(Default)]
pub(super) struct Ending {
    /// Whoever waits shall stop; who is being answered may go on for a while.
    pub soon: Stop,
    /// Whoever is left is cut off.
    pub now: Stop,
}

impl Call {
    /// Asks the question and has the reply kept. Both are one thing to the run: a slot is
    /// free only when the reply is on disk, so that never more replies than there are slots
    /// can be lost.
    pub async fn make(
        self,
        job: &Job,
        ask: &dyn Ask,
        keeper: Option<&Keeper<'_>>,
        ending: &Ending,
    ) -> Done {
        // A question on which the program fails must not take the others along.
        let asked = async { ask.ask(&job.request, &self.stake, &ending.soon).await };
        let asked = AssertUnwindSafe(asked).catch_unwind();
        let result = tokio::select! {
            biased;
            result = asked => result
                .unwrap_or_else(|panic| Err(AskError::Panicked(words_of(&*panic)))),
            () = ending.now.stopped() => Err(AskError::Stopped),
        };
        let kept = match (&result, keeper) {
            (Ok(reply), Some(keeper)) if is_kept(reply) => {
                let prompt_hash = job.prompt_hash.clone();
                keeper.keep(self.key, prompt_hash, reply.clone()).await
            }
            _ => Ok(()),
        };
        Done {
            call: self,
            result,
            kept,
        }
    }
}
