//! Asking a server: retries, pauses, and what is learnt on the way.
//!
//! * [`options`]: what can be set
//! * [`events`]: what a watcher is told
//!
//! One question becomes one reply or one [`AskError`], whatever the server does in between:
//!
//! | the server | what follows |
//! |---|---|
//! | refuses the connection, breaks it, says nothing, answers 408, 409, 425, 5xx | asked again after a jittered, doubling wait |
//! | answers 429, 503 | the same with longer waits, and the pace is looked for that it allows |
//! | asks for a wait (`Retry-After`) | this question waits; if several in a row meet that, everybody |
//! | refuses an optional part of the question | asked again without it, by everybody ([`Dialect`]) |
//! | declines the content | a reply that says so |
//! | succeeds with something that is no reply | asked again; in the end a reply that is unreadable |
//! | succeeds with more than 8 MiB | an unreadable reply at once |
//! | says the question is too long | given up; others go on |
//! | answers 400, 422 | given up; whether others are answered shows whose fault it is ([`Blame::Form`](crate::error::Blame)) |
//! | answers 401, 403, 404, another 4xx, a redirect, or that the money is used up | fatal |

mod after;
mod asking;
mod attempt;
mod connect;
pub mod events;
pub mod options;
mod ruling;
mod wait;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::time::sleep;

use crate::chat::{ChatReply, ChatRequest, Usage};
use crate::endpoint::Endpoint;
use crate::error::AskError;
use crate::pace::Pace;
use crate::run::Stake;
use crate::stop::Stop;
use crate::tokens::{request_at_most, request_estimate};
use crate::wire::dialect::{Dialect, Learnt};
use crate::wire::request;
use after::Next;
use asking::Asking;
use attempt::{Outcome, attempt};
use events::Retry;
use options::{ClientError, ClientOptions};

/// Output tokens that are expected where no limit says more.
const USUAL_OUTPUT: u64 = 256;
/// Models that think may say more than they were allowed to, but none says more than this.
const LONGEST_OUTPUT: u64 = 1 << 17;

/// A client of one endpoint. Share it: connections, pace and what was learnt about the server
/// belong to it.
pub struct Client {
    options: ClientOptions,
    pool: reqwest::Client,
    pace: Pace,
    learnt: Learnt,
    /// Whether the server ever said anything.
    heard: AtomicBool,
    /// Whether it ever answered one that had the reply format of the dialect.
    format_proven: AtomicBool,
}

impl Client {
    /// A client with these options. Nothing is sent yet.
    pub fn new(options: ClientOptions) -> Result<Client, ClientError> {
        Ok(Client {
            pool: connect::pool(&options)?,
            pace: Pace::new(options.limits),
            options,
            learnt: Learnt::default(),
            heard: AtomicBool::new(false),
            format_proven: AtomicBool::new(false),
        })
    }

    /// Who is asked.
    pub fn endpoint(&self) -> &Endpoint {
        &self.options.endpoint
    }

    /// Everything about who is asked that can change an answer, and nothing secret.
    pub fn identity(&self) -> &str {
        self.options.endpoint.identity()
    }

    /// Which optional parts of a question the server takes, as far as it is known by now.
    /// What is left out may change answers, so results should tell ([`Dialect::notes`]).
    pub fn dialect(&self) -> Dialect {
        self.learnt.now()
    }

    /// Asks `request`. When `stop` is raised, waits end at once and a call that is on its way
    /// has [`ClientOptions::grace`] to end.
    ///
    /// Must run in a tokio runtime with time and I/O enabled; it may be dropped at any time.
    pub async fn ask(&self, request: &ChatRequest, stop: &Stop) -> Result<ChatReply, AskError> {
        self.ask_within(request, &Stake::free(), stop).await
    }

    /// The same, with as many attempts as `stake` can pay for.
    pub async fn ask_within(
        &self,
        request: &ChatRequest,
        stake: &Stake,
        stop: &Stop,
    ) -> Result<ChatReply, AskError> {
        let mut asking = Asking::new(request);
        let tokens = expected_tokens(request);
        loop {
            if !unless_stopped(stop, Duration::ZERO, stake.has_room()).await? {
                return Err(AskError::OverBudget);
            }
            unless_stopped(stop, Duration::ZERO, self.pace.turn(tokens)).await?;
            let endpoint = &self.options.endpoint;
            asking.dialect = self.learnt.now().poorer_of(asking.own);
            asking.body = request::body(request, endpoint.model(), asking.dialect);
            let body = asking.body.clone();
            let call = attempt(&self.pool, endpoint.url(), body, self.options.timeout);
            let sent = stake.send();
            let outcome;
            (outcome, asking.latency) = unless_stopped(stop, self.options.grace, call).await?;
            if !outcome.is_lost() {
                sent.came_back();
            }
            asking.refused = outcome.refused();
            asking.attempts += 1;
            let used = used_tokens(&outcome, tokens).min(most_tokens(request));
            self.pace.settle(tokens, used);
            match self.after(&mut asking, outcome) {
                Next::Done(result) => {
                    if let Ok(reply) = &result {
                        self.options.events.finished(reply);
                    }
                    return result;
                }
                Next::Reword => asking.attempts -= 1,
                Next::Wait { why, wait } => {
                    self.options.events.retrying(&Retry {
                        attempt: asking.attempts,
                        why,
                        wait,
                    });
                    unless_stopped(stop, Duration::ZERO, sleep(wait)).await?;
                }
            }
        }
    }
}

/// `future`, unless the flag is raised and `grace` has passed since.
async fn unless_stopped<T>(
    stop: &Stop,
    grace: Duration,
    future: impl Future<Output = T>,
) -> Result<T, AskError> {
    let ended = async {
        stop.stopped().await;
        if !grace.is_zero() {
            sleep(grace).await;
        }
    };
    tokio::select! {
        biased;
        () = ended => Err(AskError::Stopped),
        done = future => Ok(done),
    }
}

/// What a call used, in and out, for the limit on tokens.
fn used_tokens(outcome: &Outcome, estimated: u64) -> u64 {
    let total = |usage: Usage| usage.input_tokens?.checked_add(usage.output_tokens?);
    match outcome {
        Outcome::Reply(reply) => total(reply.usage).unwrap_or(estimated),
        Outcome::Fault { .. } => 0,
        // Nobody knows; it may have been all of it.
        Outcome::Nonsense { .. } | Outcome::Broken(..) => estimated,
    }
}

/// What a call cannot have used, whatever a server claims: it would wait for years.
fn most_tokens(request: &ChatRequest) -> u64 {
    let most = request_at_most(request);
    most.input + most.output.unwrap_or(0).max(LONGEST_OUTPUT)
}

/// About what a call will use, in and out.
fn expected_tokens(request: &ChatRequest) -> u64 {
    let expected = request_estimate(request);
    expected.input + expected.output.unwrap_or(USUAL_OUTPUT)
}

/// Without what it is connected to: who asks is told by the endpoint alone.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.options.endpoint)
            .field("dialect", &self.dialect())
            .finish_non_exhaustive()
    }
}
