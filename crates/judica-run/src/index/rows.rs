//! What is shown of a record in a list, and the whole of one record.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use judica_data::fingerprint::fingerprint;
use judica_data::parallel::parallel_map;
use judica_data::work_error::WorkError;
use judica_model::run::Verdict;
use serde::Serialize;

use super::names::Name;
use super::{Index, NONE};
use crate::export::See;
use crate::layout::head;
use crate::open::StoredRecords;
use crate::rows::{Rows, Scratch};
use crate::show::Wanted;

/// A record in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row<'i> {
    /// Its place in the run, from 0.
    pub row: u64,
    /// Its data set.
    pub dataset: Name<'i>,
    /// Whose it is.
    pub subject: Name<'i>,
    /// Its item.
    pub item: String,
    /// Which repeat.
    pub epoch: i32,
    /// What it comes to.
    pub verdict: Option<Verdict>,
    /// The command's own word for that.
    pub decision: Option<String>,
    /// Its grade.
    pub grade: Option<Name<'i>>,
    /// The value of the primary metric.
    pub score: Option<f64>,
    /// Its value of the metric that is sorted by, else of the one that is filtered by.
    pub sorted_by: Option<f64>,
    /// Rules of which an atom failed, with their severity, by name.
    pub failed: Vec<(Name<'i>, Name<'i>)>,
}

/// A number, unless there is none.
pub(super) fn some(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

impl Index {
    /// What is shown of some records, in the order in which they are given.
    pub(super) fn shown(
        &self,
        wanted: &[u64],
        values: Option<&[f64]>,
    ) -> Result<Vec<Row<'_>>, WorkError> {
        let mut places = wanted.to_vec();
        places.sort_unstable();
        places.dedup();
        let share = places.len().div_ceil(self.threads.max(1)).max(1);
        let shares: Vec<&[u64]> = places.chunks(share).collect();
        let read = parallel_map(&shares, self.threads, |share| self.read_shown(share));
        let mut read: Vec<(String, i32, Option<String>)> =
            read.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        let rows = wanted.iter().map(|row| {
            let at = places.binary_search(row).unwrap_or(0);
            let (item, epoch, decision) = std::mem::take(&mut read[at]);
            let kind = self.kind(*row);
            let pairs = self.kinds.sets[kind.failed as usize].iter();
            let mut failed: Vec<(u32, u32)> =
                pairs.map(|pair| self.kinds.pairs[*pair as usize]).collect();
            failed.sort_unstable_by_key(|(rule, severity)| {
                (self.rules.rank(*rule), self.severities.rank(*severity))
            });
            let failed = failed.into_iter();
            let grades = self.grades.as_ref().filter(|_| kind.grade != NONE);
            Row {
                row: *row,
                dataset: self.datasets.get(kind.dataset),
                subject: self.subjects.get(kind.subject),
                item,
                epoch,
                verdict: Verdict::ALL.get(kind.verdict as usize).copied(),
                decision,
                grade: grades.map(|grades| grades.get(kind.grade)),
                score: some(self.scores[*row as usize]),
                sorted_by: values.and_then(|values| some(values[*row as usize])),
                failed: failed
                    .map(|(rule, severity)| (self.rules.get(rule), self.severities.get(severity)))
                    .collect(),
            }
        });
        Ok(rows.collect())
    }

    /// What the table says of rows in ascending order.
    fn read_shown(&self, places: &[u64]) -> Result<Vec<(String, i32, Option<String>)>, WorkError> {
        let columns = [head::ITEM, head::EPOCH, head::DECISION];
        let mut read = Vec::with_capacity(places.len());
        for batch in self.table.rows(&columns, places)? {
            // The columns of the head were looked at when the table was opened.
            let [items, epochs, decisions] =
                columns.map(|name| batch.column_by_name(name).unwrap_or(batch.column(0)));
            let (items, decisions) = (items.as_string::<i32>(), decisions.as_string::<i32>());
            let epochs = epochs.as_primitive::<Int32Type>();
            read.extend((0..batch.num_rows()).map(|row| {
                let decided = decisions.is_valid(row);
                (
                    items.value(row).to_owned(),
                    epochs.value(row),
                    decided.then(|| decisions.value(row).to_owned()),
                )
            }));
        }
        Ok(read)
    }

    /// One record of a list.
    pub fn row(&self, row: u64) -> Result<Option<Row<'_>>, WorkError> {
        if row >= self.len() {
            return Ok(None);
        }
        Ok(self.shown(&[row], None)?.pop())
    }

    /// Records of the item of a record, its own among them, in the order of the run: the first
    /// ones, if there are more than so many.
    pub fn same_item(&self, row: u64, most: usize) -> Result<Vec<Row<'_>>, WorkError> {
        let Some(own) = self.row(row)? else {
            return Ok(Vec::new());
        };
        let dataset = self.kind(row).dataset;
        let mut found = self.of_item(&own.item, most, |at| self.kind(at).dataset == dataset)?;
        if !found.iter().any(|of| of.row == row) {
            found.push(own);
        }
        Ok(found)
    }

    /// The records that are wanted, in the order of the run.
    pub fn find(&self, wanted: &Wanted) -> Result<Vec<Row<'_>>, WorkError> {
        let mut found = self.of_item(&wanted.item, usize::MAX, |_| true)?;
        found.retain(|row| wanted.fits(row.subject.name, row.dataset.name, row.epoch));
        Ok(found)
    }

    fn of_item(
        &self,
        item: &str,
        most: usize,
        fits: impl Fn(u64) -> bool + Sync,
    ) -> Result<Vec<Row<'_>>, WorkError> {
        let hash = fingerprint(item.as_bytes()) as u32;
        let places = self.scan(|rows| {
            let rows = rows.filter(|row| self.item_of[*row] == hash);
            rows.map(|row| row as u64)
                .filter(|row| fits(*row))
                .collect::<Vec<u64>>()
        });
        let mut places = places.concat();
        places.truncate(most);
        let mut found = self.shown(&places, None)?;
        found.retain(|row| row.item == item);
        Ok(found)
    }

    /// Calls `see` with the whole of a record.
    pub fn record(&self, row: u64, see: See) -> Result<(), WorkError> {
        self.table.record_at(row, see)
    }
}

impl StoredRecords {
    /// Calls `see` with the record at a place, from 0, and the names of its own columns; not at
    /// all behind the last.
    pub fn record_at(&self, row: u64, see: See) -> Result<(), WorkError> {
        for batch in self.rows(&[], &[row])? {
            let rows = Rows::new(&batch);
            let names = rows.own_names();
            for row in 0..rows.len() {
                let mut scratch = Scratch::default();
                see(&rows.get(row, &mut scratch), &names)?;
            }
        }
        Ok(())
    }
}
