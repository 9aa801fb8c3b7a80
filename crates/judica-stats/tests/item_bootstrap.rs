//! The bootstrap over items against its definition and against published figures.

use judica_stats::agreement::{Coefficient, Estimate, Undefined};
use judica_stats::item_bootstrap::{IntervalMethod, ItemBootstrap, ResampledInterval};
use judica_stats::multinomial::GroupResampler;
use judica_stats::normal::normal_cdf;
use judica_stats::{Interval, normal_quantile, quantiles};
use proptest::prelude::*;

/// The variance over items, where all items of a group have the same value; undefined
/// for fewer than two items.
struct Variance(Vec<f64>);

impl Coefficient for Variance {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let n = weights.iter().sum::<u64>() as f64;
        if n < 2.0 {
            return Err(Undefined::NoItems);
        }
        let weighted = || self.0.iter().zip(weights).map(|(&x, &w)| (x, w as f64));
        let mean = weighted().map(|(x, w)| x * w).sum::<f64>() / n;
        Ok(weighted()
            .map(|(x, w)| w * (x - mean) * (x - mean))
            .sum::<f64>()
            / n)
    }
}

/// The mean over the items of all groups but the last; undefined without any.
struct PartialMean(Vec<f64>);

impl Coefficient for PartialMean {
    fn estimate(&self, weights: &[u64]) -> Estimate {
        let n: u64 = weights[..weights.len() - 1].iter().sum();
        if n == 0 {
            return Err(Undefined::NoPairs);
        }
        let sum: f64 = self
            .0
            .iter()
            .zip(&weights[..weights.len() - 1])
            .map(|(x, &w)| x * w as f64)
            .sum();
        Ok(sum / n as f64)
    }
}

fn plan(method: IntervalMethod) -> ItemBootstrap {
    ItemBootstrap {
        resamples: 2000,
        seed: 17,
        confidence: 0.95,
        method,
    }
}

/// The definition: items one by one, no groups, no threads.
fn by_definition(
    plan: ItemBootstrap,
    sizes: &[u64],
    coefficient: &dyn Coefficient,
) -> Option<Interval> {
    let estimate = coefficient.estimate(sizes).ok()?;
    let resampler = GroupResampler::new(sizes);
    let mut weights = vec![0; sizes.len()];
    let mut values = Vec::new();
    for resample in 0..plan.resamples {
        resampler.fill(plan.seed, u64::from(resample), &mut weights);
        values.extend(coefficient.estimate(&weights));
    }
    let tail = (1.0 - plan.confidence) / 2.0;
    let mut levels = vec![tail, 1.0 - tail];
    if plan.method == IntervalMethod::Bca {
        let mut left_out = Vec::new();
        for (group, &size) in sizes.iter().enumerate() {
            for _ in 0..size {
                let mut without = sizes.to_vec();
                without[group] -= 1;
                left_out.push(coefficient.estimate(&without).ok()?);
            }
        }
        let mean = left_out.iter().sum::<f64>() / left_out.len() as f64;
        let power = |k| left_out.iter().map(|x| (mean - x).powi(k)).sum::<f64>();
        let a = if power(2) > 0.0 {
            power(3) / (6.0 * power(2).powf(1.5))
        } else {
            0.0
        };
        let share = |v: &f64| match v - estimate {
            apart if apart.abs() <= 1e-12 * estimate.abs().max(1.0) => 0.5,
            apart => f64::from(apart < 0.0),
        };
        let z0 = normal_quantile(values.iter().map(share).sum::<f64>() / values.len() as f64)?;
        for level in &mut levels {
            let z = z0 + normal_quantile(*level)?;
            *level = normal_cdf(z0 + z / (1.0 - a * z));
        }
    }
    let ends = quantiles(&mut values, &levels)?;
    Some(Interval {
        lo: ends[0],
        hi: ends[1],
    })
}

#[test]
fn published_example() {
    // The spatial test data of Efron and Tibshirani, An Introduction to the Bootstrap,
    // 1993, table 14.1. The variance of A is 171.5; table 14.2 has its 90 % intervals
    // from 2000 resamples: percentile (100.8, 233.9) and BCa (115.8, 259.6). The ends
    // differ by a few units from one set of resamples to another.
    let a = [
        48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24,
        26, 30, 41,
    ];
    let variance = Variance(a.map(f64::from).to_vec());
    let sizes = [1; 26];
    assert!((variance.estimate(&sizes).unwrap() - 171.534).abs() < 1e-3);
    for (method, lo, hi) in [
        (IntervalMethod::Percentile, 100.8, 233.9),
        (IntervalMethod::Bca, 115.8, 259.6),
    ] {
        let plan = ItemBootstrap {
            resamples: 20_000,
            confidence: 0.9,
            ..plan(method)
        };
        let got = plan.intervals(&sizes, &[&variance], 2)[0].interval.unwrap();
        assert!(
            (got.lo - lo).abs() < 4.0 && (got.hi - hi).abs() < 4.0,
            "{got:?}"
        );
    }
}

#[test]
fn a_coefficient_that_cannot_vary_has_a_single_value() {
    let constant = Variance(vec![3.5; 4]);
    for method in [IntervalMethod::Percentile, IntervalMethod::Bca] {
        let got = plan(method).intervals(&[5, 1, 0, 90], &[&constant], 2);
        assert_eq!(got[0].interval, Some(Interval { lo: 0.0, hi: 0.0 }));
    }
}

