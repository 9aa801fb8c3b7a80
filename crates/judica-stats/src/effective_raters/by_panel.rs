//! Errors by the panel's own votes.

use super::pair_tables::{PairTables, matrix};
use super::{
    Basis, CLOSE_TO_ONE, EffectiveRaters, Enough, NotMeasurable, Worth, enough_raters, given,
    others, pairs, shared, voices,
};
use crate::agreement::Ratings;
use crate::dawid_skene::EmOptions;
use crate::dawid_skene::groups::RowGroups;

/// Groups of items by who said what.
pub(super) struct ByPanel<'g> {
    groups: &'g RowGroups<'g>,
    columns: usize,
    enough: Enough,
    /// A row per group.
    table: Ratings,
    em: EmOptions,
}

impl<'g> ByPanel<'g> {
    pub fn new(groups: &'g RowGroups<'g>, columns: usize, min_common: u64, em: EmOptions) -> Self {
        let (tables, ..) = votes(groups, columns, groups.sizes());
        let codes = groups.iter().flat_map(|(row, _)| row.iter().copied());
        Self {
            groups,
            columns,
            enough: Enough::new(&tables, columns, min_common),
            table: Ratings::new(columns, 2, codes.collect()),
            em,
        }
    }

    pub fn measure(&self, weights: &[u64]) -> Result<EffectiveRaters, NotMeasurable> {
        let (votes, counted, _) = votes(self.groups, self.columns, weights);
        let raters = enough_raters(&counted, 3)?;
        let agreement = matrix(&counted, |i, j| {
            self.enough.of(i, j).then(|| votes.agreement(i, j))?
        });
        let at_least = Worth::of(&agreement, raters, &self.enough)?.value;

        let loadings = shared::loadings(&agreement, &votes);
        let mut correlations = shared::common_errors(&agreement, &loadings);
        let voices = voices::merge(&correlations, &counted);
        if voices.len() >= 3 {
            let spoken = voices::speak(&self.table, &voices);
            let between = others::common_errors(&spoken, weights, &self.em);
            for (a, first) in voices.iter().enumerate() {
                for (b, second) in voices.iter().enumerate().filter(|&(b, _)| b != a) {
                    for (&i, &j) in first
                        .iter()
                        .flat_map(|i| second.iter().map(move |j| (i, j)))
                    {
                        // What is not known of two raters is not known of their voices.
                        if agreement[i][j].is_some() && between[a][b].is_some() {
                            correlations[i][j] = between[a][b];
                        }
                    }
                }
            }
        }
        let worth = Worth::of(&correlations, raters, &self.enough)?;
        let identical = pairs(&agreement).all(|(_, _, r)| shared::is_complete(r));
        if at_least < CLOSE_TO_ONE && (worth.value > 2.0 * at_least || identical) {
            return Err(NotMeasurable::CloseToOne { at_least });
        }
        let shared_items = self.groups.iter().zip(weights);
        let shared_items = shared_items.filter(|((row, _), _)| given(row).count() > 1);
        Ok(EffectiveRaters {
            value: worth.value,
            basis: Basis::Panel,
            // Of few items chance can make errors look more alike than votes.
            at_least: Some(at_least.min(worth.value)),
            raters,
            items: shared_items.map(|(_, weight)| weight).sum(),
            known_pairs: worth.known,
            mean_correlation: worth.mean,
            correlations,
            voices,
        })
    }
}

/// Who says yes with whom; who rated anything; whether anybody says yes.
fn votes(groups: &RowGroups, columns: usize, weights: &[u64]) -> (PairTables, Vec<bool>, bool) {
    PairTables::of(groups, columns, weights, |_, said| said == 1)
}
