//! How far predicted numbers are from the true ones, as functions of sums, so that clusters
//! can be resampled.

use crate::clusters::rounding;

/// How many sums there are: of one, of the squared error, of the true value and its square.
pub const WIDTH: usize = 4;

/// What one record adds.
pub fn terms(truth: f64, predicted: f64) -> [f64; WIDTH] {
    let error = predicted - truth;
    [1.0, error * error, truth, truth * truth]
}

/// The share of the variance of the truth that the prediction explains: one less the squared
/// error over the squared distance from the mean. Not finite where the truth does not vary, but
/// for rounding: `whole` are the sums over all records, of which `sums` may be a resample, or
/// what is left without one of them.
///
/// True values are best given as distances from their mean, which changes nothing but
/// rounding.
pub fn explained(sums: &[f64], whole: &[f64]) -> f64 {
    let spread = sums[3] - sums[2] * sums[2] / sums[0];
    if spread > rounding(whole[0], whole[3].max(sums[3])) {
        1.0 - sums[1] / spread
    } else {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::{Intervals, NoInterval, sums};
    use crate::resampled::Terms;

    /// Against scikit-learn: `r2_score`.
    #[test]
    fn as_elsewhere() {
        let (truth, predicted) = ([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]);
        let mut sums = [0.0; WIDTH];
        for (truth, predicted) in truth.iter().zip(predicted) {
            for (sum, term) in sums.iter_mut().zip(terms(*truth, predicted)) {
                *sum += term;
            }
        }
        assert!((explained(&sums, &sums) - 0.948_608_137_044_967_9).abs() < 1e-12);
        let one = terms(2.0, 3.0);
        assert!(explained(&one, &one).is_nan());
    }

    /// One true value among equal ones: without it they do not vary, whatever the mean rounds to.
    #[test]
    fn rounding_is_no_variation() {
        let intervals = Intervals::default();
        let mut sizes: Vec<usize> = (3..100).collect();
        sizes.extend([1000, 5001, 20_000]);
        for (n, [rare, usual]) in sizes.iter().flat_map(|n| {
            let truths = [[1.0, 0.0], [6.0, 5.0], [0.3, 0.1], [1e6, 0.1]];
            truths.map(|truths| (*n, truths))
        }) {
            let mean = (rare + usual * (n - 1) as f64) / n as f64;
            let truth = |at: usize| if at == 0 { rare } else { usual } - mean;
            let rows: Vec<[f64; WIDTH]> = (0..n)
                .map(|at| terms(truth(at), 0.5 - mean + (at % 3) as f64))
                .collect();
            let all = Terms::new(&rows);
            let whole = sums(all);
            let found = intervals.of(all, &|sums| explained(sums, &whole));
            assert_eq!(found, Err(NoInterval::OneDecides), "{n} {rare}");
        }
    }
}
