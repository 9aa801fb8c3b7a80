//! The exact sum against arithmetic that shares nothing with it: decimal big
//! numbers, rounded by the parser of the standard library.

use judica_stats::{ExactSum, exact_mean, exact_sum};
use proptest::prelude::*;

const BASE: u64 = 1_000_000_000;

/// A natural number in decimal, nine digits a limb, lowest first.
#[derive(Clone, Default)]
struct Decimal(Vec<u64>);

impl Decimal {
    fn times(&mut self, factor: u64) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let total = *limb * factor + carry;
            *limb = total % BASE;
            carry = total / BASE;
        }
        while carry > 0 {
            self.0.push(carry % BASE);
            carry /= BASE;
        }
    }

    fn times_power(&mut self, base: u64, exponent: u32) {
        (0..exponent / 12).for_each(|_| self.times(base.pow(12)));
        self.times(base.pow(exponent % 12));
    }

    fn plus(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()) + 1, 0);
        for i in 0..self.0.len() - 1 {
            self.0[i] += other.0.get(i).copied().unwrap_or(0);
            self.0[i + 1] += self.0[i] / BASE;
            self.0[i] %= BASE;
        }
    }

    /// `self - other`, for `other <= self`.
    fn minus(&mut self, other: &Self) {
        for i in 0..self.0.len() {
            let theirs = other.0.get(i).copied().unwrap_or(0);
            if self.0[i] < theirs {
                self.0[i] += BASE;
                self.0[i + 1] -= 1;
            }
            self.0[i] -= theirs;
        }
    }

    fn digits(&self) -> String {
        self.0
            .iter()
            .rev()
            .map(|limb| format!("{limb:09}"))
            .collect()
    }
}

/// The sum of `values` in units of 2^-1074, positive and negative apart.
fn oracle(values: &[f64]) -> f64 {
    let mut sides = [Decimal::default(), Decimal::default()];
    for &x in values {
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        let fraction = bits & ((1 << 52) - 1);
        let significand = if exponent == 0 {
            fraction
        } else {
            fraction | 1 << 52
        };
        let mut term = Decimal(vec![significand % BASE, significand / BASE]);
        term.times_power(2, exponent.saturating_sub(1));
        sides[usize::from(x.is_sign_negative())].plus(&term);
    }
    let [mut up, mut down] = sides;
    let width = up.0.len().max(down.0.len());
    up.0.resize(width, 0);
    down.0.resize(width, 0);
    let negative = up.0.iter().rev().lt(down.0.iter().rev());
    if negative {
        std::mem::swap(&mut up, &mut down);
    }
    up.minus(&down);
    up.times_power(5, 1074); // 2^-1074 = 5^1074 / 10^1074
    let sign = if negative { "-" } else { "" };
    format!("{sign}0{}e-1074", up.digits()).parse().unwrap()
}

#[test]
fn worked_by_hand() {
    // 2^53 + 1 is a tie and goes to even; a hair more goes up.
    let big = 9_007_199_254_740_992.0;
    assert_eq!(exact_sum(&[big, 1.0]), big);
    assert_eq!(exact_sum(&[big, 1.0, 5e-324]), big + 2.0);
    assert_eq!(exact_sum(&[big, 3.0]), big + 4.0);
    assert_eq!(exact_sum(&[-big, -3.0]), -big - 4.0);
    assert_eq!(exact_sum(&[0.1; 10]), 1.0);
    assert_eq!(exact_sum(&[1.0, 1e100, 1.0, -1e100]), 2.0);
}

#[test]
fn adversarial() {
    assert_eq!(exact_sum(&[1e308, 1e308, -1e308]), 1e308);
    assert_eq!(exact_sum(&[f64::MAX, 2f64.powi(969)]), f64::MAX);
    assert_eq!(exact_sum(&[f64::MAX, 2f64.powi(970)]), f64::INFINITY);
    assert_eq!(exact_sum(&[f64::MIN, f64::MIN]), f64::NEG_INFINITY);
    assert_eq!(exact_sum(&[5e-324; 3]), 1.5e-323);
    assert_eq!(
        exact_sum(&[f64::MIN_POSITIVE, -5e-324]),
        f64::MIN_POSITIVE.next_down()
    );
    assert_eq!(exact_sum(&[1e308, 5e-324, -1e308]), 5e-324);
    assert!(exact_sum(&[]).is_sign_positive());
    assert!(exact_sum(&[-0.0, -0.0]).is_sign_positive());
}

