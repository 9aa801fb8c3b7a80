//! One evaluated output, in the shape of its JSON. Keys stand in the order in which
//! the fields are declared here; that order is part of the format's promise.

use serde::{Deserialize, Serialize};

use crate::evidence::{EvidenceAtom, Severity};

/// The decision about a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Adjudication {
    /// No failed atom of the gating severity.
    Eligible,
    /// At least one.
    Ineligible,
}

impl Adjudication {
    /// The lower-case name used in every file.
    pub fn name(self) -> &'static str {
        match self {
            Adjudication::Eligible => "eligible",
            Adjudication::Ineligible => "ineligible",
        }
    }
}

/// One evaluated output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The sample that was answered.
    pub sample_id: String,
    /// The model that answered.
    pub model_name: String,
    /// The task.
    pub task_id: String,
    /// The input that the output stands in.
    pub input_file: String,
    /// Its line there, from 1.
    pub input_line: u64,
    /// Which repeat of the question it is, where it is not the first.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub epoch: i32,
    /// What it stands or falls with, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// How long the answer took, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Tokens of the question, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_in: Option<f64>,
    /// Tokens of the answer, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_out: Option<f64>,
    /// What it cost, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// How the response was read.
    pub protocol_result: ProtocolResult,
    /// Every atom.
    pub evidence_pack: EvidencePack,
    /// The decision, citing atoms.
    pub agent_output: AgentOutput,
    /// The scores, null where gated or undefined.
    pub optional_scores: Scores,
    /// What is needed to get the same record again.
    pub trace: Trace,
}

/// The epoch of a record that names none.
pub fn first() -> i32 {
    1
}

/// Whether a record is of the first epoch, and need not say so.
pub fn is_first(epoch: &i32) -> bool {
    *epoch == 1
}

/// How the response was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProtocolResult {
    /// Whether and how an object was found.
    pub parsing: Parsing,
    /// Which required keys are there.
    pub field_completeness: FieldCompleteness,
    /// Which of them hold usable numbers.
    pub type_validation: TypeValidation,
}

/// Whether and how an object was found in the response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parsing {
    /// An object was found.
    pub success: bool,
    /// `direct`, `fenced`, `embedded`, or null.
    pub method: Option<String>,
    /// `parse_failure`, `api_error`, or null.
    pub error: Option<String>,
}

/// Which required keys are there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldCompleteness {
    /// Required keys present in the object.
    pub present: u32,
    /// Required keys of the protocol.
    pub required: u32,
    /// present / required, 0 to 1; null where nothing is required.
    pub rate: Option<f64>,
    /// Names of the absent ones.
    pub missing: Vec<String>,
}

/// Which fields hold usable numbers of the right shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeValidation {
    /// Every required field is usable.
    pub valid: bool,
    /// Names of fields that are present but unusable.
    pub invalid: Vec<String>,
}

/// The atoms of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidencePack {
    /// In emission order.
    pub atoms: Vec<EvidenceAtom>,
}

/// The agent's part: what was checked, the decision, its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentOutput {
    /// One item per verifier family.
    pub checklist: Vec<ChecklistItem>,
    /// The decision.
    pub adjudication: Adjudication,
    /// The top reasons, each citing atoms.
    pub attribution: Vec<Attribution>,
}

/// Status of a checklist item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// Every atom of the family passed.
    Pass,
    /// At least one failed.
    Fail,
    /// The family left no atom.
    Unknown,
}

impl CheckStatus {
    /// The lower-case name used in every file.
    pub fn name(self) -> &'static str {
        match self {
            CheckStatus::Pass => "pass",
            CheckStatus::Fail => "fail",
            CheckStatus::Unknown => "unknown",
        }
    }
}

/// One family of checks and the evidence it left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChecklistItem {
    /// `CHECK_001`…
    pub item_id: String,
    /// The family in capitals.
    pub constraint_id: String,
    /// The first atom of the family.
    pub evidence_id: Option<String>,
    /// All atoms of the family.
    pub evidence_ids: Vec<String>,
    /// pass, fail or unknown.
    pub status: CheckStatus,
}

/// One reason for the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attribution {
    /// 1 is the gravest.
    pub rank: u32,
    /// The first atom's message.
    pub reason: String,
    /// `<family>.<rule>`.
    pub rule: String,
    /// The field, or null.
    pub field: Option<String>,
    /// The gravest severity of the group.
    pub severity: Severity,
    /// The atoms it rests on.
    pub evidence_ids: Vec<String>,
    /// How many they are.
    pub count: u32,
}

/// The scores of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Share of required keys present, in percent.
    pub availability_score: Option<f64>,
    /// Severity-weighted share of passed atoms, in percent.
    pub constraint_satisfaction_score: Option<f64>,
    /// Score of the error against the gold.
    pub conditional_error_score: Option<f64>,
    /// The weighted sum of the three.
    pub total_score: Option<f64>,
    /// Mean absolute error over the compared values.
    pub mae: Option<f64>,
    /// Root mean square error over the compared values.
    pub rmse: Option<f64>,
    /// The protocol's dimensions, of one that has some; null where undefined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<serde_json::Map<String, serde_json::Value>>,
    /// How many (field, step) values were compared.
    pub compared_values: u32,
    /// Why scores are null, where they are.
    pub undefined: Option<String>,
    /// Whether the record may be scored at all.
    pub gating: Gating,
}

/// Whether the record may be scored at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gating {
    /// No failed atom of the gating severity.
    pub passed: bool,
    /// Why not.
    pub reasons: Vec<String>,
    /// What a gated record counts as on the leaderboard.
    pub cap: f64,
    /// S, A, B, C, D by total; X where gated; null where the total is undefined.
    pub grade: Option<String>,
}

/// What is needed to get the same record again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The protocol file's own version.
    pub config_version: String,
    /// Hash of everything in the protocol.
    pub config_hash: String,
    /// Hash of fields and tasks.
    pub schema_version: String,
    /// Hash of limits, thresholds and rules.
    pub constraint_lib_version: String,
    /// Version of the evaluator.
    pub evaluator_version: String,
    /// The timestamp given by the caller, else null: never the clock.
    pub timestamp: Option<String>,
    /// Agent and verifiers.
    pub reproducibility_info: ReproducibilityInfo,
}

/// Agent and verifiers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReproducibilityInfo {
    /// `rule_based` or `llm`.
    pub agent: String,
    /// The model behind an LLM-based agent, else null.
    pub model: Option<String>,
    /// Its temperature, else null.
    pub temperature: Option<f64>,
    /// How many verifiers ran.
    pub verifier_count: u32,
    /// Their names in execution order.
    pub verifier_ids: Vec<String>,
}
