//! Places in a ranking, and how sure they are.

use crate::interval::Interval;
use crate::quantile::quantiles;

/// The rank of each row, 1 + how many are strictly better; `None` for a row without a value.
/// Equals share a rank.
pub fn ranks(values: &[Option<f64>], higher_is_better: bool) -> Vec<Option<u32>> {
    let placed = values.iter().zip(0..);
    let mut sorted: Vec<(f64, usize)> = placed
        .filter_map(|(value, at)| Some(((*value)?, at)))
        .collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    if higher_is_better {
        sorted.reverse();
    }
    let mut ranks = vec![None; values.len()];
    let mut last: Option<(f64, u32)> = None;
    for ((value, at), better) in sorted.into_iter().zip(0..) {
        let rank = match last {
            Some((equal, rank)) if equal == value => rank,
            _ => better + 1,
        };
        last = Some((value, rank));
        ranks[at] = Some(rank);
    }
    ranks
}

/// Percentile intervals of ranks over common resamples: `resampled[r]` holds the value of
/// every row in resample `r`. Each is of one row, and they do not hold all at once.
pub fn rank_intervals(
    resampled: impl Iterator<Item = Vec<Option<f64>>>,
    higher_is_better: bool,
    confidence: f64,
) -> Vec<Option<Interval>> {
    let mut places: Vec<Vec<f64>> = Vec::new();
    for values in resampled {
        places.resize_with(values.len().max(places.len()), Vec::new);
        let ranks = ranks(&values, higher_is_better);
        for (places, rank) in places.iter_mut().zip(ranks) {
            places.extend(rank.map(f64::from));
        }
    }
    let tail = (1.0 - confidence) / 2.0;
    places
        .iter_mut()
        .map(|places| {
            let ends = quantiles(places, &[tail, 1.0 - tail])?;
            Some(Interval {
                lo: ends[0],
                hi: ends[1],
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_rank_counts_who_is_better(
            values in prop::collection::vec(prop::option::of(-3i32..3), 0..40),
            higher: bool,
        ) {
            // Of both zeros neither is better.
            let zero = |value: i32| if value == 0 { -0.0 } else { f64::from(value.max(0)) };
            let values: Vec<Option<f64>> = values.into_iter().map(|v| v.map(zero)).collect();
            let ranked = ranks(&values, higher);
            for (value, rank) in values.iter().zip(ranked) {
                let better = |other: &&f64| match (higher, value) {
                    (true, Some(value)) => *other > value,
                    (false, Some(value)) => *other < value,
                    (_, None) => false,
                };
                let better = values.iter().flatten().filter(better).count() as u32;
                prop_assert_eq!(rank, value.map(|_| better + 1));
            }
        }
    }

    #[test]
    fn equals_share_and_nothing_has_none() {
        let values = [Some(0.5), None, Some(0.9), Some(0.5), Some(0.1)];
        assert_eq!(
            ranks(&values, true),
            [Some(2), None, Some(1), Some(2), Some(4)]
        );
        assert_eq!(
            ranks(&values, false),
            [Some(2), None, Some(4), Some(2), Some(1)]
        );
    }

    #[test]
    fn intervals_of_places() {
        // The first wins 9 of 10 resamples, the second the last one.
        let resampled = (0..10).map(|r| {
            let first = if r < 9 { 1.0 } else { 0.0 };
            vec![Some(first), Some(0.5), None]
        });
        let found = rank_intervals(resampled, true, 0.5);
        assert_eq!(found[0], Some(Interval { lo: 1.0, hi: 1.0 }));
        assert_eq!(found[1], Some(Interval { lo: 2.0, hi: 2.0 }));
        assert_eq!(found[2], None);
    }
}
