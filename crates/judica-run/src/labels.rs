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

    /// Whether the same is said of every item by the same raters.
    pub(crate) fn says_as(&self, other: &Labels) -> bool {
        fn named<'l>(labels: &'l Labels, row: &[Given]) -> Vec<(&'l str, &'l str)> {
            let name = |names: &'l Names, at: u32| &*names.names[at as usize];
            let said = row.iter();
            let said =
                said.map(|&(who, what)| (name(&labels.raters, who), name(&labels.values, what)));
            let mut said: Vec<_> = said.collect();
            said.sort_unstable();
            said
        }
        let mut rows = self.rows().zip(other.rows());
        self.items() == other.items()
            && rows.all(|(row, its)| named(self, row) == named(other, its))
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
