//! A process that asks is killed, again and again, without a warning. In the end every
//! question is answered, and only what was in flight at a kill was asked twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use judica_judge::cache::ReplyCache;
use judica_judge::run::{RunHooks, RunOutcome, ask_all};
use judica_judge::stop::Stop;

use crate::server::{Answer, Server};
use crate::setup::{at_once, client, question_in, questions, texts};

const QUESTIONS: usize = 200;
const CONCURRENCY: usize = 8;
const SERVER: &str = "JUDICA_TEST_SERVER";
const CACHE: &str = "JUDICA_TEST_CACHE";

fn ask(base_url: &str, cache: &Path) -> RunOutcome {
    let cache = ReplyCache::open(cache).unwrap();
    let stop = Stop::new();
    let jobs = questions(0..QUESTIONS);
    let options = at_once(CONCURRENCY);
    let client = client(base_url);
    ask_all(
        &jobs,
        &client,
        Some(&cache),
        &options,
        &RunHooks::quiet(&stop),
    )
    .unwrap()
}

/// What the killed process does. Without its settings it has nothing to do.
#[test]
#[ignore = "started by the test below, in a process of its own"]
fn asks_until_it_is_killed() {
    let (Some(server), Some(cache)) = (std::env::var_os(SERVER), std::env::var_os(CACHE)) else {
        return;
    };
    let outcome = ask(server.to_str().unwrap(), Path::new(&cache));
    assert_eq!(outcome.halt, None);
    assert_eq!(texts(&outcome).len(), QUESTIONS);
}

fn start(server: &Server, cache: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::asks_until_it_is_killed", "--ignored"])
        .env(SERVER, server.base_url())
        .env(CACHE, cache)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn nothing_that_was_answered_is_lost_or_paid_twice() {
    // Two to 21 ms, different for each request, so that kills meet every state of a call.
    let server = Server::start(|received, number| {
        let wait = Duration::from_millis(2 + number as u64 * 13 % 20);
        Answer::says(&format!("answer to {}", question_in(received))).after(wait)
    });
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let kill_after = [0, 5, 9, 40, 3, 25, 60, 17];
    for (round, more) in kill_after.into_iter().enumerate() {
        let before = server.requests().len();
        let mut child = start(&server, &cache);
        while server.requests().len() < before + more && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(round as u64 * 1700 % 5000));
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(start(&server, &cache).wait().unwrap().success());

    let asked: Vec<String> = server.requests().iter().map(question_in).collect();
    let different: BTreeSet<&String> = asked.iter().collect();
    assert_eq!(different.len(), QUESTIONS);
    let repeated = asked.len() - QUESTIONS;
    assert!(repeated <= CONCURRENCY * kill_after.len(), "{repeated}");
    // The kills came while something was in flight: otherwise nothing was tested.
    assert!(repeated > 0);

    let outcome = ask(&server.base_url(), &cache);
    assert_eq!(outcome.totals.from_cache, QUESTIONS as u64);
    let expected: Vec<String> = (0..QUESTIONS)
        .map(|number| format!("answer to question {number}"))
        .collect();
    assert_eq!(texts(&outcome), expected);
    assert_eq!(server.requests().len(), asked.len());
}
