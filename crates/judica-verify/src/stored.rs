//! Records that were stored, read back with every atom as it was.

use std::sync::Arc;

use judica_data::work_error::WorkError;
use judica_model::evidence::Severity;
use judica_model::record::Adjudication;
use judica_model::run::{Evidence, OwnValue, RunRecord};
use judica_run::export::each;
use judica_run::manifest::{name, read_plain};
use judica_run::open::Run;
use rustc_hash::FxHashMap;

use crate::beside::USAGE;
use crate::checks::Checks;
use crate::columns::{DETAILS, NUMBERS};
use crate::evidence::FamilyCount;
use crate::evidence::family::Says;
use crate::options::{PROTOCOL, RunTrace};
use crate::protocol::{Protocol, load};
use crate::render::{RecordView, Renderer};
use crate::response::ParseOutcome;
use crate::score::{ScoreRow, gating_failures};

/// What the records of a run mean.
pub struct RecordReader {
    /// Its protocol.
    pub protocol: Arc<Protocol>,
    /// The protocol's numbered checks.
    pub checks: Arc<Checks>,
    /// What its records were made by.
    pub trace: RunTrace,
    rule_by_name: FxHashMap<String, usize>,
    label_by_name: FxHashMap<String, usize>,
}

impl RecordReader {
    /// Opens what a run says of its records.
    pub fn of(run: &Run) -> Result<RecordReader, WorkError> {
        let path = run.path.join(PROTOCOL);
        let wrong = |what: String| WorkError::BadArtifact(format!("{}: {what}", path.display()));
        let source = String::from_utf8(read_plain(&path)?);
        let source = source.map_err(|error| wrong(error.to_string()))?;
        let protocol = load::parse(&source, &path.display().to_string())
            .map_err(|error| WorkError::BadArtifact(error.to_string()))?;
        let trace = run.manifest.trace.clone().unwrap_or_default();
        let trace: RunTrace = serde_json::from_value(trace).map_err(|error| {
            let manifest = run.path.join(name::MANIFEST);
            WorkError::BadArtifact(format!("{}: trace: {error}", manifest.display()))
        })?;
        if protocol.hashes.config != trace.record.config_hash {
            return Err(wrong(format!(
                "its content ({}) is not the one the run was made with ({})",
                protocol.hashes.config, trace.record.config_hash
            )));
        }
        let checks = Checks::new(&protocol)?;
        Ok(RecordReader::new(protocol, checks, trace))
    }

    /// The same of what is known already.
    pub fn new(protocol: Protocol, checks: Checks, trace: RunTrace) -> RecordReader {
        let by_name = |names: &[String]| {
            let numbered = names.iter().cloned().zip(0..);
            numbered.collect::<FxHashMap<String, usize>>()
        };
        RecordReader {
            rule_by_name: by_name(&checks.rule_names),
            label_by_name: by_name(&checks.labels),
            protocol: Arc::new(protocol),
            checks: Arc::new(checks),
            trace,
        }
    }

    /// Who writes its records as JSON.
    pub fn renderer(&self) -> Renderer {
        Renderer::new(&self.protocol, &self.checks, &self.trace.record)
    }

    /// Calls `see` with every record in order; stops at the first error.
    pub fn for_each(
        &self,
        run: &Run,
        see: &mut dyn FnMut(&StoredRecord) -> Result<(), WorkError>,
    ) -> Result<(), WorkError> {
        each(run, &mut |record, _| see(&self.record(record)?))
    }

    /// A record with its atoms as the checks number them.
    pub fn record(&self, record: &RunRecord) -> Result<StoredRecord, WorkError> {
        let protocol = &self.protocol;
        let task = protocol
            .task_index(record.dataset)
            .ok_or_else(|| unexpected("dataset", &format!("`{}` is no task", record.dataset)))?;
        let families = protocol.families.len();
        let details = NUMBERS.len() + families;
        let text = |at: usize| match record.own.get(at) {
            Some(OwnValue::Text(text)) => Ok(*text),
            _ => Err(unexpected("parsing", "is not text")),
        };
        let number = |at: usize| match record.own.get(at) {
            Some(OwnValue::Number(number)) => *number,
            _ => f64::NAN,
        };
        let whole = |at: usize| match record.own.get(at) {
            Some(OwnValue::Integer(number)) => Ok(*number as u32),
            _ => Err(unexpected("counts", "are not whole numbers")),
        };
        let parsing = text(details)?;
        let outcome = ParseOutcome::ALL
            .into_iter()
            .find(|outcome| outcome.name() == parsing)
            .ok_or_else(|| unexpected("parsing", &format!("`{parsing}` is unknown")))?;
        let mut counts = Vec::with_capacity(families);
        for at in (0..families).map(|family| details + DETAILS + 3 * family) {
            counts.push(FamilyCount {
                atoms: whole(at)?,
                critical: whole(at + 1)?,
                warning: whole(at + 2)?,
            });
        }
        let eligible = record.decision == Some(Adjudication::Eligible.name());
        let place = record.place.unwrap_or_default();
        let mut stored = StoredRecord {
            sample_id: record.item.to_owned(),
            model_name: record.subject.to_owned(),
            task,
            input_file: place.file.to_owned(),
            input_line: place.line,
            epoch: record.epoch,
            cluster: record.cluster.map(str::to_owned),
            usage: usage(record),
            outcome,
            present: whole(details + 3)?,
            values: vec![f64::NAN; protocol.fields.len() * protocol.tasks[task].horizon],
            check: Vec::with_capacity(record.evidence.len()),
            severity: Vec::with_capacity(record.evidence.len()),
            observed: Vec::with_capacity(record.evidence.len()),
            texts: Vec::new(),
            limits: Vec::new(),
            adjudication: match eligible {
                true => Adjudication::Eligible,
                false => Adjudication::Ineligible,
            },
            scores: ScoreRow {
                passed: eligible,
                total: number(2),
                availability: number(3),
                constraint: number(4),
                error: number(5),
                mae: number(6),
                rmse: number(7),
                compared: whole(details + 4)?,
                gating_failures: gating_failures(protocol, &counts),
            },
            counts,
        };
        for atom in record.evidence {
            self.push_atom(atom, &mut stored)?;
        }
        Ok(stored)
    }

