//! How long intervals of models' means take: models, samples, resamples, threads.
//!
//! `cargo run --release -p judica-stats --example bootstrap_bench -- 100 10000 1000 2`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its figures are what it is for"
)]

use judica_stats::clusters::Intervals;
use judica_stats::model_means::{ModelColumn, model_means};
use judica_stats::resampled::Resampling;
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
            let mut column = ModelColumn::with_capacity(samples);
            for i in 0..samples {
                let there = u32::from((i + m) % 50 != 0);
                column.push(
                    (i * 31 + m) as f64 * 0.618_034 % 1.0 * f64::from(there),
                    there,
                );
            }
            column
        })
        .collect();
    let plan = Intervals {
        confidence: 0.95,
        resampling: Resampling {
            resamples: resamples as u32,
            seed: 1,
            threads,
        },
    };
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let start = std::time::Instant::now();
            black_box(model_means(&plan, samples, &columns));
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