#[test]
fn resamples_without_a_value_are_passed_over_and_counted() {
    // Nine items of ten are in the last group: (9/10)^10 = 0.349 of all resamples hold
    // nothing else, 697 of 2000 with a standard deviation of 21.
    let mean = PartialMean(vec![0.25]);
    let percentile = plan(IntervalMethod::Percentile).intervals(&[1, 9], &[&mean], 2)[0];
    assert_eq!(percentile.interval, Some(Interval { lo: 0.25, hi: 0.25 }));
    assert!(percentile.undefined_resamples.abs_diff(697) < 130);
    // Without that one item there is no value, so there is no jackknife.
    let bca = plan(IntervalMethod::Bca).intervals(&[1, 9], &[&mean], 2)[0];
    assert_eq!(bca.interval, None);
    assert_eq!(bca.undefined_resamples, percentile.undefined_resamples);
}

#[test]
fn no_interval_where_there_cannot_be_one() {
    let nothing = ResampledInterval::default();
    let variance = Variance(vec![1.0, 2.0]);
    let undefined = PartialMean(vec![1.0]);
    for method in [IntervalMethod::Percentile, IntervalMethod::Bca] {
        let plan = plan(method);
        let coefficients: [&dyn Coefficient; 2] = [&undefined, &variance];
        assert_eq!(plan.intervals(&[0, 0], &coefficients, 2), [nothing; 2]);
        assert_eq!(plan.intervals(&[], &[], 2), []);
        let got = plan.intervals(&[0, 8], &coefficients, 2);
        assert_eq!(got[0], nothing);
        assert!(got[1].interval.is_some());
        for confidence in [0.0, 1.0, -0.5, f64::NAN] {
            let plan = ItemBootstrap { confidence, ..plan };
            assert_eq!(plan.intervals(&[4, 4], &[&variance], 2), [nothing]);
        }
        let none = ItemBootstrap {
            resamples: 0,
            ..plan
        };
        assert_eq!(none.intervals(&[4, 4], &[&variance], 2), [nothing]);
    }
}

#[test]
fn a_bias_beyond_all_resamples_has_no_correction() {
    // Two different items: the variance of the sample is the largest there is, and
    // resamples reach it (half of them) or fall to 0.
    let two = Variance(vec![0.0, 1.0]);
    assert!(
        plan(IntervalMethod::Bca).intervals(&[1, 1], &[&two], 1)[0]
            .interval
            .is_none()
    );
    // One resample is on one side or on the other.
    let one = ItemBootstrap {
        resamples: 1,
        ..plan(IntervalMethod::Bca)
    };
    let spread = Variance(vec![0.0, 1.0, 5.0]);
    assert!(
        one.intervals(&[9, 5, 3], &[&spread], 1)[0]
            .interval
            .is_none()
    );
}

#[test]
fn of_many_groups_an_item_of_each_is_left_out() {
    let values: Vec<f64> = (0..2500).map(|i| f64::from(i * i % 997)).collect();
    let variance = Variance(values);
    let bca = ItemBootstrap {
        resamples: 200,
        ..plan(IntervalMethod::Bca)
    };
    let sizes = vec![1; 2500];
    let got = bca.intervals(&sizes, &[&variance], 2)[0].interval.unwrap();
    assert_eq!(
        bca.intervals(&sizes, &[&variance], 1)[0].interval,
        Some(got)
    );
    let expected = by_definition(bca, &sizes, &variance).unwrap();
    let off = (got.lo - expected.lo)
        .abs()
        .max((got.hi - expected.hi).abs());
    assert!(off < 1e-7, "{got:?} {expected:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn equals_the_definition_for_any_threads_and_company(
        groups in prop::collection::vec((-10.0f64..10.0, 0u64..60), 1..20),
        resamples in 1u32..120,
        seed: u64,
        confidence in 0.05f64..0.999,
    ) {
        let (values, sizes): (Vec<f64>, Vec<u64>) = groups.into_iter().unzip();
        let variance = Variance(values.clone());
        let mean = PartialMean(values);
        for method in [IntervalMethod::Percentile, IntervalMethod::Bca] {
            let plan = ItemBootstrap { resamples, seed, confidence, method };
            let got = plan.intervals(&sizes, &[&variance, &mean], 1);
            for threads in [0, 2, 5] {
                prop_assert_eq!(&got, &plan.intervals(&sizes, &[&variance, &mean], threads));
            }
            prop_assert_eq!(&got[1..], &plan.intervals(&sizes, &[&mean], 2)[..]);
            for (coefficient, got) in [&variance as &dyn Coefficient, &mean].into_iter().zip(got) {
                let expected = by_definition(plan, &sizes, coefficient);
                prop_assert_eq!(got.interval.is_some(), expected.is_some());
                if let (Some(got), Some(expected)) = (got.interval, expected) {
                    prop_assert!((got.lo - expected.lo).abs() < 1e-7, "{got:?} {expected:?}");
                    prop_assert!((got.hi - expected.hi).abs() < 1e-7, "{got:?} {expected:?}");
                }
            }
        }
    }
}
