//! The true trajectory of a task, seen through a window of consecutive seconds.

use crate::plant::Plant;
use crate::rng::{Stream, truth_stream};
use crate::source::Task;

/// One endless flight or drive: the current second and those a sample asks about.
///
/// A task has a single trajectory, so neighbouring samples are neighbouring seconds and
/// the truth never leaps. It is recomputed for every model instead of kept: a step costs
/// less than reading it back from memory would at a million samples.
pub(crate) struct Truth<const N: usize, P: Plant<N>> {
    rng: Stream,
    plant: P,
    window: Vec<[f64; N]>,
}

impl<const N: usize, P: Plant<N>> Truth<N, P> {
    pub(crate) fn start(seed: u64, task: usize) -> Self {
        let mut rng = truth_stream(seed, P::DOMAIN, task);
        let mut plant = P::start(&mut rng);
        let ahead = P::TASKS.get(task).map_or(1, Task::ahead);
        let window = (0..=ahead).map(|_| plant.step(&mut rng)).collect();
        Self { rng, plant, window }
    }

    /// The current second.
    pub(crate) fn now(&self) -> &[f64; N] {
        &self.window[0]
    }

    /// The seconds after it.
    pub(crate) fn next(&self) -> &[[f64; N]] {
        &self.window[1..]
    }

    pub(crate) fn advance(&mut self) {
        self.window.rotate_left(1);
        if let Some(last) = self.window.last_mut() {
            *last = self.plant.step(&mut self.rng);
        }
    }
}
