//! Runs that meet a network.

use std::net::TcpListener;
use std::time::Duration;

use judica_judge::cache::ReplyCache;
use judica_judge::client::Client;
use judica_judge::client::options::ClientOptions;
use judica_judge::endpoint::Endpoint;
use judica_judge::run::{Halt, HaltKind, Price, RunHooks, RunOptions, ask_all};
use judica_judge::stop::Stop;

use crate::server::{Answer, Body, Server};
use crate::setup::{at_once, client, question_in, questions, texts};

/// Answers every question with itself.
fn echo() -> Server {
    Server::start(|received, number| {
        let wait = Duration::from_millis(number as u64 * 7 % 12);
        Answer::says(&question_in(received)).after(wait)
    })
}

#[test]
fn one_client_serves_several_runs_and_a_third_needs_none() {
    let server = echo();
    let client = client(&server.base_url());
    let folder = tempfile::tempdir().unwrap();
    let cache = ReplyCache::open(&folder.path().join("cache")).unwrap();
    let stop = Stop::new();
    let hooks = RunHooks::quiet(&stop);
    // Each run has a runtime of its own; connections of the last one must not be in the way.
    for numbers in [0..40, 20..80] {
        let jobs = questions(numbers.clone());
        let outcome = ask_all(&jobs, &client, Some(&cache), &at_once(8), &hooks).unwrap();
        assert_eq!(outcome.halt, None);
        let expected: Vec<String> = numbers.map(|n| format!("question {n}")).collect();
        assert_eq!(texts(&outcome), expected);
        assert_eq!(outcome.totals.attempts, outcome.totals.asked);
        assert_eq!(outcome.totals.input_tokens, 11 * outcome.totals.asked);
    }
    assert_eq!(server.requests().len(), 80);
    drop(server);
    let outcome = ask_all(
        &questions(0..80),
        &client,
        Some(&cache),
        &at_once(8),
        &hooks,
    )
    .unwrap();
    assert_eq!(outcome.totals.from_cache, 80);
}

#[test]
fn another_address_is_another_question() {
    let server = echo();
    let folder = tempfile::tempdir().unwrap();
    let cache = ReplyCache::open(&folder.path().join("cache")).unwrap();
    let stop = Stop::new();
    let hooks = RunHooks::quiet(&stop);
    // The same server under another address counts as another one.
    let other = format!("http://localhost:{}/v1", server.address().port());
    for base_url in [server.base_url(), other] {
        let client = client(&base_url);
        let jobs = questions(0..3);
        let outcome = ask_all(&jobs, &client, Some(&cache), &at_once(2), &hooks).unwrap();
        assert_eq!(outcome.totals.asked, 3);
    }
}

#[test]
fn a_wrong_port_is_noticed_after_a_few_questions() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let client = client(&format!("http://{port}/v1"));
    let stop = Stop::new();
    let jobs = questions(0..500);
    let outcome = ask_all(&jobs, &client, None, &at_once(4), &RunHooks::quiet(&stop)).unwrap();
    assert_eq!(
        outcome.halt.as_ref().map(Halt::kind),
        Some(HaltKind::Unreachable)
    );
    assert!(outcome.totals.not_asked >= 490, "{:?}", outcome.totals);
}

#[test]
fn a_wrong_key_is_noticed_at_once() {
    let error = serde_json::json!({"message": "Incorrect API key", "code": "invalid_api_key"});
    let server = Server::start(move |_, _| Answer::error(401, error.clone()));
    let client = client(&server.base_url());
    let stop = Stop::new();
    let jobs = questions(0..500);
    let outcome = ask_all(&jobs, &client, None, &at_once(4), &RunHooks::quiet(&stop)).unwrap();
    let Some(Halt::Fatal(message)) = outcome.halt else {
        panic!("{:?}", outcome.halt);
    };
    assert!(message.contains("Incorrect API key"), "{message}");
    assert!(server.requests().len() <= 8);
}

