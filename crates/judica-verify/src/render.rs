//! Records as JSON, written straight from the columns.
//!
//! Everything that is the same for every record (names, passed messages, limits) is
//! rendered once per check when the run begins; a record is then mostly copying. The
//! same code serves `eval --records jsonl`, `show` and `export`, so that a record
//! reads the same wherever it comes from.

mod message;
mod parts;

use std::sync::Arc;

use judica_data::json::text::{write_list, write_number, write_string, write_string_or_null};
use judica_model::evidence::Severity;
use judica_model::record::{Adjudication, Trace};
use judica_model::table::counted;

use crate::agent::Evidence;
use crate::beside::USAGE;
use crate::checks::{CheckKind, Checks};
use crate::evidence::family::Says;
use crate::evidence::{FamilyCount, OfRecord};
use crate::protocol::Protocol;
use crate::response::ParseOutcome;
use crate::score::ScoreRow;

pub use message::plain_number;
pub(crate) use message::{in_unit, number_beside, told, with_unit};
use parts::{CheckParts, OBSERVED};

/// One record, borrowed from the columns it stands in.
#[derive(Clone, Copy)]
pub struct RecordView<'a> {
    /// The sample that was answered.
    pub sample_id: &'a str,
    /// The model that answered.
    pub model_name: &'a str,
    /// Position of the task.
    pub task: usize,
    /// The input it came from.
    pub input_file: &'a str,
    /// Its line there.
    pub input_line: u64,
    /// Which repeat of the question, from 1.
    pub epoch: i32,
    /// What it stands or falls with.
    pub cluster: Option<&'a str>,
    /// What the answer took, by [`USAGE`]; NaN for what is not known.
    pub usage: Option<[f64; USAGE.len()]>,
    /// How the response was read.
    pub outcome: ParseOutcome,
    /// Required keys present.
    pub present: u32,
    /// The predicted values, NaN where invalid: what messages show.
    pub values: &'a [f64],
    /// The atoms.
    pub atoms: OfRecord<'a>,
    /// Atoms per family.
    pub counts: &'a [FamilyCount],
    /// The decision.
    pub adjudication: Adjudication,
    /// The scores.
    pub scores: &'a ScoreRow,
    /// The dimensions, NaN for what is undefined.
    pub dimensions: &'a [f64],
}

/// Renders records of one run.
pub struct Renderer {
    protocol: Arc<Protocol>,
    checks: Arc<Checks>,
    parts: Vec<CheckParts>,
    families_upper: Vec<String>,
    trace: Vec<u8>,
    scores_atoms: bool,
}

impl Renderer {
    /// A renderer for records with this trace.
    pub fn new(protocol: &Arc<Protocol>, checks: &Arc<Checks>, trace: &Trace) -> Self {
        Renderer {
            protocol: Arc::clone(protocol),
            checks: Arc::clone(checks),
            parts: (0..checks.list.len())
                .map(|number| CheckParts::new(protocol, checks, number as u16))
                .collect(),
            families_upper: protocol
                .families
                .iter()
                .map(|family| family.name.to_uppercase())
                .collect(),
            scores_atoms: protocol.scores_atoms(),
            // A trace is made of text and numbers only; it always serialises.
            trace: serde_json::to_vec(trace).unwrap_or_default(),
        }
    }

    /// The same for records with more checks, which come after those that it knows.
    #[must_use]
    pub fn with_checks(&self, checks: &Arc<Checks>) -> Self {
        let new = self.parts.len()..checks.list.len();
        let new = new.map(|number| CheckParts::new(&self.protocol, checks, number as u16));
        Renderer {
            protocol: Arc::clone(&self.protocol),
            checks: Arc::clone(checks),
            parts: self.parts.iter().cloned().chain(new).collect(),
            families_upper: self.families_upper.clone(),
            scores_atoms: self.scores_atoms,
            trace: self.trace.clone(),
        }
    }

