//! The permutation test by hand, against brute force, and between its three ways.

use super::*;
use proptest::prelude::*;

fn p(differences: &[f64]) -> f64 {
    paired_permutation(differences, 2000, 7).unwrap().p_value
}

#[test]
fn worked_by_hand() {
    // Sizes 1, 2, 3, 4 and a zero; the sum is 3 + 4 + 2 - 1 = 8. Sums of at least 8 take
    // minuses of at most 1 in all: none (10) or the 1 (8). Both ways round, 4 of 16.
    let test = paired_permutation(&[3.0, -1.0, 0.0, 4.0, 2.0], 0, 0).unwrap();
    assert_eq!(
        test,
        PermutationTest {
            p_value: 0.25,
            exact: true,
            n: 5,
            nonzero: 4,
            resamples: 0,
        }
    );
}

#[test]
fn one_size_is_the_sign_test() {
    // Seven up and one down: 2·(1 + 8)/256, as in McNemar's exact test.
    let mut differences = vec![0.1; 7];
    differences.extend([-0.1, 0.0, 0.0]);
    assert_eq!(p(&differences), 18.0 / 256.0);
    // For any number of items, without drawing.
    let sign = |i| match i % 100 {
        0..50 => 1.0,
        50..99 => -1.0,
        _ => 0.0,
    };
    let many: Vec<f64> = (0..100_000).map(sign).collect();
    let test = paired_permutation(&many, 10, 0).unwrap();
    assert!(test.exact && test.nonzero == 99_000 && test.resamples == 0);
    assert_eq!(
        test.p_value,
        crate::mcnemar::mcnemar(50_000, 49_000).unwrap().p_exact
    );
}

#[test]
fn differences_of_rounded_scores_tie() {
    // On paper all of size 0.1; as doubles 0.8 - 0.7 is a little more than 0.3 - 0.2.
    assert_ne!(0.8 - 0.7, 0.3 - 0.2);
    assert_eq!(p(&[0.8 - 0.7, 0.3 - 0.2, 100.1 - 100.0]), 0.25);
    // 0.1 + 0.2 ties with 0.3: sums are 0 or 0.6 on paper, and 0.6 either way.
    assert_eq!(p(&[0.1, 0.2, 0.3]), 0.25);
    assert_eq!(p(&[0.1, 0.2, -0.3]), 1.0);
}

#[test]
fn nothing_to_see() {
    for differences in [vec![0.0, -0.0], vec![1.0, -1.0], vec![2.0, 3.0, -5.0]] {
        let test = paired_permutation(&differences, 10, 0).unwrap();
        assert_eq!((test.p_value, test.exact), (1.0, true));
    }
}

#[test]
fn undefined_is_none() {
    assert_eq!(paired_permutation(&[], 10, 0), None);
    for bad in [f64::NAN, f64::INFINITY] {
        assert_eq!(paired_permutation(&[1.0, bad], 10, 0), None);
    }
}

#[test]
fn the_ends_of_the_range() {
    assert_eq!(p(&[f64::MAX, f64::MAX / 2.0, f64::MAX / 4.0]), 0.25);
    assert_eq!(p(&[5e-324, 1e-323, 2e-323]), 0.25);
    assert_eq!(p(&[f64::MAX, 5e-324]), 1.0);
}

#[test]
fn without_draws_there_is_no_evidence() {
    let differences: Vec<f64> = (1..=30).map(f64::from).collect();
    let test = paired_permutation(&differences, 0, 0).unwrap();
    assert_eq!((test.p_value, test.exact, test.resamples), (1.0, false, 0));
    // With some, all pluses are not met by chance: one in 2^29.
    let test = paired_permutation(&differences, 999, 0).unwrap();
    assert_eq!(
        (test.p_value, test.exact, test.resamples),
        (0.001, false, 999)
    );
}

#[test]
fn signs_come_bit_by_bit() {
    assert_eq!(
        signed_sum(&[8.0, 4.0, 2.0, 1.0], 0b0101),
        8.0 - 4.0 + 2.0 - 1.0
    );
    assert_eq!(signed_sum(&[1.0; 32], 1 << 31), 1.0 - 31.0);
    assert_eq!(signed_sum(&[1.0; 32], u32::MAX), 32.0);
    assert_eq!(signed_sum(&[], 7), 0.0);
    // The first word of the published key stream ends in 3e = 00111110 (binary), so the
    // signs of resample 0 under seed 0 begin - + + + + + - -: a sum of 2 out of 8.
    let sum = signed_sum(&[1.0; 8], Draws::new(0, 0).word());
    assert_eq!(sum, 2.0);
    assert_eq!(drawn(&[1.0; 8], 2.0, 1, 0), 1.0);
    assert_eq!(drawn(&[1.0; 8], 2.5, 1, 0), 0.5);
}

#[test]
fn drawing_comes_close_to_enumerating() {
    let sizes: Vec<f64> = (0..16).map(|i| 1.0 - f64::from(i) / 20.0).collect();
    for reach in [1.0, 3.0, 5.0] {
        let exact = enumerated(&sizes, reach);
        let estimate = drawn(&sizes, reach, 20_000, 1);
        // Five standard errors.
        let tolerance = 5.0 * (exact * (1.0 - exact) / 20_000.0).sqrt();
        assert!((exact - estimate).abs() < tolerance, "{exact} {estimate}");
    }
}

proptest! {
    #[test]
    fn equals_brute_force(differences in prop::collection::vec(-9i32..=9, 1..10)) {
        let observed = differences.iter().sum::<i32>().abs();
        let choices = 1u32 << differences.len();
        let reached = |choice: &u32| {
            let sign = |i: usize| if choice >> i & 1 == 1 { 1 } else { -1 };
            let sum: i32 = differences.iter().enumerate().map(|(i, d)| sign(i) * d).sum();
            sum.abs() >= observed
        };
        let expected = (0..choices).filter(reached).count() as f64 / f64::from(choices);
        // In tenths, which are not exact in binary.
        let tenths: Vec<f64> = differences.iter().map(|&d| f64::from(d) / 10.0).collect();
        prop_assert_eq!(p(&tenths), expected);
    }

    #[test]
    fn order_and_direction_do_not_matter(
        (differences, shuffled) in prop::collection::vec(-1.0f64..1.0, 1..40)
            .prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle())),
        seed: u64,
    ) {
        let test = paired_permutation(&differences, 50, seed).unwrap();
        prop_assert_eq!(paired_permutation(&shuffled, 50, seed), Some(test));
        prop_assert!(test.p_value > 0.0 && test.p_value <= 1.0);
        prop_assert_eq!(test.exact, differences.len() <= ENUMERATED_UP_TO);
        let opposite: Vec<f64> = differences.iter().map(|d| -d).collect();
        let reversed = paired_permutation(&opposite, 50, seed).unwrap();
        prop_assert_eq!(reversed.p_value, test.p_value);
    }
}
