//! How fast `judica agree pairs` reads, and how much memory it needs.
//!
//! Beside each time stands its ratio to a plain pass over the same file in the same run:
//! every line parsed into a generic JSON value on one thread, and nothing else. Another
//! program that takes `--pairs FILE` can be timed beside it.
//!
//! `cargo bench -p judica-cli --bench agree [-- --pairs N --repeat R --reference "python3 scorer.py"]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const JUDICA: &str = env!("CARGO_BIN_EXE_judica");
const LABELS: [&str; 4] = ["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"];

struct Settings {
    pairs: u64,
    repeat: usize,
    reference: Option<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = settings()?;
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join("runs"))?;
    let file = folder.path().join("pairs.jsonl");
    write_pairs(&file, settings.pairs)?;
    let bytes = std::fs::metadata(&file)?.len() as f64;
    println!(
        "{} pairs, {:.0} MB; best of {} runs each",
        settings.pairs,
        bytes / 1e6,
        settings.repeat
    );
    let best = |run: &dyn Fn() -> Result<Duration, Box<dyn std::error::Error>>| {
        (0..settings.repeat).try_fold(Duration::MAX, |best, _| run().map(|time| best.min(time)))
    };
    let generic = best(&|| generic_values(&file))?;
    let line = |what: &str, time: Duration| {
        let seconds = time.as_secs_f64();
        println!(
            "{what:<34} {seconds:>7.3} s {:>8.0} MB/s   {:>6.2} x generic values",
            bytes / 1e6 / seconds,
            seconds / generic.as_secs_f64()
        );
    };
    line("generic values, 1 thread", generic);
    let one = best(&|| judica(folder.path(), "1"))?;
    line("agree pairs, 1 thread", one);
    let two = best(&|| judica(folder.path(), "2"))?;
    line("agree pairs, 2 threads", two);
    println!(
        "two threads against one: {:.2}",
        one.as_secs_f64() / two.as_secs_f64()
    );
    if let Some(reference) = &settings.reference {
        let time = other(folder.path(), reference)?;
        line("the reference, once", time);
        println!(
            "judica with two threads is {:.0} times as fast",
            time.as_secs_f64() / two.as_secs_f64()
        );
    }
    Ok(())
}

fn settings() -> Result<Settings, Box<dyn std::error::Error>> {
    let mut settings = Settings {
        pairs: 1_000_000,
        repeat: 5,
        reference: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--pairs" => settings.pairs = value()?.parse()?,
            "--repeat" => settings.repeat = value()?.parse()?,
            "--reference" => settings.reference = Some(value()?),
            // What cargo adds.
            "--bench" => {}
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    Ok(settings)
}

/// Pairs in the shape of the documentation's example: some 5 % disagree, some cite what
/// was not retrieved, some are flagged.
fn write_pairs(path: &Path, pairs: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    // Numbers that look random and are the same everywhere (splitmix64).
    let mut state = 0u64;
    let mut below = |n: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    };
    for number in 0..pairs {
        let scholar = LABELS[[0, 0, 0, 0, 0, 0, 0, 1, 1, 2][below(10) as usize]];
        let differs = below(100) < 5;
        let auditor = if differs {
            LABELS[below(4) as usize]
        } else {
            scholar
        };
        let ids: Vec<String> = (0..2 + below(5))
            .map(|_| format!("\"p{}#{}\"", 1 + below(40), 1 + below(9)))
            .collect();
        let cited = if below(20) == 0 { "\"p99#1\"" } else { &ids[0] };
        writeln!(
            out,
            "{{\"qid\": \"A{number:07}\", \"scholar\": {{\"label\": \"{scholar}\", \"reason\": \"claim contained; cites a passage\"}}, \
             \"auditor\": {{\"label\": \"{auditor}\", \"reason\": \"provenance ok; constraints echoed\"}}, \
             \"answer_json\": {{\"claim\": \"X rejects null keys.\", \"citations\": [{cited}], \"constraints_echo\": [\"X rejects null keys.\"]}}, \
             \"retrieved_ids\": [{}], \"flags\": {{\"provenance_violation\": {}, \"constraints_mismatch\": false}}}}",
            ids.join(", "),
            below(50) == 0
        )?;
    }
    out.flush()
}

fn generic_values(file: &Path) -> Result<Duration, Box<dyn std::error::Error>> {
    let start = now();
    let mut lines = BufReader::with_capacity(1 << 20, std::fs::File::open(file)?);
    let mut line = String::new();
    let mut keys = 0;
    while lines.read_line(&mut line)? > 0 {
        let value: serde_json::Value = serde_json::from_str(&line)?;
        keys += value.as_object().map_or(0, |object| object.len());
        line.clear();
    }
    std::hint::black_box(keys);
    Ok(start.elapsed())
}

fn judica(folder: &Path, threads: &str) -> Result<Duration, Box<dyn std::error::Error>> {
    let command = format!("{JUDICA} agree pairs --json --threads {threads}");
    other(folder, &command)
}

/// Times a program; gates may fail, anything else may not.
fn other(folder: &Path, command: &str) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("no program")?;
    let start = now();
    let status = Command::new(program)
        .args(words)
        .args(["--pairs", "pairs.jsonl"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .status()?;
    let time = start.elapsed();
    match status.code() {
        Some(0 | 1) => Ok(time),
        _ => Err(format!("{command}: {status}").into()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about time")]
fn now() -> Instant {
    Instant::now()
}