    /// Appends one record as a JSON object, without a newline.
    pub fn write(&self, record: &RecordView, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"sample_id\":");
        write_string(record.sample_id, out);
        out.extend_from_slice(b",\"model_name\":");
        write_string(record.model_name, out);
        out.extend_from_slice(b",\"task_id\":");
        write_string(&self.protocol.tasks[record.task].name, out);
        out.extend_from_slice(b",\"input_file\":");
        write_string(record.input_file, out);
        out.extend_from_slice(b",\"input_line\":");
        out.extend_from_slice(record.input_line.to_string().as_bytes());
        write_beside(record, out);
        self.write_protocol_result(record, out);
        out.extend_from_slice(b",\"evidence_pack\":{\"atoms\":[");
        for atom in 0..record.atoms.check.len() {
            if atom > 0 {
                out.push(b',');
            }
            self.write_atom(record, atom, out);
        }
        out.extend_from_slice(b"]},\"agent_output\":");
        self.write_agent_output(record, out);
        self.write_scores(record, out);
        out.extend_from_slice(b",\"trace\":");
        out.extend_from_slice(&self.trace);
        out.push(b'}');
    }

    fn write_protocol_result(&self, record: &RecordView, out: &mut Vec<u8>) {
        let success = record.outcome.succeeded();
        out.extend_from_slice(b",\"protocol_result\":{\"parsing\":{\"success\":");
        write_bool(success, out);
        out.extend_from_slice(b",\"method\":");
        write_string_or_null(success.then(|| record.outcome.name()), out);
        out.extend_from_slice(b",\"error\":");
        write_string_or_null((!success).then(|| record.outcome.name()), out);
        let required = self.protocol.required_fields() as u32;
        out.extend_from_slice(b"},\"field_completeness\":{\"present\":");
        write_integer(record.present, out);
        out.extend_from_slice(b",\"required\":");
        write_integer(required, out);
        out.extend_from_slice(b",\"rate\":");
        let rate = if required == 0 {
            f64::NAN
        } else {
            f64::from(record.present) / f64::from(required)
        };
        write_optional_number(rate, out);
        let failed_fields = |said: &[Says]| {
            let mut fields: Vec<usize> = Vec::new();
            for (check, code) in record.atoms.check.iter().zip(record.atoms.severity) {
                if *code == 0 {
                    continue;
                }
                let check = self.checks.get(*check);
                if said.contains(&check.says())
                    && let Some(field) = check.field
                    && fields.last() != Some(&field)
                {
                    fields.push(field);
                }
            }
            fields
        };
        out.extend_from_slice(b",\"missing\":[");
        let missing = match success {
            true => failed_fields(&[Says::Missing]),
            // No object, no field.
            false => (0..self.protocol.fields.len())
                .filter(|field| self.protocol.fields[*field].required)
                .collect(),
        };
        self.write_field_names(&missing, out);
        let invalid = failed_fields(&[Says::Value, Says::WrongShape]);
        out.extend_from_slice(b"]},\"type_validation\":{\"valid\":");
        write_bool(
            success && invalid.is_empty() && record.present == required,
            out,
        );
        out.extend_from_slice(b",\"invalid\":[");
        self.write_field_names(&invalid, out);
        out.extend_from_slice(b"]}}");
    }

    fn write_field_names(&self, fields: &[usize], out: &mut Vec<u8>) {
        for (position, field) in fields.iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            write_string(&self.protocol.fields[*field].name, out);
        }
    }

    fn write_atom(&self, record: &RecordView, atom: usize, out: &mut Vec<u8>) {
        let parts = &self.parts[usize::from(record.atoms.check[atom])];
        out.extend_from_slice(b"{\"id\":\"");
        write_evidence_id(atom, out);
        let code = record.atoms.severity[atom];
        let passed = record.atoms.passed(atom);
        if passed && let Some(whole) = &parts.passed_whole {
            out.extend_from_slice(whole);
            write_optional_number(record.atoms.observed[atom], out);
            out.extend_from_slice(b"}}");
            return;
        }
        out.extend_from_slice(&parts.identity);
        let grade = record.atoms.grade(atom);
        if passed && grade.is_none() {
            out.extend_from_slice(&parts.passed);
        } else {
            let severity = grade.map_or(Severity::ALL[usize::from(code)], |grade| grade.severity);
            out.extend_from_slice(b"\"pass\":");
            write_bool(passed, out);
            out.extend_from_slice(b",\"severity\":\"");
            out.extend_from_slice(severity.name().as_bytes());
            if self.scores_atoms {
                out.extend_from_slice(b"\",\"score\":");
                write_number(grade.map_or(0.0, |grade| grade.score), out);
                out.extend_from_slice(b",\"scope\":\"");
            } else {
                out.extend_from_slice(b"\",\"scope\":\"");
            }
            out.extend_from_slice(parts.scope.as_bytes());
            out.extend_from_slice(b"\",\"message\":");
            match passed {
                true => write_string("passed", out),
                false => write_string(&self.message(record, atom), out),
            }
        }
        out.extend_from_slice(&parts.meta);
        self.write_adjusted(record, atom, out);
        if parts.computed_limits {
            self.write_computed_limits(record, atom, out);
        }
        out.extend_from_slice(OBSERVED);
        // The text of a rule's or a program's atom is its message.
        let of_rule = matches!(
            self.checks.get(record.atoms.check[atom]).kind,
            CheckKind::Rule(_) | CheckKind::External
        );
        match record.atoms.text(atom).filter(|_| !of_rule) {
            Some(text) => write_string(text, out),
            None => write_optional_number(record.atoms.observed[atom], out),
        }
        if !passed && let Some(limit) = record.atoms.limit(atom) {
            out.extend_from_slice(b",\"limit\":");
            write_number(limit, out);
        }
        out.extend_from_slice(b"}}");
    }

    /// Appends the rules that changed an atom's score, if any did.
    fn write_adjusted(&self, record: &RecordView, atom: usize, out: &mut Vec<u8>) {
        let grade = record.atoms.grade(atom).filter(|grade| grade.adjusted > 0);
        let Some(grade) = grade else {
            return;
        };
        let names = self
            .checks
            .adjusting(&self.protocol, record.atoms.check[atom], grade);
        out.extend_from_slice(b",\"adjusted_by\":");
        write_list(names, write_string, out);
    }

    fn write_agent_output(&self, record: &RecordView, out: &mut Vec<u8>) {
        let evidence = self.evidence(record);
        out.extend_from_slice(b"{\"checklist\":[");
        for (position, item) in evidence.checklist().into_iter().enumerate() {
            out.extend_from_slice(if position > 0 {
                b",{\"item_id\":\"CHECK_"
            } else {
                b"{\"item_id\":\"CHECK_"
            });
            write_padded(position + 1, out);
            out.extend_from_slice(b"\",\"constraint_id\":");
            write_string(&self.families_upper[item.family], out);
            out.extend_from_slice(b",\"evidence_id\":");
            match item.atoms.is_empty() {
                true => out.extend_from_slice(b"null"),
                false => write_evidence_ids(std::iter::once(item.atoms.start), out),
            }
            out.extend_from_slice(b",\"evidence_ids\":[");
            write_evidence_ids(item.atoms, out);
            out.extend_from_slice(b"],\"status\":\"");
            out.extend_from_slice(item.status.name().as_bytes());
            out.extend_from_slice(b"\"}");
        }
        out.extend_from_slice(b"],\"adjudication\":\"");
        out.extend_from_slice(record.adjudication.name().as_bytes());
        out.extend_from_slice(b"\",\"attribution\":[");
        for (position, reason) in evidence.attribute().into_iter().enumerate() {
            out.extend_from_slice(if position > 0 {
                b",{\"rank\":"
            } else {
                b"{\"rank\":"
            });
            write_integer(position as u32 + 1, out);
            out.extend_from_slice(b",\"reason\":");
            write_string(&self.message(record, reason.atoms[0] as usize), out);
            out.extend_from_slice(b",\"rule\":");
            write_string(&self.checks.rule_names[reason.rule], out);
            out.extend_from_slice(b",\"field\":");
            write_string_or_null(
                reason.label.map(|label| self.checks.labels[label].as_str()),
                out,
            );
            out.extend_from_slice(b",\"severity\":\"");
            out.extend_from_slice(reason.severity.name().as_bytes());
            out.extend_from_slice(b"\",\"evidence_ids\":[");
            write_evidence_ids(reason.atoms.iter().copied(), out);
            out.extend_from_slice(b"],\"count\":");
            write_integer(reason.atoms.len() as u32, out);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
    }

    fn write_scores(&self, record: &RecordView, out: &mut Vec<u8>) {
        let row = record.scores;
        out.extend_from_slice(b",\"optional_scores\":{");
        for (key, value) in [
            ("\"availability_score\":", row.availability),
            (",\"constraint_satisfaction_score\":", row.constraint),
            (",\"conditional_error_score\":", row.error),
            (",\"total_score\":", row.total),
            (",\"mae\":", row.mae),
            (",\"rmse\":", row.rmse),
        ] {
            out.extend_from_slice(key.as_bytes());
            write_optional_number(value, out);
        }
        if !self.protocol.dimensions.is_empty() {
            out.extend_from_slice(b",\"dimensions\":{");
            let values = self.protocol.dimensions.iter().zip(record.dimensions);
            for (position, (dimension, value)) in values.enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_string(&dimension.name, out);
                out.push(b':');
                write_optional_number(*value, out);
            }
            out.push(b'}');
        }
        out.extend_from_slice(b",\"compared_values\":");
        write_integer(row.compared, out);
        out.extend_from_slice(b",\"undefined\":");
        write_string_or_null(row.undefined(&self.protocol), out);
        out.extend_from_slice(b",\"gating\":{\"passed\":");
        write_bool(row.passed, out);
        out.extend_from_slice(b",\"reasons\":[");
        if !row.passed {
            write_string(&gating_reason(&self.protocol, record), out);
        }
        out.extend_from_slice(b"],\"cap\":");
        write_number(self.protocol.cap, out);
        out.extend_from_slice(b",\"grade\":");
        write_string_or_null(grade(&self.protocol, row), out);
        out.extend_from_slice(b"}}");
    }

    fn evidence<'a>(&'a self, record: &RecordView<'a>) -> Evidence<'a> {
        Evidence {
            protocol: &self.protocol,
            checks: &self.checks,
            atoms: record.atoms,
            counts: record.counts,
        }
    }
}

