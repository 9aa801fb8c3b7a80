//! How often intervals hold the true value, how often tests cry wolf, and whether a
//! difference that should be seen is seen.
//!
//! `cargo test --release -p judica-stats --test simulations -- --ignored --nocapture` prints
//! the tables of `docs/statistics.md`. Data sets come from fixed seeds, so the tables are the
//! same in every run.

#![allow(clippy::print_stdout, reason = "its tables are what it is for")]

use std::sync::atomic::{AtomicU64, Ordering};

use judica_stats::classes::{Average, ClassSums, Score};
use judica_stats::clusters::{Function, Intervals, difference, difference_se, flips};
use judica_stats::estimate::{Clustered, Kind};
use judica_stats::functions::Functions;
use judica_stats::mcnemar::mcnemar;
use judica_stats::normal_quantile;
use judica_stats::numbers::{WIDTH, explained, terms};
use judica_stats::permutation::paired_permutation;
use judica_stats::repeats::{pass_all, pass_at};
use judica_stats::resample::Draws;
use judica_stats::resampled::{Resampling, Terms};
use judica_stats::tango::tango_interval;

const DATA_SETS: u64 = 10_000;
/// Where each takes long.
const FEW: u64 = 2_000;
/// Records of a cluster where there are several.
const OF_CLUSTER: u32 = 4;

/// A number strictly between 0 and 1.
fn uniform(draws: &mut Draws) -> f64 {
    (f64::from(draws.word()) + 0.5) / 4_294_967_296.0
}

fn normal(draws: &mut Draws) -> f64 {
    normal_quantile(uniform(draws)).unwrap()
}

fn intervals(seed: u64) -> Intervals {
    Intervals {
        confidence: 0.95,
        resampling: Resampling {
            resamples: 1000,
            seed,
            threads: 1,
        },
    }
}

