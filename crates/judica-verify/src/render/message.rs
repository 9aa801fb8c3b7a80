//! What a failed atom says to people.

use std::fmt::Write;

use judica_model::evidence::Severity;

use super::parts::write_rule_limits;
use super::{RecordView, Renderer};
use crate::checks::{Check, CheckKind};
use crate::evidence::field_slots;
use crate::protocol::Protocol;
use crate::protocol::file::Each;
use crate::protocol::rule::{Finding, Rule};
use crate::protocol::template::{Hole, Piece};

/// A number as people read it: at most six decimals, no trailing zeros.
pub fn plain_number(value: f64) -> String {
    if value.is_nan() {
        return "n/a".to_owned();
    }
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return (value as i64).to_string();
    }
    if value.is_infinite() || (value != 0.0 && !(1e-6..1e15).contains(&value.abs())) {
        return format!("{value:e}");
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The same beside another number: with all its digits where fewer would show them alike.
pub(crate) fn number_beside(value: f64, other: f64) -> String {
    let short = plain_number(value);
    match value != other && short == plain_number(other) {
        true => value.to_string(),
        false => short,
    }
}

impl Renderer {
    /// The message of a failed atom.
    pub(super) fn message(&self, record: &RecordView, atom: usize) -> String {
        let check = self.checks.get(record.atoms.check[atom]);
        let observed = record.atoms.observed[atom];
        match check.kind {
            CheckKind::BuiltIn(rule) => {
                let text = record.atoms.text(atom).unwrap_or_default();
                (rule.message)(&self.checks.spot(&self.protocol, check), observed, text)
            }
            CheckKind::External => record.atoms.text(atom).unwrap_or("failed").to_owned(),
            CheckKind::Rule(position) => match record.atoms.text(atom) {
                // Told when it failed.
                Some(text) => text.to_owned(),
                None => {
                    let rule = &self.protocol.rules[position];
                    let score = record.atoms.grade(atom).map(|grade| grade.score);
                    self.rule_message(record, check, rule, observed, score)
                }
            },
        }
    }

    fn rule_message(
        &self,
        record: &RecordView,
        check: &Check,
        rule: &Rule,
        observed: f64,
        score: Option<f64>,
    ) -> String {
        let finding = match score {
            Some(_) => None,
            None => self
                .slots(record, check, rule, observed)
                .and_then(|slots| rule.check(&slots)),
        };
        let limit = finding.map_or(f64::NAN, |finding| finding.limit);
        let severity = finding.map_or(Severity::Info, |finding| finding.severity);
        let found = Finding {
            severity,
            observed,
            limit,
        };
        told(&self.protocol, check, rule, found, score, |field| {
            plain_number(self.value_at(record, check, field))
        })
    }

    /// Appends the limits of a rule whose thresholds depend on the record.
    pub(super) fn write_computed_limits(
        &self,
        record: &RecordView,
        atom: usize,
        out: &mut Vec<u8>,
    ) {
        let check = self.checks.get(record.atoms.check[atom]);
        if let CheckKind::Rule(position) = check.kind {
            let rule = &self.protocol.rules[position];
            if let Some(slots) = self.slots(record, check, rule, record.atoms.observed[atom]) {
                write_rule_limits(rule, &slots, out);
            }
        }
    }

    /// The values a rule was evaluated on.
    fn slots(
        &self,
        record: &RecordView,
        check: &Check,
        rule: &Rule,
        observed: f64,
    ) -> Option<Vec<f64>> {
        match rule.each {
            Each::Step => Some(
                (0..self.protocol.fields.len())
                    .map(|field| self.value_at(record, check, field))
                    .collect(),
            ),
            // A per-field rule that observes the change itself can be evaluated again.
            Each::Field
                if rule
                    .value
                    .as_ref()
                    .is_some_and(|value| value.source() == "max_change") =>
            {
                check
                    .field
                    .map(|field| field_slots(&self.protocol, field, Some(observed)).to_vec())
            }
            Each::Field => {
                let field = check.field?;
                let horizon = self.protocol.tasks[record.task].horizon;
                let values = record.values.get(field * horizon..(field + 1) * horizon)?;
                let change = crate::evidence::largest_change(&self.protocol, field, values)
                    .map(|(change, _)| change);
                Some(field_slots(&self.protocol, field, change).to_vec())
            }
        }
    }

    fn value_at(&self, record: &RecordView, check: &Check, field: usize) -> f64 {
        let horizon = self.protocol.tasks[record.task].horizon;
        record
            .values
            .get(field * horizon + check.step.unwrap_or(0))
            .copied()
            .unwrap_or(f64::NAN)
    }
}

/// What a rule's failure says; `show` shows what stands in a slot.
pub(crate) fn told(
    protocol: &Protocol,
    check: &Check,
    rule: &Rule,
    found: Finding,
    score: Option<f64>,
    show: impl Fn(usize) -> String,
) -> String {
    let field = check.field.map(|field| &protocol.fields[field]);
    let unit = match (rule.unit.as_str(), field) {
        ("", Some(field)) => field.unit.as_str(),
        (unit, _) => unit,
    };
    let mut message = String::new();
    for piece in &rule.message.pieces {
        match piece {
            Piece::Text(text) => message.push_str(text),
            Piece::Hole(Hole::Value) => {
                message.push_str(&number_beside(found.observed, found.limit));
            }
            Piece::Hole(Hole::Unit) => message.push_str(unit),
            Piece::Hole(Hole::FieldName) => {
                message.push_str(field.map(|field| field.name.as_str()).unwrap_or_default())
            }
            Piece::Hole(Hole::Slot(slot)) => message.push_str(&show(*slot)),
        }
    }
    if !found.limit.is_nan() {
        let side = if found.observed > found.limit {
            "above"
        } else {
            "below"
        };
        let _ = write!(
            message,
            ": {side} the {} limit of {}",
            found.severity.name(),
            in_unit(number_beside(found.limit, found.observed), unit)
        );
    }
    if let Some(score) = score {
        let _ = write!(message, ": score {}", plain_number(score));
    }
    if let Some(step) = check.step {
        let _ = write!(message, " (step {step})");
    }
    message
}

/// A number with its unit, if it has one.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    in_unit(plain_number(value), unit)
}

/// What is shown of a number, with its unit.
pub(crate) fn in_unit(shown: String, unit: &str) -> String {
    match unit.is_empty() {
        true => shown,
        false => format!("{shown} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{number_beside, plain_number};

    #[test]
    fn numbers_are_short_and_honest() {
        for (value, text) in [
            (1619.0, "1619"),
            (0.1 + 0.2, "0.3"),
            (-0.0, "0"),
            (-2.5, "-2.5"),
            (1e-9, "1e-9"),
            (1e300, "1e300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "n/a"),
        ] {
            assert_eq!(plain_number(value), text);
        }
    }

    #[test]
    fn numbers_that_differ_are_shown_so() {
        for (value, other, text) in [
            (40.002 - 40.0, 0.002, "0.0020000000000024443"),
            (0.002, 40.002 - 40.0, "0.002"),
            (0.1 + 0.2, 0.4, "0.3"),
            (0.5, 0.5, "0.5"),
            (0.5, f64::NAN, "0.5"),
        ] {
            assert_eq!(number_beside(value, other), text);
        }
    }
}
