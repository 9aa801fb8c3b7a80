//! Replies on their way to disk.
//!
//! A commit waits for the disk, and the thread that makes the calls must not. So one thread
//! writes, and takes with each commit all replies that have come in during the last one.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use tokio::sync::oneshot;

use crate::cache::{CacheError, Entry, Key, ReplyCache};
use crate::chat::ChatReply;

/// The most replies in one commit: enough to share a sync, few enough to be done soon.
const MOST_AT_ONCE: usize = 256;

/// A reply to be kept, and who waits for it.
pub(super) struct Letter {
    key: Key,
    prompt_hash: Arc<str>,
    reply: ChatReply,
    kept: oneshot::Sender<Result<(), CacheError>>,
}

/// Where to hand replies in.
pub(super) struct Keeper<'a> {
    cache: &'a ReplyCache,
    letters: Sender<Letter>,
}

impl<'a> Keeper<'a> {
    /// Hands in to the thread that runs [`keep`] for the same cache.
    pub fn new(cache: &'a ReplyCache, letters: Sender<Letter>) -> Self {
        Keeper { cache, letters }
    }

    /// Returns when the reply is on disk.
    pub async fn keep(
        &self,
        key: Key,
        prompt_hash: Arc<str>,
        reply: ChatReply,
    ) -> Result<(), CacheError> {
        let (kept, waiting) = oneshot::channel();
        let letter = Letter {
            key,
            prompt_hash,
            reply,
            kept,
        };
        // Nobody at the other end: the thread panicked. The run must not go on paying.
        let gone = || CacheError::file(self.cache.path(), "replies are no longer written");
        self.letters.send(letter).map_err(|_| gone())?;
        waiting.await.map_err(|_| gone())?
    }
}

/// Writes letters until nobody can send any more.
pub(super) fn keep(cache: &ReplyCache, letters: &Receiver<Letter>) {
    while let Ok(first) = letters.recv() {
        let mut batch = vec![first];
        batch.extend(letters.try_iter().take(MOST_AT_ONCE - 1));
        let entries: Vec<Entry<'_>> = batch
            .iter()
            .map(|letter| Entry {
                key: &letter.key,
                prompt_hash: &letter.prompt_hash,
                reply: &letter.reply,
            })
            .collect();
        let result = cache.put_many(&entries).map(drop);
        for letter in batch {
            // Nobody waits any more where a run was abandoned; the reply is kept all the same.
            let _ = letter.kept.send(result.clone());
        }
    }
}
