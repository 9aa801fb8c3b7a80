//! What a client tells whoever watches, for progress displays and logs.

use std::time::Duration;

use crate::chat::ChatReply;
use crate::wire::dialect::Dialect;

/// An attempt failed and another follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// How many attempts were made, from 1.
    pub attempt: u32,
    /// What went wrong; free of keys and control characters.
    pub why: String,
    /// How long the client waits before the next.
    pub wait: Duration,
}

/// Somebody who watches a client. Called from inside the asking, so it must be quick.
pub trait Events: Send + Sync {
    /// An attempt failed and another follows.
    fn retrying(&self, _retry: &Retry) {}

    /// The server does not take a part of the question; from now on it is left out or said
    /// otherwise. `words` are the server's.
    fn downgraded(&self, _before: Dialect, _now: Dialect, _words: &str) {}

    /// A question was answered.
    fn finished(&self, _reply: &ChatReply) {}
}

/// Nobody watches.
impl Events for () {}
