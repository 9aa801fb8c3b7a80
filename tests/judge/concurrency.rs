//! How many calls are on their way at once changes nothing in the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::judge::data::{NO, YES, arguments, asked, judge, lasting, place_with, run};
use crate::server::{Answer, Server};

/// What is said depends on the question alone, when it is said on the number of the request.
fn server() -> Server {
    Server::start(|received, number| {
        let question = asked(received);
        let digit = question.bytes().last().expect("a digit") - b'0';
        let answer = match digit {
            0..4 => Answer::says(YES),
            4..7 => Answer::says(NO),
            7 => Answer::says("mumble"),
            8 => Answer::error(400, serde_json::json!({"code": "content_filter"})),
            _ => Answer::error(500, "down".into()),
        };
        answer.after(Duration::from_millis(number as u64 * 7 % 9))
    })
}

#[test]
fn the_document_is_the_same_for_1_and_32_calls_at_once() {
    let (place, server) = (place_with(40), server());
    let mut texts = Vec::new();
    for concurrency in [1, 32] {
        let out = format!("--out judged{concurrency} --attempts 1 --concurrency {concurrency}");
        run(
            &place,
            &arguments(&server, "").replace("--out judged", &out),
        )
        .exits(3);
        let document = place.json(&format!("judged{concurrency}/m/set.json"));
        // As text: the order of keys counts, too.
        texts.push(serde_json::to_string_pretty(&lasting(document)).unwrap());
    }
    assert_eq!(texts[0], texts[1]);
    assert!(
        texts[0].contains("\"n_errors\": 4") && texts[0].contains("\"n_invalid\": 4"),
        "{}",
        texts[0]
    );
}

#[test]
fn never_more_calls_than_allowed_are_on_their_way() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, highest) = (now.clone(), most.clone());
    let server = Server::start(move |_, _| {
        highest.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        counted.fetch_sub(1, Ordering::SeqCst);
        Answer::says(YES)
    });
    judge(&place_with(30), &server, "--concurrency 3").exits(0);
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[test]
fn requests_per_minute_are_kept() {
    let place = place_with(1);
    let server = Server::start(|_, _| Answer::says(YES));
    for bad in [
        "--rpm 0",
        "--tpm 0",
        "--concurrency 0",
        "--concurrency 5000",
        "--timeout 0",
        "--attempts 0",
    ] {
        judge(&place, &server, bad)
            .exits(2)
            .complains(&[bad.split(' ').next().unwrap()]);
    }
    judge(&place, &server, "--rpm 600 --tpm 1000000").exits(0);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_server_that_claims_any_number_of_tokens_is_not_waited_for() {
    let server = Server::start(|_, _| {
        let reply = serde_json::json!({
            "choices": [{"message": {"role": "assistant", "content": YES}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 9_000_000_000_000_000_u64},
        });
        Answer::new(200, reply.to_string())
    });
    judge(&place_with(3), &server, "--tpm 1000000000 --concurrency 1").exits(0);
    assert_eq!(server.requests().len(), 3);
}
