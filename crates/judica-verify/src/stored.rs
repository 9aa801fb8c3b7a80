//! Records that were stored, read back with every atom as it was.

use std::iter::{repeat, repeat_n};
use std::sync::{Arc, Mutex, PoisonError};

use judica_data::work_error::WorkError;
use judica_model::evidence::Severity;
use judica_model::record::{Adjudication, Record};
use judica_model::run::{Evidence, OwnValue, RunRecord};
use judica_run::manifest::{name, read_plain};
use judica_run::open::Run;
use rustc_hash::FxHashMap;

use crate::beside::USAGE;
use crate::checks::extended::Extended;
use crate::checks::{Check, CheckKind, Checks};
use crate::columns::write::ADJUSTED_APART;
use crate::columns::{DETAILS, NUMBERS, infos as infos_of, of_fields};
use crate::evidence::family::Says;
use crate::evidence::{Atoms, FamilyCount};
use crate::options::{PROTOCOL, Recorded, RunTrace, role};
use crate::protocol::levels::Grade;
use crate::protocol::{Protocol, load};
use crate::render::{RecordView, Renderer};
use crate::response::ParseOutcome;
use crate::score::{ScoreRow, gating_failures};

/// What the records of a run mean.
pub struct RecordReader {
    /// Its protocol.
    pub protocol: Arc<Protocol>,
    checks: Arc<Checks>,
    renderer: Renderer,
    /// What its records were made by.
    pub trace: RunTrace,
    rule_by_name: FxHashMap<String, usize>,
    label_by_name: FxHashMap<String, usize>,
    /// What programs have said so far that is no check of the protocol.
    open: Mutex<Option<Open>>,
}

/// Checks that came up in records, and who renders them.
struct Open {
    extended: Extended,
    renderer: Option<(usize, Renderer)>,
}

impl Open {
    /// So many are kept from record to record.
    const KEPT: usize = 1 << 15;

    fn renderer(&mut self, of: &Renderer) -> &Renderer {
        let now = self.extended.checks().list.len();
        let known = self.renderer.take().filter(|(known, _)| *known == now);
        let made = || {
            let checks = Arc::new(self.extended.checks().clone());
            (now, of.with_checks(&checks))
        };
        let (_, renderer) = self.renderer.insert(known.unwrap_or_else(made));
        renderer
    }
}

impl RecordReader {
    /// Opens what a run says of its records.
    pub fn of(run: &Run) -> Result<RecordReader, WorkError> {
        let path = run.path.join(PROTOCOL);
        let wrong = |what: String| WorkError::BadArtifact(format!("{}: {what}", path.display()));
        let source = String::from_utf8(read_plain(&path)?);
        let source = source.map_err(|error| wrong(error.to_string()))?;
        let mut protocol = load::parse(&source, &path.display().to_string())
            .map_err(|error| WorkError::BadArtifact(error.to_string()))?;
        let trace = run.manifest.trace.clone().unwrap_or_default();
        let trace: RunTrace = serde_json::from_value(trace).map_err(|error| {
            let manifest = run.path.join(name::MANIFEST);
            WorkError::BadArtifact(format!("{}: trace: {error}", manifest.display()))
        })?;
        // What programs are made of is part of the protocol, and stands beside its copy.
        if !protocol.verifiers.is_empty() {
            let recorded: Recorded = run.manifest.options()?;
            let inputs = run.manifest.inputs.iter();
            let inputs = inputs.filter(|input| input.role == role::VERIFIER);
            protocol.recorded_programs(&recorded.protocol.given_as, inputs);
        }
        if protocol.hashes.config != trace.record.config_hash {
            return Err(wrong(format!(
                "its content ({}) is not the one the run was made with ({})",
                protocol.hashes.config, trace.record.config_hash
            )));
        }
        let checks = Arc::new(Checks::new(&protocol)?);
        let protocol = Arc::new(protocol);
        let by_name = |names: &[String]| {
            let numbered = names.iter().cloned().zip(0..);
            numbered.collect::<FxHashMap<String, usize>>()
        };
        Ok(RecordReader {
            rule_by_name: by_name(&checks.rule_names),
            label_by_name: by_name(&checks.labels),
            renderer: Renderer::new(&protocol, &checks, &trace.record),
            protocol,
            checks,
            trace,
            open: Mutex::default(),
        })
    }

    /// Appends a record as a JSON object, without a newline.
    pub fn write(&self, record: &RunRecord, out: &mut Vec<u8>) -> Result<(), WorkError> {
        self.view(record, |renderer, view| renderer.write(view, out))
    }

    /// A record in the shape of its JSON, for those who look into it.
    pub fn record(&self, record: &RunRecord) -> Result<Record, WorkError> {
        let mut json = Vec::new();
        self.write(record, &mut json)?;
        serde_json::from_slice(&json).map_err(|error| unexpected("record", &error.to_string()))
    }

