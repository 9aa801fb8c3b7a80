//! How likely a fair coin is to fall so unevenly.
//!
//! Behind McNemar's exact test and the sign test. The number of heads in n throws is
//! binomial; C(n, k) / 2^n overflows a double from n = 1030, and the logarithms of
//! factorials of a million are so large that only nine digits of their difference are
//! left. So beyond what integers hold, the probability of exactly k heads is that of
//! Loader, "Fast and Accurate Computation of Binomial Probabilities", 2000: the entropy
//! part in one piece, and only the small remainders of Stirling's formula apart from it.

use std::f64::consts::PI;

/// Throws up to which the counts are integers: C(120, 60) · 60 is below 2^128.
const EXACT_UP_TO: u128 = 120;

/// Throws beyond which summing, some multiple of √n terms, would take too long.
const SUMMED_UP_TO: u128 = 1 << 40;

/// The probabilities of a number of heads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tail {
    /// Of exactly so many.
    pub(crate) exactly: f64,
    /// Of at most so many.
    pub(crate) at_most: f64,
}

/// The probability that heads and tails differ by at least as much as `a` and `b`.
pub(crate) fn two_sided(a: u64, b: u64) -> f64 {
    (2.0 * lower_tail(a, b).at_most).min(1.0)
}

/// The lower tail of the number of throws on the rarer side, when `a` fell on one side
/// and `b` on the other.
///
/// Correctly rounded up to 120 throws; a relative error below 10^-11 up to 2^40 throws.
/// Beyond, `at_most` is that of the normal distribution with continuity correction, with
/// a relative error of about z⁴ / 12n at z standard deviations. Probabilities below the
/// range of doubles are 0.
pub(crate) fn lower_tail(a: u64, b: u64) -> Tail {
    let (few, many) = (a.min(b), a.max(b));
    let throws = u128::from(few) + u128::from(many);
    if throws <= EXACT_UP_TO {
        return counted(few as u128, throws);
    }
    let exactly = probability(few, many);
    let at_most = match many - few {
        // The two halves mirror each other.
        0 => 0.5 + exactly / 2.0,
        1 => 0.5,
        _ if throws <= SUMMED_UP_TO => exactly * tail_in_units_of_its_end(few, many),
        apart => 0.5 * libm::erfc((apart - 1) as f64 / (2.0 * throws as f64).sqrt()),
    };
    Tail { exactly, at_most }
}

/// By counting the sequences of throws.
fn counted(heads: u128, throws: u128) -> Tail {
    let (mut ways, mut up_to) = (1, 1);
    for k in 0..heads {
        ways = ways * (throws - k) / (k + 1);
        up_to += ways;
    }
    let sequences = (1u128 << throws) as f64;
    Tail {
        exactly: ways as f64 / sequences,
        at_most: up_to as f64 / sequences,
    }
}

/// The probability that exactly `few` of all throws are heads.
fn probability(few: u64, many: u64) -> f64 {
    let (k, m) = (few as f64, many as f64);
    let n = (u128::from(few) + u128::from(many)) as f64;
    if few == 0 {
        return libm::exp2(-n);
    }
    let imbalance = (many - few) as f64 / n;
    let remainders = stirling_remainder(n) - stirling_remainder(k) - stirling_remainder(m);
    (n / (2.0 * PI * k * m)).sqrt() * libm::exp(remainders - n * divergence(imbalance))
}

/// The sum of the probabilities up to `few` heads over the last of them.
fn tail_in_units_of_its_end(few: u64, many: u64) -> f64 {
    let (mut heads, mut tails) = (few as f64, many as f64);
    let (mut term, mut sum) = (1.0, 1.0);
    // What is left out, a near-geometric series of at most √n terms, is far below 2^-53.
    while term > 2f64.powi(-75) {
        tails += 1.0;
        term *= heads / tails;
        heads -= 1.0;
        sum += term;
    }
    sum
}

