//! What an index reads only when it is asked for: values of metrics, names of items.

use std::sync::{Arc, MutexGuard, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, StringArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use judica_data::parallel::parallel_map;
use judica_data::work_error::WorkError;
use judica_model::run::MetricSpec;
use memchr::memmem::Finder;

use super::Index;
use super::rows::some;
use crate::layout::head;
use crate::open::Wanted;
use crate::values::{Terms, columns_of};

/// Metrics that are kept: one to filter by, one to sort by.
const METRICS: usize = 2;
/// Searches whose results are kept, of a bit per record.
const SEARCHES: usize = 8;
/// Names of items are kept as long as they have no more bytes; else they are read each time.
const MOST_NAMES: u64 = 1 << 30;

/// What was read so far, what was used last in the end.
#[derive(Default)]
pub(super) struct Loaded {
    metrics: Vec<(String, Arc<Vec<f64>>)>,
    searches: Vec<(Vec<String>, Arc<BooleanBuffer>)>,
    items: Option<Arc<Vec<StringArray>>>,
}

/// Numbers of all records; NaN where there is none.
#[derive(Clone)]
pub(super) enum Values {
    Scores,
    Read(Arc<Vec<f64>>),
}

impl Values {
    pub fn of<'v>(&'v self, index: &'v Index) -> &'v [f64] {
        match self {
            Values::Scores => &index.scores,
            Values::Read(values) => values,
        }
    }
}

/// What is kept under a key, which is then the last to go.
fn kept<K: PartialEq, V: Clone>(list: &mut Vec<(K, V)>, key: &K) -> Option<V> {
    let at = list.iter().position(|(has, _)| has == key)?;
    let entry = list.remove(at);
    list.push(entry);
    list.last().map(|(_, value)| value.clone())
}

fn keep<K: PartialEq, V>(list: &mut Vec<(K, V)>, most: usize, key: K, value: V) {
    list.retain(|(has, _)| *has != key);
    if list.len() >= most {
        list.remove(0);
    }
    list.push((key, value));
}

impl Index {
    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every record's value of a metric.
    pub(super) fn values(&self, spec: &MetricSpec) -> Result<Values, WorkError> {
        if spec.below.is_none() && spec.above.as_deref() == Some(head::SCORE) {
            return Ok(Values::Scores);
        }
        if let Some(values) = kept(&mut self.loaded().metrics, &spec.name) {
            return Ok(Values::Read(values));
        }
        let columns = columns_of([spec].into_iter());
        let read = self.by_group(&columns, |batches| {
            let mut values = Vec::new();
            for batch in batches {
                let batch = batch?;
                let terms = Terms::new(&batch, spec);
                values.extend((0..batch.num_rows()).map(|row| {
                    let terms = terms.get(row);
                    let value = terms.map(|[above, below]| above / below);
                    value.and_then(some).unwrap_or(f64::NAN)
                }));
            }
            Ok(values)
        })?;
        let mut values = Vec::with_capacity(self.kind_of.len());
        read.into_iter().for_each(|some| values.extend(some));
        values.resize(self.kind_of.len(), f64::NAN);
        let values = Arc::new(values);
        let name = spec.name.clone();
        keep(
            &mut self.loaded().metrics,
            METRICS,
            name,
            Arc::clone(&values),
        );
        Ok(Values::Read(values))
    }

    /// What a function makes of the columns of each row group.
    fn by_group<R: Send>(
        &self,
        columns: &[&str],
        make: impl Fn(
            &mut dyn Iterator<Item = Result<arrow_array::RecordBatch, WorkError>>,
        ) -> Result<R, WorkError>
        + Sync,
    ) -> Result<Vec<R>, WorkError> {
        let groups: Vec<usize> = (0..self.table.groups().len()).collect();
        let made = parallel_map(&groups, self.threads, |group| {
            make(&mut self.table.read(Wanted {
                columns,
                groups: Some(vec![*group]),
                ..Wanted::default()
            })?)
        });
        made.into_iter().collect()
    }

    /// The records whose item's name contains one of some texts.
    pub(super) fn search(&self, texts: &[String]) -> Result<Arc<BooleanBuffer>, WorkError> {
        let texts = texts.to_vec();
        if let Some(found) = kept(&mut self.loaded().searches, &texts) {
            return Ok(found);
        }
        let finders: Vec<Finder> = texts.iter().map(Finder::new).collect();
        let found: Vec<BooleanBuffer> = match self.items()? {
            Some(items) => parallel_map(&items, self.threads, |items| search(items, &finders)),
            None => self.by_group(&[head::ITEM], |batches| {
                let mut found = BooleanBufferBuilder::new(0);
                for batch in batches {
                    let batch = batch?;
                    found.append_buffer(&search(batch.column(0).as_string(), &finders));
                }
                Ok(found.finish())
            })?,
        };
        let mut all = BooleanBufferBuilder::new(self.kind_of.len());
        found.iter().for_each(|found| all.append_buffer(found));
        let all = Arc::new(all.finish());
        keep(
            &mut self.loaded().searches,
            SEARCHES,
            texts,
            Arc::clone(&all),
        );
        Ok(all)
    }

    /// The names of all items, in the order of the run, unless they are too long to keep.
    fn items(&self) -> Result<Option<Arc<Vec<StringArray>>>, WorkError> {
        if let Some(items) = &self.loaded().items {
            return Ok(Some(Arc::clone(items)));
        }
        if self.table.bytes_of(head::ITEM) > MOST_NAMES {
            return Ok(None);
        }
        let items = self.by_group(&[head::ITEM], |batches| {
            let names = batches.map(|batch| Ok(batch?.column(0).as_string::<i32>().clone()));
            names.collect::<Result<Vec<_>, WorkError>>()
        })?;
        let items = Arc::new(items.concat());
        self.loaded().items = Some(Arc::clone(&items));
        Ok(Some(items))
    }
}

/// The names that contain one of some texts. They stand one behind the other, and are searched
/// as one text; what is found across the end of a name is none of it.
fn search(items: &StringArray, finders: &[Finder]) -> BooleanBuffer {
    let ends = items.value_offsets();
    let text = items.value_data();
    let mut found = BooleanBufferBuilder::new(items.len());
    found.append_n(items.len(), false);
    for finder in finders {
        let length = finder.needle().len();
        let mut from = ends[0] as usize;
        let mut row = 0;
        while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
            let at = from + at;
            row += ends[row + 1..].partition_point(|end| *end as usize <= at);
            let Some(end) = ends.get(row + 1) else {
                break;
            };
            let end = *end as usize;
            let inside = at + length <= end;
            if inside {
                found.set_bit(row, true);
            }
            from = if inside { end } else { at + 1 };
        }
    }
    found.finish()
}
