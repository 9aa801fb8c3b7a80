//! How often intervals of agreement coefficients hold the true value.
//!
//! Data sets are drawn from a model whose true coefficients are known: each item has a
//! true category, each rater gives it with some probability and otherwise any category
//! at random, and may not rate the item at all. The true value of a coefficient is its
//! value on the whole population of the model. A 95 % interval should hold it for 95 %
//! of data sets.
//!
//! `cargo test --release -p judica-stats --test coverage -- --ignored --nocapture`
//! prints the table of `docs/agreement-coverage.md`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

mod model;

use judica_stats::agreement::cohen::{CohenKappa, Weighting};
use judica_stats::agreement::fleiss::FleissKappa;
use judica_stats::agreement::gwet::GwetAc;
use judica_stats::agreement::krippendorff::{KrippendorffAlpha, Level};
use judica_stats::agreement::percent::PercentAgreement;
use judica_stats::agreement::scott::ScottPi;
use judica_stats::agreement::weights::Weights;
use judica_stats::agreement::{Coefficient, MISSING, PairCells, Patterns, Ratings};
use judica_stats::item_bootstrap::{IntervalMethod, ItemBootstrap};
use model::{MODELS, Model};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many data sets of each size. The standard error of a coverage of 95 % is 0.4 %.
const DATA_SETS: u64 = 3000;
const RESAMPLES: u32 = 1000;
const METHODS: [IntervalMethod; 2] = [IntervalMethod::Percentile, IntervalMethod::Bca];

/// From how many items on the coverage has to be between 93 % and 97 %.
const HOLDS_FROM: usize = 200;

/// How many items the population has; a probability is rounded to a multiple of one by
/// this.
const POPULATION: f64 = (1u64 << 40) as f64;

/// Ratings, grouped in both ways.
struct Grouped {
    cells: PairCells,
    patterns: Patterns,
}

/// Sizes of groups, and the coefficients that read such groups.
type Family<'a> = (&'a [u64], Vec<(&'static str, Box<dyn Coefficient + 'a>)>);

impl Grouped {
    fn new(ratings: &Ratings) -> Self {
        Self {
            cells: PairCells::from_table(ratings, 0, 1),
            patterns: Patterns::from_ratings(ratings),
        }
    }

    fn families(&self) -> Vec<Family<'_>> {
        let Self { cells, patterns } = self;
        let values: Vec<f64> = (0..patterns.categories()).map(|c| c as f64).collect();
        let alpha = |level| Box::new(KrippendorffAlpha::new(patterns, level, &values));
        let ac = |weights| Box::new(GwetAc::new(patterns, weights, &values));
        let kappa = |weighting| Box::new(CohenKappa::new(cells, weighting));
        let mut any: Family = (
            patterns.sizes(),
            vec![
                (
                    "percent agreement",
                    Box::new(PercentAgreement::new(patterns)),
                ),
                ("Krippendorff α, nominal", alpha(Level::Nominal)),
                ("Gwet AC1", ac(Weights::Identity)),
            ],
        );
        if patterns.categories() > 2 {
            any.1
                .push(("Krippendorff α, ordinal", alpha(Level::Ordinal)));
            any.1
                .push(("Krippendorff α, interval", alpha(Level::Interval)));
            any.1.push(("Gwet AC2, quadratic", ac(Weights::Quadratic)));
        }
        if patterns.raters() > 2 {
            let fleiss = FleissKappa::new(patterns);
            // Only where every item has equally many ratings.
            if fleiss.estimate(patterns.sizes()).is_ok() {
                any.1.push(("Fleiss κ", Box::new(fleiss)));
            }
            return vec![any];
        }
        let mut two: Family = (
            cells.sizes(),
            vec![
                ("Cohen κ", kappa(Weighting::Unweighted)),
                ("Scott π", Box::new(ScottPi::new(cells))),
            ],
        );
        if patterns.categories() > 2 {
            two.1
                .push(("Cohen κ, quadratic", kappa(Weighting::Quadratic)));
        }
        vec![any, two]
    }
}

