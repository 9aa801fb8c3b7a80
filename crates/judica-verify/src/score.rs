//! Scores: the fixed protocol that turns evidence and gold into four numbers.
//!
//! Only records that passed the gate are scored. No score is ever made up: without
//! usable gold the error score is null, and so is the total.

use judica_model::evidence::Severity;
use judica_model::record::Adjudication;

use crate::compare::Compared;
use crate::evidence::{FamilyCount, Known};
use crate::protocol::{Protocol, ThreeScores};

/// The scores of one record; NaN stands for null.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreRow {
    /// Whether the record passed the gate.
    pub passed: bool,
    /// Percent of required keys present.
    pub availability: f64,
    /// Severity-weighted percent of passed atoms.
    pub constraint: f64,
    /// Score of the error against the gold.
    pub error: f64,
    /// The weighted sum.
    pub total: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Root mean square error.
    pub rmse: f64,
    /// How many values were compared.
    pub compared: u32,
    /// Failed atoms of the gating severity.
    pub gating_failures: u32,
}

impl ScoreRow {
    /// Why scores are null, where they are.
    pub fn undefined(&self, protocol: &Protocol) -> Option<&'static str> {
        if !self.passed {
            Some("gated")
        } else if protocol.of_dimensions.is_some() {
            self.total.is_nan().then_some("no dimension is defined")
        } else if self.compared == 0 {
            Some("no usable gold")
        } else if self.error.is_nan() {
            Some("the error is not a finite number")
        } else if self.availability.is_nan() {
            Some("the protocol requires no field")
        } else if self.constraint.is_nan() {
            Some("no evidence")
        } else {
            None
        }
    }
}

/// What a record is scored on.
pub struct Scored<'a> {
    /// The decision.
    pub adjudication: Adjudication,
    /// Required keys present.
    pub present: u32,
    /// Required keys.
    pub required: u32,
    /// Atoms per family.
    pub counts: &'a [FamilyCount],
    /// The predicted values.
    pub answer: Known<'a>,
    /// The gold values.
    pub gold: Option<Known<'a>>,
    /// The answer against the gold, of a protocol that has others than numbers.
    pub compared: Option<&'a Compared>,
    /// Values per field.
    pub horizon: usize,
    /// Its dimensions, NaN for what is undefined.
    pub dimensions: &'a [f64],
}

/// Failed atoms of the gating severity or graver.
pub fn gating_failures(protocol: &Protocol, counts: &[FamilyCount]) -> u32 {
    let failed = |count: &FamilyCount| match protocol.gating_severity {
        Severity::Critical => count.critical,
        Severity::Warning | Severity::Info => count.critical + count.warning,
    };
    counts.iter().map(failed).sum()
}

/// Scores one record.
pub fn score(protocol: &Protocol, record: &Scored) -> ScoreRow {
    let mut row = ScoreRow {
        passed: record.adjudication == Adjudication::Eligible,
        availability: f64::NAN,
        constraint: f64::NAN,
        error: f64::NAN,
        total: f64::NAN,
        mae: f64::NAN,
        rmse: f64::NAN,
        compared: 0,
        gating_failures: gating_failures(protocol, record.counts),
    };
    let gate = protocol.of_dimensions.and_then(|total| total.gate);
    if !row.passed {
        // What the gate of dimensions keeps out is worth nothing, which is known.
        row.total = gate.map_or(f64::NAN, |_| 0.0);
        return row;
    }
    match (record.compared, record.gold) {
        (Some(compared), _) => {
            let [sum, squares, weights] = compared.sums;
            row.compared = compared.compared;
            set_error(sum / weights, squares / weights, &mut row);
        }
        (None, Some(gold)) => add_error(protocol, record, gold.numbers, &mut row),
        (None, None) => {}
    }
    if let Some(three) = &protocol.three {
        add_three(protocol, three, record, &mut row);
    }
    if protocol.of_dimensions.is_some() {
        row.total = crate::dimensions::total(protocol, record.dimensions);
    }
    row
}

/// Adds the three scores, and their weighted sum.
fn add_three(protocol: &Protocol, three: &ThreeScores, record: &Scored, row: &mut ScoreRow) {
    let sum = |pick: fn(&FamilyCount) -> u32| record.counts.iter().map(pick).sum::<u32>();
    let (critical, warning) = (sum(|c| c.critical), sum(|c| c.warning));
    if record.required > 0 {
        row.availability = 100.0 * f64::from(record.present) / f64::from(record.required);
    }
    let weights = &protocol.severity_weights;
    let passed_weight = f64::from(sum(FamilyCount::passed)) * weights.info;
    let all_weight = passed_weight
        + f64::from(sum(|c| c.info)) * weights.info
        + f64::from(warning) * weights.warning
        + f64::from(critical) * weights.critical;
    if all_weight > 0.0 {
        row.constraint = 100.0 * passed_weight / all_weight;
    }
    if !row.mae.is_nan() {
        row.error = three.mae_weight * curve_at(&three.mae_curve, row.mae)
            + three.rmse_weight * curve_at(&three.rmse_curve, row.rmse);
    }
    let w = &three.weights;
    row.total = w.availability * row.availability
        + w.constraint_satisfaction * row.constraint
        + w.conditional_error * row.error;
}

fn add_error(protocol: &Protocol, record: &Scored, gold: &[f64], row: &mut ScoreRow) {
    // A fixed order of summation: field by field, step by step.
    let (mut sum, mut squares, mut compared) = (0.0, 0.0, 0u32);
    for (field, entry) in protocol.fields.iter().enumerate() {
        let slots = field * record.horizon..(field + 1) * record.horizon;
        for (predicted, truth) in record.answer.numbers[slots.clone()]
            .iter()
            .zip(&gold[slots])
        {
            if !predicted.is_nan() && !truth.is_nan() {
                let error = entry.distance(*predicted, *truth);
                sum += error;
                squares += error * error;
                compared += 1;
            }
        }
    }
    row.compared = compared;
    if compared == 0 {
        return;
    }
    let count = f64::from(compared);
    set_error(sum / count, squares / count, row);
}

fn set_error(mae: f64, mean_square: f64, row: &mut ScoreRow) {
    let rmse = mean_square.sqrt();
    if mae.is_finite() && rmse.is_finite() {
        row.mae = mae;
        row.rmse = rmse;
    }
}

fn curve_at(curve: &judica_stats::curve::Curve, error: f64) -> f64 {
    curve.at(error).unwrap_or(f64::NAN)
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
