//! Replies that were paid for, kept on disk so that nobody pays twice.
//!
//! One SQLite file. A reply that [`put`](ReplyCache::put) has accepted survives the end of
//! the process by any means, and a power cut: every commit is synced. Several processes
//! may use one file at once; if two ask the same question, the last reply stays, which
//! harms nobody. The file holds replies, hashes and nothing that is secret about a
//! question: not its text, not its endpoint, never a key.
//!
//! What is kept: whatever a model said, also refusals and replies that nobody can parse,
//! because they were paid for like any other. What is not kept:
//! [`Finish::Unreadable`], which is a fault of the server on its way and no reply at all.
//!
//! * [`key`]: what makes two questions the same
//! * [`error`]: what can be wrong with the file

pub mod error;
mod file;
pub mod key;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior};

use crate::chat::{ChatReply, Finish};
pub use error::CacheError;
pub use key::Key;

const GET: &str = "SELECT reply FROM replies WHERE key = ?1";
const PUT: &str = "INSERT INTO replies (key, prompt_hash, reply) VALUES (?1, ?2, ?3) \
    ON CONFLICT (key) DO UPDATE SET prompt_hash = excluded.prompt_hash, reply = excluded.reply";

/// An open cache file. Threads may share it; they take turns.
#[derive(Debug)]
pub struct ReplyCache {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// A reply to be kept.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// What was asked, and whom.
    pub key: &'a Key,
    /// The hash of the prompt template, for people who look into the file.
    pub prompt_hash: &'a str,
    /// What came back.
    pub reply: &'a ChatReply,
}

impl ReplyCache {
    /// Opens a cache file, or makes one, with its folder, where there is none.
    ///
    /// # Errors
    /// The file cannot be opened for writing, is damaged, belongs to another program or
    /// was written by a newer version of this one.
    pub fn open(path: &Path) -> Result<Self, CacheError> {
        Ok(ReplyCache {
            path: path.to_owned(),
            connection: Mutex::new(file::open(path)?),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reply that is kept under a key.
    ///
    /// # Errors
    /// The file cannot be read, or what it holds is no reply.
    pub fn get(&self, key: &Key) -> Result<Option<ChatReply>, CacheError> {
        Ok(self.get_many(std::slice::from_ref(key))?.pop().flatten())
    }

    /// The replies that are kept under some keys, in the order of the keys.
    ///
    /// # Errors
    /// As for [`ReplyCache::get`].
    pub fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<ChatReply>>, CacheError> {
        let mut connection = self.lock();
        let failed = |e| CacheError::sqlite(&self.path, e);
        // One transaction: the file is locked and its state looked up once, not per key.
        let reading = connection.transaction().map_err(failed)?;
        let mut replies = Vec::with_capacity(keys.len());
        {
            let mut select = reading.prepare_cached(GET).map_err(failed)?;
            for key in keys {
                let found = select.query_row([key.as_bytes()], |row| Ok(reply_in(row)));
                replies.push(match found.optional().map_err(failed)? {
                    None => None,
                    Some(Ok(reply)) => Some(reply),
                    Some(Err(why)) => {
                        let detail = format!("the entry {key} holds no reply: {why}");
                        return Err(CacheError::damaged(&self.path, detail));
                    }
                });
            }
        }
        reading.commit().map_err(failed)?;
        Ok(replies)
    }

    /// Keeps a reply; when this returns, it is on disk. Says whether it was kept: an
    /// unreadable reply is not.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&self, key: &Key, prompt_hash: &str, reply: &ChatReply) -> Result<bool, CacheError> {
        let entry = Entry {
            key,
            prompt_hash,
            reply,
        };
        Ok(self.put_many(&[entry])? == 1)
    }

    /// Keeps some replies with one commit: all of them or, where it fails, none. Says how
    /// many were kept.
    ///
    /// # Errors
    /// As for [`ReplyCache::put`].
    pub fn put_many(&self, entries: &[Entry<'_>]) -> Result<usize, CacheError> {
        let mut connection = self.lock();
        let failed = |e| CacheError::sqlite(&self.path, e);
        // Immediate: a transaction that reads first and finds another process writing
        // when it wants to write cannot wait, it can only fail.
        let writing = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let mut kept = 0;
        {
            let mut insert = writing.prepare_cached(PUT).map_err(failed)?;
            for entry in entries.iter().filter(|e| is_kept(e.reply)) {
                let reply = serde_json::to_string(entry.reply)
                    .map_err(|e| CacheError::file(&self.path, e.to_string()))?;
                insert
                    .execute((entry.key.as_bytes(), entry.prompt_hash, reply))
                    .map_err(failed)?;
                kept += 1;
            }
        }
        writing.commit().map_err(failed)?;
        Ok(kept)
    }

    /// SQLite rolls back what a thread that panicked left open, so its lock may be taken
    /// over.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a reply is worth keeping.
pub fn is_kept(reply: &ChatReply) -> bool {
    reply.finish != Finish::Unreadable
}

fn reply_in(row: &Row<'_>) -> Result<ChatReply, String> {
    let value = row.get_ref(0).map_err(|e| e.to_string())?;
    let text = value.as_str().map_err(|e| e.to_string())?;
    serde_json::from_str(text).map_err(|e| e.to_string())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
