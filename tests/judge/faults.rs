//! Servers that refuse, hurry, hang and are not there. A row without a reply has no verdict:
//! it stands in the file as null, the run is no success, and the next run asks for it alone.

use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use crate::judge::data::{
    NO, YES, all_asked, asked, faulty, judge, judged, lasting, place_with, row, run, verdicts,
    write_rows,
};
use crate::server::{Answer, Body, Server};
use crate::support::refused;

/// Question 1 of 3 meets a fault that does not go away: the row is null, the exit code 3,
/// and when the server is well again a rerun asks for that row and no other.
#[track_caller]
fn no_reply(answer: Answer, more: &str, calls: usize, words: &str) {
    let (server, healed) = faulty("question 1", answer);
    let place = place_with(3);
    judge(&place, &server, more)
        .exits(3)
        .complains(&["SYSTEM_ERROR", "1 row", "No reply came", words])
        .says(&["n/a", "1 of 3 rows have no verdict", "0.6667 and 1.0000"]);
    let document = judged(&place);
    assert_eq!(verdicts(&document), ["yes ok", "- error", "yes ok"]);
    let row = &document["detailed_results"][1];
    assert_eq!(row["correct"], Value::Null);
    let reasoning = row["reasoning"].as_str().unwrap();
    assert!(reasoning.contains(words), "{reasoning}");
    assert_eq!(
        (
            &document["judge"]["n_errors"],
            &document["judge"]["n_invalid"]
        ),
        (&1.into(), &0.into())
    );
    let metrics = &document["judge_metrics"];
    assert_eq!(
        (&metrics["undecided"], &metrics["total_evaluated"]),
        (&1.into(), &2.into())
    );
    // Not the accuracy of the rows that happened to be answered.
    for unknown in ["accuracy", "accuracy_without_unmatched"] {
        assert_eq!(metrics[unknown], Value::Null);
    }
    assert_eq!(metrics["undefined"], "1 of 3 rows have no verdict");
    assert_eq!(metrics["accuracy_bounds"], json!([2.0 / 3.0, 1.0]));
    assert_eq!(metrics["intervals"]["accuracy"]["value"], Value::Null);
    let report = place.json("judged/judge_report.json");
    assert_eq!(&report["judges"][0]["datasets"][0]["metrics"], metrics);
    assert_eq!(server.requests().len(), 2 + calls);
    // `agree judges` counts the row and does not take it for a verdict.
    place
        .judica("agree judges --eval-dir judged --out agreement.json")
        .exits(0);
    let report = place.json("agreement.json");
    assert_eq!(refused(&report, "missing_verdict"), 1, "{report}");

    healed.store(true, Ordering::SeqCst);
    judge(&place, &server, more).exits(0);
    assert_eq!(verdicts(&judged(&place)), ["yes ok"; 3]);
    assert_eq!(judged(&place)["judge_metrics"]["accuracy"], 1.0);
    assert_eq!(all_asked(&server)[2 + calls..], ["question 1"]);
    assert_eq!(judged(&place)["judge"]["n_from_cache"], 2);
}

#[test]
fn always_500() {
    let answer = Answer::error(500, "out of order".into());
    no_reply(
        answer,
        "--attempts 2",
        2,
        "500 Internal Server Error: out of order",
    );
}

#[test]
fn always_too_many_requests() {
    let answer = Answer::error(429, "slow down".into()).header("Retry-After", "0");
    no_reply(
        answer,
        "--attempts 2",
        2,
        "429 Too Many Requests: slow down",
    );
}

#[test]
fn half_a_body() {
    let whole = br#"{"choices": [{"message": {"content": "{\"correct\": \"yes\"}"}}]}"#.to_vec();
    let answer = Answer::new(200, "").body(Body::Cut(whole, 40));
    no_reply(answer, "--attempts 2", 2, "broke off");
}

#[test]
fn a_connection_that_is_closed_without_a_word() {
    no_reply(
        Answer::new(200, "").body(Body::HangUp),
        "--attempts 1",
        1,
        "connection broke",
    );
}

#[test]
fn silence_until_the_timeout() {
    no_reply(
        Answer::new(200, "").body(Body::Silence),
        "--attempts 1 --timeout 1",
        1,
        "no answer within 1 s",
    );
}

