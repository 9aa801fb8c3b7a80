//! Order statistics of values that do not fit in memory.

use crate::quantile::ranks;

/// How many histograms one round of passes may hold: 32 of 512 KiB.
const RANKS_PER_ROUND: usize = 32;
const BUCKETS: usize = 1 << 16;

/// Hands every value to the function it is given, in any order; can be called
/// again, for the same values.
pub type Replay<'a, E> = dyn FnMut(&mut dyn FnMut(f64)) -> Result<(), E> + 'a;

/// The k-th smallest value (counted from 0) for each of `ks`, exactly, in
/// bounded memory.
///
/// `pass` replays the values. Order is [`f64::total_cmp`].
///
/// Radix selection from the top (Knuth, *The Art of Computer Programming*
/// volume 3, section 5.2.5, applied to selection as in Alabi et al., "Fast
/// k-selection algorithms for graphics processing units", *ACM JEA* 17, 2012):
/// doubles map to integers in the same order, and each pass counts the next 16
/// bits of those that share the bits found so far. Four passes per 32 ranks,
/// at most 16 MiB of counters.
///
/// `Ok(None)` if a rank is not below the number of values (or the values
/// changed between passes); `Err` as soon as a pass fails.
pub fn order_statistics<E>(pass: &mut Replay<'_, E>, ks: &[u64]) -> Result<Option<Vec<f64>>, E> {
    let mut found = Vec::with_capacity(ks.len());
    for round in ks.chunks(RANKS_PER_ROUND) {
        let mut targets: Vec<Target> = round.iter().map(|&k| Target { prefix: 0, k }).collect();
        for level in 0..4 {
            if !narrow(pass, level, &mut targets)? {
                return Ok(None);
            }
        }
        found.extend(targets.iter().map(|t| from_ordered(t.prefix)));
    }
    Ok(Some(found))
}

/// The quantiles `qs` of the `n` values that `pass` replays: the same numbers,
/// bit for bit, as [`crate::quantiles`] gives for them in memory.
///
/// `Ok(None)` where [`crate::quantiles`] gives `None`, and if a replay does
/// not hold exactly `n` values.
pub fn streaming_quantiles<E>(
    pass: &mut Replay<'_, E>,
    n: u64,
    qs: &[f64],
) -> Result<Option<Vec<f64>>, E> {
    let Some(ranks) = ranks(n, qs) else {
        return Ok(None);
    };
    let mut wanted: Vec<u64> = ranks.iter().flat_map(|r| [r.below, r.above]).collect();
    // Rank 0 costs nothing where it shares a prefix, and makes sure that there
    // is a pass to check the values even if there is no quantile to find.
    wanted.push(0);
    wanted.sort_unstable();
    wanted.dedup();

    let mut sound = true;
    let mut checked = |see: &mut dyn FnMut(f64)| {
        let mut seen = 0u64;
        pass(&mut |value| {
            sound &= value.is_finite();
            seen += 1;
            see(value);
        })?;
        sound &= seen == n;
        Ok(())
    };
    let Some(found) = order_statistics(&mut checked, &wanted)? else {
        return Ok(None);
    };
    if !sound {
        return Ok(None);
    }
    let at = |k: u64| found[wanted.partition_point(|&w| w < k)];
    Ok(Some(ranks.iter().map(|r| r.between(at)).collect()))
}

/// A rank on its way to its value.
struct Target {
    /// The bits found so far, of the ordered image.
    prefix: u64,
    /// The rank among the values with this prefix.
    k: u64,
}

/// One pass: finds 16 more bits of every target; false if one is out of range.
fn narrow<E>(pass: &mut Replay<'_, E>, level: u32, targets: &mut [Target]) -> Result<bool, E> {
    let mut prefixes: Vec<u64> = targets.iter().map(|t| t.prefix).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    let mut counts = vec![0u64; prefixes.len() * BUCKETS];
    let shift = 48 - 16 * level;

    pass(&mut |value| {
        let image = to_ordered(value) >> shift;
        if let Ok(i) = prefixes.binary_search(&(image >> 16)) {
            counts[i * BUCKETS + (image & 0xffff) as usize] += 1;
        }
    })?;

    for target in targets {
        let i = prefixes.partition_point(|&p| p < target.prefix);
        let histogram = &counts[i * BUCKETS..(i + 1) * BUCKETS];
        let mut left = target.k;
        let bucket = histogram.iter().position(|&count| {
            let here = left < count;
            left -= if here { 0 } else { count };
            here
        });
        let Some(bucket) = bucket else {
            return Ok(false);
        };
        target.prefix = target.prefix << 16 | bucket as u64;
        target.k = left;
    }
    Ok(true)
}

