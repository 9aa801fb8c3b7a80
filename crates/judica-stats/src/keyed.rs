//! Records by the key of their cluster, for values over records that are in memory.
//!
//! Whoever reads records pushes the key of each; at the end clusters are numbered by the byte
//! order of their keys, so that neither threads nor the order of the input can show.

use crate::clusters::Intervals;
use crate::estimate::{Clustered, Estimate, Kind};

/// The keys of records, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    text: String,
    ends: Vec<usize>,
}

impl Keys {
    /// Adds the key of the next record: its own cluster, else its item in its data set.
    pub fn push(&mut self, cluster: Option<&str>, dataset: &str, item: &str) {
        match cluster {
            Some(cluster) => self.text.push_str(cluster),
            None => {
                self.text.push_str(dataset);
                self.text.push('\0');
                self.text.push_str(item);
            }
        }
        self.ends.push(self.text.len());
    }

    /// Adds the records that follow.
    pub fn merge(&mut self, later: &Keys) {
        let before = self.text.len();
        self.text.push_str(&later.text);
        self.ends.extend(later.ends.iter().map(|end| before + end));
    }

    fn key(&self, record: u32) -> &str {
        let at = record as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }

    /// The records in the order of their clusters.
    pub fn by_cluster(&self) -> ByCluster {
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        // Stable, and quick where records came in the order of their keys.
        order.sort_by(|a, b| self.key(*a).cmp(self.key(*b)));
        let mut clusters = Vec::with_capacity(order.len());
        let mut rank = 0;
        for at in 0..order.len() {
            rank += u32::from(at > 0 && self.key(order[at]) != self.key(order[at - 1]));
            clusters.push(rank);
        }
        ByCluster { order, clusters }
    }
}

/// Records in the order of their clusters.
#[derive(Clone, Debug)]
pub struct ByCluster {
    order: Vec<u32>,
    /// The rank of the cluster of each, in that order.
    clusters: Vec<u32>,
}

impl ByCluster {
    /// A value over the records, of which `terms` gives what each adds above and below the
    /// line; `None` without one that counts.
    pub fn estimate(
        &self,
        kind: Kind,
        intervals: &Intervals,
        terms: impl Fn(usize) -> [f64; 2],
    ) -> Option<Estimate> {
        self.clustered(terms).estimate(kind, intervals)
    }

    /// The terms of records, added up by cluster.
    pub fn clustered(&self, terms: impl Fn(usize) -> [f64; 2]) -> Clustered {
        let mut clustered = Clustered::default();
        for (record, cluster) in self.order.iter().zip(&self.clusters) {
            clustered.add(*cluster, terms(*record as usize));
        }
        clustered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_the_order_of_records_nor_how_they_were_cut_shows() {
        let rows = [("b", 1.0), ("a", 0.0), ("b", 0.0), ("c", 1.0), ("a", 1.0)];
        let of = |rows: &[(&str, f64)], cut: usize| {
            let (mut keys, mut later) = (Keys::default(), Keys::default());
            for (at, (item, _)) in rows.iter().enumerate() {
                let keys = if at < cut { &mut keys } else { &mut later };
                keys.push(None, "d", item);
            }
            keys.merge(&later);
            let found = keys.by_cluster();
            found.estimate(Kind::Mean, &Intervals::default(), |at| [rows[at].1, 1.0])
        };
        let whole = of(&rows, 5).unwrap();
        assert_eq!((whole.n, whole.clusters), (5, 3));
        assert_eq!(of(&rows, 2), Some(whole));
        let mut turned = rows;
        turned.reverse();
        assert_eq!(of(&turned, 0), Some(whole));
        assert_eq!(of(&[], 0), None);
    }

    #[test]
    fn a_cluster_of_its_own_counts_whatever_the_data_set() {
        let mut keys = Keys::default();
        keys.push(Some("x"), "d", "1");
        keys.push(Some("x"), "e", "2");
        keys.push(None, "d", "x");
        let found = keys.by_cluster();
        let all = found.estimate(Kind::Rate, &Intervals::default(), |_| [1.0, 1.0]);
        assert_eq!(all.unwrap().clusters, 2);
    }
}
