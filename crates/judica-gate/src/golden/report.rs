//! The report on golden queries.

use judica_model::gate::GateResult;
use judica_model::metric::MetricValue;
use serde::Serialize;

use super::capped::Capped;

/// The version of [`GoldenReport`]'s shape.
pub const SCHEMA_VERSION: u32 = 1;

/// The report. Lists name at most 10,000 entries; `notes` says where there are more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldenReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// `PASS`, or `FAIL` if a gate fails.
    pub status: &'static str,
    /// The file of golden queries, without its folders.
    pub golden: String,
    /// The folder of runs, without those it is in.
    pub outputs: String,
    /// How many queries there are.
    pub queries: u64,
    /// How many runs there are.
    pub runs: u64,
    /// The four metrics.
    pub metrics: GoldenMetrics,
    /// The gates.
    pub gates: Vec<GateResult>,
    /// Whether every gate passes: what the exit code says.
    pub gates_pass: bool,
    /// Queries that no run answers.
    pub missing_runs: Capped<QueryName>,
    /// Runs that answer no query; they still count for coverage and manifests. Runs that
    /// cannot be read stand here only if what they were asked can.
    pub unmatched_runs: Capped<UnmatchedRun>,
    /// Runs that cannot be read.
    pub malformed_runs: Capped<MalformedRun>,
    /// What broke the gates.
    pub offenders: Offenders,
    /// What claims cite that is not in the ledger.
    pub unknown_evidence: Capped<UnknownEvidence>,
    /// Manifests of steps that do not exist.
    pub stray_manifests: Capped<StrayManifest>,
    /// Links, which are not followed.
    pub skipped_links: Capped<String>,
    /// Hidden entries of the folder, and files that are not JSON.
    pub ignored: Capped<String>,
    /// Every run, by name.
    pub per_run: Vec<RunSummary>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl GoldenReport {
    /// Takes gates of the user's own: one of the same name takes a gate's place, others
    /// come after.
    pub fn override_gates(&mut self, own: Vec<GateResult>) {
        crate::own::override_gates(&mut self.gates, own);
        self.gates_pass = self.gates.iter().all(|gate| gate.pass);
        self.status = if self.gates_pass { "PASS" } else { "FAIL" };
    }
}

/// The four metrics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldenMetrics {
    /// Verified claims with usable evidence, of all verified claims.
    pub evidence_coverage_rate: Metric,
    /// Required evidence that was found, of all that is required.
    pub golden_recall: Metric,
    /// Runs that abstained, of all that should have.
    pub abstention_accuracy: Metric,
    /// Steps with a manifest, of all steps.
    pub manifest_integrity: Metric,
}

impl GoldenMetrics {
    /// The metrics by name.
    pub fn named(&self) -> [(&'static str, &Metric); 4] {
        [
            ("evidence_coverage_rate", &self.evidence_coverage_rate),
            ("golden_recall", &self.golden_recall),
            ("abstention_accuracy", &self.abstention_accuracy),
            ("manifest_integrity", &self.manifest_integrity),
        ]
    }
}

/// A rate, and what it is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metric {
    /// How many.
    pub numerator: u64,
    /// Of how many.
    pub denominator: u64,
    /// The rate with Wilson's interval, or why there is none.
    #[serde(flatten)]
    pub value: MetricValue,
}

/// What broke the gates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Offenders {
    /// Verified claims without usable evidence.
    pub claims: Capped<ClaimOffender>,
    /// Required evidence that was not found.
    pub evidence: Capped<EvidenceOffender>,
    /// Runs that should have abstained.
    pub abstentions: Capped<AbstentionOffender>,
    /// Steps without a manifest.
    pub steps: Capped<StepOffender>,
}

/// A query, so that it can be found in the artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueryName {
    /// Its id, if it has one.
    pub query: Option<String>,
    /// What it asks.
    pub objective: String,
}

/// A run, so that it can be found in the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunName {
    /// Its own name, or that of its folder or file.
    pub run_id: String,
    /// A file of it, by the path within the folder of runs.
    pub file: String,
}

/// A run that answers no query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnmatchedRun {
    /// The run.
    #[serde(flatten)]
    pub run: RunName,
    /// What it was asked.
    pub objective: String,
    /// Why no query is known for it.
    pub reason: &'static str,
}

/// A run that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MalformedRun {
    /// The run, and the file at fault.
    #[serde(flatten)]
    pub run: RunName,
    /// What is wrong with it.
    pub reason: String,
}

/// A verified claim without usable evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimOffender {
    /// The run.
    #[serde(flatten)]
    pub run: RunName,
    /// The claim.
    pub claim: String,
    /// What it cites.
    pub evidence_ids: Vec<String>,
    /// `no_evidence_cited`, `unknown_evidence` or `unusable_evidence`.
    pub problem: &'static str,
}

/// Required evidence that was not found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvidenceOffender {
    /// The query that requires it.
    #[serde(flatten)]
    pub query: QueryName,
    /// The evidence.
    pub evidence_id: String,
    /// `no_run`, `malformed_run` (and no other), `missing` or `unusable`.
    pub problem: &'static str,
}

/// A run that should have abstained, or is not there to do so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AbstentionOffender {
    /// The query without sufficient evidence.
    #[serde(flatten)]
    pub query: QueryName,
    /// The run; null if there is none.
    pub run_id: Option<String>,
    /// Its file; null if there is none.
    pub file: Option<String>,
    /// Why it stopped, if it says so.
    pub stop_reason: Option<String>,
    /// How many claims it verified; null if that cannot be read.
    pub verified: Option<u64>,
    /// `no_run`, `malformed_run`, `verified_claims` or `stop_reason`.
    pub problem: &'static str,
}

/// A step without a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepOffender {
    /// The run.
    #[serde(flatten)]
    pub run: RunName,
    /// The step.
    pub step: String,
    /// `no_manifest`, or `not_json` if there is a file that does not parse.
    pub problem: &'static str,
}

/// What a claim cites that is not in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownEvidence {
    /// The run.
    #[serde(flatten)]
    pub run: RunName,
    /// The claim.
    pub claim: String,
    /// What it cites.
    pub evidence_id: String,
}

/// A manifest of a step that does not exist; `file` is the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct StrayManifest(pub RunName);

/// One run. What cannot be read is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// The run, and the file of its output.
    #[serde(flatten)]
    pub run: RunName,
    /// What it was asked.
    pub objective: Option<String>,
    /// Its claims.
    pub claims: Option<u64>,
    /// Those it holds for verified.
    pub verified: Option<u64>,
    /// Those of them with usable evidence.
    pub covered: Option<u64>,
    /// What its query requires; null if it answers none.
    pub required: Option<u64>,
    /// How much of that it found.
    pub found: Option<u64>,
    /// Whether it abstained.
    pub abstained: Option<bool>,
    /// Its steps.
    pub steps: Option<u64>,
    /// Those with a manifest.
    pub with_manifest: Option<u64>,
    /// The gates it would fail by itself; all four if it cannot be read.
    pub gates_failed: Vec<&'static str>,
}
