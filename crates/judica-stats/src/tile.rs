//! One tile of the bootstrap: a few resamples of all models, side by side.

use crate::bootstrap::{ModelColumn, PairedBootstrap};
use crate::resample::Draws;
use std::ops::Range;

/// Resamples computed side by side: one load of a value serves them all.
pub(crate) const LANES: usize = 8;

/// Samples summed before the sum is added to the total. Part of the result
/// (it fixes the order of summation); sized so that a block of weights stays
/// in the first-level cache.
const BLOCK: usize = 256;

/// One number per resample of a tile.
type Lanes = [f64; LANES];

/// Weighted sum and weight of one model in the resamples of one tile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ratio {
    sum: Lanes,
    weight: Lanes,
}

impl Ratio {
    /// Sum and weight, resample by resample.
    pub(crate) fn lanes(self) -> impl Iterator<Item = (f64, f64)> {
        self.sum.into_iter().zip(self.weight)
    }
}

/// What a thread needs to work on a tile.
pub(crate) struct Scratch {
    /// How often each sample of a chunk was drawn, per resample.
    ///
    /// More than 65,535 draws of one sample need more samples than that, and
    /// then have a chance below 10^-280000; they would count as 65,535.
    counts: Vec<[u16; LANES]>,
    /// The counts of a block as numbers.
    weights: Vec<Lanes>,
    /// How many missing values of each model are behind.
    missed: Vec<usize>,
    /// How many repeated values of each model are behind.
    met: Vec<usize>,
}

impl Scratch {
    /// Scratch for `n_samples` and `n_models` that spends `count_bytes` on
    /// counts, or a little more where that is next to nothing.
    pub(crate) fn new(n_samples: usize, n_models: usize, count_bytes: usize) -> Self {
        let affordable = count_bytes / size_of::<[u16; LANES]>();
        // Whole blocks, so that chunks do not change the order of summation.
        let chunk = (affordable / BLOCK).max(1) * BLOCK;
        Self {
            counts: vec![[0; LANES]; chunk.min(n_samples)],
            weights: vec![[0.0; LANES]; BLOCK],
            missed: vec![0; n_models],
            met: vec![0; n_models],
        }
    }

    /// Computes the tile whose first resample is `first`.
    pub(crate) fn fill(
        &mut self,
        plan: &PairedBootstrap,
        first: u32,
        n_samples: usize,
        models: &[ModelColumn],
        out: &mut [Ratio],
    ) {
        out.fill(Ratio {
            sum: [0.0; LANES],
            weight: [n_samples as f64; LANES],
        });
        self.missed.fill(0);
        self.met.fill(0);
        for chunk in (0..n_samples).step_by(self.counts.len()) {
            self.draw(plan, first, n_samples as u32, chunk as u32);
            let end = n_samples.min(chunk + self.counts.len());
            for start in (chunk..end).step_by(BLOCK) {
                let block = start..end.min(start + BLOCK);
                let counts = &self.counts[start - chunk..block.end - chunk];
                for (weights, counts) in self.weights.iter_mut().zip(counts) {
                    *weights = counts.map(f64::from);
                }
                self.add_block(block, models, out);
            }
        }
    }

    /// Adds the samples of `block`, whose weights are ready.
    fn add_block(&mut self, block: Range<usize>, models: &[ModelColumn], out: &mut [Ratio]) {
        let weights = &self.weights[..block.len()];
        for (models, out) in models.chunks(2).zip(out.chunks_mut(2)) {
            if let ([a, b], [of_a, of_b]) = (models, &mut *out) {
                let columns = [&a.values[block.clone()], &b.values[block.clone()]];
                accumulate(weights, columns, [&mut of_a.sum, &mut of_b.sum]);
            } else if let ([a], [of_a]) = (models, out) {
                accumulate(weights, [&a.values[block.clone()]], [&mut of_a.sum]);
            }
        }
        for ((model, out), missed) in models.iter().zip(&mut *out).zip(&mut self.missed) {
            let ahead = model.missing[*missed..].iter().map(|&i| i as usize);
            for i in ahead.take_while(|&i| i < block.end) {
                let absent = &weights[i - block.start];
                for (weight, absent) in out.weight.iter_mut().zip(absent) {
                    *weight -= absent;
                }
                *missed += 1;
            }
        }
        for ((model, out), met) in models.iter().zip(out).zip(&mut self.met) {
            let ahead = model.repeated[*met..].iter().map(|&i| i as usize);
            for i in ahead.take_while(|&i| i < block.end) {
                let more = &weights[i - block.start];
                for (weight, more) in out.weight.iter_mut().zip(more) {
                    *weight += more;
                }
                *met += 1;
            }
        }
    }

