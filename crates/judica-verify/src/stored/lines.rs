//! Records from `records.jsonl`.

use std::path::{Path, PathBuf};

use judica_data::chunks::ChunkReader;
use judica_model::evidence::Severity;
use judica_model::record::{Adjudication, Record};
use serde_json::Value;

use super::record::{StoredError, StoredRecord, unexpected};
use crate::checks::{CheckKind, Checks};
use crate::evidence::FamilyCount;
use crate::protocol::Protocol;
use crate::response::ParseOutcome;
use crate::score::{ScoreRow, gating_failures};

/// Bytes read at a time.
const CHUNK_BYTES: usize = 4 << 20;

/// Calls `each` with every record of a file in order; stops at the first error.
pub fn for_each<E: From<StoredError>>(
    path: &Path,
    protocol: &Protocol,
    checks: &Checks,
    each: &mut dyn FnMut(&StoredRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader =
        ChunkReader::new(&[PathBuf::from(path)], CHUNK_BYTES).map_err(StoredError::from)?;
    while let Some(chunk) = reader.next_chunk().map_err(StoredError::from)? {
        for line in chunk.records() {
            let record: Record = serde_json::from_slice(line.bytes)
                .map_err(|error| unexpected(&format!("line {}", line.line), error.to_string()))?;
            each(&stored(protocol, checks, record)?)?;
        }
        reader.recycle(chunk);
    }
    Ok(())
}

/// A record in the columns' terms.
fn stored(
    protocol: &Protocol,
    checks: &Checks,
    record: Record,
) -> Result<StoredRecord, StoredError> {
    let task = protocol.task_index(&record.task_id).ok_or_else(|| {
        unexpected(
            "task_id",
            format!("`{}` is no task of the protocol", record.task_id),
        )
    })?;
    let parsing = &record.protocol_result.parsing;
    let name = parsing
        .method
        .as_deref()
        .or(parsing.error.as_deref())
        .unwrap_or_default();
    let outcome = ParseOutcome::ALL
        .into_iter()
        .find(|outcome| outcome.name() == name)
        .ok_or_else(|| unexpected("parsing", format!("`{name}` is unknown")))?;
    let scores = &record.optional_scores;
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let mut stored = StoredRecord {
        sample_id: record.sample_id,
        model_name: record.model_name,
        task,
        // Records as JSON do not say which line they came from.
        input_file: String::new(),
        input_line: 0,
        outcome,
        present: record.protocol_result.field_completeness.present,
        values: vec![f64::NAN; protocol.fields.len() * protocol.tasks[task].horizon],
        check: Vec::new(),
        severity: Vec::new(),
        observed: Vec::new(),
        texts: Vec::new(),
        limits: Vec::new(),
        counts: vec![FamilyCount::default(); protocol.families.len()],
        adjudication: record.agent_output.adjudication,
        scores: ScoreRow {
            passed: record.agent_output.adjudication == Adjudication::Eligible,
            availability: number(scores.availability_score),
            constraint: number(scores.constraint_satisfaction_score),
            error: number(scores.conditional_error_score),
            total: number(scores.total_score),
            mae: number(scores.mae),
            rmse: number(scores.rmse),
            compared: scores.compared_values,
            gating_failures: 0,
        },
    };
    for atom in &record.evidence_pack.atoms {
        let rule = checks.rule_names.iter().position(|name| *name == atom.rule);
        let label = match &atom.field {
            Some(field) => {
                let known = checks.labels.iter().position(|label| label == field);
                Some(known.ok_or_else(|| unexpected("field", field.as_str()))?)
            }
            None => None,
        };
        let step = atom
            .meta
            .get("step")
            .and_then(Value::as_u64)
            .map(|step| step as usize);
        let check = rule
            .and_then(|rule| checks.find(task, rule, label, step))
            .ok_or_else(|| {
                unexpected(
                    "rule",
                    format!("`{}` is no check the protocol makes", atom.rule),
                )
            })?;
        let known = checks.get(check);
        let (observed, text) = observed(known.kind, atom.meta.get("observed"));
        if let Some(limit) = atom.meta.get("limit").and_then(Value::as_f64) {
            stored.limits.push((stored.check.len() as u32, limit));
        }
        stored.push_atom(protocol, checks, check, atom.severity as u8, observed, text);
        let count = &mut stored.counts[known.family];
        count.atoms += 1;
        count.critical += u32::from(atom.severity == Severity::Critical);
        count.warning += u32::from(atom.severity == Severity::Warning);
    }
    stored.scores.gating_failures = gating_failures(protocol, &stored.counts);
    Ok(stored)
}

/// The observed value: a number, or text where a number should have been. JSON has no
/// infinity, so an infinite number is text too, but only where a number belongs.
fn observed(kind: CheckKind, value: Option<&Value>) -> (f64, Option<&str>) {
    let holds_text = matches!(
        kind,
        CheckKind::InvalidValue
            | CheckKind::WrongShape
            | CheckKind::ParseFailure
            | CheckKind::ApiError
    );
    match value {
        Some(Value::String(text)) if holds_text => (f64::NAN, Some(text)),
        Some(Value::String(text)) if text == "Infinity" => (f64::INFINITY, None),
        Some(Value::String(text)) if text == "-Infinity" => (f64::NEG_INFINITY, None),
        Some(value) => (value.as_f64().unwrap_or(f64::NAN), None),
        None => (f64::NAN, None),
    }
}
