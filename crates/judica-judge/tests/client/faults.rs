//! What ends without a reply, and what is tried again first.

use std::net::TcpListener;
use std::time::Duration;

use judica_judge::chat::Finish;
use judica_judge::client::Client;
use judica_judge::error::{AskError, Blame};
use judica_judge::stop::Stop;
use serde_json::json;
use tokio::time::Instant;

use crate::server::{Answer, Body, Server};
use crate::setup::{KEY, ask, ask_with, block_on, fatal, gave_up, impatient, question};

#[test]
fn what_nobody_will_be_answered_is_fatal_at_once() {
    for (status, error) in [
        (
            401,
            json!({"message": "Incorrect API key", "code": "invalid_api_key"}),
        ),
        (402, json!({"message": "pay first"})),
        (403, json!({"message": "forbidden"})),
        (
            404,
            json!({"message": "The model does not exist", "code": "model_not_found"}),
        ),
        (405, json!({"message": "what?"})),
        (
            429,
            json!({"message": "no credit", "code": "insufficient_quota"}),
        ),
    ] {
        let server = Server::scripted(vec![Answer::error(status, error.clone())]);
        let message = fatal(ask(&server));
        assert!(message.contains(&status.to_string()), "{message}");
        assert!(
            message.contains(error["message"].as_str().unwrap()),
            "{message}"
        );
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

/// Whether it is this question or all of them shows when others are asked.
#[test]
fn a_bad_request_is_given_up_alone() {
    for status in [400, 422] {
        let server = Server::scripted(vec![Answer::error(status, json!({"message": "no"}))]);
        let result = ask(&server);
        assert!(
            matches!(
                result,
                Err(AskError::GaveUp {
                    blame: Blame::Form,
                    ..
                })
            ),
            "{result:?}"
        );
        // It may be due to the reply format, so that is tried three ways.
        assert_eq!(server.requests().len(), 3, "{status}");
    }
}

#[test]
fn a_server_that_repeats_the_key_or_plays_with_the_terminal_is_tamed() {
    let words = format!("bad key {KEY}\u{1b}[31m\r\n{}", "w".repeat(2000));
    let server = Server::scripted(vec![Answer::error(401, json!({"message": words}))]);
    let message = fatal(ask(&server));
    assert!(message.contains("bad key *** [31m  ww"), "{message}");
    assert!(message.chars().count() < 600);

    let server = Server::scripted(vec![Answer::new(500, KEY)]);
    let (options, watcher) = impatient(&server.base_url());
    gave_up(ask_with(options));
    let retries = watcher.retries.lock().unwrap();
    assert!(
        retries
            .iter()
            .all(|retry| retry.why.contains("***") && !retry.why.contains(KEY))
    );
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Server::scripted(vec![Answer::says("stolen")]);
    let place = format!("{}/chat/completions?token=x", other.base_url());
    let server = Server::scripted(vec![Answer::new(307, "").header("Location", &place)]);
    let message = fatal(ask(&server));
    assert!(
        message.contains(&other.base_url()) && !message.contains("token"),
        "{message}"
    );
    assert!(other.requests().is_empty());
}

#[test]
fn passing_faults_are_tried_again() {
    let whole = Answer::says("fine");
    let Body::Whole(body) = whole.body.clone() else {
        unreachable!()
    };
    let half = body.len() / 2;
    for fault in [
        Answer::new(408, ""),
        Answer::new(409, "{}"),
        Answer::new(425, "[]"),
        Answer::error(429, json!({"message": "slow down"})),
        Answer::error(500, json!("broken")),
        Answer::new(502, "<html>Bad Gateway</html>"),
        Answer::new(503, ""),
        Answer::new(529, ""),
        Answer::error(200, json!({"message": "upstream", "code": 502})),
        Answer::new(200, "").body(Body::Cut(body.clone(), half)),
        Answer::new(200, "").body(Body::UntilClose(body[..half].to_vec())),
        Answer::new(200, "").body(Body::HangUp),
    ] {
        let shown = format!("{fault:?}");
        let server = Server::scripted(vec![fault.clone(), fault, whole.clone()]);
        let (options, watcher) = impatient(&server.base_url());
        let reply = ask_with(options).unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.attempts),
            ("fine", 3),
            "{shown}"
        );
        let retries = watcher.retries.lock().unwrap();
        assert_eq!(
            retries.iter().map(|r| r.attempt).collect::<Vec<_>>(),
            [1, 2]
        );
        let sent = server.requests();
        assert!(
            sent.iter().all(|one| one.body == sent[0].body),
            "the very same question"
        );
    }
}

