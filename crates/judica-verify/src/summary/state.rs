//! Counts per (task, model), and what is first of its kind: no sums of fractions, so that
//! merging is associative and the result the same whatever the split.

use std::collections::BTreeMap;

use judica_model::record::Adjudication;

use crate::checks::Checks;
use crate::evaluate::Evaluated;
use crate::protocol::Protocol;
use crate::response::ParseOutcome;
use crate::summary::unverified::Unverified;

/// What one family left behind in a group of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FamilyTotals {
    /// All atoms.
    pub atoms: u64,
    /// Failed as critical.
    pub critical: u64,
    /// Failed as warnings.
    pub warning: u64,
    /// Failed, and of no severity.
    pub info: u64,
    /// Reasons given for ineligible records that belong to this family.
    pub failure_modes: u64,
}

impl FamilyTotals {
    fn merge(&mut self, other: &FamilyTotals) {
        self.atoms += other.atoms;
        self.critical += other.critical;
        self.warning += other.warning;
        self.info += other.info;
        self.failure_modes += other.failure_modes;
    }
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

    /// Counts a record: how it was read, its required keys, whether it is eligible, and what
    /// each family left behind, reasons included.
    pub fn add(
        &mut self,
        outcome: ParseOutcome,
        present: u64,
        eligible: bool,
        families: impl Iterator<Item = FamilyTotals>,
    ) {
        self.total += 1;
        self.present += present;
        self.eligible += u64::from(eligible);
        match outcome {
            ParseOutcome::ApiError => self.api_errors += 1,
            ParseOutcome::ParseFailure => self.parse_failures += 1,
            _ => {}
        }
        for (mine, theirs) in self.families.iter_mut().zip(families) {
            mine.merge(&theirs);
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
            mine.merge(theirs);
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
    /// Records of which programs said nothing that can be trusted.
    pub unverified: Unverified,
}

impl SummaryState {
    /// Counts the records of one chunk.
    pub fn of(protocol: &Protocol, checks: &Checks, evaluated: &Evaluated) -> SummaryState {
        let families = protocol.families.len();
        let mut state = SummaryState::default();
        for (index, row) in evaluated.records.iter().enumerate() {
            let group = state.group((row.task, row.model), families);
            let counts = evaluated.counts_of(index, families).iter();
            let totals = counts.map(|count| FamilyTotals {
                atoms: u64::from(count.atoms),
                critical: u64::from(count.critical),
                warning: u64::from(count.warning),
                info: u64::from(count.info),
                failure_modes: 0,
            });
            let eligible = row.adjudication == Adjudication::Eligible;
            group.add(row.outcome, u64::from(row.present), eligible, totals);
            if !eligible {
                for rule in &row.reasons {
                    group.families[checks.family_of_rule(*rule as usize)].failure_modes += 1;
                }
            }
        }
        state
    }

    /// The counts of a group, of so many families.
    pub fn group(&mut self, key: GroupKey, families: usize) -> &mut GroupCounts {
        let group = self.groups.entry(key);
        group.or_insert_with(|| GroupCounts::new(families))
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

    /// Adds the state of records that come later.
    pub fn merge(&mut self, other: &SummaryState) {
        self.unverified.merge(&other.unverified);
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
