//! How skewed a coefficient is, from leaving out some of the items at a time.
//!
//! Let d be how far the coefficient without an item is below the mean of such values.
//! The acceleration of a BCa interval is the sum of d^3 over items, divided by 6 times
//! the power 3/2 of the sum of d^2: Efron, "Better Bootstrap Confidence Intervals",
//! *JASA* 82(397), 1987, section 10, with the jackknife for the influence of an item as
//! in Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, equation 14.15.
//!
//! Items of a group are alike, so one value serves them all and counts as often as the
//! group has items. Where there are too many groups even for that, items are left out
//! in random blocks. To first order d of a block is the sum of d of its items; since
//! blocks are random and the d of all items sum to zero, the expected square of such a
//! sum is the sum of squares and the expected cube the sum of cubes. So both sums over
//! blocks estimate those over items, and the formula holds as it is. (It would not if
//! neighbours were left out together: items that are alike stand next to each other, a
//! block of m would have m times the d of an item, and the result would be too large by
//! the square root of m.)

use super::{evaluate, in_parallel};
use crate::agreement::Coefficient;
use crate::binomial::binomial_part;
use crate::resample::Draws;

/// Up to so many groups an item of each is left out.
const MAX_GROUPS: usize = 2000;

/// How many blocks there are otherwise. The standard error of an acceleration from blocks
/// is about sqrt(6 / blocks) / (6 sqrt(blocks)) = 0.002, which moves the ends of a 95 %
/// interval by 0.2 % of its length; that they come from 1,000 resamples moves them by 2 %.
const BLOCKS: u64 = 200;

/// Items of groups smaller than this are dealt to blocks one by one; of larger groups a
/// binomial number goes to each block.
const LARGE: u64 = 32;

/// Draws for blocks come from a stream that no resample has: those are numbered with 32
/// bits.
const STREAM: u64 = u64::MAX;

/// Some items, to be left out together.
struct Removal {
    /// Group and number of items.
    items: Vec<(usize, u64)>,
    /// How many such removals this one stands for.
    times: u64,
}

/// The acceleration of each coefficient; `None` if leaving something out makes it
/// undefined. 0 if nothing makes a difference.
pub(super) fn accelerations(
    sizes: &[u64],
    coefficients: &[&dyn Coefficient],
    seed: u64,
    threads: usize,
) -> Vec<Option<f64>> {
    let groups = sizes.iter().filter(|&&size| size > 0).count();
    let left_out: Vec<(u64, Vec<Option<f64>>)> = if groups <= MAX_GROUPS {
        leave_out(sizes, one_of_each(sizes), coefficients, threads)
    } else {
        leave_out(sizes, Blocks::new(sizes, seed), coefficients, threads)
    };
    (0..coefficients.len())
        .map(|c| {
            let values = left_out.iter().map(|(times, row)| Some((*times, row[c]?)));
            values.collect::<Option<Vec<_>>>().map(|v| acceleration(&v))
        })
        .collect()
}

/// The coefficients without each of the removals, and how often that counts.
fn leave_out(
    sizes: &[u64],
    removals: impl Iterator<Item = Removal> + Send,
    coefficients: &[&dyn Coefficient],
    threads: usize,
) -> Vec<(u64, Vec<Option<f64>>)> {
    in_parallel(
        threads,
        removals,
        || sizes.to_vec(),
        |weights, removal| {
            removal
                .items
                .iter()
                .for_each(|&(g, count)| weights[g] -= count);
            let values = evaluate(coefficients, weights);
            removal
                .items
                .iter()
                .for_each(|&(g, count)| weights[g] += count);
            (removal.times, values)
        },
    )
}

/// One item of each group.
fn one_of_each(sizes: &[u64]) -> impl Iterator<Item = Removal> + Send {
    let groups = sizes.iter().enumerate().filter(|(_, size)| **size > 0);
    groups.map(|(group, &size)| Removal {
        items: vec![(group, 1)],
        times: size,
    })
}

/// All items, dealt at random to [`BLOCKS`] blocks.
struct Blocks {
    draws: Draws,
    blocks_left: u64,
    /// Group of each item that is in a small group, shuffled.
    small: Vec<usize>,
    /// Group of each large group, and how many of its items are not in a block yet.
    large: Vec<(usize, u64)>,
}

impl Blocks {
    fn new(sizes: &[u64], seed: u64) -> Self {
        let mut draws = Draws::new(seed, STREAM);
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for (group, &size) in sizes.iter().enumerate() {
            // An index of 32 bits shuffles so many items and no more.
            if size >= LARGE || small.len() as u64 + size > u64::from(u32::MAX) {
                large.push((group, size));
            } else {
                small.extend(std::iter::repeat_n(group, size as usize));
            }
        }
        for last in (1..small.len()).rev() {
            small.swap(last, draws.below(last as u32 + 1) as usize);
        }
        Self {
            draws,
            blocks_left: BLOCKS,
            small,
            large,
        }
    }
}

