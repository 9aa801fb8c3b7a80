//! How fast `judica episodes`, `judica aggregate` and `judica match` are, as a user runs
//! them, and how much memory scoring needs.
//!
//! `cargo bench -p judica-cli --bench episodes [-- --episodes N --files N --rows N --repeat R]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const JUDICA: &str = env!("CARGO_BIN_EXE_judica");
/// Steps of each episode.
const STEPS: usize = 10;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Settings {
    episodes: u64,
    files: u64,
    rows: u64,
    repeat: usize,
}

fn main() -> Outcome<()> {
    let settings = settings()?;
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    write_episodes(at, settings.episodes)?;
    write_eval_files(&at.join("evals"), settings.files)?;
    write_predictions(&at.join("formulas.jsonl"), settings.rows)?;
    println!("best of {} runs each", settings.repeat);
    let score = "episodes --episodes e.jsonl --predictions p.jsonl --mode coord --config-path c \
                 --backend b --out out/eval.json --json --threads";
    let steps = settings.episodes * STEPS as u64;
    for threads in ["1", "2"] {
        let (time, peak) = best(at, &format!("{score} {threads}"), settings.repeat)?;
        line(
            &format!("episodes, {threads} threads"),
            steps,
            "steps",
            time,
        );
        println!("{:>36} MB at the peak", peak / 1024);
    }
    let aggregate = "aggregate --files evals --json --threads 2";
    let (time, _) = best(at, aggregate, settings.repeat)?;
    line("aggregate, 2 threads", settings.files, "files", time);
    for threads in ["1", "2"] {
        let command = format!(
            "match --predictions formulas.jsonl --json --rejects out/r.jsonl --threads {threads}"
        );
        let (time, _) = best(at, &command, settings.repeat)?;
        line(
            &format!("match, {threads} threads"),
            settings.rows,
            "rows",
            time,
        );
    }
    Ok(())
}

fn settings() -> Outcome<Settings> {
    let mut settings = Settings {
        episodes: 100_000,
        files: 10_000,
        rows: 1_000_000,
        repeat: 5,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--episodes" => settings.episodes = value()?.parse()?,
            "--files" => settings.files = value()?.parse()?,
            "--rows" => settings.rows = value()?.parse()?,
            "--repeat" => settings.repeat = value()?.parse()?,
            // What cargo adds.
            "--bench" => {}
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    Ok(settings)
}

fn line(what: &str, n: u64, unit: &str, time: Duration) {
    let seconds = time.as_secs_f64();
    let rate = n as f64 / seconds;
    println!("{what:<24} {n:>9} {unit:<6} {seconds:>7.3} s {rate:>12.0} {unit}/s");
}

/// The shortest time of several runs, and the largest peak of memory in KB.
fn best(folder: &Path, arguments: &str, repeat: usize) -> Outcome<(Duration, u64)> {
    let (mut time, mut peak) = (Duration::MAX, 0);
    for _ in 0..repeat {
        let start = now();
        let mut child = Command::new(JUDICA)
            .args(arguments.split_whitespace())
            .current_dir(folder)
            .stdout(Stdio::null())
            .spawn()?;
        // Looking at the peak every few milliseconds misses at most the last of it.
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            peak = peak.max(peak_kb(child.id()).unwrap_or(0));
            std::thread::sleep(Duration::from_millis(2));
        };
        time = time.min(start.elapsed());
        if !status.success() {
            return Err(format!("{arguments}: {status}").into());
        }
    }
    Ok((time, peak))
}

fn peak_kb(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Numbers that look random and are the same everywhere (splitmix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn part(&mut self) -> f64 {
        self.below(1_000_000) as f64 / 1e6
    }
}

fn write_episodes(folder: &Path, episodes: u64) -> Outcome<()> {
    let mut draws = Draws(1);
    let mut gold = BufWriter::new(std::fs::File::create(folder.join("e.jsonl"))?);
    let mut said = BufWriter::new(std::fs::File::create(folder.join("p.jsonl"))?);
    for number in 0..episodes {
        let (mut steps, mut answers) = (String::new(), String::new());
        for step in 0..STEPS {
            let comma = if step == 0 { "" } else { "," };
            let kind = ["click", "click", "type", "drag", "wait"][draws.below(5) as usize];
            let other = if draws.below(5) == 0 { "wait" } else { kind };
            let (x, y) = (0.05 + 0.9 * draws.part(), 0.05 + 0.9 * draws.part());
            let (dx, dy) = (0.04 * draws.part(), 0.04 * draws.part());
            let bbox = [x - 0.03, y - 0.02, x + 0.03, y + 0.02];
            write!(
                steps,
                "{comma}{{\"action\":{{\"type\":\"{kind}\",\"x\":{x},\"y\":{y},\"bbox\":{bbox:?}}}}}"
            )?;
            write!(
                answers,
                "{comma}{{\"action\":{{\"type\":\"{other}\",\"x\":{},\"y\":{},\"text\":\"hello\"}},\
                 \"state\":{{\"success\":{}}}}}",
                x + dx,
                y + dy,
                draws.below(2) == 0
            )?;
        }
        let id = format!("episode_{number:07}");
        writeln!(
            gold,
            "{{\"episode_id\":\"{id}\",\"goal\":\"do it\",\"steps\":[{steps}]}}"
        )?;
        writeln!(said, "{{\"episode_id\":\"{id}\",\"steps\":[{answers}]}}")?;
    }
    gold.flush()?;
    said.flush()?;
    Ok(())
}

fn write_eval_files(folder: &Path, files: u64) -> Outcome<()> {
    let mut draws = Draws(2);
    std::fs::create_dir_all(folder)?;
    for number in 0..files {
        let backend = ["qwen3", "claude", "openai"][draws.below(3) as usize];
        let text = format!(
            "{{\"config_path\": \"configs/{number}.yaml\", \"backend\": \"{backend}\", \"metrics\": \
             {{\"num_episodes\": 32, \"num_steps\": 224, \"action_type_accuracy\": {}, \
             \"mean_coord_error\": {}, \"coord_error_count\": 19, \"episode_success_rate\": {}, \
             \"click_hit_rate\": {}, \"bbox_hit_rate\": null, \"state_success_rate\": null}}}}\n",
            draws.part(),
            draws.part(),
            draws.part(),
            draws.part()
        );
        std::fs::write(folder.join(format!("eval_{number:05}.json")), text)?;
    }
    Ok(())
}

/// Half equal once normalised, a quarter by structure, a quarter different.
fn write_predictions(path: &Path, rows: u64) -> Outcome<()> {
    let mut draws = Draws(3);
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    for number in 0..rows {
        let n = draws.below(1000);
        let gold = format!("<<User,Server>>G(request{n} -> <<Server>>F(response && !error))");
        let said = match draws.below(4) {
            0 | 1 => format!("<<User, Server>> G (request{n} → <<Server>>F (response ∧ !error))"),
            2 => format!("<<User,Server>>G((request{n} -> <<Server>>F(!error && response)))"),
            _ => format!("<<User>>G(request{n} -> <<Server>>F(response || !error))"),
        };
        writeln!(
            out,
            "{{\"id\":{number},\"input\":\"Whenever request {n} comes, the server answers.\",\
             \"expected\":\"{gold}\",\"generated\":\"{said}\",\"tokens_input\":45,\
             \"tokens_output\":12}}"
        )?;
    }
    Ok(out.flush()?)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about time")]
fn now() -> Instant {
    Instant::now()
}
