//! Evidence: what a verifier saw, and how bad it is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How bad a finding is. The order is the order of badness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The check passed; recorded so that a pass can be cited too.
    Info,
    /// Violated, but not by much.
    Warning,
    /// Violated so badly that the record cannot be trusted.
    Critical,
}

impl Severity {
    /// All severities, in rising order. Their position is their code in columns.
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Critical];

    /// The lower-case name used in every file.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }
}

/// What an atom is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One field (or one element of it).
    Field,
    /// The response as a whole.
    Sample,
    /// Several fields together.
    CrossField,
}

impl Scope {
    /// The lower-case name used in every file.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Field => "field",
            Scope::Sample => "sample",
            Scope::CrossField => "cross_field",
        }
    }
}

/// One atom of evidence, as it stands in a record's JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceAtom {
    /// `EVID_001`…, unique within the record, in emission order.
    pub id: String,
    /// The verifier family.
    #[serde(rename = "type")]
    pub family: String,
    /// `<family>.<rule>`.
    pub rule: String,
    /// The field, or null for a rule that reads several.
    pub field: Option<String>,
    /// Whether the check passed.
    pub pass: bool,
    /// Info for a passed atom, unless its rule has levels, which say it.
    pub severity: Severity,
    /// What it is worth, from 0 to 1, under a protocol that gives scores to atoms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What the atom is about.
    pub scope: Scope,
    /// A sentence for people.
    pub message: String,
    /// Checker, config version, observed value and the limits that decided.
    pub meta: Map<String, Value>,
}
