//! The records of a run in memory: filtered, counted, sorted and paged through in a fraction of
//! a second, ten million of them too.
//!
//! A record takes 16 bytes: its *kind*, a hash of its item's name, its score. A kind is
//! everything by which records are told apart and counted (subject, data set, verdict, grade,
//! which rules failed with which severity), and records of the same kind are many, so filters
//! and counts look at kinds alone. Rows are gone through only to list and to sort, and where a
//! metric or the text of an item's name is asked for, whose columns are read the first time.
//! What is shown of a listed record beyond its kind is read from the table.
//!
//! * [`query`]: what can be asked; `filter`: the same, held against the names of a run
//! * `build`: how the index is made; `failed`: of failed atoms; `names`: of names
//! * `list`: pages, neighbours; `facets`: counts; `columns`: what is read when it is asked for

mod build;
mod columns;
mod facets;
mod failed;
mod filter;
mod known;
mod list;
mod names;
pub mod query;
mod rows;
#[cfg(test)]
mod tests;

use std::sync::Mutex;

use judica_model::run::MetricSpec;

use crate::open::StoredRecords;
use columns::Loaded;
use names::Numbered;

pub use facets::{Cell, Counted, Facet, FailedOf, FailedRule};
pub use filter::{Asked, Filter};
pub use list::{Neighbours, Page};
pub use names::Name;
pub use rows::Row;

/// What stands for no name: a record without a verdict, or without a grade.
const NONE: u32 = u32::MAX;

/// What records are told apart by, by the numbers of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    subject: u32,
    dataset: u32,
    /// Its place among all verdicts, or [`NONE`].
    verdict: u32,
    grade: u32,
    /// Which rules failed with which severity.
    failed: u32,
}

/// A table of kinds, and what their records come to.
#[derive(Debug, Default)]
struct Kinds {
    kinds: Vec<Kind>,
    /// Records of each.
    counts: Vec<u64>,
    /// Sum and number of the scores of each.
    scores: Vec<(f64, u64)>,
    /// Sets of `pairs`, in ascending order; the first is empty.
    sets: Vec<Box<[u32]>>,
    /// Rules and severities of failed atoms.
    pairs: Vec<(u32, u32)>,
}

/// The records of a run in memory.
pub struct Index {
    table: StoredRecords,
    metrics: Vec<MetricSpec>,
    threads: usize,
    /// By record.
    kind_of: Vec<u32>,
    item_of: Vec<u32>,
    scores: Vec<f64>,
    kinds: Kinds,
    subjects: Numbered,
    datasets: Numbered,
    /// None if the run gives no grades.
    grades: Option<Numbered>,
    rules: Numbered,
    severities: Numbered,
    /// Failed atoms by pair and subject, in that order.
    atoms: Vec<((u32, u32), u64)>,
    loaded: Mutex<Loaded>,
}

impl Index {
    /// How many records there are.
    pub fn len(&self) -> u64 {
        self.kind_of.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kind_of.is_empty()
    }

    /// The metrics that records can be sorted and filtered by: all but coefficients.
    pub fn metrics(&self) -> impl Iterator<Item = &MetricSpec> {
        self.metrics.iter().filter(|spec| spec.above.is_some())
    }

    fn kind(&self, row: u64) -> &Kind {
        &self.kinds.kinds[self.kind_of[row as usize] as usize]
    }
}
