//! The one shape of a gate result.

use serde::{Deserialize, Serialize};

/// A gate: a metric held against a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// The gate's own name.
    pub name: String,
    /// The metric it reads.
    pub metric: String,
    /// The metric's value, null when undefined.
    pub value: Option<f64>,
    /// `>=`, `<=`, `==`, …
    pub op: String,
    /// What the value is held against.
    pub threshold: f64,
    /// Whether the gate lets the release through.
    pub pass: bool,
    /// True when the metric was undefined, so that nothing was really tested.
    pub vacuous: bool,
    /// Why it is vacuous, or anything else a reader should know.
    pub note: Option<String>,
}
