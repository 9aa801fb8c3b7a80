//! Sums over resamples of clusters.
//!
//! A resample draws as many clusters as there are, with replacement; [`Draws`] says which.
//! Every number that follows from sums over clusters follows from the sums of a resample in
//! the same way, so sums are all that is resampled: of many columns at once, on the same
//! draws, which is what makes intervals of several subjects comparable.

use std::sync::{Mutex, PoisonError};

use crate::resample::Draws;

/// Resamples computed side by side: one load of a value serves them all.
const LANES: usize = 8;
/// Clusters summed before the sum is added to the total. Part of the result (it fixes the
/// order of summation); sized so that a block of weights stays in the first-level cache.
const BLOCK: usize = 256;
/// Memory for counts of draws, in all threads.
const COUNT_BYTES: usize = 16 << 20;
/// Tiles that a block of rows serves before the next block is fetched from further away.
const GROUP: usize = 8;

/// One number per resample of a tile.
type Lanes = [f64; LANES];

/// What every cluster adds to some sums: one row per cluster, in the order of their keys.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'t> {
    values: &'t [f64],
    width: usize,
}

impl<'t> Terms<'t> {
    /// Rows of a width known when compiling.
    pub fn new<const N: usize>(rows: &'t [[f64; N]]) -> Self {
        Terms::flat(rows.as_flattened(), N)
    }

    /// Rows one after the other, each of `width` values.
    ///
    /// # Panics
    ///
    /// If the last row is not whole, or there are 2^32 rows.
    pub fn flat(values: &'t [f64], width: usize) -> Self {
        assert!(
            width > 0 && values.len().is_multiple_of(width),
            "whole rows only"
        );
        let clusters = values.len() / width;
        assert!(u32::try_from(clusters).is_ok(), "too many clusters");
        Terms { values, width }
    }

    /// How many clusters there are.
    pub fn clusters(self) -> usize {
        self.values.len() / self.width
    }

    /// How many sums.
    pub fn width(self) -> usize {
        self.width
    }

    /// The terms of each cluster.
    pub fn rows(self) -> impl Iterator<Item = &'t [f64]> {
        self.values.chunks_exact(self.width)
    }
}

/// How often to draw, and from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// How many resamples.
    pub resamples: u32,
    /// The same seed gives the same resamples.
    pub seed: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

/// The sums of every resample.
#[derive(Clone, Debug, PartialEq)]
pub struct ResampledSums {
    /// Tile by tile, columns within a tile.
    tiles: Vec<Lanes>,
    width: usize,
    resamples: usize,
}

impl ResampledSums {
    /// What a function makes of the sums of the first resamples, where that is a number.
    pub fn values(&self, resamples: u32, of: &dyn Fn(&[f64]) -> f64) -> Vec<f64> {
        let mut values = self.all_values(of);
        values.truncate(resamples as usize);
        values.retain(|value| value.is_finite());
        values
    }

    /// The same of all resamples, whether or not it is a number.
    pub fn all_values(&self, of: &dyn Fn(&[f64]) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        (0..self.resamples)
            .map(|resample| {
                let tile = &self.tiles[resample / LANES * self.width..][..self.width];
                for (sum, lanes) in sums.iter_mut().zip(tile) {
                    *sum = lanes[resample % LANES];
                }
                of(&sums)
            })
            .collect()
    }
}

impl Resampling {
    /// The sums of each column in every resample.
    pub fn sums(&self, terms: Terms) -> ResampledSums {
        let tiles = (self.resamples as usize).div_ceil(LANES);
        let mut sums = vec![[0.0; LANES]; tiles * terms.width];
        let threads = self.threads.clamp(1, tiles.max(1));
        let group = GROUP.min(tiles.div_ceil(threads)).max(1);
        // Which thread takes which tiles is left to chance: a tile depends on its number
        // only, and writes to its own place.
        let queue = Mutex::new(sums.chunks_mut(group * terms.width).enumerate());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            let mut scratch = Scratch::new(terms.clusters(), group, COUNT_BYTES / threads);
            while let Some((at, out)) = next() {
                scratch.fill(self, at * group, terms, out);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        ResampledSums {
            tiles: sums,
            width: terms.width,
            resamples: self.resamples as usize,
        }
    }
}

/// What a thread needs to work on a group of tiles.
struct Scratch {
    /// How often each cluster of a chunk was drawn, per resample: tile by tile.
    ///
    /// More than 65,535 draws of one cluster need more clusters than that, and then have a
    /// chance below 10^-280000; they would count as 65,535.
    counts: Vec<[u16; LANES]>,
    /// Clusters of a chunk.
    chunk: usize,
    /// The counts of a block as numbers.
    weights: Vec<Lanes>,
}

impl Scratch {
    /// Scratch that spends `count_bytes` on the counts of a group of tiles, or a little more
    /// where that is next to nothing.
    fn new(clusters: usize, group: usize, count_bytes: usize) -> Self {
        let affordable = count_bytes / size_of::<[u16; LANES]>() / group;
        // Whole blocks, so that chunks do not change the order of summation.
        let chunk = (affordable / BLOCK).max(1) * BLOCK;
        let chunk = chunk.min(clusters).max(1);
        Self {
            counts: vec![[0; LANES]; group * chunk],
            chunk,
            weights: vec![[0.0; LANES]; BLOCK],
        }
    }

