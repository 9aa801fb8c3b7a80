//! What nothing else would tell of the columns of all rows: those that the user names and no row
//! has were misspelt, and cells that are to be numbers and are none would be missing in silence.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use judica_data::row_keys::is_missing;
use judica_data::rows::{Row, Value};
use judica_data::work_error::WorkError;
use judica_model::table::counted;

use super::columns::{COUNT, FIELDS, LATENCY, TOKENS_IN, TOKENS_OUT, USD};
use super::files::PredictionFile;

/// Columns that rows need not have, each with what was said of it. Whoever reads rows of the
/// same files shares what was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    columns: Vec<Column>,
    /// Whether there was any row: a file that cannot be read says nothing of its columns.
    rows: Arc<AtomicBool>,
    /// Times, tokens and costs that are no such numbers, by column.
    unread: Arc<Mutex<BTreeMap<usize, Unread>>>,
}

/// Cells of a column that could not be read: how many, and the first of them by their text,
/// whichever thread met it.
#[derive(Debug, Default)]
struct Unread {
    cells: u64,
    least: Option<String>,
}

#[derive(Debug, Clone)]
struct Column {
    slot: usize,
    said: String,
    found: Arc<AtomicBool>,
}

/// What was found is no part of what was said.
impl PartialEq for Watched {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Watched {}

impl Watched {
    /// Looks out for one more.
    pub fn add(&mut self, slot: usize, said: String) {
        self.columns.push(Column {
            slot,
            said,
            found: Arc::default(),
        });
    }

    /// The same without those of a slot but the one of which this was said.
    pub fn only(&self, slot: usize, said: &str) -> Watched {
        let columns = self.columns.iter();
        let wanted = columns.filter(|column| column.slot != slot || column.said == said);
        Watched {
            columns: wanted.cloned().collect(),
            rows: Arc::clone(&self.rows),
            // Each subject reads the rows again.
            unread: Arc::default(),
        }
    }

    /// Takes note of a row.
    #[inline]
    pub fn see(&self, row: &Row<COUNT>) {
        // What all threads share is written once.
        let set = |flag: &AtomicBool| {
            if !flag.load(Ordering::Relaxed) {
                flag.store(true, Ordering::Relaxed);
            }
        };
        set(&self.rows);
        let there = self.columns.iter().filter(|column| row.has(column.slot));
        there.for_each(|column| set(&column.found));
        for slot in [LATENCY, TOKENS_IN, TOKENS_OUT, USD] {
            let read = match slot {
                TOKENS_IN | TOKENS_OUT => row.tokens(slot).is_some(),
                _ => row.amount(slot).is_some(),
            };
            if !read && let Some(cell) = row.get(slot).map(Value::text) {
                self.keep_unread(slot, &cell);
            }
        }
    }

    fn keep_unread(&self, slot: usize, cell: &str) {
        if is_missing(cell.as_bytes()) {
            return;
        }
        let mut all = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let unread = all.entry(slot).or_default();
        unread.cells += 1;
        if unread.least.as_deref().is_none_or(|least| cell < least) {
            unread.least = Some(cell.to_owned());
        }
    }

    fn missing(&self) -> Option<&str> {
        let mut columns = self
            .columns
            .iter()
            .filter(|_| self.rows.load(Ordering::Relaxed));
        let missing = columns.find(|column| !column.found.load(Ordering::Relaxed));
        missing.map(|column| column.said.as_str())
    }
}

/// What is said of times, tokens and costs in these files that could not be read; they must have
/// been read once.
pub fn unread_notes(files: &[PredictionFile]) -> Vec<String> {
    let mut all: BTreeMap<usize, Unread> = BTreeMap::new();
    let mut told: Vec<&Mutex<_>> = Vec::new();
    // Of several columns of predictions each reads the same cells.
    let mut files: Vec<&PredictionFile> = files.iter().collect();
    files.dedup_by_key(|file| (file.subject.is_some(), &file.path));
    for file in files {
        let own = &*file.columns.watched.unread;
        // Files that are read alike share what was found.
        if told.iter().any(|known| std::ptr::eq(*known, own)) {
            continue;
        }
        told.push(own);
        let own = own.lock().unwrap_or_else(PoisonError::into_inner);
        for (slot, unread) in &*own {
            let sum = all.entry(*slot).or_default();
            sum.cells += unread.cells;
            sum.least = [sum.least.take(), unread.least.clone()]
                .into_iter()
                .flatten()
                .min();
        }
    }
    let note = |(slot, unread): (usize, Unread)| {
        let cell: String = unread
            .least
            .iter()
            .flat_map(|cell| cell.chars())
            .take(40)
            .collect();
        format!(
            "`{}` of {} is no number from 0 on (`{cell}` for one), and counts as missing; numbers \
             are written like 1234.5",
            FIELDS[slot].name,
            counted(unread.cells, ["row", "rows"]),
        )
    };
    all.into_iter().map(note).collect()
}

/// An error if the user named a column that no row of all these files has, which must have been
/// read.
pub fn check_columns(files: &[PredictionFile]) -> Result<(), WorkError> {
    let Some(said) = files.iter().find_map(|file| file.columns.watched.missing()) else {
        return Ok(());
    };
    let mut names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    names.dedup();
    let names = names.join(", ");
    Err(WorkError::BadInput(format!(
        "{said}: no row of {names} has it"
    )))
}
