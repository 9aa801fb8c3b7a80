use super::*;
use crate::normal::normal_quantile;
use proptest::prelude::*;

/// Draws by a probability instead of a part of a whole.
fn binomial(draws: &mut Draws, n: u64, p: f64) -> u64 {
    match p > 0.5 {
        // Exact: the two are within a factor of two of each other.
        true => n - rarer(draws, n, 1.0 - p),
        false => rarer(draws, n, p),
    }
}

/// The probability of `k` successes by its definition, through log-gamma: independent of
/// what the sampler uses, and good to about n in the sixteenth digit.
fn probability(n: u64, p: f64, k: u64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    let choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    libm::exp(choose + k * libm::log(p) + (n - k) * libm::log1p(-p))
}

/// How far chi-square is from its mean, in standard deviations.
fn chi_square_excess(observed: &[u64], expected: &[f64]) -> f64 {
    let chi: f64 = observed
        .iter()
        .zip(expected)
        .map(|(&o, &e)| (o as f64 - e) * (o as f64 - e) / e)
        .sum();
    let freedom = (observed.len() - 1) as f64;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

/// Joins neighbouring bins until each is expected to hold at least 20 draws.
fn join(observed: &[u64], expected: &[f64]) -> (Vec<u64>, Vec<f64>) {
    let (mut o, mut e) = (vec![0], vec![0.0]);
    for (&count, &mean) in observed.iter().zip(expected) {
        if e[e.len() - 1] >= 20.0 {
            o.push(0);
            e.push(0.0);
        }
        *o.last_mut().unwrap() += count;
        *e.last_mut().unwrap() += mean;
    }
    if e.len() > 1 && e[e.len() - 1] < 20.0 {
        let (count, mean) = (o.pop().unwrap(), e.pop().unwrap());
        *o.last_mut().unwrap() += count;
        *e.last_mut().unwrap() += mean;
    }
    (o, e)
}

#[test]
fn worked_by_hand() {
    // ChaCha8 with a zero key starts with the words 2fef003e d6405f89: as a fraction
    // 0x2fef003e / 2^32 = 0.18724. One trial with p = 0.25 has none with probability
    // 0.75 > 0.187. Two trials with p = 0.6 turn into failures with q = 0.4: none with
    // probability 0.36 > 0.187, so both succeed.
    assert!((unit(&mut Draws::new(0, 0)) - 0.187_240_6).abs() < 1e-7);
    assert_eq!(binomial(&mut Draws::new(0, 0), 1, 0.25), 0);
    assert_eq!(binomial(&mut Draws::new(0, 0), 2, 0.6), 2);
    // Three with p = 0.5: 0.125 for none, 0.375 more for one.
    assert_eq!(binomial(&mut Draws::new(0, 0), 3, 0.5), 1);
}

#[test]
fn certain_outcomes() {
    let mut draws = Draws::new(1, 1);
    for n in [0, 1, 7, 1 << 40] {
        for (p, sure) in [
            (0.0, 0),
            (-0.0, 0),
            (-1.0, 0),
            (f64::NAN, 0),
            (1.0, n),
            (2.0, n),
            (f64::INFINITY, n),
            (f64::MIN_POSITIVE, 0),
            (1e-300, 0),
        ] {
            assert_eq!(binomial(&mut draws, n, p), sure, "{n} {p}");
        }
        assert_eq!(binomial_part(&mut draws, n, 3, 3), n);
        assert_eq!(binomial_part(&mut draws, n, 0, 3), 0);
    }
    assert!((0..100).all(|_| binomial(&mut draws, 0, 0.3) == 0));
}

#[test]
fn the_distribution_is_binomial() {
    // Both methods, both sides of a half, and the mean where one takes over.
    let mut worst = 0.0f64;
    for (stream, (n, p)) in [
        (1, 0.5),
        (2, 0.1),
        (5, 0.9),
        (19, 0.5),
        (20, 0.5),
        (21, 0.49),
        (40, 0.25),
        (40, 0.75),
        (1000, 0.0099),
        (1000, 0.0101),
        (1000, 0.5),
        (100_000, 1e-5),
        (100_000, 1.01e-4),
        (100_000, 0.002),
        (1_000_000, 0.000_05),
        (1_000_000, 0.999_9),
    ]
    .into_iter()
    .enumerate()
    {
        const DRAWS: u64 = 100_000;
        let mut draws = Draws::new(42, stream as u64);
        let mean = n as f64 * p;
        let reach = 8.0 * (mean * (1.0 - p)).sqrt() + 20.0;
        let first = (mean - reach).max(0.0) as u64;
        let last = ((mean + reach) as u64).min(n);
        let mut observed = vec![0; (last - first) as usize + 1];
        for _ in 0..DRAWS {
            let k = binomial(&mut draws, n, p);
            assert!((first..=last).contains(&k), "{n} {p}: {k}");
            observed[(k - first) as usize] += 1;
        }
        let expected: Vec<f64> = (first..=last)
            .map(|k| DRAWS as f64 * probability(n, p, k))
            .collect();
        let (observed, expected) = join(&observed, &expected);
        let excess = chi_square_excess(&observed, &expected);
        worst = worst.max(excess);
        assert!(excess < 6.0, "{n} {p}: {excess}");
    }
    assert!(worst > 0.1, "the test must be able to see something");
}

#[test]
fn large_counts_are_close_to_normal() {
    // Chi-square over 50 equally likely bins of the normal distribution. Its difference
    // from the binomial, half a step of a lattice 1 / deviation wide, shifts a bin's
    // share by less than 10^-5 here; 20,000 draws do not see that.
    const BINS: usize = 50;
    let cuts: Vec<f64> = (1..BINS)
        .map(|i| normal_quantile(i as f64 / BINS as f64).unwrap())
        .collect();
    for (stream, (n, p)) in [(1u64 << 40, 0.5), (1 << 40, 0.01), (1 << 36, 0.7)]
        .into_iter()
        .enumerate()
    {
        let mut draws = Draws::new(3, stream as u64);
        let deviation = (n as f64 * p * (1.0 - p)).sqrt();
        let mut observed = [0; BINS];
        for _ in 0..20_000 {
            let z = (binomial(&mut draws, n, p) as f64 - n as f64 * p) / deviation;
            observed[cuts.partition_point(|&cut| cut < z)] += 1;
        }
        let excess = chi_square_excess(&observed, &[20_000.0 / BINS as f64; BINS]);
        assert!(excess < 6.0, "{n} {p}: {excess}");
    }
}

#[test]
fn mean_and_variance() {
    for (stream, (n, p)) in [
        (3u64, 0.2),
        (60, 0.6),
        (1 << 20, 0.001),
        (1 << 33, 0.8),
        (1 << 40, 1e-12),
        (1 << 40, 1e-11),
    ]
    .into_iter()
    .enumerate()
    {
        const DRAWS: usize = 40_000;
        let mut draws = Draws::new(8, stream as u64);
        let mean = n as f64 * p;
        let variance = mean * (1.0 - p);
        let apart: Vec<f64> = (0..DRAWS)
            .map(|_| (binomial(&mut draws, n, p) as f64 - mean) / variance.sqrt())
            .collect();
        let moment = |m: i32| apart.iter().map(|x| x.powi(m)).sum::<f64>() / DRAWS as f64;
        let errors = 6.0 / (DRAWS as f64).sqrt();
        assert!(moment(1).abs() < errors, "{n} {p}: {}", moment(1));
        // The fourth standardised moment is 3 + (1 - 6 p q) / variance.
        let fourth = 3.0 + (1.0 - 6.0 * p * (1.0 - p)) / variance;
        let spread = (fourth - 1.0).sqrt() * errors;
        assert!((moment(2) - 1.0).abs() < spread, "{n} {p}: {}", moment(2));
    }
}

#[test]
fn probabilities_keep_their_digits() {
    // To 18 digits by arithmetic of 60: ln C(n, k) + k ln p + (n - k) ln(1 - p).
    for (n, p, k, expected) in [
        (
            1u64 << 40,
            0.5,
            (1u64 << 39) + 700_000,
            -14.980_039_771_580_761,
        ),
        (1 << 40, 0.3, 329_852_488_332, -16.167_025_694_890_26),
        (1 << 40, 1e-11, 25, -9.062_441_514_235_598),
        (1 << 40, 1e-6, 1_102_511, -11.962_791_179_719_566),
        (1_000_000, 0.25, 251_000, -9.655_336_669_013_305),
        (1000, 0.013, 40, -21.074_973_118_521_986),
        (40, 0.25, 17, -4.974_801_108_572_969),
        (20, 0.5, 0, -13.862_943_611_198_906),
        (20, 0.5, 20, -13.862_943_611_198_906),
    ] {
        let got = log_probability(n as f64, p, k as f64);
        assert!((got - expected).abs() < 1e-9, "{n} {p} {k}: {got}");
    }
    // Where the series takes over from the table: ln 10! - Stirling's formula.
    assert!((stirling_error(10.0) - 0.008_330_563_433_362_87).abs() < 1e-13);
}

proptest! {
    #[test]
    fn never_more_than_all_and_repeatable(
        n in prop_oneof![0u64..100, 0u64..(1 << 40)],
        p in prop_oneof![0.0f64..=1.0, 0.0f64..1e-9],
        seed: u64,
    ) {
        let draw = |p| binomial(&mut Draws::new(seed, 0), n, p);
        prop_assert!(draw(p) <= n);
        prop_assert_eq!(draw(p), draw(p));
    }

    #[test]
    fn failures_mirror_successes(n in 0u64..(1 << 40), part in 0u64..=1000, seed: u64) {
        prop_assume!(part != 500);
        let draw = |part| binomial_part(&mut Draws::new(seed, 0), n, part, 1000);
        prop_assert_eq!(draw(part) + draw(1000 - part), n);
    }

    #[test]
    fn a_ratio_is_a_probability(n in 0u64..1_000_000, part in 0u64..=64, seed: u64) {
        // Sixty-fourths are exact, and so is their complement.
        let ratio = binomial_part(&mut Draws::new(seed, 0), n, part, 64);
        let share = binomial(&mut Draws::new(seed, 0), n, part as f64 / 64.0);
        prop_assert_eq!(ratio, share);
    }
}