    /// Computes the tiles from the one numbered `first` that `out` has room for.
    fn fill(&mut self, plan: &Resampling, first: usize, terms: Terms, out: &mut [Lanes]) {
        let (clusters, width) = (terms.clusters(), terms.width);
        for chunk in (0..clusters).step_by(self.chunk) {
            let tiles = first..first + out.len() / width;
            for (tile, counts) in tiles.zip(self.counts.chunks_exact_mut(self.chunk)) {
                let resample = (tile * LANES) as u32;
                draw(counts, plan, resample, clusters as u32, chunk as u32);
            }
            let end = clusters.min(chunk + self.chunk);
            for start in (chunk..end).step_by(BLOCK) {
                let stop = end.min(start + BLOCK);
                let rows = &terms.values[start * width..stop * width];
                let counts = self.counts.chunks_exact(self.chunk);
                for (counts, out) in counts.zip(out.chunks_exact_mut(width)) {
                    let counts = &counts[start - chunk..stop - chunk];
                    for (weights, counts) in self.weights.iter_mut().zip(counts) {
                        *weights = counts.map(f64::from);
                    }
                    add_block(&self.weights[..stop - start], rows, width, out);
                }
            }
        }
    }
}

/// Counts the draws of the resamples from `first` that fall in the chunk from cluster `start`.
///
/// Where one chunk does not hold all clusters, the same draws are made again for each:
/// slower, but memory stays bounded.
fn draw(counts: &mut [[u16; LANES]], plan: &Resampling, first: u32, clusters: u32, start: u32) {
    counts.fill([0; LANES]);
    let last = plan.resamples.min(first.saturating_add(LANES as u32));
    for (lane, resample) in (first..last).enumerate() {
        let mut draws = Draws::new(plan.seed, u64::from(resample));
        for _ in 0..clusters {
            let place = draws.below(clusters).wrapping_sub(start) as usize;
            if let Some(counts) = counts.get_mut(place) {
                counts[lane] = counts[lane].saturating_add(1);
            }
        }
    }
}

/// Adds the weighted sums of a block of rows, in vectors as wide as this processor has them.
///
/// Their width changes no bit: every lane is summed for itself, and a product is rounded before
/// it is added.
fn add_block(weights: &[Lanes], rows: &[f64], width: usize, out: &mut [Lanes]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn add_widest(weights: &[Lanes], rows: &[f64], width: usize, out: &mut [Lanes]) {
            add_columns::<8>(weights, rows, width, out);
        }
        #[target_feature(enable = "avx2")]
        fn add_wide(weights: &[Lanes], rows: &[f64], width: usize, out: &mut [Lanes]) {
            add_columns::<4>(weights, rows, width, out);
        }
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the function needs AVX-512F and nothing else, which was just found.
            #[allow(unsafe_code)]
            return unsafe { add_widest(weights, rows, width, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the function needs AVX2 and nothing else, which was just found.
            #[allow(unsafe_code)]
            return unsafe { add_wide(weights, rows, width, out) };
        }
    }
    add_columns::<2>(weights, rows, width, out);
}

/// The same, compiled into whatever calls it: `M` columns at once, as many as it has registers
/// for, so that no sum waits for the one before.
#[inline(always)]
fn add_columns<const M: usize>(weights: &[Lanes], rows: &[f64], width: usize, out: &mut [Lanes]) {
    let (many, rest) = out.as_chunks_mut::<M>();
    let (pairs, one) = rest.as_chunks_mut::<2>();
    let mut first = 0;
    for totals in many {
        accumulate(weights, rows, width, first, totals);
        first += M;
    }
    for totals in pairs {
        accumulate(weights, rows, width, first, totals);
        first += 2;
    }
    if let [total] = one {
        accumulate(weights, rows, width, first, std::array::from_mut(total));
    }
}

/// Adds the weighted sums of `M` columns from the column `first`.
///
/// The number of columns taken at once only saves loads: the sum of a lane of a column is
/// formed in the same order, one cluster after the other.
#[inline(always)]
fn accumulate<const M: usize>(
    weights: &[Lanes],
    rows: &[f64],
    width: usize,
    first: usize,
    totals: &mut [Lanes; M],
) {
    let mut sums = [[0.0; LANES]; M];
    for (weight, row) in weights.iter().zip(rows.chunks_exact(width)) {
        let Some(values) = row[first..].first_chunk::<M>() else {
            continue;
        };
        // As a new array, and not in place: so that all sums stay in registers.
        sums = std::array::from_fn(|m| {
            std::array::from_fn(|lane| sums[m][lane] + weight[lane] * values[m])
        });
    }
    for (total, sum) in totals.iter_mut().zip(sums) {
        for (total, sum) in total.iter_mut().zip(sum) {
            *total += sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(threads: usize) -> Resampling {
        Resampling {
            resamples: 13,
            seed: 3,
            threads,
        }
    }

    #[test]
    fn worked_by_hand() {
        // Draws(0, 0) below 4 are 0, 3, 3, 2: 1 + 4 + 4 + 3 of the first column.
        let rows = [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [4.0, 1.0]];
        let one = Resampling {
            resamples: 1,
            seed: 0,
            threads: 1,
        };
        let sums = one.sums(Terms::new(&rows));
        assert_eq!(sums.values(1, &|s| s[0]), [12.0]);
        assert_eq!(sums.values(9, &|s| s[0] / s[1]), [3.0]);
        // Whatever is drawn, n draws of ones sum to n, in every resample.
        assert_eq!(
            plan(2).sums(Terms::new(&rows)).values(13, &|s| s[1]),
            [4.0; 13]
        );
    }

    #[test]
    fn nothing_to_draw_from_is_nothing() {
        let none: [[f64; 2]; 0] = [];
        assert_eq!(
            plan(2).sums(Terms::new(&none)).values(13, &|s| s[0] / s[1]),
            []
        );
    }

    #[test]
    fn wide_vectors_give_the_same_bits() {
        let number = |at: usize| (at as f64 * 0.7).sin() / 3.0;
        for width in 1..20 {
            let weights: Vec<Lanes> = (0..50)
                .map(|row| std::array::from_fn(|lane| ((row * lane) % 4) as f64))
                .collect();
            let rows: Vec<f64> = (0..50 * width).map(number).collect();
            let mut plain = vec![[0.1; LANES]; width];
            let mut wide = plain.clone();
            let mut four = plain.clone();
            add_columns::<1>(&weights, &rows, width, &mut plain);
            add_columns::<4>(&weights, &rows, width, &mut four);
            add_block(&weights, &rows, width, &mut wide);
            assert_eq!(plain, wide);
            assert_eq!(plain, four);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn neither_chunks_nor_neighbours_nor_threads_change_a_bit(
            rows in prop::collection::vec([-1.0f64..1.0, -1.0f64..1.0, -1.0f64..1.0], 1..1500),
        ) {
            let whole = plan(3).sums(Terms::new(&rows));
            prop_assert_eq!(&whole, &plan(1).sums(Terms::new(&rows)));
            for column in 0..3 {
                let alone: Vec<[f64; 1]> = rows.iter().map(|row| [row[column]]).collect();
                let alone = plan(2).sums(Terms::new(&alone));
                prop_assert_eq!(whole.values(13, &|s| s[column]), alone.values(13, &|s| s[0]));
            }
            // No bytes at all for counts: chunks of a single block.
            // Nor do neighbouring tiles change anything.
            for group in 1..=2 {
                let mut scratch = Scratch::new(rows.len(), group, 0);
                let mut out = vec![[0.0; LANES]; 3 * group];
                scratch.fill(&plan(1), 0, Terms::new(&rows), &mut out);
                prop_assert_eq!(&out[..], &whole.tiles[..3 * group]);
            }
        }
    }
}
