//! What becomes a reply.

use judica_judge::chat::{Finish, Usage};
use serde_json::json;

use crate::server::{Answer, Body, Server};
use crate::setup::{KEY, ask, ask_with, impatient};

#[test]
fn an_ordinary_call() {
    let server = Server::scripted(vec![Answer::says("{\"correct\": \"yes\"}")]);
    let (options, watcher) = impatient(&server.base_url());
    let reply = ask_with(options).unwrap();
    assert_eq!(reply.text, "{\"correct\": \"yes\"}");
    assert_eq!(reply.finish, Finish::Complete);
    assert_eq!(
        reply.usage,
        Usage {
            input_tokens: Some(11),
            output_tokens: Some(7)
        }
    );
    assert_eq!(reply.served_by.as_deref(), Some("served-model"));
    assert_eq!(reply.attempts, 1);
    assert_eq!(*watcher.finished.lock().unwrap(), 1);
    assert!(watcher.retries.lock().unwrap().is_empty());

    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    let sent = &requests[0];
    assert_eq!(sent.target, "/v1/chat/completions");
    assert_eq!(
        sent.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert_eq!(sent.header("content-type"), Some("application/json"));
    assert_eq!(sent.header("accept-encoding"), Some("identity"));
    assert_eq!(sent.json()["model"], "judge-model");
    assert_eq!(
        sent.json()["response_format"]["json_schema"]["strict"],
        true
    );
}

#[test]
fn a_reply_that_repeats_the_key_does_not_keep_it() {
    let body = json!({
        "model": KEY,
        "choices": [{"message": {"content": format!("your key is {KEY}!")}}],
    });
    let server = Server::scripted(vec![Answer::new(200, body.to_string())]);
    let reply = ask(&server).unwrap();
    assert_eq!(reply.text, "your key is ***!");
    assert_eq!(reply.served_by.as_deref(), Some("***"));
}

#[test]
fn a_refusal_is_a_reply_in_each_of_its_forms() {
    let filtered = json!({"message": "The response was filtered", "code": "content_filter",
        "param": "prompt", "innererror": {"code": "ResponsibleAIPolicyViolation"}});
    let choice = |message, reason| {
        let choice = json!({"message": message, "finish_reason": reason});
        Answer::new(200, json!({"choices": [choice]}).to_string())
    };
    for (answer, text) in [
        (
            Answer::error(400, filtered.clone()),
            "The response was filtered",
        ),
        (Answer::error(200, filtered), "The response was filtered"),
        (choice(json!({"content": ""}), "content_filter"), ""),
        (
            choice(json!({"content": null, "refusal": "I cannot"}), "stop"),
            "I cannot",
        ),
    ] {
        let server = Server::scripted(vec![answer]);
        let reply = ask(&server).unwrap();
        assert_eq!((reply.finish, reply.text.as_str()), (Finish::Refused, text));
        assert_eq!(server.requests().len(), 1, "a refusal is not asked again");
    }
}

#[test]
fn nonsense_is_asked_again_and_kept_in_the_end() {
    for body in [
        "<html>hello</html>",
        "{\"choices\": []}",
        "",
        "{\"choices\": [{\"mess",
    ] {
        let server = Server::scripted(vec![Answer::new(200, body)]);
        let (mut options, watcher) = impatient(&server.base_url());
        options.attempts = 3;
        let reply = ask_with(options).unwrap();
        assert_eq!(
            (reply.finish, reply.text.as_str()),
            (Finish::Unreadable, body)
        );
        assert_eq!((reply.attempts, server.requests().len()), (3, 3));
        assert_eq!(watcher.retries.lock().unwrap().len(), 2);
    }
    let server = Server::scripted(vec![Answer::new(200, "oops"), Answer::says("fine")]);
    assert_eq!(ask(&server).unwrap().text, "fine");
}

#[test]
fn of_nonsense_only_the_beginning_is_kept_and_never_the_key() {
    let body = format!("{KEY} {}", "é".repeat(5000));
    let server = Server::scripted(vec![Answer::new(200, body)]);
    let (mut options, _) = impatient(&server.base_url());
    options.attempts = 1;
    let text = ask_with(options).unwrap().text;
    assert_eq!(text.chars().count(), 2000);
    assert!(text.starts_with("*** é"));
}

#[test]
fn a_huge_body_is_not_received() {
    const BYTES: usize = 50_000_000;
    for chunked in [false, true] {
        let server = Server::scripted(vec![Answer::new(200, "").body(Body::Huge {
            bytes: BYTES,
            chunked,
        })]);
        let reply = ask(&server).unwrap();
        assert_eq!(reply.finish, Finish::Unreadable);
        assert_eq!(reply.text, "x".repeat(2000));
        assert_eq!((reply.attempts, server.requests().len()), (1, 1));
        // Buffers of the network may take a little more than the client read.
        let most = if chunked { 24_000_000 } else { 16_000_000 };
        assert!(
            server.bytes_sent() < most,
            "{} bytes were sent",
            server.bytes_sent()
        );
    }
}
