//! The dimensions of a record: each a score from 0 to 100 that looks at one thing, or nothing
//! where there is nothing to look at.

use judica_model::evidence::Severity;

use crate::checks::Checks;
use crate::evidence::OfRecord;
use crate::protocol::Protocol;
use crate::protocol::file::DimensionKind;
use crate::response::FieldState;

/// What the dimensions of a record are made of.
pub struct Seen<'a> {
    /// What check numbers mean.
    pub checks: &'a Checks,
    /// Its atoms.
    pub atoms: OfRecord<'a>,
    /// One state per field.
    pub states: &'a [FieldState],
    /// The predicted values, NaN where invalid.
    pub values: &'a [f64],
    /// The gold values, NaN where there is none.
    pub gold: Option<&'a [f64]>,
    /// Values per field.
    pub horizon: usize,
}

/// Appends the dimensions of a record, NaN for what is undefined; `filtered` is one that the
/// gate keeps out.
pub fn score(protocol: &Protocol, seen: &Seen, filtered: bool, out: &mut Vec<f64>) {
    let gate = protocol.of_dimensions.and_then(|total| total.gate);
    for (number, dimension) in protocol.dimensions.iter().enumerate() {
        out.push(match dimension.kind {
            _ if filtered && gate == Some(number) => 0.0,
            _ if filtered => f64::NAN,
            DimensionKind::Fields => fields(protocol, seen),
            DimensionKind::Error => error(protocol, seen),
            DimensionKind::Atoms => atoms(protocol, seen, &dimension.families),
        });
    }
}

/// The weighted mean of the dimensions that are defined; NaN where none is.
pub fn total(protocol: &Protocol, dimensions: &[f64]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (dimension, value) in protocol.dimensions.iter().zip(dimensions) {
        if !value.is_nan() {
            sum += dimension.weight * value;
            weights += dimension.weight;
        }
    }
    // Nothing over nothing is NaN.
    sum / weights
}

/// The share of required fields whose values can be used; null is one where it is an answer.
fn fields(protocol: &Protocol, seen: &Seen) -> f64 {
    let (mut usable, mut required) = (0u32, 0u32);
    for (field, state) in protocol.fields.iter().zip(seen.states) {
        if field.required && *state != FieldState::NotAsked {
            let null = field.nullable && *state == FieldState::Null;
            required += 1;
            usable += u32::from(null || *state == FieldState::Valid);
        }
    }
    match required {
        0 => f64::NAN,
        _ => 100.0 * f64::from(usable) / f64::from(required),
    }
}

/// What atoms of some families are worth, each weighing by its severity.
fn atoms(protocol: &Protocol, seen: &Seen, families: &[usize]) -> f64 {
    let weights = &protocol.severity_weights;
    let (mut sum, mut all) = (0.0, 0.0);
    for (atom, check) in seen.atoms.check.iter().enumerate() {
        if !families.contains(&seen.checks.get(*check).family) {
            continue;
        }
        let code = seen.atoms.severity[atom];
        let (score, severity) = match seen.atoms.grade(atom) {
            Some(grade) => (grade.score, grade.severity),
            None => {
                let score = if code == 0 { 1.0 } else { 0.0 };
                (score, Severity::ALL[usize::from(code)])
            }
        };
        let weight = match severity {
            Severity::Critical => weights.critical,
            Severity::Warning => weights.warning,
            Severity::Info => weights.info,
        };
        sum += weight * score;
        all += weight;
    }
    if all > 0.0 {
        100.0 * sum / all
    } else {
        f64::NAN
    }
}

/// How near predictions are to the gold, by the widths of the limits: the mean of what the mean
/// absolute and the root mean square error leave of 1.
fn error(protocol: &Protocol, seen: &Seen) -> f64 {
    let Some(gold) = seen.gold else {
        return f64::NAN;
    };
    let (mut sum, mut squares, mut compared) = (0.0, 0.0, 0u32);
    for (field, entry) in protocol.fields.iter().enumerate() {
        let Some([low, high]) = entry.limit else {
            continue;
        };
        let slots = field * seen.horizon..(field + 1) * seen.horizon;
        for (predicted, truth) in seen.values[slots.clone()].iter().zip(&gold[slots]) {
            if !predicted.is_nan() && !truth.is_nan() {
                let error = entry.distance(*predicted, *truth) / (high - low);
                sum += error;
                squares += error * error;
                compared += 1;
            }
        }
    }
    if compared == 0 {
        return f64::NAN;
    }
    let n = f64::from(compared);
    let left = |error: f64| (1.0 - error).clamp(0.0, 1.0);
    100.0 * (left(sum / n) + left((squares / n).sqrt())) / 2.0
}

#[cfg(test)]
#[path = "dimensions_tests.rs"]
mod tests;
