//! Places in a ranking, and how sure they are.

use crate::interval::Interval;
use crate::quantile::quantiles;

/// The rank of each row, 1 + how many are strictly better; `None` for a row without a value.
/// Equals share a rank.
pub fn ranks(values: &[Option<f64>], higher_is_better: bool) -> Vec<Option<u32>> {
    let mut sorted: Vec<f64> = values.iter().flatten().copied().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    if higher_is_better {
        sorted.reverse();
    }
    values
        .iter()
        .map(|value| {
            let value = (*value)?;
            let better = sorted.partition_point(|other| match higher_is_better {
                true => *other > value,
                false => *other < value,
            });
            Some(better as u32 + 1)
        })
        .collect()
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