/// An integer that orders as [`f64::total_cmp`] does.
fn to_ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    // Positive: above all negatives. Negative: larger magnitude is smaller.
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

fn from_ordered(image: u64) -> f64 {
    f64::from_bits(if image >> 63 == 1 {
        image ^ 1 << 63
    } else {
        !image
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantiles;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn replay(values: &[f64]) -> impl FnMut(&mut dyn FnMut(f64)) -> Result<(), Infallible> {
        move |see| {
            values.iter().for_each(|&v| see(v));
            Ok(())
        }
    }

    #[test]
    fn worked_by_hand() {
        let values = [3.0, -1.0, 3.0, 0.0, -0.0, 1e-310, f64::NEG_INFINITY];
        // In order: -inf, -1, -0, 0, 1e-310, 3, 3.
        let found = order_statistics(&mut replay(&values), &[6, 0, 1, 5, 4]);
        let expected = vec![3.0, f64::NEG_INFINITY, -1.0, 3.0, 1e-310];
        assert_eq!(found, Ok(Some(expected)));
        let zeros = order_statistics(&mut replay(&values), &[2, 3])
            .unwrap()
            .unwrap();
        assert!(zeros[0].is_sign_negative() && zeros[1].is_sign_positive());
        assert_eq!(order_statistics(&mut replay(&values), &[7]), Ok(None));
    }

    #[test]
    fn a_failing_pass_is_reported() {
        let mut pass = |_: &mut dyn FnMut(f64)| Err("disk");
        assert_eq!(order_statistics(&mut pass, &[0]), Err("disk"));
        assert_eq!(streaming_quantiles(&mut pass, 3, &[0.5]), Err("disk"));
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!(streaming_quantiles(&mut replay(&[]), 0, &[0.5]), Ok(None));
        assert_eq!(
            streaming_quantiles(&mut replay(&[1.0]), 2, &[0.0]),
            Ok(None)
        );
        let inf = [1.0, f64::INFINITY];
        assert_eq!(streaming_quantiles(&mut replay(&inf), 2, &[0.0]), Ok(None));
        assert_eq!(
            streaming_quantiles(&mut replay(&[1.0]), 1, &[]),
            Ok(Some(vec![]))
        );
    }

    #[test]
    fn more_ranks_than_one_round_holds() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 100)).collect();
        let ks: Vec<u64> = (0..100).collect();
        let expected: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(
            order_statistics(&mut replay(&values), &ks),
            Ok(Some(expected))
        );
    }

    proptest! {
        // Four passes of 512 KiB histograms each: fewer cases suffice.
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn equals_selection_in_memory_bit_for_bit(
            values in prop::collection::vec(
                prop_oneof![any::<f64>(), -1.0f64..1.0, Just(0.0), Just(-0.0)]
                    .prop_filter("finite", |v| v.is_finite()),
                1..60,
            ),
            qs in prop::collection::vec(0.0f64..=1.0, 0..5),
        ) {
            let n = values.len() as u64;
            let streamed = streaming_quantiles(&mut replay(&values), n, &qs).unwrap().unwrap();
            let direct = quantiles(&mut values.clone(), &qs).unwrap();
            let bits = |v: Vec<f64>| v.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            prop_assert_eq!(bits(streamed), bits(direct));
        }

        #[test]
        fn the_image_keeps_the_order_and_comes_back(a: u64, b: u64) {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            prop_assert_eq!(to_ordered(a).cmp(&to_ordered(b)), a.total_cmp(&b));
            prop_assert_eq!(from_ordered(to_ordered(a)).to_bits(), a.to_bits());
        }
    }
}
