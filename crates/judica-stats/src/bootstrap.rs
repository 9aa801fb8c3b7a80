//! Intervals for means, paired across models.

use crate::clusters::ratio;
use crate::interval::Interval;
use crate::quantile::quantiles;
use crate::resampled::{Resampling, Terms};

/// The paired percentile bootstrap of means over samples.
///
/// Every resample draws as many samples as there are, with replacement, and is
/// the same for every model, so that intervals of models on the same samples
/// can be compared. Efron and Tibshirani, *An Introduction to the Bootstrap*,
/// 1993: chapter 13 for the percentile interval. [`Draws`](crate::resample::Draws) says which samples
/// a resample takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairedBootstrap {
    /// How many resamples.
    pub resamples: u32,
    /// What they are drawn from: the same seed gives the same resamples.
    pub seed: u64,
}

/// The values of one model, a place for every sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelColumn {
    /// 0 where missing, so that summation needs no branch.
    pub(crate) values: Vec<f64>,
    /// Indices of missing values, increasing.
    pub(crate) missing: Vec<u32>,
    /// Indices of samples with several values, once for each value after the first.
    pub(crate) repeated: Vec<u32>,
}

impl ModelColumn {
    /// An empty column with room for `n_samples`.
    pub fn with_capacity(n_samples: usize) -> Self {
        Self {
            values: Vec::with_capacity(n_samples),
            ..Self::default()
        }
    }

    /// Appends the value for the next sample, or that there is none.
    pub fn push(&mut self, value: Option<f64>) {
        if value.is_none() {
            // A column longer than that is refused by `mean_intervals`.
            self.missing.push(self.values.len() as u32);
        }
        self.values.push(value.unwrap_or(0.0));
    }

    /// Appends `count` values for the next sample, by their sum: they are drawn together, and
    /// each counts.
    pub fn push_sum(&mut self, sum: f64, count: u32) {
        let more = count.saturating_sub(1) as usize;
        let index = self.values.len() as u32;
        self.repeated.extend(std::iter::repeat_n(index, more));
        self.push((count > 0).then_some(sum));
    }

    /// How many samples the column has a place for.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl FromIterator<Option<f64>> for ModelColumn {
    fn from_iter<I: IntoIterator<Item = Option<f64>>>(values: I) -> Self {
        let values = values.into_iter();
        let mut column = Self::with_capacity(values.size_hint().0);
        values.for_each(|value| column.push(value));
        column
    }
}

impl PairedBootstrap {
    /// For each model, the interval of its mean over the samples it has.
    ///
    /// The ends are the quantiles `(1 - confidence) / 2` and one minus that of
    /// the resampled means. A resample that holds none of a model's samples is
    /// passed over for that model, as is one whose mean is not finite. `None` for
    /// a model if no resample is left, if `n_samples` is zero, or if `confidence`
    /// is not strictly between 0 and 1.
    ///
    /// The result does not depend on `threads` (0 counts as 1).
    ///
    /// # Panics
    ///
    /// If a column does not have `n_samples` places, or there are 2^32 samples
    /// or more.
    pub fn mean_intervals(
        &self,
        n_samples: usize,
        models: &[ModelColumn],
        confidence: f64,
        threads: usize,
    ) -> Vec<Option<Interval>> {
        assert!(n_samples <= u32::MAX as usize, "too many samples");
        assert!(
            models.iter().all(|model| model.len() == n_samples),
            "a place for every sample in every column"
        );
        let usable = n_samples > 0 && self.resamples > 0 && confidence > 0.0 && confidence < 1.0;
        if !usable {
            return vec![None; models.len()];
        }
        let resampling = Resampling {
            resamples: self.resamples,
            seed: self.seed,
            threads,
        };
        // A row per sample: the sum of its values and how many there are, model by model.
        let width = 2 * models.len().max(1);
        let mut rows = vec![0.0; n_samples * width];
        for (at, model) in models.iter().enumerate() {
            for (row, value) in rows.chunks_exact_mut(width).zip(&model.values) {
                row[2 * at..][..2].copy_from_slice(&[*value, 1.0]);
            }
            for missing in &model.missing {
                rows[*missing as usize * width + 2 * at + 1] = 0.0;
            }
            for repeated in &model.repeated {
                rows[*repeated as usize * width + 2 * at + 1] += 1.0;
            }
        }
        let sums = resampling.sums(Terms::flat(&rows, width));
        let tail = (1.0 - confidence) / 2.0;
        let interval = |at: usize| {
            let mut means = sums.values(self.resamples, &|sums| ratio(&sums[2 * at..]));
            let ends = quantiles(&mut means, &[tail, 1.0 - tail])?;
            Some(Interval {
                lo: ends[0],
                hi: ends[1],
            })
        };
        (0..models.len()).map(interval).collect()
    }
}