    fn push_atom(&self, atom: &Evidence, record: &mut StoredRecord) -> Result<(), WorkError> {
        let label = match atom.field {
            Some(name) => {
                let known = self.label_by_name.get(name).copied();
                Some(known.ok_or_else(|| unexpected("field", name))?)
            }
            None => None,
        };
        let rule = self.rule_by_name.get(atom.rule);
        let step = atom.step.and_then(|step| usize::try_from(step).ok());
        let check = rule
            .and_then(|rule| self.checks.find(record.task, *rule, label, step))
            .ok_or_else(|| unexpected("rule", "names a check the protocol does not make"))?;
        let mut severities = Severity::ALL.iter();
        let severity = severities.position(|severity| severity.name() == atom.severity);
        let severity = severity.ok_or_else(|| unexpected("severity", "is unknown"))?;
        let (number, observed) = (record.check.len() as u32, atom.observed.unwrap_or(f64::NAN));
        record
            .limits
            .extend(atom.limit.map(|limit| (number, limit)));
        record
            .texts
            .extend(atom.text.map(|text| (number, text.into())));
        let known = self.checks.get(check);
        // These atoms carry the predicted values, which messages show.
        if known.says() == Says::Value
            && let Some(field) = known.field
        {
            let horizon = self.protocol.tasks[record.task].horizon;
            let slot = field * horizon + known.step.unwrap_or(0);
            if let Some(value) = record.values.get_mut(slot) {
                *value = observed;
            }
        }
        record.check.push(check);
        record.severity.push(severity as u8);
        record.observed.push(observed);
        Ok(())
    }
}

/// What the answer took, if anything is known of it.
fn usage(record: &RunRecord) -> Option<[f64; USAGE.len()]> {
    let usage = [
        record.latency_ms,
        record.tokens_in,
        record.tokens_out,
        record.usd,
    ];
    let known = usage.iter().any(Option::is_some);
    known.then(|| usage.map(|number| number.unwrap_or(f64::NAN)))
}

/// A record that is none of this protocol.
fn unexpected(part: &str, reason: &str) -> WorkError {
    WorkError::BadArtifact(format!("{}: `{part}`: {reason}", name::RECORDS))
}

/// One stored record, owned.
#[derive(Debug, Clone)]
pub struct StoredRecord {
    /// The sample.
    pub sample_id: String,
    /// The model.
    pub model_name: String,
    /// The decision.
    pub adjudication: Adjudication,
    /// Atoms per family.
    pub counts: Vec<FamilyCount>,
    task: usize,
    input_file: String,
    input_line: u64,
    /// Which repeat of the question.
    pub epoch: i32,
    cluster: Option<String>,
    usage: Option<[f64; USAGE.len()]>,
    outcome: ParseOutcome,
    present: u32,
    values: Vec<f64>,
    check: Vec<u16>,
    severity: Vec<u8>,
    observed: Vec<f64>,
    texts: Vec<(u32, Box<str>)>,
    limits: Vec<(u32, f64)>,
    scores: ScoreRow,
}

impl StoredRecord {
    /// The record as a view for rendering.
    pub fn view(&self) -> RecordView<'_> {
        RecordView {
            sample_id: &self.sample_id,
            model_name: &self.model_name,
            task: self.task,
            input_file: &self.input_file,
            input_line: self.input_line,
            epoch: self.epoch,
            cluster: self.cluster.as_deref(),
            usage: self.usage,
            outcome: self.outcome,
            present: self.present,
            values: &self.values,
            check: &self.check,
            severity: &self.severity,
            observed: &self.observed,
            texts: &self.texts,
            limits: &self.limits,
            first_atom: 0,
            counts: &self.counts,
            adjudication: self.adjudication,
            scores: &self.scores,
        }
    }
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