/// In how many data sets something happens, of those where it is told.
fn share(data_sets: u64, of: impl Fn(u64) -> Option<bool> + Sync) -> f64 {
    let (next, yes, told) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= data_sets {
                        break;
                    }
                    if let Some(is) = of(number) {
                        told.fetch_add(1, Ordering::Relaxed);
                        yes.fetch_add(u64::from(is), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    yes.into_inner() as f64 / told.into_inner() as f64
}

/// Whether the interval of a rate holds it, over clusters whose records are alike by `icc`.
fn rate_is_held(rate: f64, icc: f64, clusters: u32, of_cluster: u32, number: u64) -> Option<bool> {
    let mut draws = Draws::new(1, number);
    let copied = icc.sqrt();
    let mut found = Clustered::default();
    for cluster in 0..clusters {
        let common = uniform(&mut draws) < rate;
        for _ in 0..of_cluster {
            let own = uniform(&mut draws) < rate;
            let right = if uniform(&mut draws) < copied {
                common
            } else {
                own
            };
            found.add(cluster, [f64::from(u8::from(right)), 1.0]);
        }
    }
    let ci = found.estimate(Kind::Rate, &intervals(number))?.ci.ok()?;
    Some(ci.lo <= rate && rate <= ci.hi)
}

/// Whether the interval of a mean of 1 holds it.
fn mean_is_held(draw: fn(&mut Draws) -> f64, clusters: u32, number: u64) -> Option<bool> {
    let mut draws = Draws::new(2, number);
    let mut found = Clustered::default();
    for cluster in 0..clusters {
        found.add(cluster, [draw(&mut draws), 1.0]);
    }
    let ci = found.estimate(Kind::Mean, &intervals(number))?.ci.ok()?;
    Some(ci.lo <= 1.0 && 1.0 <= ci.hi)
}

#[test]
#[ignore = "minutes of simulation; run it after a change of intervals, in release"]
fn intervals_hold_the_true_value_as_often_as_they_say() {
    let mut wrong = Vec::new();
    println!("| quantity | clusters of | 50 clusters | 200 clusters | 1000 clusters |");
    println!("|---|---:|---:|---:|---:|");
    let mut line = |name: String, of: u32, asserted: bool, held: &dyn Fn(u32) -> f64| {
        let found = [50, 200, 1000].map(held);
        let [a, b, c] = found.map(|share| format!("{:.1} %", 100.0 * share));
        println!("| {name} | {of} | {a} | {b} | {c} |");
        let bounds = [[0.91, 0.985], [0.93, 0.975], [0.93, 0.975]];
        for (share, [low, high]) in found.iter().zip(bounds) {
            if asserted && !(low..=high).contains(share) {
                wrong.push(format!("{name}: {share}"));
            }
        }
    };
    for (icc, of) in [(0.0, 1), (0.0, OF_CLUSTER), (0.2, OF_CLUSTER)] {
        for rate in [0.5, 0.8, 0.9, 0.99] {
            line(
                format!("rate {rate}, ICC {icc}"),
                of,
                rate < 0.95,
                &|clusters| share(DATA_SETS, |n| rate_is_held(rate, icc, clusters, of, n)),
            );
        }
    }
    type Draw = fn(&mut Draws) -> f64;
    let draws: [(&str, bool, Draw); 3] = [
        ("normal", true, |draws| 1.0 + normal(draws)),
        ("exponential", true, |draws| -uniform(draws).ln()),
        // Very skewed: printed, not asserted.
        ("log-normal", false, |draws| (normal(draws) - 0.5).exp()),
    ];
    for (name, asserted, draw) in draws {
        line(format!("mean, {name}"), 1, asserted, &|clusters| {
            share(DATA_SETS, |n| mean_is_held(draw, clusters, n))
        });
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Two sides on the same items, right with equal probability and alike by `alike`.
fn equal_sides(rate: [f64; 2], alike: f64, items: u32, number: u64) -> Vec<[f64; 4]> {
    let mut draws = Draws::new(3, number);
    (0..items)
        .map(|_| {
            let common = uniform(&mut draws);
            let side = |rate: f64, draws: &mut Draws| {
                let own = uniform(draws);
                let at = if uniform(draws) < alike { common } else { own };
                f64::from(u8::from(at < rate))
            };
            [
                side(rate[0], &mut draws),
                1.0,
                side(rate[1], &mut draws),
                1.0,
            ]
        })
        .collect()
}

fn only(pairs: &[[f64; 4]]) -> [u64; 2] {
    let count = |a: f64, b: f64| pairs.iter().filter(|p| p[0] == a && p[2] == b).count() as u64;
    [count(1.0, 0.0), count(0.0, 1.0)]
}

#[test]
#[ignore = "minutes of simulation; run it after a change of tests, in release"]
fn tests_cry_wolf_no_more_often_than_they_say_and_see_what_they_should() {
    let mut wrong = Vec::new();
    println!("| items | McNemar mid-p, size | Tango, coverage | flips of clusters, size |");
    println!("|---:|---:|---:|---:|");
    for items in [50, 200, 1000] {
        let mcnemar_size = share(DATA_SETS, |n| {
            let [a, b] = only(&equal_sides([0.8, 0.8], 0.7, items, n));
            Some(mcnemar(a, b).is_some_and(|test| test.p_mid <= 0.05))
        });
        let tango = share(DATA_SETS, |n| {
            let [a, b] = only(&equal_sides([0.8, 0.75], 0.7, items, n));
            let ci = tango_interval(b, a, u64::from(items), 0.95)?;
            Some(ci.lo <= -0.05 && -0.05 <= ci.hi)
        });
        let flipped = share(2000, |n| {
            let mut draws = Draws::new(4, n);
            let pairs: Vec<[f64; 4]> = (0..items.min(200))
                .map(|_| [normal(&mut draws), 1.0, normal(&mut draws), 1.0])
                .collect();
            let test = paired_permutation(&flips(&pairs), 2000, n)?;
            Some(test.p_value <= 0.05)
        });
        println!(
            "| {items} | {:.1} % | {:.1} % | {:.1} % |",
            100.0 * mcnemar_size,
            100.0 * tango,
            100.0 * flipped
        );
        // Two standard errors of the simulation over 5.5 %.
        if mcnemar_size > 0.055 + 0.005 || flipped > 0.055 + 0.01 {
            wrong.push(format!("size at {items}: {mcnemar_size} {flipped}"));
        }
    }
    println!();
    println!("| true difference | items | seen |");
    println!("|---:|---:|---:|");
    for (items, rates) in [(500, [0.80, 0.85]), (2000, [0.80, 0.82])] {
        // The smallest difference that should be seen 80 % of the time, from one data set
        // that is large enough to know.
        let pairs = equal_sides(rates, 0.7, 200_000, 0);
        let se = difference_se(Terms::new(&pairs)).unwrap() * (200_000.0 / f64::from(items)).sqrt();
        let z = normal_quantile(0.975).unwrap() + normal_quantile(0.8).unwrap();
        let smallest = z * se;
        let shifted = [rates[0], rates[0] + smallest];
        let seen = share(DATA_SETS, |n| {
            let [a, b] = only(&equal_sides(shifted, 0.7, items, n + 1));
            Some(mcnemar(a, b).is_some_and(|test| test.p_mid <= 0.05))
        });
        println!("| {smallest:.4} | {items} | {:.1} % |", 100.0 * seen);
        if !(0.76..=0.84).contains(&seen) {
            wrong.push(format!("power: {seen}"));
        }
    }
    let ratio_of = |n: u64| {
        let pairs = equal_sides([0.8, 0.8], 0.7, 60, n);
        intervals(n).of(Terms::new(&pairs), &difference).ok()
    };
    assert!(ratio_of(1).is_some());
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Whether the interval of pass@k or pass^k holds it: five attempts at each item, whose ease has
/// the density a·x^(a − 1).
fn passes_are_held(ease: f64, all: bool, items: u32, number: u64) -> [Option<bool>; 2] {
    const K: u32 = 3;
    const ATTEMPTS: u64 = 5;
    let mut draws = Draws::new(5, number);
    let [mut rate, mut mean] = [(); 2].map(|()| Clustered::default());
    for item in 0..items {
        let ease = uniform(&mut draws).powf(1.0 / ease);
        let right = (0..ATTEMPTS).filter(|_| uniform(&mut draws) < ease).count() as u64;
        let pass = if all { pass_all } else { pass_at };
        let share = pass(K, ATTEMPTS, right).unwrap();
        rate.add_of(item, [share, 1.0], ATTEMPTS);
        mean.add(item, [share, 1.0]);
    }
    let k = f64::from(K);
    let expected = match all {
        true => ease / (ease + k),
        false => {
            1.0 - (1..=K)
                .map(f64::from)
                .map(|i| i / (ease + i))
                .product::<f64>()
        }
    };
    [(rate, Kind::Rate), (mean, Kind::Mean)].map(|(found, kind)| {
        let ci = found.estimate(kind, &intervals(number))?.ci.ok()?;
        Some(ci.lo <= expected && expected <= ci.hi)
    })
}

#[test]
#[ignore = "minutes of simulation; run it after a change of intervals, in release"]
fn what_repeats_come_to_is_held_as_a_rate() {
    println!("| quantity | items | as a rate | as a mean |");
    println!("|---|---:|---:|---:|");
    for (name, ease, all) in [
        ("pass@3 = 0.75", 1.0, false),
        ("pass^3 = 0.25", 1.0, true),
        ("pass@3 = 0.97", 4.0, false),
        ("pass^3 = 0.57", 4.0, true),
    ] {
        for items in [20, 50, 200] {
            let held = |at: usize| share(FEW, |n| passes_are_held(ease, all, items, n)[at]) * 100.0;
            let (rate, mean) = (held(0), held(1));
            println!("| {name} | {items} | {rate:.1} % | {mean:.1} % |");
            assert!((90.0..=98.5).contains(&rate), "{name} {items} {rate}");
        }
    }
}

/// Whether intervals hold F1, Matthews' correlation and R²: three classes of which 70 % are
/// told right, and numbers with errors half as spread as they are.
fn functions_are_held(clusters: u32, number: u64) -> [Option<bool>; 3] {
    let mut draws = Draws::new(6, number);
    let (mut classes, mut numbers) = (Vec::new(), Vec::new());
    for _ in 0..clusters {
        let mut row = [0.0; 9];
        let gold = draws.below(3) as usize;
        let said = match uniform(&mut draws) < 0.7 {
            true => gold,
            false => (gold + 1 + draws.below(2) as usize) % 3,
        };
        ClassSums::add(&mut row, Some(said), gold);
        classes.push(row);
        let truth = normal(&mut draws);
        numbers.push(terms(truth, truth + normal(&mut draws) / 2.0));
    }
    let intervals = intervals(number);
    let n = u64::from(clusters);
    let held = |functions: &Functions, width, of: Function, expected: f64| {
        let ci = functions.of(0..width, n, of)?.ci.ok()?;
        Some(ci.lo <= expected && expected <= ci.hi)
    };
    let classes = Functions::new(Terms::new(&classes), &intervals);
    let numbers = Functions::new(Terms::new(&numbers), &intervals);
    let f1 = |sums: &[f64]| ClassSums(sums).average(Average::Macro, Score::F1);
    let matthews = |sums: &[f64]| ClassSums(sums).matthews();
    let r2 = |sums: &[f64]| explained(sums, numbers.totals());
    [
        held(&classes, 9, &f1, 0.7),
        held(&classes, 9, &matthews, 0.55),
        held(&numbers, WIDTH, &r2, 0.75),
    ]
}

#[test]
#[ignore = "minutes of simulation; run it after a change of intervals, in release"]
fn functions_of_records_are_held() {
    println!("| quantity | 50 clusters | 200 clusters |");
    println!("|---|---:|---:|");
    for (at, name) in ["macro F1 = 0.7", "Matthews = 0.55", "R² = 0.75"]
        .iter()
        .enumerate()
    {
        let held =
            [50, 200].map(|clusters| share(FEW, |n| functions_are_held(clusters, n)[at]) * 100.0);
        let [few, many] = held;
        println!("| {name} | {few:.1} % | {many:.1} % |");
        assert!(
            (91.0..=98.5).contains(&few) && (92.5..=97.5).contains(&many),
            "{name}"
        );
    }
}
