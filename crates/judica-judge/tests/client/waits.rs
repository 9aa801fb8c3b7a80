//! Waiting: what the server asks for, what everybody shares, what a stop ends.

use std::time::Duration;

use judica_judge::client::Client;
use judica_judge::error::AskError;
use judica_judge::stop::Stop;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::server::{Answer, Server};
use crate::setup::{ask_with, block_on, gave_up, impatient, question};

fn too_many(retry_after: &str) -> Answer {
    Answer::error(429, json!({"message": "too many"})).header("Retry-After", retry_after)
}

#[test]
fn retry_after_is_honoured() {
    let server = Server::scripted(vec![too_many("0.3"), Answer::says("fine")]);
    let (options, watcher) = impatient(&server.base_url());
    let client = Client::new(options).unwrap();
    let took = block_on(async {
        let began = Instant::now();
        client.ask(&question(), &Stop::new()).await.unwrap();
        began.elapsed()
    });
    assert!(took >= Duration::from_millis(300), "{took:?}");
    let retries = watcher.retries.lock().unwrap();
    assert!(retries[0].wait >= Duration::from_millis(300));
    assert!(retries[0].why.contains("429 Too Many Requests: too many"));
}

#[test]
fn one_refusal_holds_up_one_call_and_three_in_a_row_everybody() {
    for (refusals, held) in [(1, false), (3, true)] {
        let server = Server::start(move |_, number| {
            if number < refusals {
                too_many("0.4")
            } else {
                Answer::says("fine")
            }
        });
        let client = Client::new(impatient(&server.base_url()).0).unwrap();
        block_on(async {
            let (request, stop) = (question(), Stop::new());
            let began = Instant::now();
            let late = async {
                while server.requests().len() < refusals {
                    sleep(Duration::from_millis(10)).await;
                }
                sleep(Duration::from_millis(100)).await;
                client.ask(&request, &stop).await.unwrap();
                began.elapsed()
            };
            let all = (0..refusals).map(|_| client.ask(&request, &stop));
            let (first, late) = tokio::join!(futures_util::future::join_all(all), late);
            assert!(
                first
                    .iter()
                    .all(|reply| reply.as_ref().unwrap().attempts == 2)
            );
            let waited = late >= Duration::from_millis(400);
            // A machine that is busy elsewhere may make anybody wait.
            assert!(waited || !held, "{late:?}");
            assert!(began.elapsed() >= Duration::from_millis(400));
            let order = server.requests().len();
            assert_eq!(order, 2 * refusals + 1);
        });
    }
}

#[test]
fn long_waits_are_cut_and_hopeless_ones_refused() {
    // Impatient clients wait 0.4 s at most.
    let server = Server::scripted(vec![too_many("300"), Answer::says("fine")]);
    let (options, watcher) = impatient(&server.base_url());
    assert_eq!(ask_with(options).unwrap().attempts, 2);
    assert!(watcher.retries.lock().unwrap()[0].wait < Duration::from_millis(500));

    let server = Server::scripted(vec![too_many("601")]);
    let (options, _) = impatient(&server.base_url());
    let (message, attempts, unreachable) = gave_up(ask_with(options));
    assert!(message.contains("too many"), "{message}");
    assert_eq!(
        (attempts, unreachable, server.requests().len()),
        (1, false, 1)
    );
}

#[test]
fn without_retry_after_too_many_waits_longer_than_a_failure() {
    let waits = |status| {
        let server = Server::scripted(vec![Answer::new(status, "")]);
        let (mut options, watcher) = impatient(&server.base_url());
        options.longest_wait = Duration::from_secs(1);
        gave_up(ask_with(options));
        let retries = watcher.retries.lock().unwrap();
        assert_eq!(retries.len(), 5);
        retries.iter().map(|retry| retry.wait).sum::<Duration>()
    };
    // The same draws, four times as far.
    assert!(waits(429) > 3 * waits(500));
}

#[test]
fn a_stop_ends_waits_at_once() {
    let server = Server::scripted(vec![too_many("500")]);
    let (mut options, _) = impatient(&server.base_url());
    options.longest_wait = Duration::from_secs(500);
    let client = Client::new(options).unwrap();
    block_on(async {
        let (request, stop) = (question(), Stop::new());
        let began = Instant::now();
        let raise = async {
            sleep(Duration::from_millis(400)).await;
            stop.stop();
        };
        // The last waits for the pause that the others met.
        let late = async {
            while server.requests().len() < 3 {
                sleep(Duration::from_millis(5)).await;
            }
            sleep(Duration::from_millis(50)).await;
            client.ask(&request, &stop).await
        };
        let first = futures_util::future::join_all((0..3).map(|_| client.ask(&request, &stop)));
        let (first, last, ()) = tokio::join!(first, late, raise);
        assert_eq!(first, vec![Err(AskError::Stopped); 3]);
        assert_eq!(last, Err(AskError::Stopped));
        assert!(began.elapsed() < Duration::from_secs(5));
        assert_eq!(client.ask(&request, &stop).await, Err(AskError::Stopped));
    });
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_call_on_its_way_has_some_grace() {
    let server = Server::start(|_, number| {
        let delay = if number == 0 { 200 } else { 60_000 };
        Answer::says("fine").after(Duration::from_millis(delay))
    });
    let (mut options, _) = impatient(&server.base_url());
    options.grace = Duration::from_millis(500);
    let client = Client::new(options).unwrap();
    block_on(async {
        let request = question();
        for expected in [Ok("fine".to_owned()), Err(AskError::Stopped)] {
            let stop = Stop::new();
            let raise = async {
                sleep(Duration::from_millis(50)).await;
                stop.stop();
            };
            let (answer, ()) = tokio::join!(client.ask(&request, &stop), raise);
            assert_eq!(answer.map(|reply| reply.text), expected);
        }
    });
}

#[test]
fn calls_per_minute_are_kept() {
    let server = Server::scripted(vec![Answer::says("fine")]);
    let (mut options, _) = impatient(&server.base_url());
    // One every 50 ms.
    options.limits.calls_per_minute = Some(1200);
    let client = Client::new(options).unwrap();
    let took = block_on(async {
        let (request, stop) = (question(), Stop::new());
        let began = Instant::now();
        let all = (0..9).map(|_| client.ask(&request, &stop));
        futures_util::future::join_all(all).await;
        began.elapsed()
    });
    assert!(took >= Duration::from_millis(8 * 50), "{took:?}");
}

#[test]
fn a_storm_of_too_many_is_weathered() {
    // A server that takes 20 calls in 200 ms and sends the others away.
    let window = std::sync::Mutex::new((Instant::now(), 0));
    let server = Server::start(move |_, _| {
        let mut window = window.lock().unwrap();
        if window.0.elapsed() > Duration::from_millis(200) {
            *window = (Instant::now(), 0);
        }
        window.1 += 1;
        if window.1 > 20 {
            too_many("0.2")
        } else {
            Answer::says("fine")
        }
    });
    let (mut options, _) = impatient(&server.base_url());
    options.first_wait = Duration::from_millis(50);
    let client = Client::new(options).unwrap();
    let lost = block_on(async {
        let (request, stop) = (question(), Stop::new());
        let all = (0..100).map(|_| client.ask(&request, &stop));
        let replies = futures_util::future::join_all(all).await;
        replies.iter().filter(|reply| reply.is_err()).count()
    });
    assert_eq!(lost, 0);
}
