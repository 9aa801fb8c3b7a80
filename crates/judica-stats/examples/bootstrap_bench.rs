//! How long the paired bootstrap takes: models, samples, resamples, threads.
//!
//! `cargo run --release -p judica-stats --example bootstrap_bench -- 100 10000 1000 2`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its figures are what it is for"
)]

use judica_stats::{ModelColumn, PairedBootstrap};
use std::hint::black_box;

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn main() {
    let mut sizes = [100, 10_000, 1_000, 2];
    for (size, arg) in sizes.iter_mut().zip(std::env::args().skip(1)) {
        match arg.parse() {
            Ok(given) => *size = given,
            Err(why) => return eprintln!("{arg}: {why}"),
        }
    }
    let [models, samples, resamples, threads] = sizes;
    let columns: Vec<ModelColumn> = (0..models)
        .map(|m| {
            // One value in fifty is missing.
            let value = |i: usize| (i * 31 + m) as f64 * 0.618_034 % 1.0;
            (0..samples)
                .map(|i| ((i + m) % 50 != 0).then(|| value(i)))
                .collect()
        })
        .collect();
    let plan = PairedBootstrap {
        resamples: resamples as u32,
        seed: 1,
    };
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let start = std::time::Instant::now();
            black_box(plan.mean_intervals(samples, &columns, 0.95, threads));
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{models} models x {samples} samples x {resamples} resamples, {threads} threads: \
         best {:.3} s, median {:.3} s of {}",
        times[0],
        times[times.len() / 2],
        times.len()
    );
}
