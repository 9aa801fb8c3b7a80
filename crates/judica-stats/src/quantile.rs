//! Quantiles of values in memory.

/// The quantiles `qs` (each in `[0, 1]`) of `values`, which are reordered.
///
/// Linear interpolation between order statistics: definition 7 of Hyndman and
/// Fan, "Sample Quantiles in Statistical Packages", *The American
/// Statistician* 50(4), 1996; the default of R and NumPy, whose arithmetic is
/// followed operation by operation.
///
/// `None` if `values` is empty, if one of them is not finite, or if one of
/// `qs` is outside `[0, 1]`.
///
/// ```
/// let mut values = [4.0, 1.0, 3.0, 2.0];
/// let q = judica_stats::quantiles(&mut values, &[0.0, 0.25, 0.5]);
/// assert_eq!(q, Some(vec![1.0, 1.75, 2.5]));
/// ```
pub fn quantiles(values: &mut [f64], qs: &[f64]) -> Option<Vec<f64>> {
    if !values.iter().all(|v| v.is_finite()) {
        return None;
    }
    let ranks = ranks(values.len() as u64, qs)?;
    let mut wanted: Vec<usize> = ranks
        .iter()
        .flat_map(|r| [r.below as usize, r.above as usize])
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    settle(values, 0, &wanted);
    let at = |k: u64| values[k as usize];
    Some(ranks.iter().map(|r| r.between(at)).collect())
}

/// Where a quantile falls between two order statistics.
pub(crate) struct Rank {
    /// The order statistic at or below, counted from 0.
    pub(crate) below: u64,
    /// The next one, or the same at the top end.
    pub(crate) above: u64,
    /// How far from the one to the other.
    share: f64,
}

impl Rank {
    /// The quantile, given the order statistics.
    pub(crate) fn between(&self, at: impl Fn(u64) -> f64) -> f64 {
        lerp(at(self.below), at(self.above), self.share)
    }
}

/// The ranks of the quantiles `qs` among `n` values.
pub(crate) fn ranks(n: u64, qs: &[f64]) -> Option<Vec<Rank>> {
    let last = n.checked_sub(1)?;
    let rank = |&q: &f64| {
        if !(0.0..=1.0).contains(&q) {
            return None;
        }
        let position = last as f64 * q;
        let below = (position.floor() as u64).min(last);
        Some(Rank {
            below,
            above: (below + 1).min(last),
            share: position - position.floor(),
        })
    };
    qs.iter().map(rank).collect()
}

/// `a + (b - a) * t`, computed as NumPy's `_lerp`: from the nearer end, so that
/// it is exact at both ends.
pub(crate) fn lerp(a: f64, b: f64, t: f64) -> f64 {
    let apart = b - a;
    if !apart.is_finite() {
        // Ends of opposite sign near the end of the double range.
        return a * (1.0 - t) + b * t;
    }
    if t >= 0.5 {
        b - apart * (1.0 - t)
    } else {
        a + apart * t
    }
}

/// Puts the order statistics `wanted` (sorted, distinct) in their places.
///
/// Selecting the middle one first halves what the others have to search, so m
/// of them cost O(n log m) and not a sort.
fn settle(values: &mut [f64], offset: usize, wanted: &[usize]) {
    let middle = wanted.len() / 2;
    let Some(&k) = wanted.get(middle) else {
        return;
    };
    let (left, _, right) = values.select_nth_unstable_by(k - offset, f64::total_cmp);
    settle(left, offset, &wanted[..middle]);
    settle(right, k + 1, &wanted[middle + 1..]);
}

#[cfg(test)]
mod tests {
    use super::quantiles;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // Five values: position 4q. q = 0.1 falls at 0.4, 0.4 of the way from
        // 10 to 20; q = 0.9 at 3.6, 0.4 short of 50.
        let mut values = [50.0, 20.0, 40.0, 10.0, 30.0];
        let q = quantiles(&mut values, &[0.9, 0.1, 0.5, 0.0, 1.0]);
        assert_eq!(q, Some(vec![46.0, 14.0, 30.0, 10.0, 50.0]));
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!(quantiles(&mut [], &[0.5]), None);
        assert_eq!(quantiles(&mut [1.0], &[1.5]), None);
        assert_eq!(quantiles(&mut [1.0], &[f64::NAN]), None);
        assert_eq!(quantiles(&mut [1.0, f64::NAN], &[0.5]), None);
        assert_eq!(quantiles(&mut [1.0, f64::INFINITY], &[0.5]), None);
        assert_eq!(quantiles(&mut [1.0], &[]), Some(vec![]));
    }

    #[test]
    fn opposite_extremes_do_not_overflow() {
        let q = quantiles(&mut [f64::MAX, f64::MIN], &[0.0, 0.5, 1.0]);
        assert_eq!(q, Some(vec![f64::MIN, 0.0, f64::MAX]));
    }

    proptest! {
        #[test]
        fn equals_a_full_sort(
            values in prop::collection::vec(-100.0f64..100.0, 1..80),
            qs in prop::collection::vec(0.0f64..=1.0, 1..8),
        ) {
            let got = quantiles(&mut values.clone(), &qs).unwrap();
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            for (&q, got) in qs.iter().zip(got) {
                let at = (sorted.len() - 1) as f64 * q;
                let (i, t) = (at.floor() as usize, at - at.floor());
                let (a, b) = (sorted[i], sorted[(i + 1).min(sorted.len() - 1)]);
                prop_assert!((a * (1.0 - t) + b * t - got).abs() < 1e-12);
                prop_assert!(a <= got && got <= b);
            }
        }

        #[test]
        fn the_order_of_the_values_does_not_matter(
            (values, shuffled) in prop::collection::vec(-1e6f64..1e6, 1..50)
                .prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle())),
        ) {
            let qs = [0.0, 0.025, 0.5, 0.975, 1.0];
            let (mut a, mut b) = (values, shuffled);
            prop_assert_eq!(quantiles(&mut a, &qs), quantiles(&mut b, &qs));
        }
    }
}