#[test]
fn a_run_that_waits_for_a_silent_server_can_be_stopped() {
    let server = Server::start(|received, _| match question_in(received).as_str() {
        "question 1" => Answer::says("").body(Body::Silence),
        question => Answer::says(question),
    });
    let client = client(&server.base_url());
    let stop = Stop::new();
    let raise = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        raise.stop();
    });
    let options = RunOptions {
        grace: Duration::from_millis(100),
        ..at_once(2)
    };
    let hooks = RunHooks::quiet(&stop);
    let outcome = ask_all(&questions(0..4), &client, None, &options, &hooks).unwrap();
    thread.join().unwrap();
    assert_eq!(outcome.halt, Some(Halt::Interrupted));
    assert_eq!((outcome.totals.asked, outcome.totals.abandoned), (3, 1));
}

#[test]
fn the_server_never_counts_more_than_the_budget() {
    let server = echo();
    let client = client(&server.base_url());
    let stop = Stop::new();
    // Eleven tokens in, seven out: 0.0018 USD for each call.
    let options = RunOptions {
        price: Some(Price {
            input_per_1k: 0.1,
            output_per_1k: 0.1,
        }),
        max_usd: Some(0.05),
        ..at_once(8)
    };
    let jobs = questions(0..100);
    let outcome = ask_all(&jobs, &client, None, &options, &RunHooks::quiet(&stop)).unwrap();
    let asked = server.requests().len() as u64;
    assert_eq!(outcome.totals.asked, asked);
    assert!(asked > 10 && asked as f64 * 0.0018 <= 0.05, "{asked}");
    assert_eq!(
        outcome.halt.map(|halt| halt.kind()),
        Some(HaltKind::BudgetReached)
    );
}

/// What a run of so many questions took, over a real connection at concurrency 16, and how
/// many calls were refused.
fn paced(server: &Server, calls: usize) -> (Duration, usize) {
    let endpoint = Endpoint::openai(&server.base_url(), "model-1", None).unwrap();
    let client = Client::new(ClientOptions::new(endpoint)).unwrap();
    let stop = Stop::new();
    let began = tokio::time::Instant::now();
    let jobs = questions(0..calls);
    let outcome = ask_all(&jobs, &client, None, &at_once(16), &RunHooks::quiet(&stop)).unwrap();
    assert_eq!((outcome.halt, outcome.totals.asked), (None, calls as u64));
    (began.elapsed(), server.requests().len() - calls)
}

fn too_many() -> Answer {
    Answer::error(429, serde_json::json!({"message": "too many"})).header("Retry-After", "1")
}

#[test]
fn a_server_that_turns_away_one_in_ten_holds_nobody_up() {
    let server = Server::start(|received, number| match number % 10 {
        9 => too_many(),
        _ => Answer::says(&question_in(received)).after(Duration::from_millis(50)),
    });
    let (took, refused) = paced(&server, 200);
    // Without any pacing it takes about 4 s: 222 calls of 50 ms and 22 waits of a second or
    // a little more on 16 lanes, and the last of those waits at the end. When every refusal
    // held up everybody and doubled the gap between calls, it took 218 s.
    assert!(took < Duration::from_secs(12), "{took:?}");
    assert_eq!(refused, 22);
}

#[test]
fn a_server_that_takes_20_a_second_gets_about_that() {
    let tokens = std::sync::Mutex::new((tokio::time::Instant::now(), 10.0_f64));
    let server = Server::start(move |received, _| {
        let mut tokens = tokens.lock().unwrap();
        let now = tokio::time::Instant::now();
        let fresh = (now - tokens.0).as_secs_f64() * 20.0;
        *tokens = (now, (tokens.1 + fresh).min(10.0));
        if tokens.1 < 1.0 {
            return too_many();
        }
        tokens.1 -= 1.0;
        Answer::says(&question_in(received)).after(Duration::from_millis(50))
    });
    // 9.5 s at best.
    let (took, refused) = paced(&server, 200);
    assert!(took < Duration::from_secs(30), "{took:?}");
    assert!(refused < 100, "{refused}");
}
