//! Servers that do not take all of a question.

use judica_judge::client::Client;
use judica_judge::stop::Stop;
use judica_judge::wire::dialect::{Format, Limit};
use serde_json::{Value, json};

use crate::server::{Answer, Received, Server};
use crate::setup::{block_on, gave_up, impatient, question};

/// A server that refuses every part for which `refuses` has words.
fn picky(refuses: impl Fn(&Value) -> Option<(u16, Value)> + Send + Sync + 'static) -> Server {
    Server::start(
        move |received: &Received, _| match refuses(&received.json()) {
            Some((status, error)) => Answer::error(status, error),
            None => Answer::says("fine"),
        },
    )
}

#[test]
fn the_ladder_of_reply_formats_is_learnt_once() {
    for (kinds, requests, format) in [
        (vec!["json_schema"], 2, Format::Object),
        (vec!["json_schema", "json_object"], 3, Format::Free),
    ] {
        // In the server's words, and without any.
        for message in ["'response_format' is not supported", "Bad Request"] {
            let kinds = kinds.clone();
            let server = picky(move |body| {
                let kind = body["response_format"]["type"].as_str().unwrap_or_default();
                kinds
                    .contains(&kind)
                    .then(|| (400, json!({"message": message})))
            });
            let (options, watcher) = impatient(&server.base_url());
            let client = Client::new(options).unwrap();
            block_on(async {
                let first = client.ask(&question(), &Stop::new()).await.unwrap();
                assert_eq!(first.attempts, 1, "rewording is no failed attempt");
                client.ask(&question(), &Stop::new()).await.unwrap();
            });
            assert_eq!(server.requests().len(), requests + 1, "{message}");
            assert_eq!(client.dialect().format, format);
            assert_eq!(client.dialect().notes().len(), 1);
            let downgrades = watcher.downgrades.lock().unwrap();
            assert_eq!(downgrades.last().unwrap().0, client.dialect());
            assert!(watcher.retries.lock().unwrap().is_empty());
        }
    }
}

#[test]
fn reasoning_models_get_what_they_take() {
    let server = picky(|body| {
        let unsupported = |name: &str, words: &str| {
            let message = format!("Unsupported: '{name}' {words}");
            (
                400,
                json!({"message": message, "param": name, "code": "unsupported_parameter"}),
            )
        };
        if body.get("max_tokens").is_some() {
            return Some(unsupported(
                "max_tokens",
                "Use 'max_completion_tokens' instead.",
            ));
        }
        if body.get("temperature").is_some() {
            return Some(unsupported(
                "temperature",
                "Only the default (1) is supported.",
            ));
        }
        body.get("seed")
            .map(|_| unsupported("seed", "is not taken."))
    });
    let (options, watcher) = impatient(&server.base_url());
    let client = Client::new(options).unwrap();
    let reply = block_on(client.ask(&question(), &Stop::new())).unwrap();
    assert_eq!((reply.attempts, server.requests().len()), (1, 4));
    let last = server.requests().pop().unwrap().json();
    assert_eq!(last["max_completion_tokens"], 200);
    assert_eq!(last["response_format"]["type"], "json_schema");
    assert!(last.get("seed").is_none() && last.get("temperature").is_none());
    let dialect = client.dialect();
    assert_eq!(
        (dialect.limit, dialect.seed, dialect.temperature),
        (Limit::MaxCompletionTokens, false, false)
    );
    assert_eq!(watcher.downgrades.lock().unwrap().len(), 3);
}

#[test]
fn many_questions_at_once_learn_together() {
    let server = picky(|body| {
        (body["response_format"]["type"] == "json_schema")
            .then(|| (422, json!({"message": "json_schema is unknown here"})))
    });
    let (options, watcher) = impatient(&server.base_url());
    let client = Client::new(options).unwrap();
    block_on(async {
        let (request, stop) = (question(), Stop::new());
        let all = (0..16).map(|_| client.ask(&request, &stop));
        for reply in futures_util::future::join_all(all).await {
            assert_eq!(reply.unwrap().attempts, 1);
        }
    });
    assert_eq!(
        watcher.downgrades.lock().unwrap().len(),
        1,
        "news is told once"
    );
    assert_eq!(
        client.dialect().format,
        Format::Object,
        "one step, not one for each question"
    );
}

#[test]
fn a_limit_is_never_dropped() {
    let server = picky(|body| {
        let limit = ["max_tokens", "max_completion_tokens"]
            .into_iter()
            .find(|name| body.get(name).is_some());
        limit.map(|name| {
            (
                400,
                json!({"message": format!("{name} is too large"), "param": name}),
            )
        })
    });
    let (options, _) = impatient(&server.base_url());
    let client = Client::new(options).unwrap();
    let (message, ..) = gave_up(block_on(client.ask(&question(), &Stop::new())));
    assert!(message.contains("too large"), "{message}");
    let sent = server.requests();
    assert!(sent.iter().all(|one| {
        one.json().get("max_tokens").is_some() || one.json().get("max_completion_tokens").is_some()
    }));
}
