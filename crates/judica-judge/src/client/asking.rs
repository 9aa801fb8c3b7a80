//! One question while it is asked.

use std::time::Duration;

use crate::chat::{ChatReply, ChatRequest, Finish, Usage};
use crate::error::{AskError, Blame};
use crate::wire::dialect::Dialect;
use crate::wire::response::Reply;

/// What is known about one question while it is asked.
pub(super) struct Asking<'a> {
    pub(super) request: &'a ChatRequest,
    /// Attempts that counted.
    pub(super) attempts: u32,
    /// Steps down the ladders that only this question has gone.
    pub(super) own: Dialect,
    /// The dialect of the last attempt.
    pub(super) dialect: Dialect,
    /// What the last attempt sent.
    pub(super) body: Vec<u8>,
    /// How long the last attempt took.
    pub(super) latency: Duration,
    /// What it was refused for, if for what it asked.
    pub(super) refused: Option<Blame>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(request: &'a ChatRequest) -> Self {
        Asking {
            request,
            attempts: 0,
            own: Dialect::default(),
            dialect: Dialect::default(),
            body: Vec::new(),
            latency: Duration::ZERO,
            refused: None,
        }
    }

    pub(super) fn reply(&self, reply: Reply) -> ChatReply {
        ChatReply {
            text: reply.text,
            finish: reply.finish,
            usage: reply.usage,
            served_by: reply.served_by,
            latency_ms: u64::try_from(self.latency.as_millis()).unwrap_or(u64::MAX),
            attempts: self.attempts,
            left_out: self.dialect.left_out(),
        }
    }

    /// A reply that no model spoke.
    pub(super) fn wordless(&self, text: String, finish: Finish) -> ChatReply {
        self.reply(Reply {
            text,
            finish,
            usage: Usage::default(),
            served_by: None,
        })
    }

    pub(super) fn given_up(&self, message: String, unreachable: bool) -> AskError {
        AskError::GaveUp {
            message,
            attempts: self.attempts,
            blame: match unreachable {
                true => Blame::Unreachable,
                false => self.refused.unwrap_or(Blame::Server),
            },
        }
    }
}
