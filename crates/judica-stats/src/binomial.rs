//! Draws from a binomial distribution.
//!
//! How many of n items fall into a group that each falls into with probability p, in a
//! time that does not depend on n. The logarithms and exponentials are those of `libm`,
//! so that a stream of words gives the same numbers on every platform.

use crate::resample::Draws;
use std::f64::consts::TAU;

/// From this mean on the rejection method is valid (Hörmann's condition); below it, a
/// search upwards from 0 takes few steps.
const REJECTION_FROM: f64 = 10.0;

/// A search never has to pass this: with a mean below 10, the chance of more successes
/// is below 10^-70.
const SEARCH_LIMIT: u64 = 110;

/// How many of `n` independent trials succeed when each does with probability `part` of
/// `whole`, which keeps the complement as exact as itself: `part` is at most `whole`, and
/// `whole` is not 0. Exact but for the rounding of doubles, for `n` up to 2^53.
///
/// Where the smaller of the expected successes and failures is below 10, the
/// distribution function is searched from its lower end. Elsewhere a transformed
/// rejection decides: algorithm BTRS of Hörmann, "The generation of binomial random
/// variates", *Journal of Statistical Computation and Simulation* 46, 1993. The number
/// of words taken from `draws` depends on what they are.
pub(crate) fn binomial_part(draws: &mut Draws, n: u64, part: u64, whole: u64) -> u64 {
    let rest = whole - part;
    if part > rest {
        n - rarer(draws, n, rest as f64 / whole as f64)
    } else {
        rarer(draws, n, part as f64 / whole as f64)
    }
}

/// The draw for `p` of at most a half.
fn rarer(draws: &mut Draws, n: u64, p: f64) -> u64 {
    if n == 0 || p.is_nan() || p <= 0.0 {
        0
    } else if n as f64 * p < REJECTION_FROM {
        by_search(draws, n, p)
    } else {
        by_rejection(draws, n, p)
    }
}

/// A double from `[0, 1)`, a multiple of 2^-53: the first word gives its upper 32 bits,
/// the upper 21 bits of the second word those below.
fn unit(draws: &mut Draws) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    let upper = u64::from(draws.word());
    let lower = u64::from(draws.word());
    ((upper << 32 | lower) >> 11) as f64 * STEP
}

/// The least k whose cumulated probability is above a uniform number.
fn by_search(draws: &mut Draws, n: u64, p: f64) -> u64 {
    let odds = p / (1.0 - p);
    let trials = n as f64;
    let none = libm::exp(trials * libm::log1p(-p));
    loop {
        let mut ahead = unit(draws);
        let mut probability = none;
        for k in 0..=n.min(SEARCH_LIMIT) {
            if ahead < probability {
                return k;
            }
            ahead -= probability;
            let successes = k as f64;
            probability *= odds * (trials - successes) / (successes + 1.0);
        }
        // Rounding left something of a number next to 1: draw another.
    }
}

/// Transformed rejection with squeeze; the names are those of the paper.
fn by_rejection(draws: &mut Draws, n: u64, p: f64) -> u64 {
    let trials = n as f64;
    let mean = trials * p;
    let deviation = (mean * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let alpha = (2.83 + 5.1 / b) * deviation;
    let squeeze = 0.92 - 4.2 / b;
    let mode = ((trials + 1.0) * p).floor();
    loop {
        let v = unit(draws);
        let u = unit(draws) - 0.5;
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + mean + 0.5).floor();
        if us >= 0.07 && v <= squeeze {
            return k as u64;
        }
        if !(0.0..=trials).contains(&k) {
            continue;
        }
        let height = libm::log(v * alpha / (a / (us * us) + b));
        if height <= log_probability(trials, p, k) - log_probability(trials, p, mode) {
            return k as u64;
        }
    }
}

/// The logarithm of the probability of `k` successes, `0 < p < 1`.
///
/// By deviance, which keeps its digits where k and n are large and k/n is close to p:
/// Loader, *Fast and Accurate Computation of Binomial Probabilities*, 2000.
fn log_probability(n: f64, p: f64, k: f64) -> f64 {
    let failures = n - k;
    if k == 0.0 {
        return n * libm::log1p(-p);
    }
    if failures == 0.0 {
        return n * libm::log(p);
    }
    let corrections = stirling_error(n) - stirling_error(k) - stirling_error(failures);
    let deviances = deviance(k, n * p) + deviance(failures, n * (1.0 - p));
    corrections - deviances - 0.5 * libm::log(TAU * k * (failures / n))
}

/// `x ln(x / m) + m - x`, for positive numbers.
fn deviance(x: f64, m: f64) -> f64 {
    let apart = x - m;
    if apart.abs() >= 0.1 * (x + m) {
        return x * libm::log(x / m) - apart;
    }
    // ln(x / m) = 2 (r + r^3/3 + r^5/5 + …) with r = (x - m) / (x + m). The first term
    // and m - x leave (x - m) r, so nothing cancels.
    let ratio = apart / (x + m);
    let mut sum = apart * ratio;
    let mut term = 2.0 * x * ratio;
    let mut odd = 1.0;
    loop {
        term *= ratio * ratio;
        odd += 2.0;
        let next = sum + term / odd;
        if next == sum {
            return sum;
        }
        sum = next;
    }
}

/// What Stirling's formula, `ln sqrt(2 pi k) + k ln k - k`, lacks of `ln k!`.
fn stirling_error(k: f64) -> f64 {
    if let Some(&exact) = STIRLING_ERRORS.get(k as usize) {
        return exact;
    }
    let square = k * k;
    let series = 1.0 / 1680.0 - 1.0 / 1188.0 / square;
    let series = 1.0 / 1260.0 - series / square;
    let series = 1.0 / 360.0 - series / square;
    (1.0 / 12.0 - series / square) / k
}

/// The same for 0 to 9, where the series is not good enough. At 0 it is infinite and
/// not asked for.
const STIRLING_ERRORS: [f64; 10] = [
    f64::INFINITY,
    0.081_061_466_795_327_26,
    0.041_340_695_955_409_3,
    0.027_677_925_684_998_34,
    0.020_790_672_103_765_093,
    0.016_644_691_189_821_193,
    0.013_876_128_823_070_748,
    0.011_896_709_945_891_77,
    0.010_411_265_261_972_096,
    0.009_255_462_182_712_733,
];

#[cfg(test)]
#[path = "binomial_tests.rs"]
mod tests;