#[test]
fn a_reply_that_stops_half_way() {
    no_reply(
        Answer::new(200, "").body(Body::Stalled),
        "--attempts 1 --timeout 1",
        1,
        "no whole answer within 1 s",
    );
}

#[test]
fn a_wrong_key_ends_the_run_at_once() {
    let server = Server::start(|_, _| Answer::error(401, "Incorrect API key".into()));
    let place = place_with(50);
    judge(&place, &server, "--concurrency 4")
        .exits(3)
        .complains(&[
            "SYSTEM_ERROR",
            &server.base_url(),
            "401 Unauthorized",
            "Incorrect API key",
            "no key was sent: OPENAI_API_KEY is not set",
        ]);
    assert!(server.requests().len() <= 4, "{}", server.requests().len());
    assert!(!place.path("judged/m/set.json").exists());
}

#[test]
fn a_model_that_is_not_there_ends_the_run_at_once() {
    let server = Server::start(|_, _| Answer::error(404, "The model `m` does not exist".into()));
    let place = place_with(50);
    judge(&place, &server, "--concurrency 2")
        .exits(3)
        .complains(&["404", "does not exist", "name of the model"]);
    assert!(server.requests().len() <= 2);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "whether a server is left alone for a second is told by the clock"
)]
fn a_server_that_is_busy_is_asked_again() {
    for (first, waits) in [
        (
            Answer::error(429, "slow down".into()).header("Retry-After", "1"),
            true,
        ),
        (Answer::error(429, "slow down".into()), false),
        (
            Answer::error(503, "loading".into()).header("retry-after-ms", "20"),
            false,
        ),
        (Answer::error(500, "hiccup".into()), false),
        (Answer::new(502, "<html>bad gateway</html>"), false),
    ] {
        let server = Server::scripted(vec![first.clone(), Answer::says(YES)]);
        let place = place_with(1);
        let began = std::time::Instant::now();
        judge(&place, &server, "").exits(0);
        assert!(
            !waits || began.elapsed() >= Duration::from_secs(1),
            "{first:?}"
        );
        assert_eq!(verdicts(&judged(&place)), ["yes ok"]);
        assert_eq!(judged(&place)["detailed_results"][0]["call"]["attempts"], 2);
    }
}

#[test]
fn nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let command =
        format!("judge --predictions preds --model m --base-url http://{port}/v1 --out judged");
    let place = place_with(40);
    run(&place, &command).exits(3).complains(&[
        "SYSTEM_ERROR",
        &port.to_string(),
        "cannot connect",
        "refused",
    ]);
    assert!(!place.path("judged/m/set.json").exists());
    // Nor is one written that is too small for three calls, whatever equality decides of it.
    let place = place_with(1);
    let equal = json!({"input": "q", "gold": "<<A>>F p", "prediction": "<<A>>F p"});
    place.write_lines("preds/set.jsonl", &[row(0).to_string(), equal.to_string()]);
    run(&place, &command).exits(3).complains(&[
        "SYSTEM_ERROR",
        "could not be reached",
        "cannot connect",
    ]);
    assert!(!place.path("judged/m/set.json").exists());
}

/// A server that is there and answers nobody is as dead as none, and what comes after it is
/// not tried.
#[test]
fn a_server_that_answers_nobody_leaves_no_document() {
    let dead = [
        (Answer::error(500, "broken".into()), "broken"),
        (Answer::new(200, "").body(Body::HangUp), "connection broke"),
        (Answer::new(200, "").body(Body::Silence), "no answer within"),
    ];
    for (answer, words) in dead {
        let server = Server::start(move |_, _| answer.clone());
        let place = place_with(2);
        write_rows(&place, "preds/zweite.jsonl", 5..7);
        judge(&place, &server, "--attempts 1 --timeout 1")
            .exits(3)
            .complains(&["SYSTEM_ERROR", words, "the same command goes on"])
            .says(&["stopped"]);
        for name in ["set", "zweite"] {
            assert!(!place.path(&format!("judged/m/{name}.json")).exists());
        }
        assert_eq!(server.requests().len(), 2);
    }
}

