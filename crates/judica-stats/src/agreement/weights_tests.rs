use super::*;
use proptest::prelude::*;

fn table(weights: Weights, values: &[f64]) -> WeightTable {
    WeightTable::new(weights, values.to_vec()).unwrap()
}

#[test]
fn worked_by_hand() {
    // Categories 1, 2, 4; the weights of (1, 2), (1, 4), (2, 4).
    let sine = |part: f64| (part * std::f64::consts::PI).sin().powi(2);
    for (weights, [near, ends, far]) in [
        (Weights::Identity, [0.0, 0.0, 0.0]),
        (Weights::Linear, [2.0 / 3.0, 0.0, 1.0 / 3.0]),
        (Weights::Quadratic, [8.0 / 9.0, 0.0, 5.0 / 9.0]),
        (Weights::Ordinal, [2.0 / 3.0, 0.0, 2.0 / 3.0]),
        (
            Weights::Radical,
            [1.0 - (1f64 / 3.0).sqrt(), 0.0, 1.0 - (2f64 / 3.0).sqrt()],
        ),
        // (1/3)² by (3/5)² is 25/81, for 2 and 4 as for 1 and 2.
        (Weights::Ratio, [56.0 / 81.0, 0.0, 56.0 / 81.0]),
        // sin² of 45°, 135° and 90°.
        (Weights::Circular, [1.0 - sine(0.25), 1.0 - sine(0.75), 0.0]),
        // 1 / (1·5), 9 / (3·3), 4 / (4·2).
        (Weights::Bipolar, [0.8, 0.0, 0.5]),
    ] {
        let table = table(weights, &[1.0, 2.0, 4.0]);
        for (k, l, expected) in [(0, 1, near), (0, 2, ends), (1, 2, far), (1, 1, 1.0)] {
            let (weight, mirrored) = (1.0 - table.lost(k, l), 1.0 - table.lost(l, k));
            assert!(
                (weight - expected).abs() < 1e-15,
                "{weights:?} {k} {l}: {weight}"
            );
            assert!((weight - mirrored).abs() < 1e-15);
        }
        let total = 3.0 + 2.0 * (near + ends + far);
        assert!((table.total() - total).abs() < 1e-14, "{weights:?}");
        assert_eq!(table.categories(), 3);
    }
}

#[test]
fn undefined_says_why() {
    let reason = |weights, values: &[f64]| WeightTable::new(weights, values.to_vec()).err();
    for weights in Weights::ALL {
        assert_eq!(reason(weights, &[]), Some(Undefined::OneCategory));
        assert_eq!(reason(weights, &[2.0]), Some(Undefined::OneCategory));
        let too_large = weights.read_values().then_some(Undefined::NotFinite);
        for values in [[-f64::MAX, f64::MAX], [1.0, f64::INFINITY], [f64::NAN; 2]] {
            assert_eq!(reason(weights, &values), too_large);
        }
    }
    assert_eq!(
        reason(Weights::Ratio, &[-1.0, 0.5, 1.0]),
        Some(Undefined::OppositeValues)
    );
    assert_eq!(reason(Weights::Ratio, &[0.0, 1.0]), None);
    let many: Vec<f64> = (0..=COMPARED_LIMIT).map(|c| c as f64).collect();
    assert_eq!(reason(Weights::Quadratic, &many), None);
    let too_many = Undefined::TooManyCategories {
        categories: 50_001,
        limit: 50_000,
    };
    assert_eq!(reason(Weights::Radical, &many), Some(too_many));
}

#[test]
fn names_lead_back() {
    for weights in Weights::ALL {
        assert_eq!(Weights::from_name(weights.name()), Some(weights));
    }
    assert_eq!(Weights::from_name("Linear"), None);
}

proptest! {
    #[test]
    fn the_total_is_the_sum_and_weights_are_shares(
        which in 0usize..8,
        steps in prop::collection::vec(0.01f64..5.0, 2..20),
    ) {
        let values: Vec<f64> = steps.iter().scan(0.5, |at, step| {
            *at += step;
            Some(*at)
        }).collect();
        let table = table(Weights::ALL[which], &values);
        let mut sum = 0.0;
        for k in 0..values.len() {
            for l in 0..values.len() {
                let weight = 1.0 - table.lost(k, l);
                prop_assert!((-1e-12..=1.0).contains(&weight), "{weight}");
                sum += weight;
            }
        }
        prop_assert!((sum - table.total()).abs() < 1e-10);
    }
}