/// What few records have: a repeat, a cluster, usage.
fn write_beside(record: &RecordView, out: &mut Vec<u8>) {
    if record.epoch != 1 {
        out.extend_from_slice(format!(",\"epoch\":{}", record.epoch).as_bytes());
    }
    if let Some(cluster) = record.cluster {
        out.extend_from_slice(b",\"cluster\":");
        write_string(cluster, out);
    }
    for (name, number) in USAGE.iter().zip(record.usage.unwrap_or([f64::NAN; 4])) {
        if !number.is_nan() {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            write_number(number, out);
        }
    }
}

/// Why a record did not pass the gate.
fn gating_reason(protocol: &Protocol, record: &RecordView) -> String {
    if let Some(gate) = protocol.of_dimensions.and_then(|total| total.gate) {
        let missing = protocol.required_fields() as u32 - record.present;
        let why = match record.outcome.succeeded() {
            true => {
                let fields = ["required field is", "required fields are"];
                format!("{} missing", counted(missing.into(), fields))
            }
            false => "the response holds no usable object".to_owned(),
        };
        return format!("{}: {why}", protocol.dimensions[gate].name);
    }
    let n = record.scores.gating_failures;
    let violations = match protocol.gating_severity {
        Severity::Critical => ["critical violation", "critical violations"],
        _ => ["violation", "violations"],
    };
    format!("Found {}", counted(n.into(), violations))
}

