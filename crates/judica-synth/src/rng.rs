//! Random numbers whose bits are the same on every platform and in every release.
//!
//! ChaCha8 gives the bits; how they become bounded integers, uniform floats and
//! normal deviates is written here, so that no dependency's sampling code can
//! change a data set under us. Transcendental functions come from `libm`.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// One independent stream of random numbers.
pub(crate) struct Stream {
    rng: ChaCha8Rng,
    /// Box–Muller makes normal deviates in pairs; the second waits here.
    spare: Option<f64>,
}

/// The stream of the true trajectory of a task.
pub(crate) fn truth_stream(seed: u64, domain: u64, task: usize) -> Stream {
    Stream::new(seed, domain, task as u64)
}

/// The stream of one model on one task. Streams are numbered by model and task, so
/// neither more models, nor more samples, nor a subset of the tasks moves a stream.
pub(crate) fn model_stream(seed: u64, domain: u64, model: u32, task: usize) -> Stream {
    Stream::new(seed, domain, ((u64::from(model) + 1) << 8) | task as u64)
}

impl Stream {
    fn new(seed: u64, domain: u64, stream: u64) -> Self {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&domain.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(stream);
        Self { rng, spare: None }
    }

    /// Uniform in [0, 1), with 53 random bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in [lo, hi).
    pub(crate) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// True with probability `p`.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Uniform in 0..n by a widening multiplication. The bias is below n / 2^32, which
    /// no test of a synthetic data set can see, and no draw is ever rejected.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.rng.next_u32()) * n as u64) >> 32) as usize
    }

    /// Uniform in lo..=hi.
    pub(crate) fn count(&mut self, lo: u32, hi: u32) -> u32 {
        lo + self.below((hi - lo + 1) as usize) as u32
    }

    /// A standard normal deviate.
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(z) = self.spare.take() {
            return z;
        }
        // 1 - unit lies in (0, 1], so the logarithm is finite.
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * self.unit());
        self.spare = Some(radius * sin);
        radius * cos
    }

    /// A normal deviate cut at three standard deviations: instruments have noise, but
    /// a true trajectory must never leave the limits because of a one-in-a-million draw.
    pub(crate) fn gust(&mut self, sigma: f64) -> f64 {
        sigma * self.normal().clamp(-3.0, 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let first = |model, task| model_stream(7, 1, model, task).unit();
        assert_eq!(first(0, 0), first(0, 0));
        assert_ne!(first(0, 0), first(0, 1));
        assert_ne!(first(0, 0), first(1, 0));
        assert_ne!(first(0, 0), truth_stream(7, 1, 0).unit());
        assert_ne!(first(0, 0), model_stream(7, 2, 0, 0).unit());
    }

    #[test]
    fn normal_has_mean_zero_and_variance_one() {
        let mut s = truth_stream(1, 1, 0);
        let draws: Vec<f64> = (0..20_000).map(|_| s.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let var = draws.iter().map(|z| z * z).sum::<f64>() / 20_000.0;
        // Standard errors: 0.007 and 0.01.
        assert!(mean.abs() < 0.03, "{mean}");
        assert!((var - 1.0).abs() < 0.04, "{var}");
    }

    #[test]
    fn bounds_are_inclusive() {
        let mut s = truth_stream(2, 1, 0);
        let mut seen = [false; 3];
        for _ in 0..200 {
            seen[s.count(4, 6) as usize - 4] = true;
        }
        assert_eq!(seen, [true; 3]);
    }
}