    /// Shows a record with its atoms as the checks number them.
    fn view<R>(
        &self,
        record: &RunRecord,
        show: impl FnOnce(&Renderer, &RecordView) -> R,
    ) -> Result<R, WorkError> {
        let protocol = &self.protocol;
        let task = protocol
            .task_index(record.dataset)
            .ok_or_else(|| unexpected("dataset", &format!("`{}` is no task", record.dataset)))?;
        let families = protocol.families.len();
        let details = NUMBERS.len() + families + of_fields(protocol).count();
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
                info: 0,
            });
        }
        let infos = details + DETAILS + 3 * families;
        for (family, _) in infos_of(protocol).enumerate() {
            counts[family].info = whole(infos + family)?;
        }
        let first = infos + infos_of(protocol).count();
        let dimensions = first..first + protocol.dimensions.len();
        let dimensions: Vec<f64> = dimensions.map(number).collect();
        let eligible = record.decision == Some(Adjudication::Eligible.name());
        let place = record.place.unwrap_or_default();
        let mut values = vec![f64::NAN; protocol.fields.len() * protocol.tasks[task].horizon];
        let mut atoms = Atoms::default();
        atoms.reserve(record.evidence.len());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(&*open, Some(open) if open.extended.checks().list.len() > Open::KEPT) {
            *open = None;
        }
        let families = counts.iter().enumerate();
        let families = families.flat_map(|(at, count)| repeat_n(at, count.atoms as usize));
        for (atom, family) in record.evidence.iter().zip(families.chain(repeat(0))) {
            let check = match self.known(task, atom) {
                Some(check) => check,
                None => self.added(family, atom, &mut open)?,
            };
            let checks = match &*open {
                Some(open) => open.extended.checks(),
                None => &self.checks,
            };
            self.push_atom(
                task,
                atom,
                (check, checks.get(check)),
                &mut atoms,
                &mut values,
            )?;
        }
        let renderer = match &mut *open {
            Some(open) => open.renderer(&self.renderer),
            None => &self.renderer,
        };
        Ok(show(
            renderer,
            &RecordView {
                sample_id: record.item,
                model_name: record.subject,
                task,
                input_file: place.file,
                input_line: place.line,
                epoch: record.epoch,
                cluster: record.cluster,
                usage: usage(record),
                outcome,
                present: whole(details + 3)?,
                values: &values,
                atoms: atoms.of_record(0..atoms.len()),
                adjudication: match eligible {
                    true => Adjudication::Eligible,
                    false => Adjudication::Ineligible,
                },
                scores: &ScoreRow {
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
                counts: &counts,
                dimensions: &dimensions,
            },
        ))
    }

    /// The check of the protocol that an atom is of.
    fn known(&self, task: usize, atom: &Evidence) -> Option<u16> {
        let label = match atom.field {
            Some(name) => Some(*self.label_by_name.get(name)?),
            None => None,
        };
        let rule = self.rule_by_name.get(atom.rule)?;
        let step = atom.step.and_then(|step| usize::try_from(step).ok());
        self.checks.find(task, *rule, label, step)
    }

    /// The check that an atom of a program is of.
    fn added(
        &self,
        family: usize,
        atom: &Evidence,
        open: &mut Option<Open>,
    ) -> Result<u16, WorkError> {
        if self.protocol.verifiers.is_empty() {
            let what = format!("`{}` names a check the protocol does not make", atom.rule);
            return Err(unexpected("rule", &what));
        }
        let open = open.get_or_insert_with(|| Open {
            extended: Extended::new(&self.checks, self.protocol.fields.len()),
            renderer: None,
        });
        let number = open.extended.number(family, atom.rule, atom.field);
        number.map_err(|why| unexpected("rule", &format!("`{}` {why}", atom.rule)))
    }

    fn push_atom(
        &self,
        task: usize,
        atom: &Evidence,
        (check, known): (u16, &Check),
        atoms: &mut Atoms,
        values: &mut [f64],
    ) -> Result<(), WorkError> {
        let mut severities = Severity::ALL.into_iter();
        let severity = severities.find(|severity| severity.name() == atom.severity);
        let severity = severity.ok_or_else(|| unexpected("severity", "is unknown"))?;
        let observed = atom.observed.unwrap_or(f64::NAN);
        let (number, text) = (atoms.len() as u32, atom.text);
        atoms.texts.extend(text.map(|text| (number, text.into())));
        let limit = atom.limit.unwrap_or(f64::NAN);
        match self.grade(known, severity, atom)? {
            Some(grade) => atoms.push_graded(check, grade, observed, limit),
            None => atoms.push(check, severity, observed, limit),
        }
        // These atoms carry the predicted values, which messages show.
        if known.says() == Says::Value
            && let Some(field) = known.field
        {
            let horizon = self.protocol.tasks[task].horizon;
            let slot = field * horizon + known.step.unwrap_or(0);
            if let Some(value) = values.get_mut(slot) {
                *value = observed;
            }
        }
        Ok(())
    }
}

impl RecordReader {
    /// What an atom of a rule with levels is worth.
    fn grade(
        &self,
        check: &Check,
        severity: Severity,
        atom: &Evidence,
    ) -> Result<Option<Grade>, WorkError> {
        let CheckKind::Rule(position) = check.kind else {
            return Ok(None);
        };
        let rule = &self.protocol.rules[position];
        if rule.levels.is_none() {
            return Ok(None);
        }
        let score = atom
            .score
            .ok_or_else(|| unexpected("score", "is missing"))?;
        let mut grade = Grade::new(score, severity);
        let names = atom.adjusted_by.into_iter();
        for name in names.flat_map(|names| names.split(ADJUSTED_APART)) {
            let mut all = rule.adjusted_by.iter();
            let number = all.position(|adjusting| adjusting.rule.name == name);
            let number = number.ok_or_else(|| unexpected("adjusted_by", name))?;
            grade.adjusted |= 1 << number;
        }
        Ok(Some(grade))
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

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