/// The true values, in the order of the families and their coefficients.
fn true_values(model: &Model) -> Vec<(&'static str, f64)> {
    let rows = model.all_rows().concat();
    let grouped = Grouped::new(&Ratings::new(model.raters, model.categories(), rows));
    // A row of each group; the rows of a group are equally likely.
    let patterns = &grouped.patterns;
    let of_pattern = |p: usize| {
        let chosen = patterns.choices(p).iter();
        let mut row: Vec<u32> = chosen.flat_map(|&(c, n)| vec![c; n as usize]).collect();
        row.resize(model.raters, MISSING);
        row
    };
    let of_cell = |&(a, b): &(u32, u32)| vec![a, b];
    let rows: [Vec<Vec<u32>>; 2] = [
        (0..patterns.len()).map(of_pattern).collect(),
        grouped.cells.cells().iter().map(of_cell).collect(),
    ];
    let mut values = Vec::new();
    for ((sizes, coefficients), rows) in grouped.families().into_iter().zip(&rows) {
        let items = |(row, &size): (&Vec<u32>, &u64)| {
            (model.probability(row) * size as f64 * POPULATION).round() as u64
        };
        let weights: Vec<u64> = rows.iter().zip(sizes).map(items).collect();
        for (name, coefficient) in coefficients {
            values.push((name, coefficient.estimate(&weights).unwrap()));
        }
    }
    values
}

/// For one coefficient, in how many data sets.
#[derive(Default)]
struct Tally {
    held: [AtomicU64; 2],
    no_interval: [AtomicU64; 2],
}

fn add_data_set(
    model: &Model,
    items: usize,
    number: u64,
    truth: &[(&str, f64)],
    tallies: &[Tally],
) {
    let grouped = Grouped::new(&model.draw(items, number));
    for (m, method) in METHODS.into_iter().enumerate() {
        let bootstrap = ItemBootstrap {
            resamples: RESAMPLES,
            seed: number,
            confidence: 0.95,
            method,
        };
        let intervals = grouped
            .families()
            .into_iter()
            .flat_map(|(sizes, coefficients)| {
                let asked: Vec<&dyn Coefficient> = coefficients.iter().map(|(_, c)| &**c).collect();
                bootstrap.intervals(sizes, &asked, 1)
            });
        for ((resampled, (_, truth)), tally) in intervals.zip(truth).zip(tallies) {
            match resampled.interval {
                Some(i) if i.lo <= *truth && *truth <= i.hi => &tally.held[m],
                Some(_) => continue,
                None => &tally.no_interval[m],
            }
            .fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
#[ignore = "minutes of simulation; run it after a change of intervals, in release"]
fn intervals_hold_the_true_value_as_often_as_they_say() {
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut wrong = Vec::new();
    println!("| model | coefficient | true value | items | percentile | BCa | no BCa interval |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    for model in &MODELS {
        let truth = true_values(model);
        for items in [50, 200, 1000] {
            let tallies: Vec<Tally> = truth.iter().map(|_| Tally::default()).collect();
            let next = AtomicU64::new(0);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= DATA_SETS {
                                break;
                            }
                            add_data_set(model, items, number, &truth, &tallies);
                        }
                    });
                }
            });
            for ((name, truth), tally) in truth.iter().zip(&tallies) {
                // Where there is no interval, nothing is claimed.
                let [percentile, bca] = [0, 1].map(|m| {
                    let none = tally.no_interval[m].load(Ordering::Relaxed);
                    tally.held[m].load(Ordering::Relaxed) as f64 / (DATA_SETS - none) as f64
                });
                let none = tally.no_interval[1].load(Ordering::Relaxed);
                println!(
                    "| {} | {name} | {truth:.3} | {items} | {:.1} % | {:.1} % | {none} |",
                    model.name,
                    100.0 * percentile,
                    100.0 * bca,
                );
                for (method, coverage) in [("percentile", percentile), ("BCa", bca)] {
                    if items >= HOLDS_FROM && !(0.93..=0.97).contains(&coverage) {
                        wrong.push(format!(
                            "{}, {name}, {items}, {method}: {coverage}",
                            model.name
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn true_values_are_those_of_the_model() {
    // Two raters who know with 0.7 and else guess one of four, so each is right with
    // 0.7 + 0.075: they agree with 0.775^2 + 3 * 0.075^2 = 0.6175. Of yes and no with
    // 0.8: 0.9^2 + 0.1^2 = 0.82; yes is said with 0.9 * 0.9 + 0.1 * 0.1 = 0.82, so by
    // chance 0.82^2 + 0.18^2 = 0.7048, and kappa is 0.1152 / 0.2952 = 0.390244.
    let value = |model: &Model, name: &str| {
        let values = true_values(model);
        values.into_iter().find(|(n, _)| *n == name).unwrap().1
    };
    assert!((value(&MODELS[0], "percent agreement") - 0.6175).abs() < 1e-9);
    assert!((value(&MODELS[1], "Cohen κ") - 0.390_244).abs() < 1e-6);
    // More raters, and ratings missing at random, change no population value.
    for name in ["percent agreement", "Krippendorff α, nominal", "Gwet AC1"] {
        let two = value(&MODELS[0], name);
        assert!((value(&MODELS[2], name) - two).abs() < 1e-9, "{name}");
        assert!((value(&MODELS[3], name) - two).abs() < 1e-9, "{name}");
    }
}
