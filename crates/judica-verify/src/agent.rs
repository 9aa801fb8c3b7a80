//! The evaluator agent: evidence in, decision out.
//!
//! An agent draws up a checklist, maps evidence to it, adjudicates and names the
//! reasons, each citing atoms of the record. It never scores. One interface, several
//! instances: [`RuleBasedAgent`] needs no network and is the default; [`LlmAgent`] decides
//! by the same rules and has a language model review what they decided.
//!
//! [`LlmAgent`]: crate::review::LlmAgent

use judica_model::evidence::Severity;
use judica_model::record::{Adjudication, CheckStatus, Record, ReproducibilityInfo};

use crate::checks::Checks;
use crate::evidence::FamilyCount;
use crate::protocol::Protocol;
use crate::review::Reviewed;

/// The name of [`RuleBasedAgent`] in traces.
pub const RULE_BASED: &str = "rule_based";
/// The name of [`LlmAgent`](crate::review::LlmAgent) in traces.
pub const LLM: &str = "llm";

/// The evidence of one record, as an agent sees it.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The protocol.
    pub protocol: &'a Protocol,
    /// What check numbers mean.
    pub checks: &'a Checks,
    /// Check numbers of the record's atoms, in emission order.
    pub check: &'a [u16],
    /// Their severities.
    pub severity: &'a [u8],
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

/// Who decided, for the trace.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentInfo {
    /// The instance's name.
    pub agent: String,
    /// The model behind it, if any.
    pub model: Option<String>,
    /// Its temperature, if any.
    pub temperature: Option<f64>,
}

/// An evaluator agent.
pub trait EvaluatorAgent: Sync {
    /// Who decides.
    fn info(&self) -> AgentInfo;

    /// The checklist, with evidence mapped to it.
    fn checklist(&self, evidence: &Evidence) -> Vec<ChecklistItem>;

    /// The decision.
    fn adjudicate(&self, evidence: &Evidence) -> Adjudication;

    /// The gravest reasons, each citing atoms of this record.
    fn attribute(&self, evidence: &Evidence) -> Vec<Reason>;

    /// What it has to say about finished records, in their order. Their decisions and
    /// scores stand already, and nothing said here changes them. Most have nothing to say.
    fn review(&self, _records: &[Record]) -> Reviewed {
        Reviewed::default()
    }
}

/// Decides by the protocol's rules alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleBasedAgent;

impl EvaluatorAgent for RuleBasedAgent {
    fn info(&self) -> AgentInfo {
        AgentInfo {
            agent: RULE_BASED.to_owned(),
            model: None,
            temperature: None,
        }
    }

    /// One item per family in execution order. Atoms stand in that order too, so a
    /// family's atoms are a range.
    fn checklist(&self, evidence: &Evidence) -> Vec<ChecklistItem> {
        let mut start = 0;
        let items = evidence.counts.iter().enumerate().map(|(family, count)| {
            let atoms = start..start + count.atoms;
            start = atoms.end;
            let status = match count {
                FamilyCount { atoms: 0, .. } => CheckStatus::Unknown,
                FamilyCount {
                    critical: 0,
                    warning: 0,
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

    fn adjudicate(&self, evidence: &Evidence) -> Adjudication {
        let gate = deciding_severity(evidence.protocol) as u8;
        let gated = evidence.severity.iter().any(|code| *code >= gate);
        if gated {
            Adjudication::Ineligible
        } else {
            Adjudication::Eligible
        }
    }

    /// Failed atoms grouped by (rule, field), gravest first, then by first atom.
    fn attribute(&self, evidence: &Evidence) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        for (position, (check, code)) in evidence.check.iter().zip(evidence.severity).enumerate() {
            let severity = Severity::ALL[usize::from(*code)];
            if severity == Severity::Info {
                continue;
            }
            let check = evidence.checks.get(*check);
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
        reasons.truncate(evidence.protocol.top_k);
        reasons
    }
}

/// From which severity on a failed atom makes its record ineligible. A passed atom never
/// gates, so a protocol that says "info" means any failed atom.
pub fn deciding_severity(protocol: &Protocol) -> Severity {
    protocol.gating_severity.max(Severity::Warning)
}

/// The rules under another agent's name: what every agent decides by, and all that is
/// needed to make the records of a run again without asking anybody.
#[derive(Debug, Clone, PartialEq)]
pub struct RulesAs(pub AgentInfo);

impl RulesAs {
    /// The agent that a trace names; `None` if this program has no such agent.
    pub fn of(trace: &ReproducibilityInfo) -> Option<RulesAs> {
        let known = [RULE_BASED, LLM].contains(&trace.agent.as_str());
        known.then(|| {
            RulesAs(AgentInfo {
                agent: trace.agent.clone(),
                model: trace.model.clone(),
                temperature: trace.temperature,
            })
        })
    }
}

impl EvaluatorAgent for RulesAs {
    fn info(&self) -> AgentInfo {
        self.0.clone()
    }

    fn checklist(&self, evidence: &Evidence) -> Vec<ChecklistItem> {
        RuleBasedAgent.checklist(evidence)
    }

    fn adjudicate(&self, evidence: &Evidence) -> Adjudication {
        RuleBasedAgent.adjudicate(evidence)
    }

    fn attribute(&self, evidence: &Evidence) -> Vec<Reason> {
        RuleBasedAgent.attribute(evidence)
    }
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
