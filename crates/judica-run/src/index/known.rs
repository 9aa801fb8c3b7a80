//! What the index knows of names and of single records.

use judica_data::work_error::WorkError;
use judica_model::run::Verdict;

use super::query::Dimension;
use super::rows::Row;
use super::{Index, Name};

impl Index {
    /// All names of a dimension, in byte order; none of verdicts, which are the same everywhere.
    pub fn all(&self, dimension: Dimension) -> Vec<Name<'_>> {
        let Some(names) = self.names(dimension) else {
            return Vec::new();
        };
        let numbers = names.sorted().filter_map(|name| names.find(name));
        numbers.map(|number| names.get(number)).collect()
    }

    /// A name, if the run has it.
    pub fn known(&self, dimension: Dimension, name: &str) -> Option<Name<'_>> {
        let names = self.names(dimension)?;
        let found = names.get(names.find(name)?);
        (found.name == name).then_some(found)
    }

    /// What a record comes to.
    pub fn verdict(&self, row: u64) -> Option<Verdict> {
        let row = usize::try_from(row)
            .ok()
            .filter(|row| *row < self.kind_of.len())?;
        Verdict::ALL
            .get(self.kind(row as u64).verdict as usize)
            .copied()
    }

    /// Some records as they stand in a list, in the order in which they are given; those that
    /// there are not are left out.
    pub fn listed(&self, rows: &[u64]) -> Result<Vec<Row<'_>>, WorkError> {
        let rows: Vec<u64> = rows
            .iter()
            .copied()
            .filter(|row| *row < self.len())
            .collect();
        self.shown(&rows, None)
    }
}
