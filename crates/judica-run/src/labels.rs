//! What was said about the items of a run, and by whom.

use arrow_array::RecordBatch;
use judica_data::work_error::WorkError;
use judica_model::run::Label;
use judica_stats::agreement::Given;

use crate::layout::head;
use crate::names::Names;
use crate::open::Run;
use crate::rows::{Rows, Scratch};

/// Who said what about which item.
#[derive(Debug, Default)]
pub struct Labels {
    pub(crate) raters: Names,
    pub(crate) values: Names,
    /// Where the labels of each item end.
    ends: Vec<usize>,
    pub(crate) given: Vec<Given>,
    /// The cluster of each item.
    pub(crate) clusters: Vec<u32>,
}

impl Labels {
    /// Takes the labels of the next item, and its cluster.
    pub(crate) fn push(&mut self, cluster: u32, labels: &[Label]) {
        self.clusters.push(cluster);
        for label in labels {
            let rater = self.raters.number(label.rater);
            self.given.push((rater, self.values.number(label.value)));
        }
        self.ends.push(self.given.len());
    }

    /// How many items there are, labelled or not.
    pub fn items(&self) -> usize {
        self.ends.len()
    }

    /// How often these raters (all, if none are named) said something about each item.
    pub(crate) fn ratings(&self, asked: &[String]) -> impl Iterator<Item = usize> {
        let asked = self.asked(asked);
        self.rows().map(move |row| {
            let said = row.iter().filter(|(rater, _)| asked[*rater as usize]);
            said.count()
        })
    }

    /// Those of the items that are kept.
    pub(crate) fn only(&self, kept: &[bool]) -> Labels {
        let mut only = Labels::default();
        let items = self.rows().zip(&self.clusters).zip(kept);
        for ((row, &cluster), _) in items.filter(|(_, kept)| **kept) {
            let label = |&(rater, value): &Given| Label {
                rater: &self.raters.names[rater as usize],
                value: &self.values.names[value as usize],
            };
            only.push(cluster, &row.iter().map(label).collect::<Vec<_>>());
        }
        only
    }

    /// Whether each of the raters is among these; all are, if none are named.
    fn asked(&self, asked: &[String]) -> Vec<bool> {
        let names = self.raters.names.iter();
        names
            .map(|name| asked.is_empty() || asked.contains(name))
            .collect()
    }

    /// What each of these raters said of which items, whatever they are called.
    pub(crate) fn said(&self, asked: &[String]) -> Vec<Vec<(usize, &str)>> {
        let asked = self.asked(asked);
        let mut said = vec![Vec::new(); asked.len()];
        for (item, row) in self.rows().enumerate() {
            for &(rater, value) in row {
                said[rater as usize].push((item, &*self.values.names[value as usize]));
            }
        }
        let mut asked = asked.into_iter();
        said.retain(|_| asked.next() == Some(true));
        said.sort_unstable();
        said
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Given]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let row = &self.given[start..end];
            start = end;
            row
        })
    }
}

/// The labels of a run's records.
pub struct StoredLabels(Vec<RecordBatch>);

impl StoredLabels {
    /// Reads them.
    pub fn read(run: &Run) -> Result<Self, WorkError> {
        let records = run.records()?;
        let batches = records.batches(&[head::LABELS])?;
        Ok(StoredLabels(batches.collect::<Result<_, _>>()?))
    }

    /// Those of some records, in this order, each with the number of its cluster.
    pub fn of(&self, rows: impl Iterator<Item = (u32, u32)>) -> Labels {
        let mut starts = vec![0];
        for batch in &self.0 {
            starts.push(starts[starts.len() - 1] + batch.num_rows());
        }
        let columns: Vec<Rows> = self.0.iter().map(Rows::new).collect();
        let mut labels = Labels::default();
        let mut scratch = Scratch::default();
        for (row, cluster) in rows {
            let row = row as usize;
            let batch = starts.partition_point(|start| *start <= row) - 1;
            let record = columns[batch].get(row - starts[batch], &mut scratch);
            labels.push(cluster, record.labels);
        }
        labels
    }
}