/// The grade of a record: X where gated, `None` where the total is undefined.
pub fn grade<'p>(protocol: &'p Protocol, row: &ScoreRow) -> Option<&'p str> {
    if !row.passed {
        Some("X")
    } else if row.total.is_nan() {
        None
    } else {
        protocol.grade(row.total)
    }
}

fn write_evidence_id(atom: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(b"EVID_");
    write_padded(atom + 1, out);
}

fn write_evidence_ids(atoms: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    for (position, atom) in atoms.enumerate() {
        out.extend_from_slice(if position > 0 { b",\"" } else { b"\"" });
        write_evidence_id(atom as usize, out);
        out.push(b'"');
    }
}

/// At least three digits.
fn write_padded(number: usize, out: &mut Vec<u8>) {
    if number < 1000 {
        let digit = |n: usize| b'0' + (n % 10) as u8;
        out.extend_from_slice(&[digit(number / 100), digit(number / 10), digit(number)]);
    } else {
        out.extend_from_slice(number.to_string().as_bytes());
    }
}

fn write_integer(number: u32, out: &mut Vec<u8>) {
    if number < 10 {
        out.push(b'0' + number as u8);
    } else {
        out.extend_from_slice(number.to_string().as_bytes());
    }
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// NaN stands for null.
fn write_optional_number(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(b"null");
    } else {
        write_number(value, out);
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
