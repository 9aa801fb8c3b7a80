//! How often a resample of grouped items draws from each group.
//!
//! A resample of n items, drawn with replacement, matters only through how many of its
//! draws fall into each group. Those counts are multinomial, and drawing them directly
//! takes a time that depends on the number of groups and not on n.

use crate::binomial::binomial_part;
use crate::resample::Draws;

/// Groups of at least this many items get their count from one binomial draw; the items
/// of smaller groups are drawn one by one. About where the two take equally long. Part
/// of the result: another value would give other resamples.
const LARGE: u64 = 32;

/// More items than a double can tell apart are refused.
const MAX_ITEMS: u64 = 1 << 53;

/// Draws the group counts of bootstrap resamples.
///
/// First the large groups, in order: each takes of the draws that are left a binomial
/// number with probability size / (items of this and the groups to come), which is the
/// conditional distribution of a multinomial count. The draws then left fall on the
/// items of small groups, each equally likely. So a billion items in a few groups cost a
/// few binomial draws, items that are all different cost one draw each, and a mixture
/// costs what its parts do. Where all groups are single items, the draws are those of
/// [`Draws::below`] for that many items.
///
/// ```
/// # use judica_stats::multinomial::GroupResampler;
/// let resampler = GroupResampler::new(&[600_000_000, 1, 400_000_000]);
/// let mut counts = [0; 3];
/// resampler.fill(1, 0, &mut counts);
/// assert_eq!(counts.iter().sum::<u64>(), 1_000_000_001);
/// assert!(counts[0].abs_diff(600_000_000) < 100_000);
/// ```
#[derive(Clone, Debug)]
pub struct GroupResampler {
    groups: usize,
    items: u64,
    /// Group and size, in group order.
    large: Vec<(usize, u64)>,
    /// The group of each item that is in a small group, in group order.
    small: Vec<u32>,
}

impl GroupResampler {
    /// A resampler of groups with these sizes; groups may be empty.
    ///
    /// # Panics
    ///
    /// If there are more than 2^53 items.
    pub fn new(sizes: &[u64]) -> Self {
        let items = sizes
            .iter()
            .try_fold(0, |sum: u64, &size| sum.checked_add(size))
            .filter(|&items| items <= MAX_ITEMS)
            .expect("at most 2^53 items");
        // An item drawn by its index has an index of 32 bits; where that is not enough,
        // every group counts as large.
        let small_items: u64 = sizes.iter().filter(|&&size| size < LARGE).sum();
        let indexable = small_items.max(sizes.len() as u64) <= u64::from(u32::MAX);
        let smallest_large = if indexable { LARGE } else { 1 };

        let mut large = Vec::new();
        let mut small = Vec::with_capacity(if indexable { small_items as usize } else { 0 });
        for (group, &size) in sizes.iter().enumerate() {
            if size >= smallest_large {
                large.push((group, size));
            } else {
                small.extend(std::iter::repeat_n(group as u32, size as usize));
            }
        }
        Self {
            groups: sizes.len(),
            items,
            large,
            small,
        }
    }

    /// How many items there are, which is also how many a resample draws.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Writes how often the resample numbered `resample` draws from each group.
    ///
    /// The counts are a function of the sizes, `seed` and `resample`, and sum to the
    /// number of items.
    ///
    /// # Panics
    ///
    /// If `counts` does not have a place for every group.
    pub fn fill(&self, seed: u64, resample: u64, counts: &mut [u64]) {
        assert_eq!(counts.len(), self.groups, "a place for every group");
        counts.fill(0);
        let mut draws = Draws::new(seed, resample);
        let mut draws_left = self.items;
        let mut items_left = self.items;
        for &(group, size) in &self.large {
            counts[group] = binomial_part(&mut draws, draws_left, size, items_left);
            draws_left -= counts[group];
            items_left -= size;
        }
        // Without small groups the last large one took all: its probability was 1.
        let items = self.small.len() as u32;
        for _ in 0..draws_left {
            counts[self.small[draws.below(items) as usize] as usize] += 1;
        }
    }
}

#[cfg(test)]
#[path = "multinomial_tests.rs"]
mod tests;
