//! Scores: the fixed protocol that turns evidence and gold into four numbers.
//!
//! Only records that passed the gate are scored. No score is ever made up: without
//! usable gold the error score is null, and so is the total.

use judica_model::evidence::Severity;
use judica_model::record::Adjudication;

use crate::compare::Compared;
use crate::evidence::{FamilyCount, Known};
use crate::protocol::{Protocol, ThreeScores};
use judica_stats::curve::Curve;

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
        } else if protocol.of_dimensions.is_some() && self.total.is_nan() {
            Some("no dimension is defined")
        } else if self.compared == 0 {
            Some("no usable gold")
        } else if self.mae.is_nan() {
            Some("the error is not a finite number")
        } else if protocol.three.is_none() {
            // Nothing else is asked for.
            None
        } else if self.availability.is_nan() {
            Some("the protocol requires no field")
        } else if self.constraint.is_nan() {
            Some("no evidence")
        } else {
            None
        }
    }
}

/// What a record counts as in means of totals: the cap where gated, nothing without usable gold
/// or where no record can have a total.
pub fn counts_as(protocol: &Protocol, passed: bool, total: f64, has_gold: bool) -> Option<f64> {
    if protocol.of_dimensions.is_none() && !(has_gold && protocol.has_totals()) {
        return None;
    }
    match total.is_nan() {
        true => (!passed).then_some(protocol.cap),
        // Also of what a gate of dimensions keeps out.
        false => Some(total),
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
    /// The answer against the gold, where that was held side by side already.
    pub errors: Option<Errors>,
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
    let (compared, [sum, squares, weights]) = match (record.errors, record.compared, record.gold) {
        (Some(errors), _, _) => errors,
        (None, Some(compared), _) => (compared.compared, compared.sums),
        (None, None, Some(gold)) => errors(protocol, record, gold.numbers),
        (None, None, None) => (0, [0.0; 3]),
    };
    row.compared = compared;
    let errors = [sum / weights, (squares / weights).sqrt()];
    if errors.iter().all(|error| error.is_finite()) {
        [row.mae, row.rmse] = errors;
    }
    if let Some(three) = &protocol.three {
        add_three(protocol, three, record, errors, &mut row);
    }
    if protocol.of_dimensions.is_some() {
        row.total = crate::dimensions::total(protocol, record.dimensions);
    }
    row
}

/// Adds the three scores, and their weighted sum. Errors that are too large for a number are
/// beyond the end of their curves.
fn add_three(
    protocol: &Protocol,
    three: &ThreeScores,
    record: &Scored,
    [mae, rmse]: [f64; 2],
    row: &mut ScoreRow,
) {
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
    let at = |curve: &Curve, error| curve.at(error).unwrap_or(f64::NAN);
    row.error = three.mae_weight * at(&three.mae_curve, mae)
        + three.rmse_weight * at(&three.rmse_curve, rmse);
    let w = &three.weights;
    row.total = match row.constraint.is_nan() {
        false => {
            w.availability * row.availability
                + w.constraint_satisfaction * row.constraint
                + w.conditional_error * row.error
        }
        // Where nothing was checked (all that was answered is null, which it may be), the others
        // take its share: a record with an error has a total, or models would climb by null.
        true => {
            let others = w.availability + w.conditional_error;
            let of_others = w.availability * row.availability + w.conditional_error * row.error;
            of_others * (others + w.constraint_satisfaction) / others
        }
    };
}

/// How many values were compared; the sums of their errors and squared errors, and of weights.
pub type Errors = (u32, [f64; 3]);

/// The errors of a record against its gold.
fn errors(protocol: &Protocol, record: &Scored, gold: &[f64]) -> Errors {
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
    (compared, [sum, squares, f64::from(compared)])
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
