//! Which pairs stand or fall together: repeats of a question, several authors' answers to it,
//! and what lines name as their cluster.

use judica_model::metric::MetricValue;
use judica_run::options::RunOptions;

use super::about::{About, Field};
use super::label::Label;
use super::policy::Policy;
use super::seen::{Fingerprint, fingerprint};
use crate::panel::{BootstrapOptions, clustered_share};

/// What is counted of a pair, a bit each: that it counts, that both agree, and that the first
/// rater abstains, and the second.
pub type Outcome = u8;

/// A pair that does not count.
pub const NOT_COUNTED: Outcome = 0;

/// What a pair with these labels comes to.
pub fn outcome(policy: &Policy, labels: [Label; 2]) -> Outcome {
    let [first, second] = labels.map(|label| policy.spec(label).abstains);
    let agree = labels[0] == labels[1];
    1 | u8::from(agree) << 1 | u8::from(first) << 2 | u8::from(second) << 3
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

    /// How often raters agree, and how often either abstains; `None` where every pair is a
    /// cluster of its own.
    pub fn rates(mut self, options: &BootstrapOptions, why_none: &str) -> Option<[MetricValue; 3]> {
        self.0.sort_unstable();
        let mut numbered = Vec::with_capacity(self.0.len());
        let together = self.0.chunk_by(|(a, _), (b, _)| a == b);
        let clusters = (0..).zip(together).fold(0, |_, (number, pairs)| {
            numbered.extend(pairs.iter().map(|&(_, outcome)| (number, outcome)));
            number as usize + 1
        });
        (clusters < numbered.len()).then(|| {
            [1, 2, 3].map(|bit| {
                let of = numbered
                    .iter()
                    .map(|&(number, said)| (number, said >> bit & 1 == 1));
                clustered_share(of, options, why_none)
            })
        })
    }
}
