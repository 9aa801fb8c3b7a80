//! Counts per (task, model). Integers only, so that merging is associative and the
//! result the same whatever the split.

use std::collections::BTreeMap;

use judica_model::record::Adjudication;

use crate::checks::Checks;
use crate::evaluate::Evaluated;
use crate::protocol::Protocol;
use crate::response::ParseOutcome;

/// What one family left behind in a group of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FamilyTotals {
    /// All atoms.
    pub atoms: u64,
    /// Failed as critical.
    pub critical: u64,
    /// Failed as warnings.
    pub warning: u64,
    /// Reasons given for ineligible records that belong to this family.
    pub failure_modes: u64,
}

/// The counts of a group of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupCounts {
    /// Records.
    pub total: u64,
    /// Of them eligible.
    pub eligible: u64,
    /// Of them provider failures.
    pub api_errors: u64,
    /// Of them without a usable object.
    pub parse_failures: u64,
    /// Required keys present, over all records.
    pub present: u64,
    /// One per family.
    pub families: Vec<FamilyTotals>,
}

impl GroupCounts {
    /// Nothing counted.
    pub fn new(families: usize) -> Self {
        GroupCounts {
            total: 0,
            eligible: 0,
            api_errors: 0,
            parse_failures: 0,
            present: 0,
            families: vec![FamilyTotals::default(); families],
        }
    }

    /// Adds another group's counts.
    pub fn merge(&mut self, other: &GroupCounts) {
        self.total += other.total;
        self.eligible += other.eligible;
        self.api_errors += other.api_errors;
        self.parse_failures += other.parse_failures;
        self.present += other.present;
        for (mine, theirs) in self.families.iter_mut().zip(&other.families) {
            mine.atoms += theirs.atoms;
            mine.critical += theirs.critical;
            mine.warning += theirs.warning;
            mine.failure_modes += theirs.failure_modes;
        }
    }
}

/// A group: (task, model).
pub type GroupKey = (u32, u32);

/// The counts of every (task, model).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SummaryState {
    /// By group.
    pub groups: BTreeMap<GroupKey, GroupCounts>,
}

impl SummaryState {
    /// Counts the records of one chunk.
    pub fn of(protocol: &Protocol, checks: &Checks, evaluated: &Evaluated) -> SummaryState {
        let families = protocol.families.len();
        let mut state = SummaryState::default();
        for (index, row) in evaluated.records.iter().enumerate() {
            let group = state
                .groups
                .entry((row.task, row.model))
                .or_insert_with(|| GroupCounts::new(families));
            group.total += 1;
            group.present += u64::from(row.present);
            match row.outcome {
                ParseOutcome::ApiError => group.api_errors += 1,
                ParseOutcome::ParseFailure => group.parse_failures += 1,
                _ => {}
            }
            for (totals, count) in group
                .families
                .iter_mut()
                .zip(evaluated.counts_of(index, families))
            {
                totals.atoms += u64::from(count.atoms);
                totals.critical += u64::from(count.critical);
                totals.warning += u64::from(count.warning);
            }
            match row.adjudication {
                Adjudication::Eligible => group.eligible += 1,
                Adjudication::Ineligible => {
                    for rule in &row.reasons {
                        group.families[checks.family_of_rule(*rule as usize)].failure_modes += 1;
                    }
                }
            }
        }
        state
    }

    /// The groups of a model.
    pub fn groups_of(&self, model: u32) -> Vec<GroupKey> {
        let tasks = self
            .groups
            .keys()
            .next_back()
            .map_or(0, |(task, _)| task + 1);
        let keys = (0..tasks).map(|task| (task, model));
        keys.filter(|key| self.groups.contains_key(key)).collect()
    }

    /// Adds another state.
    pub fn merge(&mut self, other: &SummaryState) {
        for (key, counts) in &other.groups {
            match self.groups.get_mut(key) {
                Some(group) => group.merge(counts),
                None => {
                    self.groups.insert(*key, counts.clone());
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