#[test]
fn patience_ends() {
    let server = Server::scripted(vec![Answer::error(500, json!({"message": "broken"}))]);
    let (message, attempts, unreachable) = gave_up(ask(&server));
    assert!(
        message.contains("500 Internal Server Error: broken"),
        "{message}"
    );
    assert_eq!(
        (attempts, unreachable, server.requests().len()),
        (6, false, 6)
    );

    let body = Answer::says("fine").body;
    let Body::Whole(body) = body else {
        unreachable!()
    };
    let server = Server::scripted(vec![Answer::new(200, "").body(Body::Cut(body, 9))]);
    let (message, attempts, unreachable) = gave_up(ask(&server));
    assert!(message.contains("broke off"), "{message}");
    assert_eq!((attempts, unreachable), (6, false));
}

#[test]
fn a_refused_connection_costs_seconds() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let (mut options, _) = impatient(&format!("http://127.0.0.1:{port}/v1"));
    let patient = judica_judge::client::options::ClientOptions::new(options.endpoint.clone());
    (options.first_wait, options.longest_wait) = (patient.first_wait, patient.longest_wait);
    let (result, took) = block_on(async {
        let began = Instant::now();
        let client = Client::new(options).unwrap();
        (client.ask(&question(), &Stop::new()).await, began.elapsed())
    });
    let (message, attempts, unreachable) = gave_up(result);
    assert!(
        message.contains("cannot connect: Connection refused"),
        "{message}"
    );
    assert_eq!((attempts, unreachable), (3, true));
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn silence_ends_with_the_timeout() {
    for (body, attempts_expected, unreachable_expected) in
        [(Body::Silence, 3, true), (Body::Stalled, 6, false)]
    {
        let server = Server::scripted(vec![Answer::new(200, "").body(body)]);
        let (mut options, _) = impatient(&server.base_url());
        options.timeout = Duration::from_millis(60);
        let (message, attempts, unreachable) = gave_up(ask_with(options));
        assert!(message.contains("answer within 0.06 s"), "{message}");
        assert_eq!(
            (attempts, unreachable),
            (attempts_expected, unreachable_expected)
        );
    }
}

#[test]
fn one_bad_question_does_not_end_a_run_that_is_under_way() {
    let server = Server::scripted(vec![
        Answer::says("fine"),
        Answer::error(400, json!({"message": "odd characters"})),
        Answer::says("fine again"),
    ]);
    let client = Client::new(impatient(&server.base_url()).0).unwrap();
    block_on(async {
        let stop = Stop::new();
        client.ask(&question(), &stop).await.unwrap();
        let (_, attempts, unreachable) = gave_up(client.ask(&question(), &stop).await);
        assert_eq!((attempts, unreachable), (1, false));
        let reply = client.ask(&question(), &stop).await.unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.finish),
            ("fine again", Finish::Complete)
        );
    });
    assert!(client.dialect().notes().is_empty());
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_question_that_is_too_long_is_given_up_alone() {
    for error in [
        json!({"message": "too long", "code": "context_length_exceeded"}),
        json!({"message": "'max_tokens' is too large: the maximum context length is 8",
               "param": "max_tokens"}),
    ] {
        let server = Server::scripted(vec![Answer::error(400, error)]);
        let result = ask(&server);
        assert!(
            matches!(result, Err(AskError::GaveUp { attempts: 1, .. })),
            "{result:?}"
        );
        assert_eq!(
            server.requests().len(),
            1,
            "no other wording makes it shorter"
        );
    }
}
