//! Questions, and a client of a server.

use std::num::NonZeroUsize;
use std::time::Duration;

use judica_judge::chat::{ChatRequest, Message, Role};
use judica_judge::client::Client;
use judica_judge::client::options::ClientOptions;
use judica_judge::endpoint::Endpoint;
use judica_judge::run::{Answer, Job, RunOptions, RunOutcome};

use crate::server::Received;

pub fn client(base_url: &str) -> Client {
    let endpoint = Endpoint::openai(base_url, "model-1", None).unwrap();
    Client::new(ClientOptions {
        first_wait: Duration::from_millis(5),
        ..ClientOptions::new(endpoint)
    })
    .unwrap()
}

/// Questions `question FROM` and on.
pub fn questions(numbers: std::ops::Range<usize>) -> Vec<Job> {
    let job = |number| Job {
        request: ChatRequest {
            messages: vec![Message {
                role: Role::User,
                content: format!("question {number}"),
            }],
            temperature: 0.0,
            max_output_tokens: Some(50),
            seed: None,
            schema: None,
        },
        vote: 0,
        prompt_hash: "hash".into(),
    };
    numbers.map(job).collect()
}

/// The question that a request asks.
pub fn question_in(received: &Received) -> String {
    received.json()["messages"][0]["content"]
        .as_str()
        .unwrap()
        .to_owned()
}

pub fn at_once(concurrency: usize) -> RunOptions {
    RunOptions {
        concurrency: NonZeroUsize::new(concurrency).unwrap(),
        ..RunOptions::default()
    }
}

/// The texts of all answers, which must all be replies.
pub fn texts(outcome: &RunOutcome) -> Vec<String> {
    let text = |answer: &Answer| match answer {
        Answer::Reply { reply, .. } => reply.text.clone(),
        other => panic!("{other:?}"),
    };
    outcome.answers.iter().map(text).collect()
}
