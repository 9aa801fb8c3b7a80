//! The bootstrap against its definition, resample by resample.

use judica_stats::resample::Draws;
use judica_stats::{Interval, ModelColumn, PairedBootstrap, quantiles};
use proptest::prelude::*;

/// The definition, without tiles, blocks or threads.
fn by_definition(plan: PairedBootstrap, values: &[Option<f64>], c: f64) -> Option<Interval> {
    let mut means = Vec::new();
    for resample in 0..plan.resamples {
        let mut draws = Draws::new(plan.seed, u64::from(resample));
        let drawn = values
            .iter()
            .map(|_| values[draws.below(values.len() as u32) as usize]);
        let present: Vec<f64> = drawn.flatten().collect();
        if !present.is_empty() {
            means.push(present.iter().sum::<f64>() / present.len() as f64);
        }
    }
    let tail = (1.0 - c) / 2.0;
    let ends = quantiles(&mut means, &[tail, 1.0 - tail])?;
    Some(Interval {
        lo: ends[0],
        hi: ends[1],
    })
}

fn column(values: &[Option<f64>]) -> ModelColumn {
    values.iter().copied().collect()
}

#[test]
fn worked_by_hand() {
    // Seed 0, resample 0 of four samples draws 0, 3, 3, 2 (see `Draws`).
    let plan = PairedBootstrap {
        resamples: 1,
        seed: 0,
    };
    let full = column(&[1.0, 2.0, 4.0, 8.0].map(Some));
    // Without sample 3: (1 + 4) / 2. With sample 1 alone: nothing was drawn.
    let gap = column(&[Some(1.0), Some(2.0), Some(4.0), None]);
    let unseen = column(&[None, Some(2.0), None, None]);
    let got = plan.mean_intervals(4, &[full, gap, unseen], 0.95, 1);
    let at = |x| Some(Interval { lo: x, hi: x });
    assert_eq!(got, vec![at(21.0 / 4.0), at(2.5), None]);
}

#[test]
fn undefined_is_none() {
    let plan = PairedBootstrap {
        resamples: 10,
        seed: 1,
    };
    let empty = ModelColumn::default();
    assert_eq!(
        plan.mean_intervals(0, &[empty.clone(), empty], 0.95, 2),
        vec![None, None]
    );
    let ok = column(&[Some(1.0), Some(2.0)]);
    for bad in [
        column(&[None, None]),
        column(&[Some(f64::NAN), Some(1.0)]),
        column(&[Some(1e308); 2]),
    ] {
        let got = plan.mean_intervals(2, &[bad, ok.clone()], 0.95, 2);
        assert!(got[0].is_none() && got[1].is_some());
    }
    for confidence in [0.0, 1.0, f64::NAN] {
        assert_eq!(
            plan.mean_intervals(2, std::slice::from_ref(&ok), confidence, 1),
            vec![None]
        );
    }
    let none = PairedBootstrap {
        resamples: 0,
        seed: 1,
    };
    assert_eq!(none.mean_intervals(2, &[ok], 0.9, 1), vec![None]);
    assert_eq!(plan.mean_intervals(2, &[], 0.9, 1), vec![]);
}

#[test]
fn covers_the_mean_of_a_known_distribution() {
    // 0..999: mean 499.5, deviation 288.7, so the standard error is 9.13 and
    // the 95% interval close to 499.5 -+ 17.9.
    let values: Vec<_> = (0..1000).map(|i| Some(f64::from(i))).collect();
    let plan = PairedBootstrap {
        resamples: 2000,
        seed: 5,
    };
    let got = plan.mean_intervals(1000, &[column(&values)], 0.95, 2)[0].unwrap();
    assert!(
        (got.lo - 481.6).abs() < 2.0 && (got.hi - 517.4).abs() < 2.0,
        "{got:?}"
    );
}

#[test]
fn batches_of_models_change_nothing() {
    // 800 resamples leave room for 655 models at a time.
    let plan = PairedBootstrap {
        resamples: 800,
        seed: 9,
    };
    let columns: Vec<_> = (0..1400)
        .map(|m| column(&[Some(f64::from(m)), Some(0.5), None]))
        .collect();
    let together = plan.mean_intervals(3, &columns, 0.5, 2);
    for m in [0, 1, 654, 655, 656, 1309, 1310, 1399] {
        let alone = plan.mean_intervals(3, &columns[m..=m], 0.5, 1);
        assert_eq!(together[m], alone[0]);
    }
}

proptest! {
    // A case is some 100,000 draws, which are slow without optimisation.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn equals_the_definition_for_any_threads(
        models in (1usize..300, 1usize..5).prop_flat_map(|(n, m)| {
            let value = prop::option::weighted(0.8, -100.0f64..100.0);
            prop::collection::vec(prop::collection::vec(value, n), m)
        }),
        resamples in 1u32..40,
        seed: u64,
    ) {
        let plan = PairedBootstrap { resamples, seed };
        let columns: Vec<_> = models.iter().map(|m| column(m)).collect();
        let n = models[0].len();
        let got = plan.mean_intervals(n, &columns, 0.9, 1);
        for threads in [0, 2, 5] {
            prop_assert_eq!(&got, &plan.mean_intervals(n, &columns, 0.9, threads));
        }
        for (values, got) in models.iter().zip(got) {
            let expected = by_definition(plan, values, 0.9);
            prop_assert_eq!(got.is_some(), expected.is_some());
            if let (Some(got), Some(expected)) = (got, expected) {
                prop_assert!((got.lo - expected.lo).abs() < 1e-10);
                prop_assert!((got.hi - expected.hi).abs() < 1e-10);
            }
        }
    }
}

#[test]
fn several_values_of_a_sample_are_drawn_together_and_each_counts() {
    // Three threes of one sample, one of another: whatever is drawn, the mean is 3.
    let mut column = ModelColumn::default();
    column.push_sum(9.0, 3);
    column.push_sum(0.0, 0);
    column.push_sum(3.0, 1);
    let plan = PairedBootstrap {
        resamples: 100,
        seed: 3,
    };
    let intervals = plan.mean_intervals(3, &[column], 0.95, 1);
    let ends = intervals[0].map(|interval| (interval.lo, interval.hi));
    assert_eq!(ends, Some((3.0, 3.0)));
}
