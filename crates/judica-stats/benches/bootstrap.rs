//! How long intervals of agreement coefficients take.
//!
//! `cargo bench -p judica-stats --bench bootstrap [-- ITEMS RESAMPLES THREADS]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

use judica_stats::agreement::fleiss::FleissKappa;
use judica_stats::agreement::gwet::GwetAc;
use judica_stats::agreement::krippendorff::{KrippendorffAlpha, Level};
use judica_stats::agreement::percent::PercentAgreement;
use judica_stats::agreement::weights::Weights;
use judica_stats::agreement::{Coefficient, Estimate, Patterns, Ratings};
use judica_stats::item_bootstrap::{IntervalMethod, ItemBootstrap};
use judica_stats::resample::Draws;
use std::hint::black_box;
use std::time::Instant;

const RATERS: usize = 5;
const REPEATS: usize = 3;

fn main() {
    let mut settings = [100_000u32, 1_000, 2];
    // Cargo adds arguments of its own, which start with a dash.
    let given = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    for (setting, arg) in settings.iter_mut().zip(given) {
        match arg.parse() {
            Ok(number) => *setting = number,
            Err(why) => return eprintln!("{arg}: {why}"),
        }
    }
    let [items, resamples, threads] = settings;
    println!(
        "{items} items x {RATERS} raters, {resamples} resamples, {threads} threads; best of {REPEATS}; \
         percentile intervals where not said\n"
    );

    // Raters add an error of -1, 0 or 1 to the category of an item.
    let mut draws = Draws::new(1, 0);
    let codes = (0..items).flat_map(|_| {
        let truth = draws.below(4);
        [0; RATERS].map(|_| (truth + draws.below(3)).saturating_sub(1).min(3))
    });
    let few = Ratings::new(RATERS, 4, codes.collect());
    measure("4 categories", &few, 1, resamples, threads);
    measure(
        "the same, 10,000 times as many",
        &few,
        10_000,
        resamples,
        threads,
    );

    // A measured value: hardly two ratings are the same, and no two items. Rounded from 33
    // bits to 13, the items still differ, and every value is in many of them.
    for (what, rounding) in [("measured values", 0), ("the same, rounded", 20)] {
        let mut draws = Draws::new(2, 0);
        let values = (0..items).flat_map(|_| {
            let truth = u64::from(draws.word());
            [0; RATERS].map(|_| (truth + u64::from(draws.word() >> 2)) >> rounding)
        });
        let measured = coded(&values.collect::<Vec<_>>());
        measure(what, &measured, 1, resamples, threads);
    }
}

/// The ratings that are `values`, which become codes in the same order.
fn coded(values: &[u64]) -> Ratings {
    let mut different = values.to_vec();
    different.sort_unstable();
    different.dedup();
    let code = |value: &u64| different.partition_point(|other| other < value) as u32;
    let codes = values.iter().map(code).collect();
    Ratings::new(RATERS, different.len(), codes)
}

/// Prints the times for the items of `ratings`, each of them `times` times.
fn measure(what: &str, ratings: &Ratings, times: u64, resamples: u32, threads: u32) {
    let patterns = Patterns::from_ratings(ratings);
    println!("{what}: {} different items", patterns.len());
    let values: Vec<f64> = (0..patterns.categories()).map(|c| c as f64).collect();
    let alpha = |level| Box::new(KrippendorffAlpha::new(&patterns, level, &values));
    let ac = |weights| Box::new(GwetAc::new(&patterns, weights, &values));
    let coefficients: Vec<(&str, Box<dyn Coefficient + '_>)> = vec![
        (
            "percent agreement",
            Box::new(PercentAgreement::new(&patterns)),
        ),
        ("Fleiss κ", Box::new(FleissKappa::new(&patterns))),
        ("Krippendorff α, nominal", alpha(Level::Nominal)),
        ("Krippendorff α, ordinal", alpha(Level::Ordinal)),
        ("Krippendorff α, interval", alpha(Level::Interval)),
        ("Gwet AC1", ac(Weights::Identity)),
        ("Gwet AC2, quadratic", ac(Weights::Quadratic)),
    ];
    let all: Vec<&dyn Coefficient> = coefficients.iter().map(|(_, c)| &**c).collect();
    let sizes: Vec<u64> = patterns.sizes().iter().map(|size| size * times).collect();
    let time = |name: &str, method, asked: &[&dyn Coefficient]| {
        let bootstrap = ItemBootstrap {
            resamples,
            seed: 1,
            confidence: 0.95,
            method,
        };
        let run = || bootstrap.intervals(&sizes, asked, threads as usize);
        println!("  {name:<26} {:>9.4} s", fastest(run));
    };
    time("resamples alone", IntervalMethod::Percentile, &[&Nothing]);
    for ((name, _), coefficient) in coefficients.iter().zip(&all) {
        time(name, IntervalMethod::Percentile, &[*coefficient]);
    }
    // Percent agreement, Fleiss' κ, α of one level, AC1 and AC2.
    for (name, alpha) in [("five, α ordinal", 3), ("five, α interval", 4)] {
        let five = [0, 1, alpha, 5, 6].map(|c| all[c]);
        time(name, IntervalMethod::Percentile, &five);
    }
    time("all", IntervalMethod::Percentile, &all);
    time("all, BCa", IntervalMethod::Bca, &all);
    println!();
}

/// A coefficient that takes no time.
struct Nothing;

impl Coefficient for Nothing {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        Ok(weights.first().map_or(0.0, |&weight| weight as f64))
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn fastest<T>(mut run: impl FnMut() -> T) -> f64 {
    let times = (0..REPEATS).map(|_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}
