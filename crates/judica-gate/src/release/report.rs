//! What came of a release: what a release manager reads.

use judica_model::gate::GateResult;
use judica_model::text::cut;
use serde::Serialize;

use super::{Outcome, Step};
use crate::counts::Counts;

/// The version of [`ReleaseReport`]'s shape.
pub const SCHEMA_VERSION: u32 = 1;
/// How much of a complaint is kept.
const COMPLAINT: usize = 2000;

/// What came of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReleaseReport {
    /// `SCHEMA_VERSION`.
    pub schema_version: u32,
    /// What is released.
    pub name: String,
    /// `PASS` if everything was run and passed, `FAIL` if a gate failed, `ERROR` if a step
    /// could not be run.
    pub status: StepStatus,
    /// Every step, in the order in which they ran.
    pub steps: Vec<StepReport>,
    /// Every gate of every step, named `step: gate`.
    pub gates: Vec<GateResult>,
    /// Whether every gate passes and every step could be run.
    pub gates_pass: bool,
}

/// What came of a step, and of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum StepStatus {
    /// It was run, and every gate passed.
    Pass,
    /// It was run, and a gate failed, or the command itself.
    Fail,
    /// It could not be run, or its gates could not be held.
    Error,
}

impl StepStatus {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            StepStatus::Pass => "PASS",
            StepStatus::Fail => "FAIL",
            StepStatus::Error => "ERROR",
        }
    }
}

/// What came of one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepReport {
    /// Its name.
    pub name: String,
    /// What was run.
    pub run: String,
    /// What came of it.
    pub status: StepStatus,
    /// The code it ended with; null if it was killed.
    pub exit_code: Option<i32>,
    /// Where its report is, relative to the config; null if it made none.
    pub report: Option<String>,
    /// Why it could not be run, or why it fails where no gate says so.
    pub message: Option<String>,
    /// What became of its rows, if its report says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Its gates: those its own report holds, then those of its gates file.
    pub gates: Vec<GateResult>,
}

impl StepReport {
    pub(super) fn new(step: &Step, outcome: &Outcome) -> Self {
        let status = match outcome.exit_code {
            Some(0) => StepStatus::Pass,
            Some(1) => StepStatus::Fail,
            _ => StepStatus::Error,
        };
        StepReport {
            name: step.name.clone(),
            run: step.run.join(" "),
            status,
            exit_code: outcome.exit_code,
            report: None,
            message: (status == StepStatus::Error)
                .then(|| cut(outcome.complaint.trim(), COMPLAINT).into_owned()),
            counts: None,
            gates: Vec::new(),
        }
    }

    /// It could not be run after all.
    pub(super) fn fail_to_run(&mut self, code: i32, why: &str) {
        self.status = StepStatus::Error;
        self.exit_code = Some(code);
        self.message = Some(why.to_owned());
    }

    /// Its gates under names that are the step's own. A step that could not be run, or fails
    /// by none of its gates, is a gate that fails, so that no format leaves it out.
    fn named_gates(&self) -> Vec<GateResult> {
        let named = |name: &str| format!("{}: {name}", self.name);
        let mut gates: Vec<GateResult> = self
            .gates
            .iter()
            .map(|gate| GateResult {
                name: named(&gate.name),
                ..gate.clone()
            })
            .collect();
        let by_itself = match self.status {
            StepStatus::Error => Some(("can be run", 1.0)),
            StepStatus::Fail if self.gates.iter().all(|gate| gate.pass) => Some(("passes", 0.0)),
            _ => None,
        };
        if let Some((name, highest)) = by_itself {
            gates.push(GateResult {
                name: named(name),
                metric: "exit_code".to_owned(),
                value: self.exit_code.map(f64::from),
                op: "<=".to_owned(),
                threshold: highest.into(),
                pass: false,
                vacuous: false,
                note: self.message.clone(),
            });
        }
        gates
    }

    /// Where there are gates, they decide: one of the step's file may have taken the place
    /// of the gate that the command itself failed. What it failed for without a gate of its own
    /// report, none of them has answered.
    pub(super) fn settle(&mut self, own_gate_fails: bool, complaint: &str) {
        if self.status == StepStatus::Error {
            return;
        }
        let unanswered = self.status == StepStatus::Fail && !own_gate_fails;
        let gates_pass = self.gates.iter().all(|gate| gate.pass);
        if unanswered && gates_pass {
            let message = format!("its command ended with 1\n{complaint}");
            self.message = Some(cut(message.trim(), COMPLAINT).into_owned());
        }
        self.status = match gates_pass && !unanswered {
            true => StepStatus::Pass,
            false => StepStatus::Fail,
        };
    }
}

impl ReleaseReport {
    pub(super) fn new(name: &str, steps: Vec<StepReport>) -> Self {
        let status = steps
            .iter()
            .map(|step| step.status)
            .max()
            .unwrap_or(StepStatus::Pass);
        let gates = steps.iter().flat_map(StepReport::named_gates);
        ReleaseReport {
            schema_version: SCHEMA_VERSION,
            name: name.to_owned(),
            status,
            gates: gates.collect(),
            gates_pass: status == StepStatus::Pass,
            steps,
        }
    }
}
