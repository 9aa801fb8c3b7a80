//! How long it takes to replay verdicts from the cache, and to keep them.
//!
//! A replay is everything a rerun does for a judged row: its prompt is made, its key
//! computed, its reply looked up and parsed. Beside it stands what SQLite's two ways of
//! syncing cost per commit on the disk that holds the temporary folder.
//!
//! `cargo bench -p judica-judge --bench cache [-- VERDICTS THREADS]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]
#![expect(clippy::disallowed_methods, reason = "a benchmark is about time")]

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use judica_judge::cache::{Entry, Key, ReplyCache};
use judica_judge::chat::{ChatReply, ChatRequest, Finish, Message, Role, Usage};
use judica_judge::error::AskError;
use judica_judge::run::{Ask, Job, JobsFrom, RunHooks, RunOptions, Stake, ask_all};
use judica_judge::stop::Stop;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const REPEATS: u32 = 3;
const COMMITS: u32 = 300;

/// Whoever is asked during a replay has found a fault of the cache.
struct Nobody;

impl Ask for Nobody {
    fn ask<'a>(
        &'a self,
        _: &'a ChatRequest,
        _: &'a Stake,
        _: &'a Stop,
    ) -> BoxFuture<'a, Result<ChatReply, AskError>> {
        Box::pin(async { Err(AskError::Fatal("a reply was not in the cache".to_owned())) })
    }

    fn identity(&self) -> &str {
        "openai https://judge.example/v1/chat/completions model-1"
    }
}

fn main() -> Outcome {
    let mut settings = [100_000usize, 2];
    // Cargo adds arguments of its own, which start with a dash.
    let given = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    for (setting, arg) in settings.iter_mut().zip(given) {
        *setting = arg.parse()?;
    }
    let [verdicts, threads] = settings;
    let folder = tempfile::tempdir()?;
    let cache = ReplyCache::open(&folder.path().join("cache.sqlite"))?;
    let begun = Instant::now();
    fill(&cache, verdicts)?;
    show("kept, 256 in a commit", begun.elapsed(), verdicts);
    println!("{} MB", std::fs::metadata(cache.path())?.len() / 1_000_000);
    for threads in [1, threads] {
        replay(&cache, verdicts, threads)?;
    }
    one_by_one(&cache)?;
    sync_modes(folder.path())
}

fn show(what: &str, time: Duration, n: usize) {
    let seconds = time.as_secs_f64();
    println!(
        "{what:<34} {seconds:>8.3} s {:>8.2} us each",
        seconds * 1e6 / n as f64
    );
}

fn replay(cache: &ReplyCache, verdicts: usize, threads: usize) -> Outcome {
    let jobs = JobsFrom {
        len: verdicts,
        make: job,
    };
    let options = RunOptions {
        threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
        ..RunOptions::default()
    };
    let stop = Stop::new();
    let mut best = Duration::MAX;
    for _ in 0..REPEATS {
        let begun = Instant::now();
        let outcome = ask_all(
            &jobs,
            &Nobody,
            Some(cache),
            &options,
            &RunHooks::quiet(&stop),
        )?;
        best = best.min(begun.elapsed());
        if let Some(halt) = outcome.halt {
            return Err(halt.into());
        }
    }
    show(&format!("replayed, {threads} threads"), best, verdicts);
    Ok(())
}

fn one_by_one(cache: &ReplyCache) -> Outcome {
    let begun = Instant::now();
    for number in 0..COMMITS {
        let job = job(number as usize);
        let key = Key::of("another endpoint", &job.request, 0);
        cache.put(&key, &job.prompt_hash, &reply(number as usize))?;
    }
    show("kept, 1 in a commit", begun.elapsed(), COMMITS as usize);
    Ok(())
}

fn sync_modes(folder: &std::path::Path) -> Outcome {
    for mode in ["normal", "full"] {
        let file = rusqlite::Connection::open(folder.join(mode))?;
        file.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        file.pragma_update(None, "synchronous", mode)?;
        file.execute_batch("CREATE TABLE t (k BLOB UNIQUE, v TEXT)")?;
        let begun = Instant::now();
        for number in 0..COMMITS {
            let row = (number.to_be_bytes(), "x".repeat(400));
            file.execute("INSERT INTO t VALUES (?1, ?2)", row)?;
        }
        show(
            &format!("plain commits, {mode}"),
            begun.elapsed(),
            COMMITS as usize,
        );
    }
    Ok(())
}

fn fill(cache: &ReplyCache, verdicts: usize) -> Outcome {
    for start in (0..verdicts).step_by(256) {
        let numbers = start..verdicts.min(start + 256);
        let rows: Vec<(Key, ChatReply)> = numbers
            .map(|n| (Key::of(Nobody.identity(), &job(n).request, 0), reply(n)))
            .collect();
        let entries: Vec<Entry<'_>> = rows
            .iter()
            .map(|(key, reply)| Entry {
                key,
                prompt_hash: "9f86d081884c7d65",
                reply,
            })
            .collect();
        cache.put_many(&entries)?;
    }
    Ok(())
}

/// A prompt of about 2,400 bytes.
fn job(number: usize) -> Job {
    let rules = "Decide whether the prediction means the same as the reference. ".repeat(32);
    let data = format!(
        "<input>The robot {number} can guarantee that it will keep running the cycle until a \
         stop is requested.</input>\n<gold><<Cobot>>(cycle_running U stop_requested)</gold>\n\
         <prediction><<Robot>>(running_cycle_{number} U stop_requested)</prediction>"
    );
    let message = |role, content| Message { role, content };
    Job {
        request: ChatRequest {
            messages: vec![message(Role::System, rules), message(Role::User, data)],
            temperature: 0.0,
            max_output_tokens: Some(512),
            seed: Some(0),
            schema: None,
        },
        vote: 0,
        prompt_hash: "9f86d081884c7d65".into(),
    }
}

fn reply(number: usize) -> ChatReply {
    ChatReply {
        text: format!(
            "{{\"correct\": \"no\", \"reasoning\": \"The coalition of formula {number} differs: \
             the reference names the agent Cobot, the prediction names Robot, and the \
             proposition on the left of the until operator is another one as well.\"}}"
        ),
        finish: Finish::Complete,
        usage: Usage {
            input_tokens: Some(612),
            output_tokens: Some(58),
        },
        served_by: Some("model-1-2026-03-01".to_owned()),
        latency_ms: 812,
        attempts: 1,
        left_out: Vec::new(),
    }
}
