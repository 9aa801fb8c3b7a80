//! How long agreement between raters takes: a million items of five raters in memory.
//!
//! `cargo bench -p judica-stats --bench agreement`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

use std::hint::black_box;
use std::time::Instant;

use judica_stats::agreement::fleiss::FleissKappa;
use judica_stats::agreement::gwet::GwetAc;
use judica_stats::agreement::krippendorff::{KrippendorffAlpha, Level};
use judica_stats::agreement::weights::Weights;
use judica_stats::agreement::{Coefficient, MISSING, Patterns, Ratings};

const ITEMS: usize = 1_000_000;
const RATERS: usize = 5;
const REPEAT: usize = 5;

fn main() {
    println!("{ITEMS} items x {RATERS} raters, best of {REPEAT} runs, one thread");
    for (categories, missing) in [(4, false), (4, true), (20, false), (1000, false)] {
        let (ratings, values) = ratings(categories, missing);
        let gaps = if missing { ", a fifth missing" } else { "" };
        println!("\n{categories} categories{gaps}");
        measure(&ratings, &values);
    }
    let (ratings, values) = measurements();
    println!("\n{} different values", values.len());
    measure(&ratings, &values);
}

fn measure(ratings: &Ratings, values: &[f64]) {
    best("patterns", || Patterns::from_ratings(ratings));
    let patterns = Patterns::from_ratings(ratings);
    println!("  ({} patterns)", patterns.len());
    let sizes = patterns.sizes();
    best("Fleiss' kappa", || {
        FleissKappa::new(&patterns).estimate(sizes)
    });
    for level in [
        Level::Nominal,
        Level::Ordinal,
        Level::Interval,
        Level::Ratio,
    ] {
        best(&format!("alpha, {level:?}"), || {
            KrippendorffAlpha::new(&patterns, level, values).estimate(sizes)
        });
    }
    for weights in [Weights::Identity, Weights::Quadratic] {
        best(&format!("AC, {}", weights.name()), || {
            GwetAc::new(&patterns, weights, values).estimate(sizes)
        });
    }
}

/// Prints the milliseconds of the fastest run.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark measures time; nothing here reaches a result"
)]
fn best<T>(what: &str, run: impl Fn() -> T) {
    let mut fastest = f64::INFINITY;
    for _ in 0..REPEAT {
        let start = Instant::now();
        black_box(run());
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    println!("  {what:<20} {:>9.3} ms", fastest * 1e3);
}

/// Raters who see an item's category three times out of four, and otherwise guess.
fn ratings(categories: u32, missing: bool) -> (Ratings, Vec<f64>) {
    let mut draw = draws();
    let mut codes = Vec::with_capacity(ITEMS * RATERS);
    for _ in 0..ITEMS {
        let truth = draw() % categories;
        for _ in 0..RATERS {
            codes.push(match draw() % 20 {
                0..4 if missing => MISSING,
                0..15 => truth,
                _ => draw() % categories,
            });
        }
    }
    let values = (1..=categories).map(f64::from).collect();
    (Ratings::new(RATERS, categories as usize, codes), values)
}

/// Values that are nearly all different.
fn measurements() -> (Ratings, Vec<f64>) {
    let mut draw = draws();
    let mut seen: Vec<u32> = Vec::with_capacity(ITEMS * RATERS);
    for _ in 0..ITEMS {
        let truth = draw();
        seen.extend((0..RATERS).map(|_| truth / 2 + draw() / 8));
    }
    let mut values = seen.clone();
    values.sort_unstable();
    values.dedup();
    let code = |v: &u32| values.partition_point(|other| other < v) as u32;
    let codes = seen.iter().map(code).collect();
    let ratings = Ratings::new(RATERS, values.len(), codes);
    (ratings, values.into_iter().map(f64::from).collect())
}

/// A stream of numbers that is the same in every run.
fn draws() -> impl FnMut() -> u32 {
    let mut state = 1u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as u32
    }
}
