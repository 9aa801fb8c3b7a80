//! Whether stated confidence is what it says.

/// The bins of a reliability curve, all of the same width, from 0 to 1. A confidence on an
/// inner edge belongs below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    bins: Vec<Bin>,
}

/// What fell into one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// How many records.
    pub n: u64,
    /// Their confidence, added up.
    pub confidence: f64,
    /// How many were right.
    pub right: u64,
}

impl Bin {
    /// The mean confidence and the share that was right; `None` in an empty bin.
    pub fn point(&self) -> Option<[f64; 2]> {
        let n = self.n as f64;
        (self.n > 0).then(|| [self.confidence / n, self.right as f64 / n])
    }
}

impl Reliability {
    /// Empty bins.
    pub fn new(bins: usize) -> Self {
        Reliability {
            bins: vec![Bin::default(); bins.max(1)],
        }
    }

    /// Adds a record; the confidence is between 0 and 1. Gives the number of its bin.
    pub fn add(&mut self, confidence: f64, right: bool) -> usize {
        let count = self.bins.len();
        // The number of inner edges below the confidence.
        let edges = (1..count).map(|edge| edge as f64 / count as f64);
        let at = edges.take_while(|edge| *edge < confidence).count();
        let bin = &mut self.bins[at];
        bin.n += 1;
        bin.confidence += confidence;
        bin.right += u64::from(right);
        at
    }

    /// The bins, from low to high.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// The expected calibration error: how far confidence is from being right, on average
    /// over records. It is biased upwards, and has no interval for that. `None` without
    /// records.
    ///
    /// Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian
    /// Binning", AAAI 2015.
    pub fn expected_error(&self) -> Option<f64> {
        let n: u64 = self.bins.iter().map(|bin| bin.n).sum();
        let apart = |bin: &Bin| (bin.confidence - bin.right as f64).abs();
        (n > 0).then(|| self.bins.iter().map(apart).sum::<f64>() / n as f64)
    }
}

/// What one record adds to the mean of Brier's score.
///
/// Brier, "Verification of Forecasts Expressed in Terms of Probability", *Monthly Weather
/// Review* 78, 1950.
pub fn brier(confidence: f64, right: bool) -> f64 {
    let apart = confidence - f64::from(u8::from(right));
    apart * apart
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against scikit-learn's `calibration_curve` with five uniform bins.
    #[test]
    fn as_elsewhere() {
        let mut found = Reliability::new(5);
        let confidence = [0.1, 0.2, 0.25, 0.4, 0.6, 0.65, 0.9, 1.0];
        let right = [false, false, true, true, true, false, true, true];
        for (confidence, right) in confidence.iter().zip(right) {
            found.add(*confidence, right);
        }
        let counts: Vec<u64> = found.bins().iter().map(|bin| bin.n).collect();
        assert_eq!(counts, [2, 2, 1, 1, 2]);
        let point = found.bins()[1].point().unwrap();
        assert!((point[0] - 0.325).abs() < 1e-15 && point[1] == 1.0);
        // |0.3 − 0| + |0.65 − 2| + |0.6 − 1| + |0.65 − 0| + |1.9 − 2| over 8.
        assert!((found.expected_error().unwrap() - 2.8 / 8.0).abs() < 1e-15);
        assert_eq!(Reliability::new(10).expected_error(), None);
        assert!((brier(0.8, true) - 0.04).abs() < 1e-15);
    }
}
