//! What is asked, and whom.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::stake::Stake;
use crate::chat::{ChatReply, ChatRequest};
use crate::client::Client;
use crate::error::AskError;
use crate::stop::Stop;

/// Somebody who answers questions: a client of a server, or a script in a test.
pub trait Ask: Send + Sync {
    /// Asks one question, with whatever retries are fit. When `stop` is raised, waits shall
    /// end and nothing new be sent; a call that is being answered may go on, and is cut off
    /// from outside when its time is over. `stake` is told of every attempt that does not
    /// come back, and has the word on whether another one can be paid for.
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        stake: &'a Stake,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ChatReply, AskError>>;

    /// Everything about who is asked that can change an answer, and nothing secret.
    fn identity(&self) -> &str;
}

impl Ask for Client {
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        stake: &'a Stake,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ChatReply, AskError>> {
        Box::pin(self.ask_within(request, stake, stop))
    }

    fn identity(&self) -> &str {
        self.endpoint().identity()
    }
}

/// One question to be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The question.
    pub request: ChatRequest,
    /// Which of several answers to the same question this is, from 0. Jobs that are equal
    /// in this too share one answer.
    pub vote: u32,
    /// The hash of the prompt template, kept with the reply.
    pub prompt_hash: Arc<str>,
}

/// Numbered jobs. They are made when they are needed, up to twice each, so that a large
/// run does not hold all its prompts in memory.
pub trait Jobs: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// The job with a number below [`Jobs::len`]; the same one each time.
    fn job(&self, number: usize) -> Cow<'_, Job>;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Jobs for Vec<Job> {
    fn len(&self) -> usize {
        self.len()
    }

    fn job(&self, number: usize) -> Cow<'_, Job> {
        Cow::Borrowed(&self[number])
    }
}

/// Jobs that a function makes from their numbers.
#[derive(Debug, Clone, Copy)]
pub struct JobsFrom<F> {
    /// How many there are.
    pub len: usize,
    /// Makes the job with a number.
    pub make: F,
}

impl<F: Fn(usize) -> Job + Sync> Jobs for JobsFrom<F> {
    fn len(&self) -> usize {
        self.len
    }

    fn job(&self, number: usize) -> Cow<'_, Job> {
        Cow::Owned((self.make)(number))
    }
}