    /// Counts the draws that fall in the chunk from sample `start`.
    ///
    /// Where one chunk does not hold all samples, the same draws are made again
    /// for each: slower, but memory stays bounded.
    fn draw(&mut self, plan: &PairedBootstrap, first: u32, n_samples: u32, start: u32) {
        self.counts.fill([0; LANES]);
        let last = plan.resamples.min(first.saturating_add(LANES as u32));
        for (lane, resample) in (first..last).enumerate() {
            let mut draws = Draws::new(plan.seed, u64::from(resample));
            for _ in 0..n_samples {
                let place = draws.below(n_samples).wrapping_sub(start) as usize;
                if let Some(counts) = self.counts.get_mut(place) {
                    counts[lane] = counts[lane].saturating_add(1);
                }
            }
        }
    }
}

/// Adds the weighted sum of a block of each of `M` columns to its total.
///
/// The number of columns taken at once only saves loads: the sum of a lane of
/// a column is formed in the same order, one sample after the other.
#[inline]
fn accumulate<const M: usize>(weights: &[Lanes], columns: [&[f64]; M], totals: [&mut Lanes; M]) {
    let mut sums = [[0.0; LANES]; M];
    for (i, weight) in weights.iter().enumerate() {
        for m in 0..M {
            let value = columns[m][i];
            for lane in 0..LANES {
                sums[m][lane] += weight[lane] * value;
            }
        }
    }
    for (total, sum) in totals.into_iter().zip(sums) {
        for (total, sum) in total.iter_mut().zip(sum) {
            *total += sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tile(models: &[ModelColumn], n_samples: usize, count_bytes: usize) -> Vec<Ratio> {
        let plan = PairedBootstrap {
            resamples: 13,
            seed: 3,
        };
        let mut out = vec![Ratio::default(); models.len()];
        let mut scratch = Scratch::new(n_samples, models.len(), count_bytes);
        // The second of two tiles, with five resamples: scratch is used again.
        scratch.fill(&plan, 0, n_samples, models, &mut out);
        scratch.fill(&plan, 8, n_samples, models, &mut out);
        out
    }

    #[test]
    fn worked_by_hand() {
        // Whatever is drawn, n draws of ones sum to n; without sample 1 the
        // weight is the sum. Three of eight lanes are beyond the resamples.
        let ones = ModelColumn::from_iter([Some(1.0); 3]);
        let gap = ModelColumn::from_iter([Some(1.0), None, Some(1.0)]);
        let out = tile(&[ones, gap], 3, 1 << 20);
        assert_eq!(out[0].sum, [3.0, 3.0, 3.0, 3.0, 3.0, 0.0, 0.0, 0.0]);
        assert_eq!(out[0].weight, [3.0; LANES]);
        assert_eq!(out[1].sum[..5], out[1].weight[..5]);
    }

    #[test]
    fn several_values_of_a_sample_are_drawn_together_and_each_counts() {
        // Three threes of one sample, one of the other: whatever is drawn, the mean is 3.
        let mut column = ModelColumn::default();
        column.push_sum(9.0, 3);
        column.push_sum(0.0, 0);
        column.push_sum(3.0, 1);
        let out = tile(&[column], 3, 1 << 20);
        for (sum, weight) in out[0].lanes().take(5) {
            assert_eq!(sum, 3.0 * weight);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn neither_chunks_nor_neighbours_change_a_bit(
            models in (1usize..1500).prop_flat_map(|n| {
                let value = prop::option::weighted(0.9, -1.0f64..1.0);
                prop::collection::vec(prop::collection::vec(value, n), 1..4)
            }),
        ) {
            let n = models[0].len();
            let columns: Vec<ModelColumn> =
                models.into_iter().map(ModelColumn::from_iter).collect();
            let whole = tile(&columns, n, 1 << 20);
            // No bytes at all: chunks of a single block.
            prop_assert_eq!(&whole, &tile(&columns, n, 0));
            for (m, column) in columns.iter().enumerate() {
                prop_assert_eq!(whole[m], tile(std::slice::from_ref(column), n, 9000)[0]);
            }
        }
    }
}
