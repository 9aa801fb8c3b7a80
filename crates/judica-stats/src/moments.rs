//! Count, mean, standard deviation, extremes.

use crate::exact_sum::ExactSum;

/// What [`describe`] says of a set of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// How many values.
    pub count: u64,
    /// Their arithmetic mean.
    pub mean: f64,
    /// Their standard deviation as a population: divided by `count`.
    pub std: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// Count, mean, population standard deviation and extremes of `values`.
///
/// The two-pass algorithm of Chan, Golub and LeVeque, "Algorithms for
/// Computing the Sample Variance", *The American Statistician* 37(3), 1983,
/// with both sums exact ([`ExactSum`]), so that the order of the values does
/// not matter. `None` if there are none or one is not finite.
///
/// ```
/// let d = judica_stats::describe(&[1.0, 3.0]).unwrap();
/// assert_eq!((d.mean, d.std), (2.0, 1.0));
/// ```
pub fn describe(values: &[f64]) -> Option<Description> {
    let mut level = Level::default();
    values.iter().for_each(|&x| level.add(x));
    let mut spread = level.spread()?;
    values.iter().for_each(|&x| spread.add(x));
    spread.describe()
}

/// The first pass of [`describe`], for values that nobody holds together.
#[derive(Debug, Default)]
pub struct Level {
    count: u64,
    sum: ExactSum,
    extremes: Option<(f64, f64)>,
}

impl Level {
    /// Takes a value.
    #[inline]
    pub fn add(&mut self, x: f64) {
        self.count += 1;
        self.sum.add(x);
        let (min, max) = self.extremes.get_or_insert((x, x));
        // A total order, so that -0.0 and 0.0 do not depend on which comes first.
        if x.total_cmp(min).is_lt() {
            *min = x;
        }
        if x.total_cmp(max).is_gt() {
            *max = x;
        }
    }

    /// The second pass, to which all values are to be given again.
    pub fn spread(self) -> Option<Spread> {
        let (mean, (min, max)) = (self.sum.mean(self.count)?, self.extremes?);
        // Rounded, the mean of three times 0.1 lies beyond them all.
        let mean = mean.clamp(min, max);
        // Squares of deviations beyond 1e+-154 leave the double range. Powers of
        // two bring them back without another rounding.
        let (before, after) = match max - min {
            range if range > 1e140 => (power_of_two(-600), 1.0),
            range if range < 1e-140 => (1.0, power_of_two(600)),
            _ => (1.0, 1.0),
        };
        Some(Spread {
            count: self.count,
            mean,
            min,
            max,
            before,
            after,
            squares: ExactSum::new(),
        })
    }
}

/// The second pass of [`describe`].
#[derive(Debug)]
pub struct Spread {
    count: u64,
    mean: f64,
    min: f64,
    max: f64,
    before: f64,
    after: f64,
    squares: ExactSum,
}

impl Spread {
    /// Takes a value.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let deviation = (x * self.before - self.mean * self.before) * self.after;
        self.squares.add(deviation * deviation);
    }

    /// What is known of the values.
    pub fn describe(self) -> Option<Description> {
        let variance = self.squares.mean(self.count)?;
        Some(Description {
            count: self.count,
            mean: self.mean,
            std: variance.sqrt() / self.before / self.after,
            min: self.min,
            max: self.max,
        })
    }
}

fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::describe;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // Deviations from 5: -3 -1 -1 -1 0 0 2 4; squares sum to 32; 32/8 = 4.
        let d = describe(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!(
            (d.count, d.mean, d.std, d.min, d.max),
            (8, 5.0, 2.0, 2.0, 9.0)
        );
    }

    #[test]
    fn one_value_does_not_spread() {
        let d = describe(&[0.1]).unwrap();
        assert_eq!(
            (d.count, d.mean, d.std, d.min, d.max),
            (1, 0.1, 0.0, 0.1, 0.1)
        );
    }

    #[test]
    fn equal_values_do_not_spread_however_their_sum_is_rounded() {
        for value in [0.1, 0.7, 12.3, 99.9, -100.1, 1e300, 5e-324] {
            for count in 1..40 {
                let d = describe(&vec![value; count]).unwrap();
                let found = (d.count, d.mean, d.std, d.min, d.max);
                assert_eq!(found, (count as u64, value, 0.0, value, value));
            }
        }
    }

    #[test]
    fn the_zeros_are_told_apart_in_any_order() {
        for values in [[0.0, -0.0], [-0.0, 0.0]] {
            let d = describe(&values).unwrap();
            assert!(d.min.is_sign_negative() && d.max.is_sign_positive());
        }
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!(describe(&[]), None);
        assert_eq!(describe(&[1.0, f64::NAN]), None);
        assert_eq!(describe(&[f64::NEG_INFINITY]), None);
    }

    #[test]
    fn neither_end_of_the_range_breaks_the_deviation() {
        assert_eq!(describe(&[f64::MIN, f64::MAX]).unwrap().std, f64::MAX);
        for unit in [5e-324, 2f64.powi(-1000), 2f64.powi(600)] {
            assert_eq!(describe(&[unit, 3.0 * unit]).unwrap().std, unit);
        }
    }

    proptest! {
        #[test]
        fn bounded_and_independent_of_order(
            (values, shuffled) in prop::collection::vec(-1e3f64..1e3, 1..60)
                .prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle())),
        ) {
            let d = describe(&values).unwrap();
            prop_assert_eq!(describe(&shuffled).unwrap(), d);
            // Popoviciu: the deviation is at most half the range.
            prop_assert!(d.std <= (d.max - d.min) / 2.0 * (1.0 + 1e-12));
            prop_assert!(d.min <= d.mean && d.mean <= d.max);
        }

        #[test]
        fn scales_exactly_with_powers_of_two(
            values in prop::collection::vec(0.5f64..1.0, 2..40),
            exponent in -900i32..900,
        ) {
            let unit = 2f64.powi(exponent);
            let scaled: Vec<f64> = values.iter().map(|x| x * unit).collect();
            let (a, b) = (describe(&values).unwrap(), describe(&scaled).unwrap());
            prop_assert_eq!(a.mean * unit, b.mean);
            prop_assert_eq!(a.std * unit, b.std);
        }
    }
}