impl Iterator for Blocks {
    type Item = Removal;

    fn next(&mut self) -> Option<Removal> {
        if self.blocks_left == 0 {
            return None;
        }
        // An equal share of what is left; the last block takes it all.
        let share = self.small.len().div_ceil(self.blocks_left as usize);
        let rest = self.small.split_off(self.small.len() - share);
        let mut items: Vec<(usize, u64)> = rest.into_iter().map(|group| (group, 1)).collect();
        for (group, left) in &mut self.large {
            let taken = binomial_part(&mut self.draws, *left, 1, self.blocks_left);
            *left -= taken;
            items.push((*group, taken));
        }
        self.blocks_left -= 1;
        Some(Removal { items, times: 1 })
    }
}

/// The acceleration from values that each count `times` times.
fn acceleration(values: &[(u64, f64)]) -> f64 {
    let weighted = |term: &dyn Fn(f64) -> f64| -> f64 {
        values
            .iter()
            .map(|&(times, value)| times as f64 * term(value))
            .sum()
    };
    let mean = weighted(&|value| value) / weighted(&|_| 1.0);
    let squares = weighted(&|value| (mean - value) * (mean - value));
    let cubes = weighted(&|value| (mean - value) * (mean - value) * (mean - value));
    if squares > 0.0 {
        cubes / (6.0 * squares * squares.sqrt())
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::Estimate;

    /// The mean over items, where all items of a group have the same value.
    struct Mean(Vec<f64>);

    impl Coefficient for Mean {
        fn estimate(&self, weights: &[u64]) -> Estimate {
            let sum: f64 = self.0.iter().zip(weights).map(|(x, &w)| x * w as f64).sum();
            Ok(sum / weights.iter().sum::<u64>() as f64)
        }
    }

    /// For a mean the definition comes to this: d of an item is its distance from the
    /// mean, over n - 1.
    fn of_a_mean(values: &[f64], sizes: &[u64]) -> f64 {
        let mean = Mean(values.to_vec()).estimate(sizes).unwrap();
        let moment = |power: i32| -> f64 {
            let terms = values.iter().zip(sizes);
            terms
                .map(|(x, &size)| size as f64 * (x - mean).powi(power))
                .sum()
        };
        moment(3) / (6.0 * moment(2).powf(1.5))
    }

    fn found(values: &[f64], sizes: &[u64]) -> f64 {
        accelerations(sizes, &[&Mean(values.to_vec())], 1, 2)[0].unwrap()
    }

    #[test]
    fn worked_by_hand() {
        // Items 0, 0, 0, 4: means without one of them 4/3 three times and 0, whose mean
        // is 1. d = -1/3, -1/3, -1/3, 1; squares sum to 4/3, cubes to 8/9;
        // 8/9 / (6 * (4/3)^1.5) = 0.0962250.
        assert!((found(&[0.0, 4.0], &[3, 1]) - 0.096_225_0).abs() < 1e-7);
        assert!((found(&[0.0, 4.0, 7.0], &[3, 1, 0]) - 0.096_225_0).abs() < 1e-7);
        assert_eq!(found(&[2.0, 2.0], &[3, 5]), 0.0);
        assert_eq!(found(&[2.0], &[1 << 40]), 0.0);
    }

    #[test]
    fn blocks_hold_every_item_once() {
        let sizes: Vec<u64> = (0..2500).map(|g| g % 7 * (g % 11)).collect();
        let mut removed = vec![0; sizes.len()];
        let mut blocks = 0;
        for removal in Blocks::new(&sizes, 3) {
            removal
                .items
                .iter()
                .for_each(|&(g, count)| removed[g] += count);
            blocks += removal.times;
        }
        assert_eq!((removed, blocks), (sizes, BLOCKS));
    }

    #[test]
    fn blocks_come_close_to_single_items() {
        // Quantiles of an exponential distribution in rising order, so that neighbours
        // are alike; then the same with one item far out, which decides all; then in
        // groups large and small.
        let quantile = |i: u64| -libm::log(1.0 - (i as f64 + 0.5) / 2400.0);
        let smooth: Vec<f64> = (0..2400).map(quantile).collect();
        let mut outlier = smooth.clone();
        outlier[2399] = 300.0;
        let sizes: Vec<u64> = (0..2400).map(|i| 1 + i % 3 * 40).collect();
        for (values, sizes) in [
            (&smooth, &vec![1; 2400]),
            (&outlier, &vec![1; 2400]),
            (&smooth, &sizes),
            (&outlier, &sizes),
        ] {
            let (blocks, items) = (found(values, sizes), of_a_mean(values, sizes));
            assert!((blocks - items).abs() < 0.01, "{blocks} {items}");
        }
        assert!(of_a_mean(&outlier, &vec![1; 2400]) > 0.1);
    }
}
