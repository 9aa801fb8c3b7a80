//! How far predicted numbers are from the true ones, as functions of sums, so that clusters
//! can be resampled.

/// How many sums there are: of one, of the squared error, of the true value and its square.
pub const WIDTH: usize = 4;

/// What one record adds.
pub fn terms(truth: f64, predicted: f64) -> [f64; WIDTH] {
    let error = predicted - truth;
    [1.0, error * error, truth, truth * truth]
}

/// The share of the variance of the truth that the prediction explains: one less the squared
/// error over the squared distance from the mean. Not finite where the truth does not vary.
///
/// True values are best given as distances from their mean, which changes nothing but
/// rounding.
pub fn explained(sums: &[f64]) -> f64 {
    let spread = sums[3] - sums[2] * sums[2] / sums[0];
    if spread > 0.0 {
        1.0 - sums[1] / spread
    } else {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!((explained(&sums) - 0.948_608_137_044_967_9).abs() < 1e-12);
        assert!(explained(&terms(2.0, 3.0)).is_nan());
    }
}