/// One that refuses a question is not dead, even if nothing else was asked.
#[test]
fn a_question_that_is_too_long_is_a_row_without_a_verdict() {
    let long =
        json!({"message": "maximum context length is 8 tokens", "code": "context_length_exceeded"});
    let server = Server::start(move |_, _| Answer::error(400, long.clone()));
    let place = place_with(1);
    judge(&place, &server, "")
        .exits(3)
        .complains(&["1 row has no verdict"]);
    assert_eq!(verdicts(&judged(&place)), ["- error"]);
    let metrics = &judged(&place)["judge_metrics"];
    assert_eq!(metrics["accuracy_bounds"], json!([0.0, 1.0]));
    assert_eq!(metrics["undefined"], "no row has a verdict");
}

#[test]
fn a_server_that_fails_for_everybody_is_left_alone() {
    let server = Server::start(|_, _| Answer::error(500, "broken".into()));
    let place = place_with(200);
    judge(&place, &server, "--attempts 1")
        .exits(3)
        .complains(&["25 questions in a row", "broken"]);
    assert!(server.requests().len() < 60);
}

#[test]
fn a_filter_that_declines_is_an_answer() {
    let refusal = serde_json::json!({"code": "content_filter", "message": "filtered"});
    let (server, _) = faulty("question 1", Answer::error(400, refusal));
    let place = place_with(3);
    judge(&place, &server, "").exits(0);
    assert_eq!(
        verdicts(&judged(&place)),
        ["yes ok", "no refused", "yes ok"]
    );
    assert_eq!(judged(&place)["judge"]["n_refused"], 1);
    assert_eq!(judged(&place)["judge_metrics"]["refused"], 1);
    judge(&place, &server, "--overwrite").exits(0);
    assert_eq!(server.requests().len(), 3, "it is not asked again");
}

#[test]
fn a_question_that_is_too_long_does_not_end_the_run() {
    let long = serde_json::json!({"message": "maximum context length is 8 tokens", "code": "context_length_exceeded"});
    no_reply(Answer::error(400, long), "", 1, "maximum context length");
}

#[test]
fn a_server_without_schemas_is_asked_without() {
    let server = Server::start(|received, _| match received.json().get("response_format") {
        Some(_) => Answer::error(400, "response_format is not supported".into()),
        None => Answer::says(if asked(received) == "question 0" {
            NO
        } else {
            YES
        }),
    });
    let place = place_with(4);
    judge(&place, &server, "--concurrency 1").exits(0);
    assert_eq!(
        verdicts(&judged(&place)),
        ["no ok", "yes ok", "yes ok", "yes ok"]
    );
    assert!(
        server.requests().len() <= 6,
        "it is learnt once: {}",
        server.requests().len()
    );
}

#[test]
fn an_error_with_success_is_not_called_a_status() {
    let body = r#"{"error":{"message":"over"}}"#;
    let server = Server::start(move |_, _| Answer::new(200, body));
    let said = judge(&place_with(1), &server, "--attempts 1").exits(3);
    assert!(!said.stderr.contains("500"), "{}", said.stderr);
    said.complains(&["with success, but sent an error: over"]);
}

#[test]
fn a_wait_that_is_too_long_is_told() {
    let busy = Answer::error(429, "slow down".into()).header("retry-after", "700");
    let server = Server::start(move |_, _| busy.clone());
    judge(&place_with(1), &server, "")
        .exits(3)
        .complains(&["it asks to wait 700 seconds, and more than 600 are not waited for"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_a_server_does_not_take_stands_in_the_document() {
    let server = Server::start(
        |received, _| match received.json()["temperature"].is_null() {
            true => Answer::says(YES),
            false => {
                let error = json!({"message": "Unsupported value", "param": "temperature"});
                Answer::error(400, error)
            }
        },
    );
    let place = place_with(2);
    judge(&place, &server, "").exits(0);
    let document = judged(&place);
    assert_eq!(document["judge_temperature"], Value::Null);
    assert_eq!(document["judge_left_out"], json!(["temperature"]));
    judge(&place, &server, "").exits(0).says(&["current"]);
    // The cache knows how its replies were asked for.
    judge(&place, &server, "--overwrite").exits(0);
    assert_eq!(lasting(judged(&place)), lasting(document));
}
