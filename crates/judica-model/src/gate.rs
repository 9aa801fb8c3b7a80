//! The one shape of a gate result.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::metric::MetricValue;

/// A gate: a metric held against a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// The gate's own name.
    pub name: String,
    /// The metric it reads.
    pub metric: String,
    /// The metric's value, null when undefined.
    pub value: Option<f64>,
    /// `>=`, `<=`, `==`, `between`, …
    pub op: String,
    /// What the value is held against.
    pub threshold: Threshold,
    /// Whether the gate lets the release through.
    pub pass: bool,
    /// True when the metric was undefined, so that nothing was really tested; the gate
    /// then fails, unless somebody said that it may pass.
    pub vacuous: bool,
    /// Why the metric is undefined, or anything else a reader should know.
    pub note: Option<String>,
}

/// What a value is held against.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Threshold {
    /// One number.
    Number(f64),
    /// The ends of a range, both allowed.
    Range([f64; 2]),
}

impl From<f64> for Threshold {
    fn from(number: f64) -> Self {
        Threshold::Number(number)
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threshold::Number(number) => write!(f, "{number}"),
            Threshold::Range([lo, hi]) => write!(f, "{lo} and {hi}"),
        }
    }
}

/// On which side of its threshold a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// At the threshold or above.
    AtLeast,
    /// At the threshold or below.
    AtMost,
    /// At the threshold, to the last bit: for counts, and for rates that must be 0 or 1.
    Exactly,
}

impl GateResult {
    /// Holds a metric against a threshold. A gate over an undefined metric fails, since
    /// nothing was tested, unless `undefined_passes`.
    pub fn hold(
        name: &str,
        metric: &str,
        value: &MetricValue,
        bound: Bound,
        threshold: f64,
        undefined_passes: bool,
    ) -> Self {
        let (number, note) = match value {
            MetricValue::Defined { value, .. } => (Some(*value), None),
            MetricValue::Undefined { reason } => (None, Some(reason.clone())),
        };
        let met = |value: f64| match bound {
            Bound::AtLeast => value >= threshold,
            Bound::AtMost => value <= threshold,
            Bound::Exactly => value == threshold,
        };
        GateResult {
            name: name.to_owned(),
            metric: metric.to_owned(),
            value: number,
            op: match bound {
                Bound::AtLeast => ">=",
                Bound::AtMost => "<=",
                Bound::Exactly => "==",
            }
            .to_owned(),
            threshold: threshold.into(),
            pass: number.map_or(undefined_passes, met),
            vacuous: number.is_none(),
            note,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_belong_to_the_passing_side() {
        let hold = |value, bound| {
            let value = MetricValue::new(value, 10);
            GateResult::hold("g", "m", &value, bound, 0.5, false)
        };
        assert!(hold(0.5, Bound::AtLeast).pass && hold(0.5, Bound::AtMost).pass);
        assert!(!hold(0.49, Bound::AtLeast).pass && !hold(0.51, Bound::AtMost).pass);
        assert_eq!(hold(0.5, Bound::AtMost).op, "<=");
        assert!(hold(0.5, Bound::Exactly).pass);
        assert!(!hold(0.49, Bound::Exactly).pass && !hold(0.51, Bound::Exactly).pass);
        assert_eq!(hold(0.5, Bound::Exactly).op, "==");
    }

    #[test]
    fn an_undefined_metric_fails_unless_it_may_pass() {
        let undefined = MetricValue::undefined("no items");
        for passes in [false, true] {
            let gate = GateResult::hold("g", "m", &undefined, Bound::AtLeast, 0.9, passes);
            assert_eq!((gate.vacuous, gate.pass), (true, passes));
            assert_eq!(gate.note.as_deref(), Some("no items"));
        }
    }
}
