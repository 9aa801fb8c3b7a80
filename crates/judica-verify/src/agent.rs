//! The evaluator agent: evidence in, decision out.
//!
//! It draws up a checklist, maps evidence to it, adjudicates and names the reasons, each
//! citing atoms of the record. It never scores. The rules alone decide; a language model can
//! be asked afterwards to review what they decided ([`crate::review`]).

use judica_model::evidence::Severity;
use judica_model::record::{Adjudication, CheckStatus};

use crate::checks::Checks;
use crate::evidence::{FamilyCount, OfRecord};
use crate::protocol::Protocol;
use crate::score::gating_failures;

/// In traces: the rules decided, and nobody reviewed.
pub const RULE_BASED: &str = "rule_based";
/// In traces: the rules decided, and a language model reviewed.
pub const LLM: &str = "llm";

/// The evidence of one record, as it is decided on.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The protocol.
    pub protocol: &'a Protocol,
    /// What check numbers mean.
    pub checks: &'a Checks,
    /// The record's atoms, in emission order.
    pub atoms: OfRecord<'a>,
    /// Their counts per family.
    pub counts: &'a [FamilyCount],
}

/// One item of the checklist: a family and the atoms it left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecklistItem {
    /// Position of the family.
    pub family: usize,
    /// Its atoms (positions within the record).
    pub atoms: std::ops::Range<u32>,
    /// pass, fail or unknown.
    pub status: CheckStatus,
}

/// One reason: failed atoms of one rule and field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Position of the rule name.
    pub rule: usize,
    /// Position of the field label.
    pub label: Option<usize>,
    /// The gravest severity among the atoms.
    pub severity: Severity,
    /// The atoms (positions within the record), in emission order.
    pub atoms: Vec<u32>,
}

impl Evidence<'_> {
    /// The checklist, with evidence mapped to it: one item per family in execution order. Atoms stand in that order too, so a
    /// family's atoms are a range.
    pub fn checklist(&self) -> Vec<ChecklistItem> {
        let mut start = 0;
        let items = self.counts.iter().enumerate().map(|(family, count)| {
            let atoms = start..start + count.atoms;
            start = atoms.end;
            let status = match count {
                FamilyCount { atoms: 0, .. } => CheckStatus::Unknown,
                FamilyCount {
                    critical: 0,
                    warning: 0,
                    info: 0,
                    ..
                } => CheckStatus::Pass,
                _ => CheckStatus::Fail,
            };
            ChecklistItem {
                family,
                atoms,
                status,
            }
        });
        items.collect()
    }

    /// The decision: nothing that gates has failed.
    pub fn adjudicate(&self) -> Adjudication {
        match gating_failures(self.protocol, self.counts) {
            0 => Adjudication::Eligible,
            _ => Adjudication::Ineligible,
        }
    }

    /// The reasons, each citing atoms of the record: failed atoms grouped by (rule, field), gravest first, then by first atom.
    pub fn attribute(&self) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        let atoms = self.atoms.check.iter().zip(self.atoms.severity);
        for (position, (check, code)) in atoms.enumerate() {
            let severity = Severity::ALL[usize::from(*code)];
            if severity == Severity::Info && self.atoms.passed(position) {
                continue;
            }
            let check = self.checks.get(*check);
            match reasons
                .iter_mut()
                .find(|reason| (reason.rule, reason.label) == (check.rule, check.label))
            {
                Some(reason) => {
                    reason.severity = reason.severity.max(severity);
                    reason.atoms.push(position as u32);
                }
                None => reasons.push(Reason {
                    rule: check.rule,
                    label: check.label,
                    severity,
                    atoms: vec![position as u32],
                }),
            }
        }
        // Stable: groups of one severity stay in the order of their first atoms.
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.severity));
        reasons.truncate(self.protocol.top_k);
        reasons
    }
}

/// From which severity on a failed atom makes its record ineligible. A passed atom never
/// gates, so a protocol that says "info" means any failed atom.
pub fn deciding_severity(protocol: &Protocol) -> Severity {
    protocol.gating_severity.max(Severity::Warning)
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
