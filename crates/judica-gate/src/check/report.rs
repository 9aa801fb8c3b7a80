//! The report on a check.

use std::path::Path;

use judica_model::gate::GateResult;
use serde::Serialize;

use super::CheckRequest;
use super::document::called;
use crate::counts::Counts;

/// The version of the report's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckReport {
    /// `SCHEMA_VERSION`.
    pub schema_version: u32,
    /// `PASS` or `FAIL`.
    pub status: &'static str,
    /// The report's file name; names are without folders, so that the same files give
    /// the same bytes wherever they lie.
    pub report: String,
    /// The gates file's.
    pub gates_file: String,
    /// The baseline's, if one was given and a gate is held against it.
    pub baseline: Option<String>,
    /// What became of the rows of the run, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Logs of an imported run that did not come to their end, or not well: what is held may
    /// be a part of what was meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Every gate, in the order of the file.
    pub gates: Vec<GateResult>,
    /// Whether every gate passes: what the exit code says.
    pub gates_pass: bool,
}

impl CheckReport {
    pub(super) fn new(
        request: &CheckRequest,
        baseline: Option<&Path>,
        gates: Vec<GateResult>,
        counts: Option<Counts>,
        notes: Vec<String>,
    ) -> Self {
        let gates_pass = gates.iter().all(|gate| gate.pass);
        CheckReport {
            schema_version: SCHEMA_VERSION,
            status: if gates_pass { "PASS" } else { "FAIL" },
            report: called(&request.report),
            gates_file: called(&request.gates),
            baseline: baseline.map(called),
            counts,
            notes,
            gates,
            gates_pass,
        }
    }
}
