//! Runs against somebody who answers by a script.

mod answers;
mod budgets;
mod halts;

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::*;
use crate::cache::{CacheError, Key};
use crate::chat::{ChatReply, ChatRequest, Finish, Message, Role, Usage};
use crate::error::{AskError, Blame};
use crate::stop::Stop;

type Script = dyn Fn(&str, usize) -> (Duration, Result<ChatReply, AskError>) + Send + Sync;

/// Answers by a script, which is given the question and the number of the call, and says
/// after how long it answers.
struct Scripted {
    script: Box<Script>,
    asked: Mutex<Vec<String>>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

impl Scripted {
    fn new(
        script: impl Fn(&str, usize) -> (Duration, Result<ChatReply, AskError>) + Send + Sync + 'static,
    ) -> Self {
        Scripted {
            script: Box::new(script),
            asked: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            most_in_flight: AtomicUsize::new(0),
        }
    }

    /// Answers each question with its own text, after 0 to 5 ms.
    fn echo() -> Self {
        Self::new(|question, _| {
            let wait = question
                .bytes()
                .fold(7u64, |h, b| (h * 31 + u64::from(b)) % 1009)
                % 6;
            (Duration::from_millis(wait), Ok(reply(question)))
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Ask for Scripted {
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        _stake: &'a Stake,
        _stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ChatReply, AskError>> {
        async move {
            let question = request.messages[0].content.clone();
            let number = {
                let mut asked = self.asked.lock().unwrap();
                asked.push(question.clone());
                asked.len() - 1
            };
            let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_in_flight.fetch_max(now, Ordering::SeqCst);
            let (wait, result) = (self.script)(&question, number);
            tokio::time::sleep(wait).await;
            self.in_flight.fetch_sub(1, Ordering::SeqCst);
            result
        }
        .boxed()
    }

    fn identity(&self) -> &str {
        "scripted"
    }
}

fn reply(text: &str) -> ChatReply {
    ChatReply {
        text: text.to_owned(),
        finish: Finish::Complete,
        usage: Usage {
            input_tokens: Some(10),
            output_tokens: Some(2),
        },
        served_by: None,
        latency_ms: 1,
        attempts: 1,
        left_out: Vec::new(),
    }
}

fn gave_up(unreachable: bool) -> AskError {
    AskError::GaveUp {
        message: "no luck".to_owned(),
        attempts: 4,
        blame: match unreachable {
            true => Blame::Unreachable,
            false => Blame::Server,
        },
    }
}

fn job(text: &str) -> Job {
    Job {
        request: ChatRequest {
            messages: vec![Message {
                role: Role::User,
                content: text.to_owned(),
            }],
            temperature: 0.0,
            max_output_tokens: Some(20),
            seed: None,
            schema: None,
        },
        vote: 0,
        prompt_hash: "hash".into(),
    }
}

fn numbered(n: usize) -> Vec<Job> {
    (0..n).map(|number| job(&format!("q{number}"))).collect()
}

fn with(concurrency: usize) -> RunOptions {
    RunOptions {
        concurrency: NonZeroUsize::new(concurrency).unwrap(),
        ..RunOptions::default()
    }
}

fn run(
    jobs: &dyn Jobs,
    ask: &dyn Ask,
    cache: Option<&ReplyCache>,
    options: &RunOptions,
) -> RunOutcome {
    let outcome = ask_all(jobs, ask, cache, options, &RunHooks::quiet(&Stop::new())).unwrap();
    check_counts(&outcome);
    outcome
}

/// Every job is counted once, under what became of it.
fn check_counts(outcome: &RunOutcome) {
    let count =
        |of: &dyn Fn(&Answer) -> bool| outcome.answers.iter().filter(|a| of(a)).count() as u64;
    let origin =
        |wanted| count(&|a| matches!(a, Answer::Reply { origin, .. } if *origin == wanted));
    let totals = outcome.totals;
    assert_eq!(totals.jobs, outcome.answers.len() as u64);
    assert_eq!(totals.asked, origin(Origin::Asked));
    assert_eq!(totals.from_cache, origin(Origin::Cache));
    assert_eq!(totals.shared, origin(Origin::Shared));
    let abandoned = count(&|a| *a == Answer::Failed(AskError::Stopped));
    assert_eq!(totals.abandoned, abandoned);
    assert_eq!(
        totals.failed,
        count(&|a| matches!(a, Answer::Failed(_))) - abandoned
    );
    assert_eq!(
        totals.not_asked,
        count(&|a| matches!(a, Answer::NotAsked(_)))
    );
    assert!(outcome.halt.is_some() || totals.not_asked + totals.abandoned == 0);
}

fn texts<'a>(outcome: &'a RunOutcome) -> Vec<Option<&'a str>> {
    let text = |answer: &'a Answer| match answer {
        Answer::Reply { reply, .. } => Some(reply.text.as_str()),
        _ => None,
    };
    outcome.answers.iter().map(text).collect()
}

fn cache() -> (tempfile::TempDir, ReplyCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = ReplyCache::open(&folder.path().join("cache")).unwrap();
    (folder, cache)
}
