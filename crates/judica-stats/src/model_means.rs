//! Means of several models over the same samples, all on the same resamples, so that
//! intervals of models can be compared and places have intervals, too.

use crate::clusters::{Intervals, Jackknife, NoInterval, ratio};
use crate::interval::Interval;
use crate::parallel::in_parallel;
use crate::resampled::Terms;

/// The values of one model, a place for every sample: their sum and how many there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelColumn {
    rows: Vec<[f64; 2]>,
}

impl ModelColumn {
    /// An empty column with room for `n_samples`.
    pub fn with_capacity(n_samples: usize) -> Self {
        ModelColumn {
            rows: Vec::with_capacity(n_samples),
        }
    }

    /// Appends the `count` values of the next sample by their sum: they are drawn together,
    /// and each counts.
    pub fn push(&mut self, sum: f64, count: u32) {
        self.rows.push([sum, f64::from(count)]);
    }

    fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row[1] > 0.0)
    }
}

/// Rows that are filled together: few enough for a processor's nearest cache.
const TOGETHER: usize = 32;

/// What is known of a model's mean.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMean {
    /// The interval of its mean over the samples it has.
    pub interval: Result<Interval, NoInterval>,
    /// Its mean in every resample of all samples, NaN in one that holds none of its own;
    /// empty where nothing was resampled.
    pub resampled: Vec<f64>,
}

/// The interval of each model's mean, and its means in common resamples. The models have a
/// place for each of `n_samples`, which are in the order of their keys.
///
/// # Panics
///
/// If a column does not have `n_samples` places, or there are 2^32 samples or more.
pub fn model_means(
    intervals: &Intervals,
    n_samples: usize,
    models: &[ModelColumn],
) -> Vec<ModelMean> {
    assert!(
        models.iter().all(|model| model.rows.len() == n_samples),
        "a place for every sample in every column"
    );
    // A row per sample: the sum of its values and how many there are, model by model; one
    // model's counts serve for all that have one value of every sample.
    let plain = |model: &ModelColumn| model.rows.iter().all(|row| row[1] == 1.0);
    let mut width = 1;
    let places: Vec<[usize; 2]> = models
        .iter()
        .map(|model| {
            let count = if plain(model) { 0 } else { width + 1 };
            let place = [width, count];
            width += if count == 0 { 1 } else { 2 };
            place
        })
        .collect();
    let resampled = intervals.resamples(n_samples).then(|| {
        let mut rows = vec![1.0; n_samples * width];
        // Some rows of all models at a time: those of one model alone are far apart.
        for (at, some) in rows.chunks_mut(TOGETHER * width).enumerate() {
            for (model, [sum, count]) in models.iter().zip(&places) {
                let values = &model.rows[at * TOGETHER..];
                for (row, values) in some.chunks_exact_mut(width).zip(values) {
                    row[*sum] = values[0];
                    if *count > 0 {
                        row[*count] = values[1];
                    }
                }
            }
        }
        intervals.resampling.sums(Terms::flat(&rows, width))
    });
    let of_model = |(model, [sum, count]): (&ModelColumn, &[usize; 2])| {
        let mean = |sums: &[f64]| sums[*sum] / sums[*count];
        let interval = if model.is_complete() {
            Jackknife::new(Terms::new(&model.rows), &ratio)
                .and_then(|jackknife| intervals.read(&jackknife, resampled.as_ref(), &mean))
        } else {
            // Samples that it does not have are none of its clusters.
            let present = model.rows.iter().copied().filter(|row| row[1] > 0.0);
            let present: Vec<[f64; 2]> = present.collect();
            intervals.of(Terms::new(&present), &ratio)
        };
        ModelMean {
            interval,
            resampled: resampled
                .as_ref()
                .map_or_else(Vec::new, |sums| sums.all_values(&mean)),
        }
    };
    let models = models.iter().zip(&places);
    let threads = intervals.resampling.threads;
    in_parallel(threads, models, || (), |(), model| of_model(model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resample::Draws;
    use crate::resampled::Resampling;
    use proptest::prelude::*;

    fn intervals(resamples: u32, threads: usize) -> Intervals {
        Intervals {
            confidence: 0.95,
            resampling: Resampling {
                resamples,
                seed: 3,
                threads,
            },
        }
    }

    fn column(values: &[Option<f64>]) -> ModelColumn {
        let mut column = ModelColumn::default();
        for value in values {
            column.push(value.unwrap_or(0.0), u32::from(value.is_some()));
        }
        column
    }

    #[test]
    fn nothing_and_what_does_not_vary_have_no_interval() {
        let means = model_means(
            &intervals(100, 1),
            60,
            &[column(&[None; 60]), column(&[Some(100.0); 60])],
        );
        assert_eq!(means[0].interval, Err(NoInterval::OneCluster));
        assert!(means[0].resampled.iter().all(|mean| mean.is_nan()));
        assert_eq!(
            means[1].interval,
            Err(NoInterval::NoVariation { clusters: 60 })
        );
        assert_eq!(model_means(&intervals(100, 1), 0, &[]), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// The definition, without tiles, blocks or threads; neighbours do not show.
        #[test]
        fn as_by_definition(
            models in (50usize..300).prop_flat_map(|n| {
                let value = prop::option::weighted(0.95, 0.0f64..100.0);
                prop::collection::vec(prop::collection::vec(value, n), 1..4)
            }),
        ) {
            let n = models[0].len();
            let columns: Vec<ModelColumn> = models.iter().map(|values| column(values)).collect();
            let found = model_means(&intervals(40, 2), n, &columns);
            for (values, found) in models.iter().zip(&found) {
                for (resample, mean) in found.resampled.iter().enumerate() {
                    let mut draws = Draws::new(3, resample as u64);
                    let drawn: Vec<f64> = (0..n)
                        .filter_map(|_| values[draws.below(n as u32) as usize])
                        .collect();
                    let expected = drawn.iter().sum::<f64>() / drawn.len() as f64;
                    prop_assert!((mean - expected).abs() < 1e-9);
                }
                let alone = model_means(&intervals(40, 1), n, &[column(values)]);
                prop_assert_eq!(&alone[0], found);
                let present: Vec<[f64; 2]> = values.iter().flatten().map(|v| [*v, 1.0]).collect();
                let own = intervals(40, 1).of(Terms::new(&present), &ratio);
                let (own, found) = (own.unwrap(), found.interval.unwrap());
                prop_assert!((own.lo - found.lo).abs() < 1e-9 && (own.hi - found.hi).abs() < 1e-9);
            }
        }

        #[test]
        fn repeats_are_drawn_together_and_each_counts(rows in prop::collection::vec((0.0f64..9.0, 0u32..4), 60..90)) {
            let mut several = ModelColumn::default();
            rows.iter().for_each(|(value, count)| several.push(value * f64::from(*count), *count));
            let found = model_means(&intervals(10, 1), rows.len(), &[several]);
            let low = rows.iter().map(|row| row.0).fold(9.0, f64::min);
            let high = rows.iter().map(|row| row.0).fold(0.0, f64::max);
            for mean in &found[0].resampled {
                prop_assert!(low - 1e-9 <= *mean && *mean <= high + 1e-9);
            }
        }
    }
}
