//! A release: several evaluations and gates in one go, and one report on all of them.
//!
//! * `config`: what is to be run, from a TOML file
//! * `report`, `tables`: what came of it
//!
//! How a step is run is the caller's business; what its outcome means is decided here. A
//! step that cannot be run does not stop the others: who reads the report wants to know
//! about all of them.

pub(crate) mod config;
pub(crate) mod report;
pub(crate) mod tables;

use std::path::{Path, PathBuf};

use judica_data::work_error::WorkError;
use judica_model::gate::GateResult;
use serde_json::Value;

use crate::check::{CheckRequest, check_bytes};
use crate::counts::Counts;
use crate::own::override_gates;
pub use config::{Config, Runs, Step};
pub use report::{ReleaseReport, StepReport, StepStatus};
pub use tables::tables;

/// What a step did when it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The code it ended with; `None` if it was killed.
    pub exit_code: Option<i32>,
    /// What it printed: its report as JSON.
    pub printed: Vec<u8>,
    /// What it complained about.
    pub complaint: String,
}

/// Runs all steps of a release. `run` runs one; `keep` writes its report to a file.
pub fn release(
    config: &Config,
    allow_undefined: bool,
    mut run: impl FnMut(&Step) -> Result<Outcome, WorkError>,
    mut keep: impl FnMut(&Path, &[u8]) -> Result<(), WorkError>,
) -> Result<ReleaseReport, WorkError> {
    let mut steps = Vec::new();
    for step in &config.steps {
        let outcome = run(step)?;
        steps.push(judge(config, step, allow_undefined, &outcome, &mut keep)?);
    }
    Ok(ReleaseReport::new(&config.name, steps))
}

/// What a step's outcome means.
fn judge(
    config: &Config,
    step: &Step,
    allow_undefined: bool,
    outcome: &Outcome,
    keep: &mut impl FnMut(&Path, &[u8]) -> Result<(), WorkError>,
) -> Result<StepReport, WorkError> {
    let mut report = StepReport::new(step, outcome);
    if report.status == StepStatus::Error {
        return Ok(report);
    }
    let Ok(printed) = serde_json::from_slice::<Value>(&outcome.printed) else {
        report.fail_to_run(2, "it printed no JSON report");
        return Ok(report);
    };
    report.gates = gates_of(&printed);
    let own_gate_fails = report.gates.iter().any(|gate| !gate.pass);
    report.counts = Counts::of(&printed);
    let kept = config.folder.join(&step.report);
    keep(&kept, &outcome.printed)?;
    report.report = Some(step.report.display().to_string());
    if let Some(gates) = &step.gates {
        let request = CheckRequest {
            report: kept,
            gates: config.folder.join(gates),
            baseline: step.baseline.as_ref().map(|path| config.folder.join(path)),
            allow_undefined,
        };
        // Another release in this folder may have kept its own report there by now.
        match check_bytes(&request, &outcome.printed) {
            Ok(own) => override_gates(&mut report.gates, own),
            Err(error) => {
                let code = i32::from(error.exit_code().code());
                report.fail_to_run(code, &error.to_string());
            }
        }
    }
    report.settle(own_gate_fails, &outcome.complaint);
    Ok(report)
}

/// The gates that a report holds itself: in the one shape, under either key in use.
fn gates_of(report: &Value) -> Vec<GateResult> {
    ["gate_results", "gates"]
        .iter()
        .find_map(|key| serde_json::from_value(report.get(key)?.clone()).ok())
        .unwrap_or_default()
}

/// Where a step's report is kept if the config does not say.
fn default_report(step: &str) -> PathBuf {
    let name: String = step
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '-'
            }
        })
        .collect();
    Path::new("release").join(format!("{name}.json"))
}

#[cfg(test)]
mod tests;
