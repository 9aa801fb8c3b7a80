//! One attempt: send, receive, and say what happened. Nothing is decided here.

use std::error::Error;
use std::io;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Response, Url};
use tokio::time::{Instant, timeout_at};

use super::ruling::{Ruling, rule};
use super::wait::asked_wait;
use crate::error::Blame;
use crate::wire::fault::Fault;
use crate::wire::response::{self, Body, Reply};

/// No chat reply is larger.
pub(super) const LARGEST_REPLY: usize = 8 << 20;
/// Of a refusal, this much is read.
const LARGEST_FAULT: usize = 64 << 10;

/// What happened.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A chat reply.
    Reply(Reply),
    /// The server said why not.
    Fault {
        fault: Fault,
        /// How long it wants to be left alone.
        wait: Option<Duration>,
        /// Where it sends the client instead.
        location: Option<String>,
    },
    /// Success, but not a chat reply.
    Nonsense { body: Vec<u8>, oversized: bool },
    /// No whole answer.
    Broken(Break, String),
}

impl Outcome {
    /// Whether it may have been paid for although there is no reply: behind a connection that
    /// broke, or a gateway that waited in vain, a model may have spoken.
    pub(super) fn is_lost(&self) -> bool {
        match self {
            Outcome::Reply(_) => false,
            Outcome::Fault { fault, .. } => matches!(fault.status, 408 | 502 | 504 | 524),
            Outcome::Nonsense { .. } => true,
            Outcome::Broken(kind, _) => matches!(kind, Break::Silent | Break::Cut),
        }
    }

    /// What the server refused the question for.
    pub(super) fn refused(&self) -> Option<Blame> {
        let Outcome::Fault { fault, .. } = self else {
            return None;
        };
        match rule(fault) {
            Ruling::BadQuestion => Some(Blame::Question),
            Ruling::BadRequest => Some(Blame::Form),
            _ => None,
        }
    }
}

/// Where an attempt broke off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    /// There was no connection.
    Unreachable,
    /// The server is not who it should be.
    Untrusted,
    /// The server said nothing.
    Silent,
    /// The server began to answer and did not end.
    Cut,
}

/// Sends `body` once and receives what comes; says how long that took.
pub(super) async fn attempt(
    pool: &reqwest::Client,
    url: &Url,
    body: Vec<u8>,
    limit: Duration,
) -> (Outcome, Duration) {
    let began = Instant::now();
    let outcome = exchange(pool, url, body, limit, began).await;
    (outcome, began.elapsed())
}

async fn exchange(
    pool: &reqwest::Client,
    url: &Url,
    body: Vec<u8>,
    limit: Duration,
    began: Instant,
) -> Outcome {
    let deadline = began + limit;
    let sent = timeout_at(deadline, pool.post(url.clone()).body(body).send()).await;
    let response = match sent {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return broken_before_answer(&error),
        Err(_) => {
            let words = format!("no answer within {} s", limit.as_secs_f64());
            return Outcome::Broken(Break::Silent, words);
        }
    };
    match timeout_at(deadline, receive(response)).await {
        Ok(outcome) => outcome,
        Err(_) => {
            let words = format!("no whole answer within {} s", limit.as_secs_f64());
            Outcome::Broken(Break::Cut, words)
        }
    }
}

async fn receive(mut response: Response) -> Outcome {
    let status = response.status();
    if !status.is_success() {
        // Half a refusal is a refusal.
        let (body, _) = body_of(&mut response, LARGEST_FAULT).await;
        return fault(Fault::read(status.as_u16(), &body), response.headers());
    }
    let (body, end) = body_of(&mut response, LARGEST_REPLY).await;
    match end {
        End::Broken(cause) => {
            return Outcome::Broken(Break::Cut, format!("the answer broke off: {cause}"));
        }
        End::TooLarge => {
            return Outcome::Nonsense {
                body,
                oversized: true,
            };
        }
        End::Whole => {}
    }
    match response::read(&body) {
        Body::Reply(reply) => Outcome::Reply(reply),
        Body::Error => fault(Fault::read_in_success(&body), response.headers()),
        Body::Nonsense => Outcome::Nonsense {
            body,
            oversized: false,
        },
    }
}

/// How a body ended.
enum End {
    Whole,
    TooLarge,
    Broken(String),
}

/// The body, but not much more of it than `largest`: of one that announces to be larger, only
/// how it begins. Whoever drops the rest drops the connection, so nobody receives it.
async fn body_of(response: &mut Response, largest: usize) -> (Vec<u8>, End) {
    let announced = response.content_length().unwrap_or(0);
    let enough = if announced > largest as u64 {
        0
    } else {
        largest
    };
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => return (body, End::Whole),
            Err(error) => return (body, End::Broken(root_cause(&error))),
        }
        if body.len() > enough {
            return (body, End::TooLarge);
        }
    }
}

fn fault(fault: Fault, headers: &HeaderMap) -> Outcome {
    let location = headers
        .get("location")
        .and_then(|value| value.to_str().ok())
        // What follows may be anything, a key too.
        .map(|value| value.split('?').next().unwrap_or_default().to_owned());
    Outcome::Fault {
        fault,
        wait: asked_wait(headers),
        location,
    }
}

fn broken_before_answer(error: &reqwest::Error) -> Outcome {
    let cause = root_cause(error);
    if is_untrusted(error) {
        Outcome::Broken(
            Break::Untrusted,
            format!("the connection is not safe: {cause}"),
        )
    } else if error.is_connect() {
        Outcome::Broken(Break::Unreachable, format!("cannot connect: {cause}"))
    } else {
        Outcome::Broken(Break::Cut, format!("the connection broke: {cause}"))
    }
}

/// The innermost message of a chain: the outer ones only say that something failed.
pub(super) fn root_cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Whether the certificate of the server is to blame.
fn is_untrusted(error: &reqwest::Error) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return matches!(tls, rustls::Error::InvalidCertificate(_));
        }
        // An I/O error does not count what it wraps among its sources.
        next = match error.downcast_ref().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    false
}
