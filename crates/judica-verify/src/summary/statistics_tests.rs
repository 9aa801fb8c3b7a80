//! Statistics at their edges.

use proptest::prelude::*;

use super::*;

fn of(values: &[f64], in_memory: u64) -> Statistics {
    let mut replay = |each: &mut dyn FnMut(f64)| {
        values.iter().for_each(|value| each(*value));
        Ok(())
    };
    Statistics::with_memory(&mut replay, "nothing", in_memory).expect("no I/O")
}

#[test]
fn a_small_list_by_hand() {
    let statistics = of(&[4.0, 1.0, 3.0, 2.0], 10);
    assert_eq!(statistics.mean, Some(2.5));
    assert_eq!(statistics.median, Some(2.5));
    // ((1.5² + 0.5²) · 2 / 4)^½ = 1.25^½
    assert_eq!(statistics.std, Some(1.25f64.sqrt()));
    // Position 0.95 · 3 = 2.85 between 3 and 4.
    assert!((statistics.p95.unwrap_or(0.0) - 3.85).abs() < 1e-12);
}

#[test]
fn reading_several_times_gives_the_same_bits_as_memory() {
    let values: Vec<f64> = (0..1000)
        .map(|i| f64::from(i * 7919 % 1000) / 7.0)
        .collect();
    assert_eq!(of(&values, 0), of(&values, 10_000));
}

#[test]
fn nothing_is_null_with_a_reason() {
    let statistics = of(&[], 10);
    assert_eq!(
        (statistics.mean, statistics.undefined.as_deref()),
        (None, Some("nothing"))
    );
}

#[test]
fn a_single_value_is_all_of_them() {
    for in_memory in [0, 10] {
        let one = of(&[7.25], in_memory);
        assert_eq!((one.count, one.std), (1, Some(0.0)));
        for value in [one.mean, one.median, one.min, one.max, one.p95, one.p99] {
            assert_eq!(value, Some(7.25));
        }
        assert_eq!(one.undefined, None);
    }
}

#[test]
fn percentiles_interpolate_linearly() {
    let values: Vec<f64> = (1..=101).rev().map(f64::from).collect();
    for in_memory in [0, 1000] {
        let statistics = of(&values, in_memory);
        // Positions 0.5 · 100 = 50, 0.95 · 100 = 95, 0.99 · 100 = 99 of 1, 2, …, 101.
        assert_eq!(
            (statistics.median, statistics.p95, statistics.p99),
            (Some(51.0), Some(96.0), Some(100.0))
        );
        // Population variance (n² - 1) / 12 = (10201 - 1) / 12 = 850.
        assert_eq!(
            (statistics.mean, statistics.std),
            (Some(51.0), Some(850f64.sqrt()))
        );
    }
    // Two values: 0.95 of the way from 0 to 10.
    assert!((of(&[10.0, 0.0], 10).p95.unwrap_or(0.0) - 9.5).abs() < 1e-12);
}

#[test]
fn nothing_serialises_as_nulls_with_the_reason() {
    let json = serde_json::to_value(of(&[], 0)).expect("serialises");
    assert_eq!(
        (&json["count"], &json["mean"], &json["undefined"]),
        (&0.into(), &serde_json::Value::Null, &"nothing".into())
    );
    let json = serde_json::to_value(of(&[1.0], 0)).expect("serialises");
    assert!(json.get("undefined").is_none());
}

proptest! {
    #[test]
    fn memory_and_order_do_not_show(mut values in prop::collection::vec(-100.0..100f64, 1..60)) {
        let statistics = of(&values, 1000);
        prop_assert_eq!(&of(&values, 0), &statistics);
        values.reverse();
        prop_assert_eq!(&of(&values, 1000), &statistics);
        let (min, max) = (statistics.min.unwrap_or(f64::NAN), statistics.max.unwrap_or(f64::NAN));
        for value in [statistics.mean, statistics.median, statistics.p95, statistics.p99] {
            prop_assert!(value.is_some_and(|value| min <= value && value <= max));
        }
        prop_assert!(statistics.median <= statistics.p95 && statistics.p95 <= statistics.p99);
    }
}
