//! How many pairs of formulas are compared in a second: half of them equal as text, a
//! quarter only by structure, a quarter different.
//!
//! `cargo bench -p judica-text --bench formulas [-- PAIRS]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

use judica_text::gold::Gold;
use judica_text::normalize::{Atl, Matched, Normalizer};
use std::hint::black_box;
use std::time::Instant;

const REPEATS: usize = 5;

fn main() {
    // Cargo adds arguments of its own, which start with a dash.
    let given = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let count = given.and_then(|arg| arg.parse().ok()).unwrap_or(400_000);
    let pairs: Vec<(Gold, String)> = (0..count).map(pair).collect();
    let bytes: usize = pairs
        .iter()
        .map(|(gold, text)| gold.shown().len() + text.len())
        .sum();
    println!(
        "{count} pairs, {} bytes each on average; best of {REPEATS}",
        bytes / count.max(1)
    );
    for threads in [1, 2] {
        let mut best = f64::INFINITY;
        let mut found = [0; 3];
        for _ in 0..REPEATS {
            let seconds;
            (found, seconds) = timed(|| on_threads(&pairs, threads));
            best = best.min(seconds);
        }
        let [exact, structural, different] = found;
        println!(
            "{threads} thread(s): {:>10.0} pairs/s   ({exact} exact, {structural} structural, {different} different)",
            count as f64 / best
        );
    }
    for (what, kind) in [
        ("byte-equal", 0),
        ("equal text", 1),
        ("structural", 2),
        ("different", 3),
    ] {
        let of_kind: Vec<_> = (0..count / 4).map(|at| pair(at * 4 + kind)).collect();
        let (_, seconds) = timed(|| tally(&of_kind));
        let each = seconds / of_kind.len().max(1) as f64;
        println!("{what:<12} {:>7.0} ns each", each * 1e9);
    }
}

/// What work finds, and how many seconds it takes.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let found = black_box(work());
    (found, started.elapsed().as_secs_f64())
}

fn on_threads(pairs: &[(Gold, String)], threads: usize) -> [usize; 3] {
    let share = pairs.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let running: Vec<_> = pairs
            .chunks(share)
            .map(|chunk| scope.spawn(|| tally(chunk)))
            .collect();
        running.into_iter().fold([0; 3], |mut sum, thread| {
            let counts = thread.join().unwrap_or_default();
            sum.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
            sum
        })
    })
}

fn tally(pairs: &[(Gold, String)]) -> [usize; 3] {
    let mut counts = [0; 3];
    for (gold, prediction) in pairs {
        let matched = match Atl.compare(gold, prediction) {
            Matched::Exact => 0,
            Matched::Structural => 1,
            Matched::No => 2,
        };
        counts[matched] += 1;
    }
    counts
}

fn pair(at: usize) -> (Gold, String) {
    let n = at / 4;
    let gold = format!("<<User,Server>>G(request_{n} -> <<Server>>F(response && !error_{n}))");
    let prediction = match at % 4 {
        0 => gold.clone(),
        1 => format!("<<user, server>> G (request_{n} → <<server>> F (response ∧ ¬error_{n}))"),
        2 => format!("<<User,Server>>G((request_{n}) -> <<Server>>F(!error_{n} && response))"),
        _ => format!("<<User,Server>>G(request_{n} -> <<Server>>G(!error_{n} && response))"),
    };
    (Gold::one(&gold), prediction)
}
