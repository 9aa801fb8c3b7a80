//! What a data set is about, as the writers of its files see it.

use crate::personality::{Model, PERSONALITIES, Personality};

/// One task of a domain.
pub(crate) struct Task {
    /// The task's name in the protocol file.
    pub name: &'static str,
    /// Predicted seconds: 0 for a scalar task, the array's length otherwise.
    pub horizon: usize,
    /// What the model was asked.
    pub question: &'static str,
}

impl Task {
    /// Seconds of truth after the current one that a sample of this task needs.
    pub(crate) fn ahead(&self) -> usize {
        self.horizon.max(1)
    }
}

/// Writes about a task's next sample; it is told the sample's number.
pub(crate) type Next = Box<dyn FnMut(u32, &mut Vec<u8>)>;

/// A domain.
pub(crate) trait Source {
    /// Number of the domain in the random key, so that domains never share numbers.
    fn domain(&self) -> u64;
    /// The tasks, in protocol order.
    fn tasks(&self) -> &'static [Task];
    /// How each kind of model answers.
    fn personalities(&self) -> &'static [Personality; PERSONALITIES.len()] {
        &PERSONALITIES
    }
    /// The samples of a task: of each, its line after its names.
    fn samples(&self, seed: u64, task: usize) -> Next;
    /// The replies of a model on a task.
    fn replies(&self, seed: u64, model: Model, task: usize) -> Next;
}