#[test]
fn what_is_not_finite_follows_ieee() {
    assert_eq!(exact_sum(&[f64::INFINITY, -1e308]), f64::INFINITY);
    assert_eq!(exact_sum(&[f64::NEG_INFINITY]), f64::NEG_INFINITY);
    assert!(exact_sum(&[f64::INFINITY, 1.0, f64::NEG_INFINITY]).is_nan());
    assert!(exact_sum(&[f64::NAN, f64::INFINITY]).is_nan());
    assert_eq!(exact_mean(&[f64::INFINITY]), None);
    assert_eq!(exact_mean(&[]), None);
}

#[test]
fn the_mean_survives_where_the_sum_overflows() {
    assert_eq!(exact_mean(&[1e308; 3]), Some(1e308));
    assert_eq!(exact_mean(&[f64::MIN; 7]), Some(f64::MIN));
    assert_eq!(
        exact_mean(&[f64::MAX, f64::MAX, 0.0, 0.0]),
        Some(f64::MAX / 2.0)
    );
}

fn finite() -> impl Strategy<Value = f64> {
    let any_bits = any::<u64>().prop_map(f64::from_bits);
    let near = (-1.0f64..1.0).prop_map(|x| x * 1e16);
    prop_oneof![
        any_bits,
        any::<f64>(),
        near,
        -1.0f64..1.0,
        -1e-310f64..1e-310
    ]
    .prop_filter("finite", |x| x.is_finite())
}

proptest! {
    #[test]
    fn correctly_rounded(
        mut values in prop::collection::vec(finite(), 0..12),
        cancel in any::<bool>(),
        tail in finite(),
    ) {
        if cancel {
            let minus: Vec<f64> = values.iter().map(|x| -x).collect();
            values.extend(minus);
            values.push(tail);
        }
        let expected = oracle(&values);
        prop_assert_eq!(exact_sum(&values), expected);
    }

    #[test]
    fn ties_are_correctly_rounded(top in 1u64 << 52..1 << 53, place in 0i32..200, low in -2i32..3) {
        let unit = 2f64.powi(place);
        let values = [top as f64 * unit, unit / 2.0, f64::from(low) * unit / 2f64.powi(60)];
        prop_assert_eq!(exact_sum(&values), oracle(&values));
    }

    #[test]
    fn any_split_in_any_order_gives_the_same_bits(
        parts in prop::collection::vec(prop::collection::vec(finite(), 0..6), 1..6)
            .prop_flat_map(|p| (Just(p.clone()), Just(p).prop_shuffle())),
    ) {
        let (parts, shuffled) = parts;
        let whole = exact_sum(&parts.concat());
        let accumulate = |values: &[f64]| {
            let mut sum = ExactSum::new();
            values.iter().for_each(|&x| sum.add(x));
            sum
        };
        let mut left = ExactSum::new();
        shuffled.iter().for_each(|part| left.merge(&accumulate(part)));
        let right = shuffled.iter().rev().fold(ExactSum::new(), |right, part| {
            let mut sum = accumulate(part);
            sum.merge(&right);
            sum
        });
        prop_assert_eq!(left.value().to_bits(), whole.to_bits());
        prop_assert_eq!(right.value().to_bits(), whole.to_bits());
    }

    #[test]
    fn agrees_with_another_implementation_where_that_is_defined(
        values in prop::collection::vec(-1e9f64..1e9, 1..200),
    ) {
        use accurate::{sum::OnlineExactSum, traits::*};
        let theirs = OnlineExactSum::zero().absorb(values.iter().copied()).sum();
        prop_assert_eq!(exact_sum(&values), theirs);
    }
}
