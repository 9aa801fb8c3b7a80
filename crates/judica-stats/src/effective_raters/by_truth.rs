//! Errors against known categories.

use super::pair_tables::{PairTables, matrix};
use super::{Basis, EffectiveRaters, Enough, NotMeasurable, Worth, enough_raters, given};
use crate::dawid_skene::groups::RowGroups;

/// Groups of items with a known truth, which is the last column.
pub(super) struct ByTruth<'g> {
    groups: &'g RowGroups<'g>,
    columns: usize,
    enough: Enough,
}

impl<'g> ByTruth<'g> {
    pub fn new(groups: &'g RowGroups<'g>, columns: usize, min_common: u64) -> Self {
        let (tables, ..) = Self::errors(groups, columns, groups.sizes());
        let enough = Enough::new(&tables, columns, min_common);
        Self {
            groups,
            columns,
            enough,
        }
    }

    /// Who errs with whom; who rated anything; whether anybody erred.
    fn errors(
        groups: &RowGroups,
        columns: usize,
        weights: &[u64],
    ) -> (PairTables, Vec<bool>, bool) {
        let mut errors = PairTables::new(columns);
        let (mut counted, mut any_error) = (vec![false; columns], false);
        let mut present: Vec<(usize, bool)> = Vec::with_capacity(columns);
        for ((row, _), &weight) in groups.iter().zip(weights).filter(|(_, w)| **w > 0) {
            let (row, truth) = (&row[..columns], row[columns]);
            present.clear();
            present.extend(given(row).map(|(rater, said)| (rater, said != truth)));
            for &(rater, wrong) in &present {
                counted[rater] = true;
                any_error |= wrong;
            }
            errors.add(&present, weight);
        }
        (errors, counted, any_error)
    }

    pub fn measure(&self, weights: &[u64]) -> Result<EffectiveRaters, NotMeasurable> {
        let (errors, counted, any_error) = Self::errors(self.groups, self.columns, weights);
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