/// How far shares of (1 + t)/2 and (1 - t)/2 are from a fair coin: ln 2 minus their
/// entropy.
fn divergence(t: f64) -> f64 {
    if t > 0.1 {
        return 0.5 * ((1.0 + t) * libm::log1p(t) + (1.0 - t) * libm::log1p(-t));
    }
    // The two parts would cancel. Their series, t^2j / (2j (2j - 1)), from the small end.
    let square = t * t;
    (1..=8).rev().map(f64::from).fold(0.0, |sum, j| {
        (sum + 1.0 / (2.0 * j * (2.0 * j - 1.0))) * square
    })
}

/// What Stirling's formula leaves of ln x!, for x of at least 1.
fn stirling_remainder(x: f64) -> f64 {
    // The series wants a large x: step up to one, which adds what each step takes off.
    let (mut x, mut steps) = (x, 0.0);
    while x < 16.0 {
        steps += (x + 0.5) * libm::log1p(1.0 / x) - 1.0;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = 1.0 / 1188.0;
    let series = 1.0 / 1680.0 - y * series;
    let series = 1.0 / 1260.0 - y * series;
    let series = 1.0 / 360.0 - y * series;
    steps + (1.0 / 12.0 - y * series) / x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // Of 16 sequences of four throws, 1 has no head and 4 have one.
        let tail = lower_tail(3, 1);
        assert_eq!((tail.exactly, tail.at_most), (4.0 / 16.0, 5.0 / 16.0));
        assert_eq!(two_sided(1, 3), 10.0 / 16.0);
        assert_eq!(two_sided(0, 0), 1.0);
        assert_eq!(two_sided(0, 1074), 2.0 * 5e-324);
    }

    #[test]
    fn the_ways_of_computing_meet() {
        for few in 0..=60 {
            let many = 120 - few;
            let counted = counted(few.into(), 120);
            let exactly = probability(few, many);
            let at_most = exactly * tail_in_units_of_its_end(few, many);
            assert!((exactly / counted.exactly - 1.0).abs() < 1e-13, "{few}");
            assert!((at_most / counted.at_most - 1.0).abs() < 1e-13, "{few}");
        }
        // And the normal distribution takes over where it is as good.
        let half = (SUMMED_UP_TO / 2) as u64;
        for z in [0.5, 2.0, 6.0] {
            let away = (z * (half as f64 / 2.0).sqrt()) as u64;
            let summed = lower_tail(half - away, half + away).at_most;
            let normal = lower_tail(half - away, half + away + 1).at_most;
            // One throw more shifts the tail by half the last probability.
            let last = lower_tail(half - away, half + away).exactly;
            let shifted = summed - last / 2.0;
            assert!((normal / shifted - 1.0).abs() < 1e-9, "{normal} {shifted}");
        }
    }

    #[test]
    fn published_values() {
        // Stirling's formula falls short of ln 1! = 0 by 1 - ln(2π)/2.
        let one = 1.0 - 0.5 * libm::log(2.0 * PI);
        assert!((stirling_remainder(1.0) - one).abs() < 1e-15);
        // ln 2 minus the entropy of shares 1 and 0, and the two formulas at their border.
        assert!((divergence(1.0 - 1e-15) - std::f64::consts::LN_2).abs() < 1e-13);
        let apart = divergence(0.1) / divergence(0.1f64.next_up()) - 1.0;
        assert!(apart.abs() < 1e-14, "{apart}");
    }

    proptest! {
        #[test]
        fn follows_pascal(few in 100u64..5000, apart in 2u64..1000) {
            // At most k heads in n + 1 throws: at most k in n, less half of exactly k.
            let (now, next) = (lower_tail(few, few + apart), lower_tail(few, few + apart + 1));
            let expected = now.at_most - now.exactly / 2.0;
            prop_assert!((next.at_most / expected - 1.0).abs() < 1e-11);
            prop_assert!(0.0 < next.exactly && next.exactly <= next.at_most);
        }
    }
}
