//! Errors against known categories.

use super::pair_tables::{PairTables, matrix};
use super::{Basis, EffectiveRaters, Enough, NotMeasurable, Worth, enough_raters};
use crate::dawid_skene::groups::RowGroups;

/// Groups of items with a known truth, which is the last column.
pub(super) struct ByTruth<'g> {
    groups: &'g RowGroups<'g>,
    columns: usize,
    enough: Enough,
}

impl<'g> ByTruth<'g> {
    pub fn new(groups: &'g RowGroups<'g>, columns: usize, min_common: u64) -> Self {
        let (tables, ..) = errors(groups, columns, groups.sizes());
        let enough = Enough::new(&tables, columns, min_common);
        Self {
            groups,
            columns,
            enough,
        }
    }

    pub fn measure(&self, weights: &[u64]) -> Result<EffectiveRaters, NotMeasurable> {
        let (errors, counted, any_error) = errors(self.groups, self.columns, weights);
        let raters = enough_raters(&counted, 2)?;
        if !any_error {
            return Err(NotMeasurable::NoErrors);
        }
        let correlations = matrix(&counted, |i, j| {
            self.enough.of(i, j).then(|| errors.correlation(i, j))?
        });
        let worth = Worth::of(&correlations, raters, &self.enough)?;
        Ok(EffectiveRaters {
            value: worth.value,
            basis: Basis::Truth,
            at_least: None,
            raters,
            items: weights.iter().sum(),
            known_pairs: worth.known,
            mean_correlation: worth.mean,
            correlations,
            voices: Vec::new(),
        })
    }
}

/// Who errs with whom; who rated anything; whether anybody erred.
fn errors(groups: &RowGroups, columns: usize, weights: &[u64]) -> (PairTables, Vec<bool>, bool) {
    PairTables::of(groups, columns, weights, |row, said| said != row[columns])
}
