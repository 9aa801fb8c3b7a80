//! Whether any row has the columns that the user names: what no row has was misspelt, and nothing
//! else would tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use judica_data::rows::Row;

use super::columns::COUNT;
use super::files::PredictionFile;
use crate::error::AnswerError;

/// Columns that rows need not have, each with what was said of it. Whoever reads rows of the
/// same files shares what was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched(Vec<Column>);

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
        self.0.push(Column {
            slot,
            said,
            found: Arc::default(),
        });
    }

    /// The same without those of a slot but the one of which this was said.
    pub fn only(&self, slot: usize, said: &str) -> Watched {
        let columns = self.0.iter();
        let wanted = columns.filter(|column| column.slot != slot || column.said == said);
        Watched(wanted.cloned().collect())
    }

    /// Takes note of a row.
    #[inline]
    pub fn see(&self, row: &Row<COUNT>) {
        for column in &self.0 {
            if row.has(column.slot) && !column.found.load(Ordering::Relaxed) {
                column.found.store(true, Ordering::Relaxed);
            }
        }
    }

    fn missing(&self) -> Option<&str> {
        let mut columns = self.0.iter();
        let missing = columns.find(|column| !column.found.load(Ordering::Relaxed));
        missing.map(|column| column.said.as_str())
    }
}

/// An error if the user named a column that no row of all these files has, which must have been
/// read.
pub fn check_columns(files: &[PredictionFile]) -> Result<(), AnswerError> {
    let Some(said) = files.iter().find_map(|file| file.columns.watched.missing()) else {
        return Ok(());
    };
    let mut names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    names.dedup();
    let names = names.join(", ");
    Err(AnswerError::BadInput(format!(
        "{said}: no row of {names} has it"
    )))
}
