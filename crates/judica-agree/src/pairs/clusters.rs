//! Which pairs stand or fall together: repeats of a question, several authors' answers to it,
//! and what lines name as their cluster.

use judica_run::options::RunOptions;

use super::about::{About, Field};
use super::label::Label;
use super::policy::Policy;
use super::seen::{Fingerprint, fingerprint};

/// What is counted of a pair: 1 and the number of the cell its labels meet in.
pub type Outcome = u32;

/// A pair that does not count.
pub const NOT_COUNTED: Outcome = 0;

/// What a pair with these labels comes to.
pub fn outcome(policy: &Policy, labels: [Label; 2]) -> Outcome {
    let [first, second] = labels.map(Label::index);
    1 + (first * policy.labels.len() + second) as Outcome
}

/// The fingerprint of a pair's cluster: the one its line names, else the question in its data
/// set. Of a line that says nothing of itself it is that of the question alone.
pub fn cluster(name: &[u8], about: &About, options: &RunOptions, file: &str) -> Fingerprint {
    if let Some(cluster) = about.text(Field::Cluster) {
        return fingerprint(&[b"", b"", cluster.as_bytes()]);
    }
    let dataset = about.dataset(options, file);
    match dataset == options.dataset(None, file) {
        true => fingerprint(&[name]),
        false => fingerprint(&[name, dataset.as_bytes()]),
    }
}

/// Pairs by their clusters, 16 bytes each.
#[derive(Debug, Default)]
pub struct Clusters(Vec<(Fingerprint, Outcome)>);

impl Clusters {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a pair.
    pub fn add(&mut self, cluster: Fingerprint, outcome: Outcome) {
        self.0.push((cluster, outcome));
    }

    /// The number of each pair's cluster, and the labels it has; `None` where every pair is a
    /// cluster of its own.
    pub fn together(mut self, policy: &Policy) -> Option<Vec<(u32, [usize; 2])>> {
        self.0.sort_unstable();
        let labels = policy.labels.len();
        let together = self.0.chunk_by(|(a, _), (b, _)| a == b);
        let pairs = (0..).zip(together).flat_map(|(number, pairs)| {
            let cell = |(_, outcome): &(Fingerprint, Outcome)| *outcome as usize - 1;
            let said = move |cell: usize| (number, [cell / labels, cell % labels]);
            pairs.iter().map(cell).map(said)
        });
        let pairs: Vec<(u32, [usize; 2])> = pairs.collect();
        let last = pairs.last().map(|(number, _)| *number as usize)?;
        (last + 1 < pairs.len()).then_some(pairs)
    }
}
